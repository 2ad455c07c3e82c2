"""How a site changes the branch it is published on: ours is replaced, what others put there stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import NamedTuple

DOMAIN = "CNAME"
"""The file by which a host knows a site's own domain: never taken away."""


class Plan(NamedTuple):
    """Paths, in order: of ours new, changed and gone; `kept` are those of others, `clashing` those
    of others that stand in the way of ours."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    clashing: tuple[str, ...] = ()

    @property
    def nothing(self) -> bool:
        """True where the branch holds just this already."""
        return not (self.new or self.changed or self.gone or self.clashing)


def plan(made: Mapping[str, str], there: Mapping[str, str], ours: Set[str]) -> Plan:
    """What putting some files (path -> id of the content) onto a branch does.

    `there` is what the branch holds, `ours` the paths that an earlier site put there.
    """
    folders = {above for path in made for above in _above(path)}
    others = {path for path in there if path not in ours or (path == DOMAIN and path not in made)}

    def in_the_way(path: str) -> bool:
        if path in made:
            return there[path] != made[path]
        return path in folders or any(one in made for one in _above(path))

    clashing = {path for path in others if in_the_way(path)}
    return Plan(
        new=tuple(sorted(path for path in made if path not in there)),
        changed=tuple(sorted(p for p in made if p in there and there[p] != made[p])),
        gone=tuple(sorted(p for p in there if p not in made and p not in others)),
        kept=tuple(sorted(others - clashing - made.keys())),
        clashing=tuple(sorted(clashing)),
    )


def _above(path: str) -> Iterator[str]:
    """The folders that a path lies in, but the top."""
    return (path[:at] for at, sign in enumerate(path) if sign == "/")
