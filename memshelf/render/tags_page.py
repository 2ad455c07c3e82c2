"""The tags of a shelf as Markdown: a page of all of them, and a page of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..domain.entry import Entry
from ..domain.episode import TITLE_LIMIT
from ..domain.shelf import Shelf
from ..domain.tags import Tag, Together, Under, tags, untagged
from ..domain.text import clip, plural
from ..domain.threads import Decision, Thread
from . import captions
from . import tags as words
from .escape import markdown, plain
from .finder import letter
from .templates import environment, made_here
from .words import cut

if TYPE_CHECKING:
    from markupsafe import Markup

_MOST_USED, _WITH = 10, 3


class Line(NamedTuple):
    """A line of a list, in Markdown: its words, small print behind them, lines below."""

    words: Markup
    small: Markup
    below: tuple[Markup, ...] = ()


class Lines(NamedTuple):
    """A list that may be cut: its lines, and a sentence about those that are not shown."""

    shown: tuple[Line, ...]
    more: str

    @classmethod
    def of(cls, lines: Iterable[Line], most: int) -> Lines:
        """At most so many lines."""
        every = tuple(lines)
        return cls(every[:most], f"{len(every) - most:,} more." if every[most:] else "")


def _nowhere(_: str) -> str:
    return ""


@dataclass(frozen=True)
class Tagged:
    """The pages of a shelf's tags.

    `tag_at` and `episode_at` give the target of a link to a tag, by its slug, and to an episode, by
    its path; "" where there is no such page. No link is asked for to a tag that is used once.
    `templates` are the shelf's own.
    """

    shelf: Shelf
    tag_at: Callable[[str], str] = _nowhere
    episode_at: Callable[[str], str] = _nowhere
    templates: Path | None = None

    def all(self) -> str:
        """The page of all tags: the most used, A to Z, those used once, and what has none."""
        found = tags(self.shelf)
        often = [tag for tag in found if tag.count > 1]
        once = sorted((tag for tag in found if tag.count == 1), key=by_name)
        return self._page(
            "tags.md.j2",
            head=self._head(plural(len(found), "tag")),
            most_used=[self._row(tag) for tag in often[:_MOST_USED]],
            letters=[
                (_said(name), _joined(map(self._counted, some))) for name, some in a_to_z(often)
            ],
            once=_joined(_said(tag.name) for tag in once),
            untagged=Lines.of(map(self._episode, untagged(self.shelf)), words.EPISODES),
        )

    def one(self, found: Under, most: int = words.EPISODES) -> str:
        """The page of one tag: what goes with it, its time line, and what stands under it."""
        tag = found.tag
        return self._page(
            "tag.md.j2",
            title=_said(clip(plain(tag.name), TITLE_LIMIT)),
            head=self._head(),
            size=words.size(tag),
            variants=_said(words.variants(tag)),
            goes_with=_joined(f"{self._beside(t)} ({t.episodes})" for t in tag.goes_with),
            bars=words.bars(tag),
            decisions=Lines.of(map(self._decision, found.decisions), words.DECISIONS),
            threads=Lines.of(map(self._thread, found.threads), words.THREADS),
            episodes=Lines.of(map(self._episode, found.episodes), most),
        )

    def _page(self, template: str, **values: object) -> str:
        return environment(self.templates).get_template(template).render(values)

    def _head(self, *last: str) -> Markup:
        return _said(captions.standing(self.shelf, *last))

    # --- tags ------------------------------------------------------------------------------------

    def _row(self, tag: Tag) -> tuple[Markup, int, str, str, Markup]:
        others = _joined(map(self._beside, tag.goes_with[:_WITH]))
        return self._linked(tag), tag.count, tag.first, tag.last, others

    def _linked(self, tag: Tag) -> Markup:
        return self._tag(tag.name, tag.slug, tag.count)

    def _beside(self, other: Together) -> Markup:
        return self._tag(other.name, other.slug, other.total)

    def _tag(self, name: str, slug: str, count: int) -> Markup:
        return _link(_said(name), self.tag_at(slug) if count > 1 else "")

    def _counted(self, tag: Tag) -> str:
        return f"{self._linked(tag)} ({tag.count}{self._also(tag)})"

    def _also(self, tag: Tag) -> str:
        return (
            f"; also {_said(', '.join(name for name, _ in tag.variants))}" if tag.variants else ""
        )

    # --- episodes and what they hold -------------------------------------------------------------

    def _episode(self, entry: Entry) -> Line:
        title = _link(_said(clip(plain(entry.heading), TITLE_LIMIT)), self.episode_at(entry.path))
        small = [words.dated(entry), *words.past_states(self.shelf, entry)]
        return Line(title, _said(", ".join(small)))

    def _decision(self, decision: Decision) -> Line:
        below = tuple(map(_cut, decision.rejected))
        return Line(_cut(decision.text), self._address(decision), below)

    def _thread(self, thread: Thread) -> Line:
        small = _joined([thread.open_for(self.shelf.as_of), self._address(thread)])
        return Line(_cut(thread.text), small)

    def _address(self, item: Decision | Thread) -> Markup:
        found = self.shelf.by_id.get(item.episode)
        return _link(_said(item.address), self.episode_at(found.path) if found else "")


def a_to_z(found: Iterable[Tag]) -> list[tuple[str, list[Tag]]]:
    """Tags by their first letters, in order."""
    groups: dict[str, list[Tag]] = {}
    for tag in sorted(found, key=by_name):
        groups.setdefault(letter(tag.name), []).append(tag)
    return sorted(groups.items(), key=lambda pair: (len(pair[0]) > 1, pair[0]))


def by_name(tag: Tag) -> tuple[str, str]:
    """What tags are sorted by in a list for people: their names, however they are written."""
    return tag.key, tag.name


def _said(text: str) -> Markup:
    return made_here(markdown(text))


def _cut(text: str) -> Markup:
    """A text of an episode, without its own marks, cut to the length of a line in a list."""
    return _said(plain(cut(text)))


def _joined(parts: Iterable[str]) -> Markup:
    return made_here(", ".join(parts))


def _link(words: Markup, target: str) -> Markup:
    return made_here(f"[{words}]({target})") if target else words
