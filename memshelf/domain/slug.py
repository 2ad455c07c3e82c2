"""Ids out of titles and words that people type."""

from __future__ import annotations

import re
import unicodedata
import zlib

from . import dates
from .episode import ID_LIMIT
from .errors import BadField
from .patterns import lazy

ID = lazy(r"\d{4}-\d{2}-\d{2}-[a-z0-9_-]+")

# ISO 9-like letters for Cyrillic, so that such titles keep readable ids.
_CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяієїґў",
        (
            "a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch ~ y ~ e yu ya i ye yi g "
            "u"
        ).split(),
        strict=True,
    )
)
_OTHER = {"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ı": "i", "þ": "th"}
_LETTERS = str.maketrans(_CYRILLIC | _OTHER | {"ъ": "", "ь": ""})


def slugify(text: str) -> str:
    """Lower-case ASCII words joined by hyphens; for a script without Latin letters a stable code.

    >>> slugify("Auth: one token, three services"), slugify("Даты: храним UTC")
    ('auth-one-token-three-services', 'daty-khranim-utc')
    """
    return spelled(text) or f"x{zlib.crc32(text.encode('utf-8', 'replace')):08x}"


def spelled(text: str) -> str:
    """The ASCII words of `slugify`, empty where a text has none.

    >>> spelled("C++"), spelled("日本語")
    ('c', '')
    """
    letters = unicodedata.normalize("NFC", text).lower().translate(_LETTERS)
    plain = unicodedata.normalize("NFKD", letters).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9_]+", "-", plain).strip("-_")


def episode_id(slug: str, title: str, day: str) -> str:
    """The id for a new episode: the slug in its allowed form, or one made from the title.

    Without a date the `day` (YYYY-MM-DD) is put in front. Raises BadField for an impossible date, a
    path, or nothing to make an id from.
    """
    raw = slug.removesuffix(".md").strip()
    if re.search(r"[/\\\x00-\x1f]", raw):
        raise BadField("slug", f"{slug!r} is a path.", "Give words joined by hyphens.")
    if not raw and not title:
        raise BadField("slug", "neither a slug nor a title was given.", "Give one of them.")
    dated = dates.DATED_ID.match(raw + "-")
    if dated:
        day = dates.require("slug", dated.group(1))
        raw = raw[11:]
    words = slugify(raw) if raw else slugify(title) if title else ""
    if not words:
        raise BadField("slug", f"{slug!r} has no words after its date.", f"Write {day}-some-words.")
    return f"{day}-{words}"[:ID_LIMIT].rstrip("-_")


def is_id(text: str) -> bool:
    """True for an id in the form that is written today."""
    return bool(ID.fullmatch(text)) and len(text) <= ID_LIMIT and bool(dates.of_id(text))
