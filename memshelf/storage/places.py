"""Where things outside a shelf live: cache and state, keyed by the shelf's resolved path."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:  # pathlib is slow to import, and answers that are known need none
    from pathlib import Path


def key(root: Path) -> str:
    """The name of a shelf's folders: 16 hex digits of the SHA-256 of its resolved path."""
    import hashlib

    return hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16]


def cache_dir(root: Path) -> Path:
    """Where what was parsed is kept: `MEMSHELF_CACHE_DIR`, else the platform's cache folder."""
    from pathlib import Path

    return Path(_base("MEMSHELF_CACHE_DIR", "user_cache_dir"), key(root))


def answers_dir() -> str:
    """Where the answers of the command line are kept, those of all shelves together."""
    return f"{_base('MEMSHELF_CACHE_DIR', 'user_cache_dir')}/answers"


def state_dir(root: Path) -> Path:
    """Where logs of a shelf are kept: `MEMSHELF_STATE_DIR`, else the platform's state folder."""
    from pathlib import Path

    return Path(_base("MEMSHELF_STATE_DIR", "user_state_dir"), key(root))


def _base(variable: str, platform_folder: str) -> str:
    named = os.environ.get(variable)
    if named:
        return named
    import platformdirs

    folder: str = getattr(platformdirs, platform_folder)("memshelf", appauthor=False)
    return folder
