"""What becomes of each path that a merge left open: settled by rule, or shown with a proposal."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from .. import render as renderers
from ..domain.episode import Document
from ..domain.errors import ShelfError, UsageError
from ..domain.log_union import Sides, split, united
from ..domain.splicing import splice
from ..domain.three_way import Part, Proposal, propose
from ..storage import files, recalls
from ..storage import unmerged as index
from ..storage.repo import Blob, Repo
from ..storage.store import ROOTS, Store
from ..storage.unmerged import Unmerged

Contents = Mapping[str, bytes | None]
"""Files of the shelf with what they are to hold; None: gone."""

_At = tuple[str, Blob]
"""Where an episode lies on the shelf, and its content."""

_Choices = Mapping[str, Callable[[], Contents]]


@dataclass(frozen=True)
class Left:
    """A path that nobody may settle unasked: what is the matter, and what could be taken.

    `merged` is the text of a clean merge, None where there is none; `also` is the second path that
    taking `merged` would write, with its text.
    """

    path: str
    said: str
    takes: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    merged: str | None = None
    also: str = ""

    @property
    def id(self) -> str:
        """The episode's id; empty for what is no episode."""
        return PurePosixPath(self.path).stem if is_episode(self.path) else ""

    def is_called(self, name: str) -> bool:
        """Whether a name means it: the id, or the path with its ending or without."""
        return name in (self.id, self.path, self.path.removesuffix(".md"))

    def data(self) -> dict[str, Any]:
        """For programs, the parts with all three sides."""
        return {
            "id": self.id,
            "path": self.path,
            "what": self.said,
            "takes": list(self.takes),
            "parts": [part._asdict() for part in self.parts],
            "merged": self.merged,
            "also": self.also,
        }

    def __str__(self) -> str:
        rows = [f"unresolved {self.path}: {self.said}"]
        rows += ["  " + str(part).replace("\n", "\n  ") for part in self.parts]
        name = shlex.quote(self.id or self.path)
        rows += [f"  memshelf resolve --episode {name} --take {take}" for take in self.takes]
        return "\n".join(rows)


@dataclass(frozen=True)
class Way:
    """What would become of a conflict: for each choice, the files that it leaves (None: gone)."""

    left: Left
    choices: _Choices = field(default_factory=dict)


