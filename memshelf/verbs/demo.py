"""Try everything once, on a copy of the sample shelf."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from .. import sample_shelf
from ..domain.errors import ShelfError
from ..storage import files, gate
from ..storage.gate import Change
from ..storage.repo import Repo
from ..storage.store import Store
from ..verb import CommandLineOnly, verb
from . import rendering

EPISODE = "2026-10-05-first-steps-with-memshelf"
DIGEST = (
    "memshelf was tried on a copy of the sample shelf. The copy was chosen over an empty shelf, "
    "because a full one shows more; an online service was rejected. Open: connect an agent."
)
SECTIONS = {
    "Decisions": "- A copy of the sample shelf in a folder that git ignores.\n"
    "  Rejected: an empty shelf, which has nothing to render.",
    "Open threads": "- Connect an agent: `memshelf setup claude-code`.",
}


@dataclass(frozen=True)
class Shown:
    """What the demonstration did, step by step, and the files it made."""

    shelf: str
    steps: tuple[str, ...]
    recalled: str
    made: tuple[str, ...]

    def __str__(self) -> str:
        steps = "\n".join(f"{place}. {step}" for place, step in enumerate(self.steps, 1))
        recalled = "\n".join(f"   | {line}" for line in self.recalled.splitlines())
        made = "\n".join(f"  {path}" for path in self.made)
        return f"{steps}\n{recalled}\n\nLook at:\n{made}"


@verb(mcp=False)
def demo(
    *,
    out: Annotated[Path, "The folder for the copy; made anew each time.", CommandLineOnly()] = Path(
        "memshelf-demo"
    ),
) -> Shown:
    """Try everything once, on a copy of the sample shelf.

    Copies the shelf that ships with memshelf, makes it a repository, shelves an episode, recalls a
    section of it over MCP as an agent would, rebuilds, and renders one HTML file.

    Example:
    memshelf demo --out build/demo
    """
    out = Path(out)
    files.within_workspace(out.absolute())
    root = (out / "shelf").absolute()
    _copy(root)
    repo = Repo.init(root)
    first = _commit_all(root)
    store = Store.open(root)
    from .shelve import shelve

    shelved = shelve(
        store,
        slug=EPISODE,
        display_title="First steps with memshelf",
        digest=DIGEST,
        sections=SECTIONS,
        tags=("memshelf",),
        approx_tokens=2000,
    )
    recalled = _over_mcp(root)
    rendered = rendering.render(store, commit=True)
    page = _page(store, out.absolute() / "shelf.html")
    steps = (
        f"copied the sample shelf to {root}: {store.count() - 1} episodes, commit {first[:12]}",
        f"shelved {shelved.address}, commit {(shelved.commit or '')[:12]}",
        f"rebuilt {', '.join(rendered.written)}, commit {(rendered.commit or repo.commit_id())[:12]}",
        f"rendered {page.name}: {page.stat().st_size:,} bytes",
        "recalled its section Decisions over MCP:",
    )
    made = (root / "INDEX.md", root / "stats.svg", root / shelved.address, page)
    return Shown(str(root), steps, recalled, tuple(map(str, made)))


def _copy(root: Path) -> None:
    """A fresh copy; an older one is removed, and nothing but that."""
    if root.exists():
        if not (root / ".memshelf-demo").is_file():
            said = f"{root} is there and is no copy of the sample shelf."
            raise ShelfError(said, "Name another folder with --out.", "already-there")
        shutil.rmtree(root, onerror=_writable)
    shutil.copytree(sample_shelf(), root)
    (root / ".memshelf-demo").write_text(
        "A copy of the sample shelf; made anew by `memshelf demo`.\n"
    )


def _writable(remove: object, path: str, _trouble: object) -> None:
    """git's objects are read-only, which Windows takes literally."""
    Path(path).chmod(0o700)
    Path(path).unlink()


def _commit_all(root: Path) -> str:
    found = sorted(path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    changes = [
        Change(p.relative_to(root).as_posix(), p.read_bytes(), p.read_bytes()) for p in found
    ]
    saved = gate.save(root, changes, "Copy the sample shelf", allow_dirty=True)
    return saved.commit or ""


def _over_mcp(root: Path) -> str:
    """The section, recalled by a client that starts the server as an agent's host would."""
    import asyncio

    from mcp import Client, StdioServerParameters

    async def ask() -> str:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "memshelf", "serve", "--shelf", str(root)],
            # The SDK passes a server little of the environment; where state lives is in it.
            env={name: value for name, value in os.environ.items() if name.startswith("MEMSHELF_")},
        )
        async with Client(server) as client:
            arguments = {"id": EPISODE, "section": "Decisions"}
            answer = await client.call_tool("memshelf_recall", arguments)
            return "\n".join(part.text for part in answer.content if part.type == "text")

    return asyncio.run(ask())


def _page(store: Store, path: Path) -> Path:
    from .export_html import export_html

    export_html(store, out=path)
    return path
