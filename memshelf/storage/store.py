"""Store: a shelf's folder. What is read comes from here; what is written goes through the gate."""

from __future__ import annotations

import contextlib
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ..domain.episode import CATEGORIES
from ..domain.errors import EpisodeNotFound, NotAShelf, ShelfError
from ..domain.page import Drift, Page
from . import files
from .places import cache_dir
from .source import Source

MARKERS = ("shelf.yml", ".docshelf.json", "ledger.tsv")
ROOTS = ("docs", "archive/docs")

if TYPE_CHECKING:  # importing these at run time would cost every start-up
    from ..domain.shelf import Recall, Shelf
    from .cache import Cache
    from .look import Look
    from .survey import Also, Survey


class Store(Source):
    """A handle on a shelf's folder; `root` is absolute. Cheap to make: nothing is read yet."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root.name
        self.progress: Callable[..., None] | None = None
        """Is told how far long work is: done, total, and what is done if it is not reading."""
        self.ask: Callable[[str], bool] | None = None
        """Puts a question to the user, where a surface has one at hand."""
        self.tool_tokens: Callable[[], int] | None = None
        """What the tools cost every session in which they are offered, where a surface knows."""
        self.workers = 1
        """Processors that long work may use; a surface that is a program of its own raises it."""
        self.fresh_for = 0.0
        """Seconds for which a look at the files may be trusted; a surface that answers many calls
        raises it."""
        self._look: Look | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Store:
        """The shelf at a path. Raises NotAShelf; finishes or undoes a write that was killed."""
        root = Path(path).expanduser()
        root = root if root.is_absolute() else here() / root
        if not any((root / marker).is_file() for marker in MARKERS):
            raise NotAShelf(path)
        files.within_workspace(root)
        store = cls(root)
        store._heal()
        return store

    def close(self) -> None:
        """Let go of the cache's file, in a process that goes on."""
        if "cache" in self.__dict__:
            self.cache.close()

    def _heal(self) -> None:
        from . import gitdir, journal

        found = gitdir.find(self.root)
        if found and journal.pending(found):
            journal.heal(self.root)

    # --- one file, by name alone ---------------------------------------------------------------

    def locate(self, episode_id: str) -> str | None:
        """The path of an episode's file, from names alone: live before archived; None if none."""
        return next(self.places(episode_id), None)

    def places(self, episode_id: str) -> Iterator[str]:
        """The path of every file that bears the name of an episode, in the order of `locate`."""
        stem = episode_id.removesuffix(".md")
        if not stem or "/" in stem or "\\" in stem or "\0" in stem or stem.startswith("."):
            return
        for form in dict.fromkeys(
            (stem, *(unicodedata.normalize(f, stem) for f in ("NFC", "NFD")))
        ):
            for root in ROOTS:
                for category in self.categories(root):
                    path = f"{root}/{category}/{form}.md"
                    if os.path.lexists(self.root / path):
                        yield path

    def categories(self, root: str = "docs") -> tuple[str, ...]:
        """The folders of episodes under a root: the known ones first, then others by name."""
        names = []
        with contextlib.suppress(OSError), os.scandir(self.root / root) as found:
            names = [e.name for e in found if e.is_dir(follow_symlinks=False) and e.name[0] != "."]
        known = [name for name in sorted(CATEGORIES) if name in names]
        return (*known, *sorted(set(names) - set(CATEGORIES)))

    def count(self) -> int:
        """How many episode files there are, archived ones too; none is opened."""
        return sum(1 for _ in self._listed())

    def titled(self, category: str, title: str) -> str | None:
        """The file of a category that has a title, as far as the derived names and the cache know."""
        import json

        names = self.bytes(f"docs/{category}/.meta.json") or b"{}"
        if title.encode("utf-8") in names:
            with contextlib.suppress(ValueError, AttributeError):
                for name, said in json.loads(names).items():
                    if (
                        said.get("title") == title
                        and (self.root / f"docs/{category}/{name}").is_file()
                    ):
                        return f"docs/{category}/{name}"
        cached = self.cache.titled(f"docs/{category}/", title)
        return cached if cached and self.has(cached) else None

    def require(self, episode_id: str) -> str:
        """The path of an episode's file; EpisodeNotFound naming near ids where there is none."""
        path = self.locate(episode_id) or self._by_front_matter(episode_id)
        if path is None:
            today = self.called_today(episode_id)
            raise EpisodeNotFound(episode_id, () if today else self.near(episode_id), today)
        return path

    def called_today(self, episode_id: str) -> str:
        """The id of today of an episode that had another one, as git tells; empty where none had.

        The whole history may have to be read: for names that were not found.
        """
        from ..domain.changes import stem

        with contextlib.suppress(ShelfError):
            shelf = self.read(history=True)
            there = {entry.path: entry.id for entry in shelf.entries}
            for old, new in shelf.changes.moved.items():
                if stem(old) == episode_id.removesuffix(".md") and new in there:
                    return there[new]
        return ""

    def _by_front_matter(self, episode_id: str) -> str | None:
        """Old shelves hold ids that are not the file's name."""
        found = self.read().by_id.get(episode_id)
        return found.path if found else None

    def near(self, episode_id: str) -> tuple[str, ...]:
        """At most three ids that look like this one."""
        from ..domain.near import near_ids

        return near_ids(episode_id, self.stems())

    def text(self, path: str) -> str:
        """A file of the shelf as text. Raises ShelfError naming the file where it cannot be read."""
        return files.read_text(self.root, path, files.SIZE_LIMIT)

    def listed(self, path: str) -> str:
        """The text of a file that a survey listed: a regular file, whose path needs no look."""
        data = files.read_bytes(os.path.join(self.root, path), path, files.SIZE_LIMIT)  # noqa: PTH118
        return files.decoded(data, path)

    def _texts(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """The texts of files that a survey listed; those that are gone by now are left out."""
        for path in paths:
            with contextlib.suppress(ShelfError):
                yield path, self.listed(path)

    def peek(self, path: str) -> bytes | None:
        """A file's bytes; None where there is none or it may not be read."""
        try:
            return self.bytes(path)
        except ShelfError:
            return None

    def has(self, path: str) -> bool:
        """Whether there is a file; False where its folder may not be read."""
        return os.path.isfile(os.path.join(self.root, path))  # noqa: PTH113, PTH118 - never raises

    def names(self, folder: str) -> list[str]:
        """The names of the Markdown files in a folder."""
        return [found.name for found in (self.root / folder).glob("*.md")]

    def bytes(self, path: str) -> bytes | None:
        """A file of the shelf as bytes, None where there is none."""
        try:
            return files.safe_join(self.root, path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as trouble:
            raise files.sentence(trouble, path) from None

    # --- all of it -----------------------------------------------------------------------------

    def stems(self) -> list[str]:
        """The names of all episode files, without their endings."""
        return [PurePosixPath(path).stem for path in self._listed()]

    def _listed(self) -> Iterator[str]:
        """The path of every episode file."""
        for folder in self.folders():
            with contextlib.suppress(OSError), os.scandir(self.root / folder) as found:
                names = [e.name for e in found if e.name.endswith(".md") and e.name[0] != "."]
                yield from (f"{folder}/{name}" for name in names)

    def folders(self) -> list[str]:
        """The folders that hold episodes, live ones first."""
        return [f"{root}/{name}" for root in ROOTS for name in self.categories(root)]

    @cached_property
    def cache(self) -> Cache:
        """What was parsed before; in memory only where its folder cannot be written."""
        from .cache import Cache

        return Cache(cache_dir(self.root))

    def survey(self, also: Also | None = None, bodied: bool = False) -> Survey:
        """Every episode file, by its stamp or, where that is new, by reading it.

        `also` is applied to each file that has to be read (see `survey.Also`).
        """
        from . import look
        from .survey import survey, unchanged

        seen, self._look = self._look or self.look(), None
        rows = look.known(self.cache, seen)
        if rows:
            return unchanged(rows, self.cache, self._texts, self.report)
        made = survey(
            self.root.as_posix(),
            seen.found,
            self.cache,
            self._texts,
            self.report,
            self.workers,
            also,
            bodied,
        )
        made = made._replace(problems=tuple(sorted((*made.problems, *seen.problems))))
        look.keep(self.cache, seen, () if made.problems else made.rows)
        return made

    def look(self) -> Look:
        """A look at every episode file; the next survey starts from it and takes no other."""
        from . import look

        self._look = look.look(self.root, self.folders())
        return self._look

    def report(self, done: int, total: int) -> None:
        """Tell how far long work is, if somebody wants to know."""
        if self.progress:
            self.progress(done, total)

    def read(self, rev: str = "", bodied: bool = False, history: bool = False) -> Shelf:
        """A snapshot of the whole shelf: as it is now, or as it was at a git revision.

        With `bodied` the bodies will be asked for, and are read at once with all else; with
        `history` it has the changes that git knows, up to HEAD or that revision.

        Raises what `revision.at` raises where git has no such revision of this shelf.
        """
        if not rev:
            shelf = self.snapshot(self.survey(bodied=bodied))
            return self._with_history(shelf) if history else shelf
        from .revision import at

        revision = at(self.root, rev)
        shelf = revision.snapshot(revision.survey(self.cache, self.report))
        return self._with_history(shelf, revision.commit) if history else shelf

    def _with_history(self, shelf: Shelf, commit: str = "") -> Shelf:
        from dataclasses import replace

        from .history import history

        ids = {entry.path: entry.id for entry in shelf.entries}
        return replace(shelf, changes=history(self.root, self.cache, ids, commit))

    def recalls(self) -> Iterator[Recall]:
        """Every logged recall: those on the shelf, then those still in the state folder."""
        from . import recalls

        yield from super().recalls()
        yield from recalls.pending(self.root)

    # --- derived files -------------------------------------------------------------------------

    def compare(self, pages: Iterable[Page], owned: Iterable[str] = ()) -> Drift:
        """How pages differ from the folder; `owned` paths that no page makes are stale."""
        changed, unchanged, made = [], [], set()
        for page in pages:
            made.add(page.path)
            if self.peek(page.path) == page.raw:
                unchanged.append(page.path)
            else:
                changed.append(page)
        stale = tuple(path for path in owned if path not in made and self.has(path))
        return Drift(tuple(changed), tuple(unchanged), stale)


def here() -> Path:
    """The current folder. Raises ShelfError where it was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        said = "The current folder does not exist any more."
        raise ShelfError(said, "Change to another one.", "no-folder") from None


def discover(
    given: str | None, environ: Mapping[str, str], start: Path | None = None
) -> tuple[Path, str]:
    """Where the shelf is, and how that was found: `flag`, `environment` or `folder`.

    The path given, else `MEMSHELF_SHELF_PATH`, else the nearest folder
    from `start` (the current one) upwards that is a shelf.
    """
    if given:
        return Path(given), "flag"
    named = environ.get("MEMSHELF_SHELF_PATH")
    if named:
        return Path(named), "environment"
    start = start or here()
    for folder in (start, *start.parents):
        if any((folder / marker).is_file() for marker in MARKERS):
            return folder, "folder"
    raise ShelfError(
        "No shelf was named, and none is here or in a folder above.",
        "Give --shelf PATH, set MEMSHELF_SHELF_PATH, or make one: memshelf init --shelf PATH",
        code="no-shelf",
    )
