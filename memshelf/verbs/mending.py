"""What doctor can put right by itself: little, each in a commit of its own, and proved afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..domain.codes import RENDERED
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
        about = f" ({', '.join(self.codes)})"
        if self.not_because:
            return f"left alone: {', '.join(self.paths)}{about}: {self.not_because}"
        what = f"{self.what} {', '.join(self.paths)}{about}"
        if not self.done:
            return f"would {what}"
        commit = f", commit {self.commit[:12]}" if self.commit else ""
        proof = f"still found: {', '.join(self.still)}" if self.still else "no more found"
        return f"did {what}{commit}: {proof}"


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
        return [
            *mends,
            Mend(("stale-derived",), "render what follows from that in", ("derived files",)),
        ]
    return mends


def apply(store: Store, found: Iterable[Finding], look: Look) -> list[Mend]:
    """Do what `plan` says, each in a commit of its own; after each the shelf is examined again.

    Raises what the write gate raises; what was done before stays done.
    """
    done = []
    for mend in _ids(store, tuple(found)):
        if mend.not_because:
            done.append(mend)
            continue
        saved = take_its_name(store, mend.paths[0])
        done.append(_proved(mend, saved.commit, look()))
    render = _render(store, tuple(look()))
    if render and not render.not_because:
        made = rendering.render(store, commit=True)
        render = _proved(render._replace(paths=made.written or render.paths), made.commit, look())
    return [*done, *([render] if render else [])]


def _proved(mend: Mend, commit: str | None, found: Iterable[Finding]) -> Mend:
    """The mend as it was done, with what of it a new examination still finds."""
    rendered = mend.codes[0] in RENDERED
    same = (f for f in found if f.code in mend.codes and (rendered or f.where in mend.paths))
    still = tuple(dict.fromkeys(f.code for f in same))
    return mend._replace(done=True, commit=commit, still=still)


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
