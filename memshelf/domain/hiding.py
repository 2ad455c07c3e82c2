"""Taking every trace of hidden episodes out of the ones that are shown.

The text of a visible episode may name a hidden one. Its id there becomes "(private episode)", and
front matter that names it is left out. What comes out are entries and episodes like any others, so
that no renderer has to know that something was hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from .entry import Entry, Facts
from .episode import KEYS, LIST, Episode
from .items import Choice, Item
from .mentions import DATED
from .patterns import lazy

SHOWN = "(private episode)"
"""What stands in a text where a hidden episode was named."""

_TARGET = lazy(r"(?<=\])\(([^()\n]*)\)")
_PLACE = lazy(rf"(?<={re.escape(SHOWN)})/[td]\d+")
_NAMES = ("supersedes", "superseded_by", "closes")
_LISTS = tuple(key for key, how in KEYS.items() if how == LIST and key not in _NAMES)
_TEXTS = tuple(
    key for key, how in KEYS.items() if how != LIST and key not in ("id", "approx_tokens")
)


class Hidden:
    """The names of hidden episodes, and how texts, entries and episodes look without them.

    `ids` are their ids and file stems, `others` those of visible episodes, which may begin with
    a hidden id. A name in the usual form, with a date first, is found anywhere, also at the front
    of a longer word; any other only by itself, and one plain word only as a file's name.
    """

    def __init__(self, ids: Iterable[str], others: Iterable[str] = ()) -> None:
        self.others = frozenset(others)
        self.ids = frozenset(ids) - self.others
        self._seen: dict[str, Facts] = {}

    def named(self, address: str) -> bool:
        """True where an id or an address, `ID` or `ID/t2`, is one of a hidden episode."""
        plain = unquote(address)
        return plain in self.ids or self._bare(plain) != plain

    # --- texts -----------------------------------------------------------------------------------

    def text(self, text: str) -> str:
        """A text, Markdown or not, without the names; a link to a hidden file keeps its words."""
        if not self.ids:
            return text
        if "](" in text:
            text = _TARGET.sub(self._target, text)
        return self._bare(text)

    def _bare(self, text: str) -> str:
        if "20" in text:
            text = DATED.sub(self._dated, text)
            text = _PLACE.sub("", text) if SHOWN in text else text
        return self._odd.sub(SHOWN, text) if self._odd else text

    def _target(self, found: re.Match[str]) -> str:
        target = unquote(found.group(1))
        return found.group() if self._bare(target) == target else f" {SHOWN}"

    def _dated(self, found: re.Match[str]) -> str:
        """The longest known id that a word begins with decides."""
        word = found.group()
        for end in range(len(word), len("2026-01-01-"), -1):
            if word[end : end + 1].isalnum() and word[end].isascii():
                continue
            if word[:end] in self.others:
                return word
            if word[:end] in self.ids:
                return SHOWN + word[end:]
        return word

    def found(self, text: str, cleared: set[str]) -> Iterator[tuple[str, int]]:
        """Each hidden name that a text shows, once, and where it first stands.

        `cleared` are words in the form of a name that hold none; those of this text are added.
        """
        if self.ids and "20" in text:
            for word in sorted({*DATED.findall(text)} - cleared):
                if self.named(word):
                    yield self._longest(word), text.find(word)
                else:
                    cleared.add(word)
        if self._odd:
            places = {match.group(): match.start() for match in self._odd.finditer(text)}
            yield from sorted(places.items())

    def _longest(self, word: str) -> str:
        """The hidden name that a word begins with."""
        names = (word[:end] for end in range(len(word), 0, -1))
        return next((name for name in names if name in self.ids), word)

    @cached_property
    def _odd(self) -> re.Pattern[str] | None:
        """Finds the names in another form, which old shelves hold; of two the longer."""
        odd = sorted((name for name in self.ids if not DATED.fullmatch(name)), reverse=True)
        words = "|".join(re.escape(name) + (r"\.md" if name.isalpha() else "") for name in odd)
        return re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])") if words else None

    # --- entries and episodes --------------------------------------------------------------------

    def entry(self, entry: Entry) -> Entry:
        """The entry as it is shown; what stands in its body is read when it is asked for."""
        return entry._replace(
            title=self.text(entry.title),
            description=self.text(entry.description),
            tags=tuple(map(self.text, entry.tags)),
            keywords=tuple(map(self.text, entry.keywords)),
            session=self.text(entry.session),
            notes=self.text(entry.notes),
            supersedes=self._others(entry.supersedes),
            superseded_by=self._others(entry.superseded_by),
            closes_field=self._others(entry.closes_field),
            more=lambda path: self._facts(path, entry),
        )

    def _others(self, addresses: Iterable[str]) -> tuple[str, ...]:
        return tuple(address for address in addresses if not self.named(address))

    def _facts(self, path: str, entry: Entry) -> Facts:
        if path not in self._seen:
            self._seen[path] = self._shown(entry.more(path))
        return self._seen[path]

    def _shown(self, facts: Facts) -> Facts:
        named = ((name, self.text(section)) for name, section in facts.mentions)
        choices = (
            (self.text(text), map(self.text, rejected)) for text, rejected in facts.decisions
        )
        return Facts(
            digest=self.text(facts.digest),
            sections=tuple((self.text(name), size) for name, size in facts.sections),
            decisions=tuple(Choice(text, tuple(rejected)) for text, rejected in choices),
            threads=tuple(Item(self.text(text), ticked) for text, ticked in facts.threads),
            mentions=tuple(pair for pair in named if not self.named(pair[0])),
            closing=self._others(facts.closing),
            numbers=facts.numbers,
        )

    def episode(self, episode: Episode) -> Episode:
        """The whole episode as it is shown."""
        known: dict[str, Any] = {name: self.text(getattr(episode, name)) for name in _TEXTS}
        known |= {name: tuple(map(self.text, getattr(episode, name))) for name in _LISTS}
        known |= {name: self._others(getattr(episode, name)) for name in _NAMES}
        known["digest"] = self.text(episode.digest)
        known["sections"] = tuple((self.text(n), self.text(body)) for n, body in episode.sections)
        known["extra"] = tuple((self.text(key), self._any(value)) for key, value in episode.extra)
        return replace(episode, **known)

    def _any(self, value: Any) -> Any:
        """A value of a key that is not ours: text, or lists and mappings of it."""
        if isinstance(value, dict):
            return {self._any(key): self._any(part) for key, part in value.items()}
        if isinstance(value, tuple | list):
            return tuple(map(self._any, value))
        return self.text(value) if isinstance(value, str) else value