class Conflicts:
    """The open paths of a shelf in the middle of a merge. Paths are the shelf's own."""

    def __init__(self, store: Store, repo: Repo) -> None:
        self.store, self.repo = store, repo
        self.found = index.unmerged(repo)

    def now(self) -> Conflicts:
        """Those that are open by now."""
        return Conflicts(self.store, self.repo)

    @cached_property
    def by_path(self) -> dict[str, Unmerged]:
        """Those that lie on the shelf."""
        prefix = self.repo.where.prefix
        inside = (o for o in self.found if not prefix or o.path.startswith(f"{prefix}/"))
        return {self.repo.where.short(one.path): one for one in inside}

    @property
    def outside(self) -> list[str]:
        """Those of the larger repository, from its top."""
        there = {one.path for one in self.by_path.values()}
        return [one.path for one in self.found if one.path not in there]

    @property
    def derived(self) -> list[str]:
        """Those that are rendered anew."""
        return [path for path in self.by_path if path in renderers.OWNED]

    # --- what is settled by rule ---------------------------------------------------------------

    def log(self) -> bool:
        """Unite the recall log; whether there was anything to unite."""
        one = self.by_path.get(recalls.LOG)
        if one:
            sides = Sides(
                self._log(one.base), self._log(one.ours) or "", self._log(one.theirs) or ""
            )
        else:
            data = self.store.peek(recalls.LOG) or b""
            sides_there = split(_text(data)) if b"<<<<<<<" in data else None
            if sides_there is None:
                return False
            sides = sides_there
        self.put({recalls.LOG: united(sides).encode("utf-8", "surrogateescape")})
        return True

    def _log(self, blob: Blob | None) -> str | None:
        return None if blob is None else _text(self.repo.content(blob))

    def moved(self) -> list[tuple[str, str]]:
        """Put back what git moved after a folder that it took for renamed, and let go of what both
        sides moved away: the paths, each with what became of it."""
        told = []
        for path, one in self._sources():
            if one.ours is None and one.theirs is None:
                index.settle(self.repo, {}, [one.path])
                told.append((path, "both sides moved it"))
            elif not one.undecided:
                told += self._sent_home(path, one)
        return told

    def brought_back(self, begun: bool) -> list[tuple[str, str]]:
        """Bring back what both sides have and git's merge has not: a file that one side moved into
        a folder which the other side emptied. The paths, each with what became of it."""
        revisions = index.sides(self.repo, begun)
        if revisions is None:
            return []
        ours, theirs = (self._episodes(revision) for revision in revisions)
        there = set() if begun else self._episodes("HEAD").keys()
        lost = [
            name
            for name in ours.keys() & theirs.keys()
            if name not in there and not (begun and self.store.locate(name))
        ]
        base = self._episodes(index.base_of(self.repo, *revisions)) if lost else {}
        told = []
        for name in sorted(lost):
            path, blob = _moved_one(base.get(name), ours[name], theirs[name])
            self.put({path: self.repo.content(blob)})
            told.append((path, "git's merge had lost it, though both sides have it"))
        return told

    def _episodes(self, revision: str) -> dict[str, _At]:
        short = self.repo.where.short
        found = index.files_at(self.repo, revision) if revision else {}
        rows = ((short(path), blob) for path, blob in found.items())
        return {PurePosixPath(path).stem: (path, blob) for path, blob in rows if is_episode(path)}

    def _sent_home(self, path: str, one: Unmerged) -> list[tuple[str, str]]:
        there = index.home(self.repo, one)
        data = self.repo.content(one.ours or one.theirs)
        if there and self._is_home(there):
            short = self.repo.where.short(there)
            self.put({short: data, path: None})
            return [(path, f"it stays where it was put, {short}")]
        if one.base is None:
            return []  # two names for one file, say: a person decides
        self.put({path: data})
        return [(path, "both sides hold the same")]

    def _is_home(self, full: str) -> bool:
        short = self.repo.where.short(full)
        return is_episode(short) and not self.store.has(short)

    # --- what is proposed ----------------------------------------------------------------------

    def ways(self) -> list[Way]:
        """What might become of each of the others."""
        return [self._way(path, one) for path, one in self._sources()]

    def _sources(self) -> list[tuple[str, Unmerged]]:
        derived = {*renderers.OWNED, recalls.LOG}
        return [(path, one) for path, one in self.by_path.items() if path not in derived]

    def _way(self, path: str, one: Unmerged) -> Way:
        ours, theirs = (self._side(path, blob) for blob in (one.ours, one.theirs))
        plain: _Choices = {"ours": ours, "theirs": theirs}
        if any(blob and not blob.mode.startswith("100") for blob in one[1:]):
            return _way(path, "It is no plain file: settle it by hand.", {})
        if not is_episode(path):
            return _way(path, "It is no episode: edit it to one text, or take a side.", plain)
        try:
            texts = [
                None if b is None else files.decoded(self.repo.content(b), path) for b in one[1:]
            ]
        except ShelfError:
            return _way(path, "It is no text.", plain)
        base, our, their = texts
        if our is not None and their is not None:
            if base is None:
                return self._both(path, our, their, plain)
            return merging(path, propose(base, our, their), plain)
        return self._deleted(path, base, our, their, plain)

    def _side(self, path: str, blob: Blob | None) -> Callable[[], Contents]:
        return lambda: {path: None if blob is None else self.repo.content(blob)}

    def _both(self, path: str, ours: str, theirs: str, plain: _Choices) -> Way:
        """The same id on both sides, by two writers: both are kept, theirs under another one."""
        stem = PurePosixPath(path).stem
        name = next(n for n in (f"{stem}-{i}" for i in range(2, 10_000)) if self._free(n))
        second = str(PurePosixPath(path).with_name(f"{name}.md"))
        renamed = theirs
        if "id" in Document.of(theirs).front.values:
            renamed = splice(theirs, {"id": name}, ())
        parts = propose("", ours, theirs).parts
        keep = {path: _bytes(ours), second: _bytes(renamed)}
        said = f"Both sides shelved {stem}. Both can be kept: ours as it is, theirs as {name}."
        left = Left(path, said, ("merged", "ours", "theirs"), parts, ours, second)
        return Way(left, {**plain, "merged": lambda: keep})

    def _free(self, name: str) -> bool:
        return self.store.locate(name) is None and not any(
            path.endswith(f"/{name}.md") for path in self.by_path
        )

    def _deleted(
        self, path: str, base: str | None, ours: str | None, theirs: str | None, plain: _Choices
    ) -> Way:
        """One side edited the episode and the other has it no more, or somewhere else."""
        edited = ours if ours is not None else theirs
        assert edited is not None
        who, other = ("ours", "theirs") if ours is not None else ("theirs", "ours")
        there = self._elsewhere(path)
        if there and base is not None:
            proposal = propose(base, edited, self.store.text(there))
            said = f"It was edited on one side ({who}) and moved to {there} on the other ({other})."
            both = {there: _bytes(proposal.text or ""), path: None}
            alone = {there: _bytes(edited), path: None}
            asis: Contents = {path: None}
            takes: _Choices = {who: lambda: alone, other: lambda: asis}
            if proposal.text is not None:
                takes = {"merged": lambda: both, **takes}
            return Way(Left(path, said, tuple(takes), proposal.parts, proposal.text, there), takes)
        said = f"It was edited on one side ({who}) and is not there on the other ({other})."
        keep = {path: _bytes(edited)}
        takes = {"merged": lambda: keep, **plain}
        return Way(Left(path, f"{said} Merged keeps it.", tuple(takes), (), edited), takes)

    def _elsewhere(self, path: str) -> str | None:
        name = PurePosixPath(path).name
        places = (f"{root}/{c}/{name}" for root in ROOTS for c in self.store.categories(root))
        return next((p for p in places if p != path and self.store.has(p)), None)

    # --- writing -------------------------------------------------------------------------------

    def put(self, contents: Contents) -> None:
        """Files with their contents (None: gone), on disk first and then settled in the index."""
        entries, gone = {}, []
        for path, data in contents.items():
            full = self.repo.where.full(path)
            file = files.safe_join(self.store.root, path)
            if data is None:
                gone.append(full)
                with files.telling(path):
                    file.unlink(missing_ok=True)
                continue
            known = self.by_path.get(path)
            blob = index.kept(self.repo, data, known.mode if known else "100644", full)
            with files.telling(path):
                file.parent.mkdir(parents=True, exist_ok=True)
                files.replace(file, index.on_disk(self.repo, blob, full))
            entries[full] = blob
        index.settle(self.repo, entries, gone)


