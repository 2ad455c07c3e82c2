"""Whether the code of a package folder is what it was installed from, as far as its files tell."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

State = Literal["same", "differs", "unknown"]
OURS = Path(__file__).resolve().parent.parent
"""The folder of the package that runs."""
_TEMPLATES = "site_templates/"


class Served(NamedTuple):
    """A package folder, where its code came from, and whether the two are the same.

    `served` and `origin` are hashes of twelve digits, "" where there is none to tell.
    """

    package: Path
    come_from: str
    state: State
    served: str = ""
    origin: str = ""


def code_hash(package: Path) -> str:
    """Twelve digits that stand for all `.py` files of a folder, by path and content.

    The peer's rule: SHA-256 over the sorted relative path, NUL, the bytes, NUL. Templates are no
    code of the package: in a checkout they stand beside it, in a wheel inside.
    """
    digest = hashlib.sha256()
    found = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    for name in sorted(found):
        if not name.startswith(_TEMPLATES):
            digest.update(name.encode("utf-8", "surrogateescape") + b"\0")
            digest.update(found[name].read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def served(package: Path, info: Path | None, checkout: Path | None = None) -> Served:
    """Whether a package folder holds what it was installed from.

    `info` is the folder of what its installer noted (`memshelf-1.0.dist-info`), `checkout` a folder
    that counts as the origin whatever that says.
    """
    if checkout:
        return _against(package, checkout, f"the checkout {checkout}")
    noted = _noted(info)
    folder = _folder(noted)
    if folder and noted.get("dir_info", {}).get("editable"):
        if package.is_relative_to(folder):
            return Served(package, f"{folder}, editable", "same")
        return _against(package, folder, f"{folder}, editable")
    if folder:
        return _against(package, folder, str(folder))
    if info is None:
        return Served(package, "nothing that an installer noted", "unknown")
    where = str(noted.get("url", "")).rpartition("@")[2] or "a wheel"
    return _against_record(package, info, where)


def _against(package: Path, folder: Path, said: str) -> Served:
    found = (folder / name for name in ("memshelf", "src/memshelf", "."))
    origin = next((one for one in found if (one / "surfaces" / "cli.py").is_file()), None)
    if origin is None:
        return Served(package, f"{said}, which is not there", "unknown")
    try:
        here, there = code_hash(package), code_hash(origin)
    except OSError:
        return Served(package, f"{said}, which cannot be read", "unknown")
    return Served(package, said, "same" if here == there else "differs", here, there)


def _against_record(package: Path, info: Path, said: str) -> Served:
    """Each file's hash as the installer noted it. Format: *Recording installed projects*."""
    try:
        with (info / "RECORD").open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file) if len(row) >= 2 and row[0].endswith(".py")]
        wanted = {row[0]: row[1] for row in rows if row[0].startswith(f"{package.name}/")}
        wrong = [name for name, noted in wanted.items() if _record(info.parent / name) != noted]
    except (OSError, UnicodeError, csv.Error):
        return Served(package, f"{said}, without a record that can be read", "unknown")
    if not wanted:
        return Served(package, f"{said}, without a record of its files", "unknown")
    return Served(package, said, "differs" if wrong else "same")


def _record(path: Path) -> str:
    try:
        digest = hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return ""
    return f"sha256={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def _noted(info: Path | None) -> Mapping[str, Mapping[str, object]]:
    try:
        found = json.loads((info / "direct_url.json").read_text("utf-8")) if info else {}
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _folder(noted: Mapping[str, object]) -> Path | None:
    url = urlsplit(str(noted.get("url", "")))
    if url.scheme != "file" or "dir_info" not in noted:
        return None
    return Path(url2pathname(url.path)).resolve()


def beside(package: Path) -> Path | None:
    """What an installer noted in the folder in which the package lies, if it did."""
    found = sorted(package.parent.glob("memshelf-*.dist-info"))
    return found[-1] if found else None


def differs() -> str:
    """A sentence where the package that runs was installed from a folder, or is compared with
    `MEMSHELF_CHECKOUT`, and that holds other code by now; "" otherwise, and where
    `MEMSHELF_FRESHNESS_WARNING` is 0."""
    if os.environ.get("MEMSHELF_FRESHNESS_WARNING", "").lower() in ("0", "off", "false", "no"):
        return ""
    named = os.environ.get("MEMSHELF_CHECKOUT", "")
    info = beside(OURS)
    if not named and not _folder(_noted(info)):
        return ""
    found = served(OURS, info, Path(named) if named else None)
    if found.state != "differs":
        return ""
    return (
        f"This server runs memshelf {found.served}, and {found.come_from} holds {found.origin}: "
        "`memshelf doctor --installed` says which copy answers whom.\n"
    )
