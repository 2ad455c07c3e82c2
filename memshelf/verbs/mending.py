"""What doctor can put right by itself: little, each in a commit of its own, and proved afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..domain.codes import RENDERED
from ..domain.errors import ShelfError
from ..domain.finding import Finding
from ..domain.text import plural
from ..storage.mending import can_take_its_name, take_its_name
from ..storage.reversing import reversing
from ..storage.store import Store
from . import rendering


class Mend(NamedTuple):
    """One thing to put right: the codes of its findings, what is done, to which files; `not_because`
    says why it is left alone. Once done: the commit, and the codes that are still found."""

    codes: tuple[str, ...]
    what: str
    paths: tuple[str, ...]
    not_because: str = ""
    done: bool = False
    commit: str | None = None
    still: tuple[str, ...] = ()

    def __str__(self) -> str:
        files, about = ", ".join(self.paths), f"({', '.join(self.codes)})"
        if self.not_because:
            return f"left alone: {files} {about}: {self.not_because}"
        what = " ".join(filter(None, (self.what, files, about)))
        if not self.done:
            return f"would {what}"
        proof = f"still found: {', '.join(self.still)}" if self.still else "no more found"
        return f"did {what}{self.in_commit}: {proof}"

    @property
    def in_commit(self) -> str:
        """The commit as it is named behind what was done."""
        return f", commit {self.commit[:12]}" if self.commit else ""


Look = Callable[[], Iterable[Finding]]
"""Examines the shelf anew."""


def plan(store: Store, found: Iterable[Finding]) -> list[Mend]:
    """What could be put right, and what of that is left alone and why; nothing is written."""
    found = tuple(found)
    mends = list(_ids(store, found))
    render = _render(store, found)
    if render:
        return [*mends, render]
    if any(not mend.not_because for mend in mends):
        mends.append(Mend(("stale-derived",), "render the derived files that follow from that", ()))
    return mends


def apply(store: Store, found: Iterable[Finding], look: Look) -> list[Mend]:
    """Do what `plan` says, each in a commit of its own; `proved` holds what was done to a new
    examination.

    Raises what the write gate raises; what was done before stays done, and is named.
    """
    mends: list[Mend] = []
    try:
        for mend in _steps(store, tuple(found), look):
            mends.append(mend)
    except ShelfError as trouble:
        before = [f"{', '.join(one.paths)}{one.in_commit}" for one in mends if one.done]
        if before:
            trouble.fix += f" Done before that, and it stays: {'; '.join(before)}."
        raise
    return mends


def _steps(store: Store, found: tuple[Finding, ...], look: Look) -> Iterator[Mend]:
    """Each step, once it is done; what is rendered follows from what was done before it."""
    named = False
    for mend in _ids(store, found):
        named = named or not mend.not_because
        yield mend if mend.not_because else _named(store, mend)
    render = _render(store, tuple(look()) if named else found)
    if render and not render.not_because:
        made = rendering.render(store, commit=True)
        paths = made.written or render.paths
        render = render._replace(paths=paths, done=True, commit=made.commit)
    if render:
        yield render


def _named(store: Store, mend: Mend) -> Mend:
    return mend._replace(done=True, commit=take_its_name(store, mend.paths[0]).commit)


def proved(mend: Mend, found: Iterable[Finding]) -> Mend:
    """A mend that was done, with what of it a new examination still finds."""
    if not mend.done:
        return mend
    rendered = mend.codes[0] in RENDERED
    same = (f for f in found if f.code in mend.codes and (rendered or f.where in mend.paths))
    return mend._replace(still=tuple(dict.fromkeys(f.code for f in same)))


def _ids(store: Store, found: tuple[Finding, ...]) -> Iterator[Mend]:
    wrong = [one.where for one in found if one.code == "id-mismatch"]
    if not wrong:
        return
    shelf = store.read(bodied=True)
    entries, reversals = {entry.path: entry for entry in shelf.entries}, reversing(store, shelf)
    for path in wrong:
        if path in entries:
            why_not = can_take_its_name(shelf, entries[path], reversals)
            yield Mend(("id-mismatch",), "write its file's name as the id of", (path,), why_not)


def _render(store: Store, found: tuple[Finding, ...]) -> Mend | None:
    codes = tuple(dict.fromkeys(one.code for one in found if one.code in RENDERED))
    if not codes:
        return None
    checked = rendering.check(store)
    paths = checked.drifted or tuple(dict.fromkeys(f.where for f in found if f.code in codes))
    lost = [problem.where for problem in checked.problems]
    why_not = f"{plural(len(lost), 'file')} cannot be read, {lost[0]} first" if lost else ""
    return Mend(codes, "render", paths, why_not)