def _moved_one(base: _At | None, ours: _At, theirs: _At) -> _At:
    """Of two places and two contents those that are not as they were; ours where neither is."""
    old_path, old_blob = base or ("", None)
    path = theirs[0] if ours[0] == old_path else ours[0]
    return path, theirs[1] if ours[1] == old_blob else ours[1]


def is_episode(path: str) -> bool:
    """Whether a path of the shelf is where an episode may lie."""
    root, _, name = path.rpartition("/")
    return name.endswith(".md") and root.rpartition("/")[0] in ROOTS


def merging(path: str, proposal: Proposal, plain: _Choices) -> Way:
    """The way of an episode that both sides changed."""
    if proposal.text is not None:
        text = proposal.text
        said = "Both sides changed it, and the changes go together."
        takes = {"merged": lambda: {path: _bytes(text)}, **plain}
        return Way(Left(path, said, tuple(takes), proposal.parts, text), takes)
    names = ", ".join(proposal.conflicts) or "a place that cannot be merged part by part"
    said = (
        f"Both sides changed {names}: edit the file to one text and `git add` it, or take a side."
    )
    return Way(Left(path, said, tuple(plain), proposal.parts), plain)


def marked(store: Store, path: str) -> Way:
    """The way of an episode in which conflict markers were left, in a commit or in none."""
    sides = split(store.text(path))
    if sides is None:
        return _way(path, "It holds conflict markers that are out of order: edit it.", {})
    ours, theirs = _bytes(sides.ours), _bytes(sides.theirs)
    plain: _Choices = {"ours": lambda: {path: ours}, "theirs": lambda: {path: theirs}}
    way = merging(path, propose(sides.base or "", sides.ours, sides.theirs), plain)
    said = f"It holds the markers of an unfinished merge. {way.left.said}"
    return replace(way, left=replace(way.left, said=said))


def chosen(ways: list[Way], name: str, take: str) -> tuple[Way, Contents]:
    """The way of the episode (or path) that was named, and the files that the choice leaves."""
    for way in ways:
        if way.left.is_called(name):
            if take not in way.choices:
                said = f"{way.left.path}: {take} cannot be taken. {way.left.said}"
                raise ShelfError(said, f"Take one of: {', '.join(way.left.takes)}.", "not-clean")
            return way, way.choices[take]()
    known = ", ".join(way.left.id or way.left.path for way in ways)
    fix = f"In conflict are: {known}." if known else "`memshelf resolve` shows what there is."
    raise UsageError(f"{name!r} is not in conflict.", fix)


def _way(path: str, said: str, plain: _Choices) -> Way:
    return Way(Left(path, said, tuple(plain)), plain)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
