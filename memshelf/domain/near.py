"""What somebody may have meant: known names that look like the one that was given."""

from __future__ import annotations

from collections.abc import Iterable

from .dates import DATED_ID


def near_ids(name: str, ids: Iterable[str]) -> tuple[str, ...]:
    """At most three ids that look like this one; one that only lacks its date comes first."""
    known = list(ids)
    undated = sorted(one for one in known if name and one[11:] == name and DATED_ID.match(one))
    return tuple(undated[:3]) or near(name, known)


def near(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """At most three names that look like this one, the likest first."""
    import difflib

    return tuple(difflib.get_close_matches(name, list(names), 3, 0.6))


def hint(names: Iterable[str], otherwise: str) -> str:
    """`Did you mean a, b?`, or another sentence where nothing is near."""
    found = ", ".join(names)
    return f"Did you mean {found}?" if found else otherwise
