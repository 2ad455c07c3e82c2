"""Changing an episode's tags: one added, one taken away, one renamed; spellings count as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .admit import tag_fault
from .errors import BadField, UsageError
from .tags import tag_key
from .text import clip, one_line


def retagged(tags: Sequence[str], wishes: Iterable[str]) -> tuple[str, ...]:
    """The tags after wishes: `+a` adds one, `-a` takes one away in whatever spelling it stands.

    A tag that is there in another spelling is not added again. Raises UsageError for a wish without
    a sign, which could mean either.

    >>> retagged(("Auth", "jwt"), ["+auth", "-JWT", "+keys"])
    ('Auth', 'keys')
    """
    out = tuple(tags)
    for wish in wishes:
        sign, name = wish[:1], one_line(wish[1:])
        if sign not in ("+", "-") or not name:
            said = f"The tag {clip(wish, 60)!r} does not say whether it comes or goes."
            raise UsageError(said, "Write +TAG to add one, -TAG to take one away.")
        key = tag_key(name)
        if sign == "-":
            out = tuple(tag for tag in out if tag_key(tag) != key)
        elif key not in map(tag_key, out):
            out = (*out, refuse_tag(name))
    return out


def renamed(tags: Sequence[str], old: str, new: str) -> tuple[str, ...]:
    """The tags with every spelling of one as another, which stands once, where the first was.

    >>> renamed(("db", "Auth", "AUTH", "login"), "auth", "login")
    ('db', 'login')
    """
    gone, key = tag_key(old), tag_key(new)
    if gone not in map(tag_key, tags):
        return tuple(tags)
    out: list[str] = []
    for tag in tags:
        hit = tag_key(tag) in (gone, key)
        if not hit or new not in out:
            out.append(new if hit else tag)
    return tuple(out)


def refuse_tag(name: str) -> str:
    """A tag on one line, if it may be written; else BadField."""
    tag = one_line(name)
    fault = tag_fault(tag)
    if fault:
        raise BadField("tag", f"{clip(tag, 60)!r} {fault}", "Choose a plain word or two.")
    return tag
