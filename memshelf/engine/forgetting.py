"""What is kept beside a shelf to make it fast, made to forget a text to the last byte."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..storage.places import answers_dir, cache_dir
from ..storage.store import Store
from . import following, meaning
from .vectors_file import NAME, VectorFile


def forget(store: Store, paths: Iterable[str]) -> tuple[str, ...]:
    """Delete caches, the index and remembered answers; of the vectors the rows of some files.

    Databases are deleted rather than cleaned: a row that is gone may stand in a free page for long.
    Vectors take minutes to make again, so that their file is rewritten without the rows. The
    answer names what could not be cleaned.
    """
    following.close(store)
    meaning.close(store)
    store.close()
    store.__dict__.pop("cache", None)  # it is opened anew when it is needed
    folder = cache_dir(store.root)
    left = [*_emptied(folder, NAME), *_emptied(Path(answers_dir()), "")]
    if (folder / NAME).exists() and not _without(folder, paths):
        left.append(folder / NAME)
    return tuple(f"{path} is in use and may still hold it: delete it later." for path in left)


def _without(folder: Path, paths: Iterable[str]) -> bool:
    """Take files out of the vectors; where that fails all of them go. False if not even that does."""
    vectors = VectorFile(folder)
    try:
        if vectors.kept and vectors.forget(paths):
            return True
        vectors.delete()
        return vectors.emptied()
    finally:
        vectors.close()


def _emptied(folder: Path, kept: str) -> Iterator[Path]:
    """Delete what is in a folder, locks and what begins with the kept name apart; what would not go."""
    for path in sorted(folder.glob("*")):
        if (kept and path.name.startswith(kept)) or path.suffix == ".lock":
            continue
        with contextlib.suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        if path.exists():
            yield path
