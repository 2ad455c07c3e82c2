"""Make a shelf, or top up one; nothing that is there is overwritten."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from .. import render as renderers
from ..domain import merging
from ..domain.config import DOCSHELF, MANIFEST, SETTINGS, read_config
from ..domain.errors import ShelfError, UsageError
from ..domain.founding import founding_files, take_index
from ..domain.shelf import Shelf
from ..storage import files, gate, recalls
from ..storage.gate import Change, Saved
from ..storage.merge_drivers import install as merge_drivers_of
from ..storage.repo import Repo
from ..storage.shelving import identity
from ..storage.store import MARKERS, Store
from ..verb import verb
from . import rendering


@dataclass(frozen=True)
class Founded:
    """Where the shelf is, what was made, and whether that is committed."""

    root: str
    storage: str
    created: tuple[str, ...]
    committed: bool
    commit: str | None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        made = "\n".join(f"  {path}" for path in self.created) or "  nothing new"
        commit = f"\ncommit {self.commit[:12]}" if self.committed and self.commit else ""
        warnings = "".join(f"\nwarning: {text}" for text in self.warnings)
        notes = "".join(f"\n{text}" for text in self.notes)
        shelf = shlex.quote(self.root)
        after = f'\nnext: memshelf shelve --shelf {shelf} --title "..." --digest "..." --section "Decisions=..."'
        return f"a shelf at {self.root} ({self.storage}):\n{made}{commit}{notes}{warnings}{after}"


@verb(writes=True)
def init(
    root: Path,
    *,
    name: Annotated[str, "The shelf's name."] = "Memory shelf",
    storage: Annotated[
        Literal["plain", "git-local", "git-remote"] | None,
        "How it is kept: git-local for a new shelf, as it is for one that is there.",
    ] = None,
    remote: Annotated[str | None, "The remote's address, for git-remote."] = None,
    take_index: Annotated[bool, "Render INDEX.md in our own form from now on."] = False,
    merge_drivers: Annotated[
        bool, "Have git in this clone merge derived files and the recall log without conflicts."
    ] = False,
) -> Founded:
    """Make a shelf, or top up one; nothing that is there is overwritten.

    By default a git repository with no remote: private and local. Inside a larger repository the
    shelf becomes a folder of that repository.

    Example:
    memshelf init --shelf ~/my-shelf --name "My working memory"
    memshelf init --shelf ~/my-shelf --storage git-remote --remote git@example.org:me/shelf.git
    memshelf init --shelf ~/my-shelf --merge-drivers
    """
    _refuse_bad(name, storage, remote)
    root = Path(root).expanduser().absolute()
    files.within_workspace(root)
    before = _made_folder(root)
    there = _kept_by(root) if before else None
    if there and storage == "plain":
        fix = 'Set storage = "plain" under [shelf] in memshelf.toml to stop committing.'
        raise ShelfError("This shelf is kept in git.", fix, "kept-in-git")
    repo = there if before and storage is None else _repository(root, storage)
    warnings = list(_remote(repo, storage, remote))
    switch = _switch(root) if take_index else []
    changes = (_missing(root) if before else _founded(root, name, _renders(root, repo))) + switch
    changes += _merging(root) if merge_drivers and before else []
    adopted = _held(root) if before and repo and there is None else []
    saved = _save(root, changes + adopted, repo)
    rendered = rendering.render(Store(root), commit=repo is not None) if switch else None
    if merge_drivers and repo is None:
        warnings.append("Merge drivers are for shelves in git: nothing was set.")
    notes = _drivers(repo) if merge_drivers and repo else ()
    made = [change.path for change in changes] + list(rendered.written if rendered else ())
    said = () if repo is None else (*saved.warnings, *identity(saved))
    kept = "plain" if repo is None else "git-remote" if repo.remotes() else "git-local"
    return Founded(
        str(root), kept, tuple(made), saved.committed, saved.commit, (*warnings, *said), notes
    )


def _kept_by(root: Path) -> Repo | None:
    """The repository of a shelf that is there; None where it is kept as plain files."""
    return None if Store(root).settings["storage"] == "plain" else Repo.of(root)


def _held(root: Path) -> list[Change]:
    """All that a plain shelf holds, so that its first commit has it."""
    ours = [*founding_files("", after_write=False), *renderers.OWNED, "recall-log.tsv"]
    found = [root / path for path in ours]
    for folder in ("docs", "archive", "retros", "templates"):
        found += sorted((root / folder).rglob("*"))
    regular = dict.fromkeys(path for path in found if path.is_file() and not path.is_symlink())
    held = ((path.relative_to(root).as_posix(), path.read_bytes()) for path in regular)
    return [Change(path, data, data) for path, data in held]


def _refuse_bad(name: str, storage: str | None, remote: str | None) -> None:
    if not name.strip() or any(ord(c) < 32 for c in name):
        raise UsageError("The name is empty or holds control characters.", "Give plain words.")
    if remote and storage != "git-remote":
        raise UsageError("--remote goes with --storage git-remote.", "Give both, or neither.")
    if storage == "git-remote" and not remote:
        raise UsageError("--storage git-remote needs --remote URL.", "Give both, or neither.")


def _made_folder(root: Path) -> bool:
    """Whether a shelf was there already; the folder is made where it was not."""
    if root.exists() and not root.is_dir():
        raise ShelfError(f"{root} is a file.", "Name a folder.", "not-a-folder")
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as trouble:
        raise files.sentence(trouble, root) from None
    return any((root / marker).is_file() for marker in MARKERS)


def _repository(root: Path, storage: str | None) -> Repo | None:
    """The repository that the folder lies in, else a new one in it; None for plain files."""
    return None if storage == "plain" else Repo.of(root) or Repo.init(root)


def _remote(repo: Repo | None, storage: str | None, remote: str | None) -> tuple[str, ...]:
    if repo is None or storage != "git-remote" or remote is None:
        return ()
    known = repo.remotes()
    if remote in known.values():
        return ()
    if "origin" in known:
        return (f"The remote origin is {known['origin']} and stays so.",)
    repo.git("remote", "add", "origin", "--", remote)
    return ()


def _renders(root: Path, repo: Repo | None) -> bool:
    """Whether the shelf renders after each write: where no remote and no bot does it."""
    top = repo.where.worktree if repo else root
    bot = any((top / path).is_file() for path in merging.BOTS)
    return not bot and (repo is None or not repo.remotes())


def _founded(root: Path, name: str, after_write: bool) -> list[Change]:
    """Every file of a new shelf, the derived ones too."""
    wanted = founding_files(name, after_write, merging=_attributes())
    config = read_config(wanted[MANIFEST], wanted[DOCSHELF], wanted[SETTINGS])
    pages = {page.path: page.raw for page in renderers.derived(Shelf.make((), config=config))}
    return _absent(root, {path: text.encode() for path, text in wanted.items()} | pages)


def _missing(root: Path) -> list[Change]:
    """What a shelf that is there lacks, in agreement with what it says of itself."""
    config = Store(root).config
    wanted = founding_files(
        config.name, after_write=False, index=config.generated_by, merging=_attributes()
    )
    del wanted[SETTINGS]  # its defaults are those of the shelf as it is
    return _absent(root, {path: text.encode() for path, text in wanted.items()})


def _attributes() -> str:
    return merging.attributes(renderers.OWNED, recalls.LOG)


def _merging(root: Path) -> list[Change]:
    """The lines that an older .gitattributes lacks; one that is not there is made anyway."""
    path = ".gitattributes"
    if not (root / path).is_file():
        return []
    old = files.read_text(root, path, 1 << 20)
    new = merging.completed(old, _attributes())
    return [Change(path, new.encode(), old.encode())] if new != old else []


def _drivers(repo: Repo) -> tuple[str, ...]:
    from ..capture.clients.launch import launch

    start = launch(shutil.which, sys.executable)
    return merge_drivers_of(repo, start.command_line, renderers.OWNED)


def _absent(root: Path, wanted: dict[str, bytes]) -> list[Change]:
    return [
        Change(path, data)
        for path, data in wanted.items()
        if not os.path.lexists(root / path) and not _superfluous(root, path)
    ]


def _superfluous(root: Path, path: str) -> bool:
    """A .gitkeep is for folders that are empty."""
    folder = (root / path).parent
    return path.endswith(".gitkeep") and folder.is_dir() and any(folder.iterdir())


def _switch(root: Path) -> list[Change]:
    manifest = root / "shelf.yml"
    if not manifest.is_file():
        return []
    old = files.read_text(root, "shelf.yml", 1 << 20)
    new = take_index(old)
    return [Change("shelf.yml", new.encode(), old.encode())] if new != old else []


def _save(root: Path, changes: list[Change], repo: Repo | None) -> Saved:
    if not changes:
        return Saved(commit=repo.commit_id() or None if repo else None)
    message = "memshelf: init shelf"
    committing = repo is not None
    # What is adopted is there and in no commit yet: the gate takes it as it is.
    return gate.save(
        root, changes, message, plain=not committing, commit=committing, allow_dirty=True
    )
