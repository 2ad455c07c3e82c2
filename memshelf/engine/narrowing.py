"""What narrows a question down: which files have the tags, kinds, names and days that it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

from ..domain.text import fold
from .fields import Catalogue, Doc
from .query import Filters

_SHOWN = 3
"""So many filters that nothing fits are named, and of each so many values that come near."""


def fitting(docs: Catalogue, filters: Filters) -> AbstractSet[int]:
    """The files that fit. Of several tags each must be there, of other names any will do, since a
    file has only one kind, author, project and id."""
    if not filters:
        return docs.lengths.keys()
    asked: dict[str, list[str]] = {}
    for name, value in filters.named:
        asked.setdefault(name, []).append(value)
    return {no for no in docs.lengths if _fits(docs.doc(no), filters, asked)}


def _fits(doc: Doc, filters: Filters, asked: Mapping[str, Sequence[str]]) -> bool:
    if filters.since and not doc.date >= filters.since:
        return False
    if filters.until and not "" < doc.date <= filters.until:
        return False
    if any(_is(doc, *one) for one in filters.without):
        return False
    return all(
        (all if name == "tag" else any)(_is(doc, name, value) for value in values)
        for name, values in asked.items()
    )


def _is(doc: Doc, name: str, value: str) -> bool:
    return any(one.startswith(value) if name == "id" else one == value for one in _has(doc, name))


def _has(doc: Doc, name: str) -> list[str]:
    """What a file has under the name of a filter, folded; an author without the address too."""
    if name == "author" and "<" in doc.author:
        return [fold(doc.author), fold(doc.author.partition("<")[0].strip())]
    return list(map(fold, doc.tags if name == "tag" else (getattr(doc, name),)))


def unmet(docs: Catalogue, filters: Filters) -> Iterator[str]:
    """Of the first filters that no file fits a sentence each, with what comes near to it."""
    import difflib  # few questions need it

    there = {name: _values(docs, name) for name in dict(filters.named)}
    lacking = (one for one in dict.fromkeys(filters.named) if not _anywhere(there, *one))
    for name, value in islice(lacking, _SHOWN):
        near = difflib.get_close_matches(value, there[name], _SHOWN)
        fix = f" Did you mean {' or '.join(near)}?" if near else ""
        yield f"No episode has {name}:{value}.{fix}"


def _values(docs: Catalogue, name: str) -> list[str]:
    return sorted({one for no in docs.lengths for one in _has(docs.doc(no), name) if one})


def _anywhere(there: Mapping[str, Sequence[str]], name: str, value: str) -> bool:
    if name == "id":
        return any(one.startswith(value) for one in there[name])
    return value in there[name]
