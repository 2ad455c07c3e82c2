"""Taking forgotten episodes out of what the front matter of others says of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from .episode import KEYS, ORDER, REVERSED, known_fields, reversals
from .frontmatter import Front, listed, read
from .mentions import named
from .renaming import LINKS
from .splicing import key_spans, splice
from .yaml_text import Value


def without(text: str, gone: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """A text whose front matter lists none of some ids, and the keys that they were taken out of.

    These are the lists that name episodes, and keys that memshelf does not know, where a whole item
    is an id or an address (`ID/t2`). Raises BadField where the keys cannot be changed one by one.
    """
    kept = dict(_kept(read(text), frozenset(gone)))
    changes = {key: listed(items) if items else None for key, items in kept.items()}
    return (splice(text, changes, ORDER), tuple(kept)) if kept else (text, ())


def _kept(front: Front, gone: frozenset[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each key that names one of the ids, with the items that stay."""
    known = {**known_fields(front, ""), REVERSED: reversals(front)}
    for key, value in front.values.items():
        items = known[key] if key in LINKS else () if key in KEYS else _items(value)
        stay = tuple(item for item in items if _id(key, item) not in gone)
        if len(stay) < len(items):
            yield key, stay


def _items(value: Value) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    texts = isinstance(value, tuple) and all(isinstance(item, str) for item in value)
    return tuple(map(str, value)) if texts else ()


def _id(key: str, item: str) -> str:
    name = item.partition(" ")[2] if key == REVERSED else item
    return name.removesuffix(".md").partition("/")[0]


def naming_keys(text: str, gone: Collection[str]) -> tuple[str, ...]:
    """The keys of a front matter in whose lines one of some ids stands, its own id apart."""
    front = read(text)
    spans = key_spans(text, front) if front.present else ()
    told = (key for key, begin, end in spans if key != "id" and _names(text[begin:end], gone))
    return tuple(dict.fromkeys(told))


def _names(line: str, gone: Collection[str]) -> bool:
    return any(name in gone for _, name in named(line))
