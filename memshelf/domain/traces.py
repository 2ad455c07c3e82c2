"""What would give hidden episodes away, and where a text does: their ids, titles and words.

Texts are compared as rows of words, so that no mark-up, case or punctuation stands between. A line
of a hidden episode is looked for eight words at a time; a shorter one (a title, a tag, an item, a
cell) as a whole, where it has a word that nothing visible has. What a visible episode says too is
no trace, but for titles: a link to a hidden episode often has its title for a text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice, repeat
from typing import NamedTuple

from .choosing import names_of
from .entry import Entry
from .episode import Episode, format_episode
from .errors import ShelfError
from .hiding import Hidden
from .mentions import ID as EPISODE
from .patterns import lazy
from .shelf import Shelf
from .text import fold

ROW = 8
"""Words in a row that are taken for a line that was copied."""

_MANY = 2000
_STEP = 4
"""Of more than so many hidden episodes only each fourth row is looked for: a copy that begins in
the middle of a line is then found by eleven words."""

_TITLE_WORDS, _TITLE_LETTERS, _DENSE_WORDS = 3, 12, 4
_LEAST = 4
"""Letters of a word by which a short piece can be known."""

_WORD = bytes(b if chr(b).isalnum() or b > 127 else 32 for b in range(128)) + bytes(range(128, 256))
# Signs of one Latin-1 half and the blocks of punctuation, arrows and shapes part words as spaces do.
_PARTING = lazy(rb"\xc2[\x80-\xbf]|\xe2[\x80-\xaf][\x80-\xbf]|\xef\xbc[\x80-\x8f\x9a-\xa0]")
# Scripts without spaces (three bytes and more): each character is a word.
_DENSE = lazy(rb"([\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})")
_CLAUSE = lazy(r"[.:;!?][ \t]+|[.:;!?]$|!\[[^\]\n]*\]\([^)\n]*\)")
_MENTION = lazy(rf"{EPISODE}(?:/[td]\d+)?")
_TARGET = lazy(r"\]\(<?([^()\s<>]*+)[^()]*+\)")
_INSIDE = lazy(r"`([^`\n]+)`|\[([^\[\]\n]+)\]|\|([^|\n]+)(?=\|)|\"([^\"\n]{4,})\"")

ID, TITLE, TEXT = "hidden-id", "hidden-title", "hidden-text"


def words(text: str) -> list[bytes]:
    """The words of a text in order, small letters, as bytes; a sign of Chinese counts as one.

    >>> words("Don't re-read “Ёлка” 会议!")[:5] + words("会议")[1:]
    [b'don', b't', b're', b'read', b'\\xd1\\x91\\xd0\\xbb\\xd0\\xba\\xd0\\xb0', b'\\xe8\\xae\\xae']
    """
    raw = text.lower().encode("utf-8", "surrogatepass")
    if not raw.isascii():
        raw = b" ".join(_DENSE.split(_PARTING.sub(b" ", raw)))
    return raw.translate(_WORD).split()


def rows(found: list[bytes]) -> Iterator[int]:
    """The hash of every row of eight words, in order. Two runs of a program give other numbers."""
    return map(hash, zip(*(found[at:] for at in range(ROW)), strict=False))


class Trace(NamedTuple):
    """Something hidden that was found in a text: its kind, its value (never to be shown), the path
    of the episode that it comes from, the line of the text (0 for the first), and the path of a
    visible episode that says it, if one does."""

    kind: str
    value: str
    path: str
    line: int
    said_in: str = ""


class _Piece(NamedTuple):
    kind: str
    phrase: bytes
    path: str
    openly: bool = True
    """Whether it is no trace where a visible episode says it too."""


class Traces:
    """The traces of what a whole shelf holds beyond a part of it; see `found`."""

    def __init__(self, whole: Shelf, shown: Shelf, furniture: str = "") -> None:
        """`furniture` is whatever else the pages say: templates, labels, other pages of a site."""
        kept = {entry.path for entry in shown.entries}
        gone = [entry for entry in whole.entries if entry.path not in kept]
        unread = {found.where for found in whole.problems} - {f.where for f in shown.problems}
        stems = {
            path.rpartition("/")[2].removesuffix(".md") for path in unread if path[-3:] == ".md"
        }
        self.hidden = Hidden(names_of(gone) | stems, names_of(shown.entries))
        self._step = _STEP if len(gone) > _MANY else 1
        self._lines: list[_Piece] = []
        self._rows: dict[int, int] = {}
        self._short: dict[bytes, list[_Piece]] = {}
        self._visible: list[bytes] = []
        self._paths = [entry.path for entry in shown.entries]
        self._cleared: set[str] = set()
        self._said: dict[bytes, bool] = {}
        if gone or self.hidden.ids or whole.files.keys() - shown.files.keys():
            self._learn(whole, gone, shown, furniture)

    def __bool__(self) -> bool:
        return bool(self.hidden.ids or self._rows or self._short)

    # --- what is looked for ----------------------------------------------------------------------

    def _learn(self, whole: Shelf, gone: list[Entry], shown: Shelf, furniture: str) -> None:
        known: Counter[bytes] = Counter()
        for text in (" \n ".join([furniture, *_labels(shown)]), *_sources(shown)):
            found = words(text)
            known.update(found)
            self._visible.append(b" %s " % b" ".join(found))
        taken: set[str] = set()
        for kind, path, text in _hidden_texts(whole, gone, shown):
            if text not in taken:
                taken.add(text)
                found = words(text)
                self._piece(kind, path, found, known)
                if not text.isascii() and (folded := words(fold(text))) != found:
                    self._piece(kind, path, folded, known)  # as an index of words has it
        for joined in self._visible if self._rows else ():
            found = joined.split()
            if not self._rows.keys().isdisjoint(rows(found)):
                for number in rows(found):
                    self._rows.pop(number, None)

    def _piece(self, kind: str, path: str, found: list[bytes], known: Counter[bytes]) -> None:
        """Take up a line or a name, if it could be told from what is visible."""
        if len(found) >= ROW:
            every = islice(rows(found), 0, None, self._step)
            self._rows.update(zip(every, repeat(len(self._lines)), strict=False))
            self._lines.append(_Piece(kind, b" ".join(found), path))
        strict = kind == TITLE and _telling(found)
        if not strict and len(found) >= ROW:
            return
        own = [word for word in found if word not in known and _is_word(word)]
        if strict or own or _dense(found):
            rare = max(own, key=len) if own else min(found, key=lambda word: known[word])
            piece = _Piece(kind, b" ".join(found), path, openly=not strict)
            self._short.setdefault(rare, []).append(piece)

    # --- finding it ------------------------------------------------------------------------------

    def found(self, text: str) -> list[Trace]:
        """What a text gives away, each once."""
        if not self:
            return []
        out = [*self._ids(text)]
        row = words(text)
        if not self._rows.keys().isdisjoint(rows(row)):
            out += self._copied(text, row)
        if not self._short.keys().isdisjoint(row):
            out += (one for one in self._named(text, row) if one.kind != ID or not out)
        return out

    def _ids(self, text: str) -> Iterator[Trace]:
        for name, start in self.hidden.found(text, self._cleared):
            yield Trace(ID, name, "", text.count("\n", 0, start))

    def _copied(self, text: str, row: list[bytes]) -> Iterator[Trace]:
        seen: set[int] = set()
        for at, number in enumerate(rows(row)):
            line = self._rows.get(number)
            if line is None or line in seen:
                continue
            seen.add(line)
            piece = self._lines[line]
            yield Trace(piece.kind, piece.phrase.decode(), piece.path, _line(text, at))

    def _named(self, text: str, row: list[bytes]) -> Iterator[Trace]:
        whole = b" %s " % b" ".join(row)
        for word in sorted(self._short.keys() & row):
            for piece in self._short[word]:
                at = whole.find(b" %s " % piece.phrase)
                if at >= 0 and not self._open(piece.phrase, piece.openly):
                    line = _line(text, whole.count(b" ", 1, at + 1))
                    value = piece.phrase.decode()
                    yield Trace(piece.kind, value, piece.path, line, self._said_in(piece.phrase))

    def _said_in(self, phrase: bytes) -> str:
        """The path of the newest visible episode that says this."""
        texts = zip(self._paths, self._visible[1:], strict=False)
        return next((path for path, one in [*texts][::-1] if b" %s " % phrase in one), "")

    def _open(self, phrase: bytes, anywhere: bool = True) -> bool:
        """Whether visible episodes say this too, or else whether their titles and labels do."""
        key = phrase if anywhere else b"." + phrase
        if key not in self._said:
            where = self._visible if anywhere else self._visible[:1]
            self._said[key] = any(b" %s " % phrase in one for one in where)
        return self._said[key]


def _labels(shown: Shelf) -> Iterator[str]:
    """The names that readers see of visible episodes."""
    yield shown.name
    for entry in shown.entries:
        yield from (entry.title, entry.id, *entry.tags)
    yield from dict.fromkeys(change.author for change in shown.changes.changes)


def _sources(shown: Shelf) -> Iterator[str]:
    """The texts of visible episodes as they leave."""
    for entry in shown.entries:
        try:
            yield format_episode(shown.load(entry.path))
        except (ShelfError, LookupError):
            yield entry.digest
    yield from shown.files.values()


def _hidden_texts(
    whole: Shelf, gone: Iterable[Entry], shown: Shelf
) -> Iterator[tuple[str, str, str]]:
    """Every title, line, name and value of what stays: its kind, the file it stands in, the text."""
    gone = [*gone]
    yield from ((TITLE, entry.path, entry.title) for entry in gone)
    for entry in gone:
        yield ID, entry.path, entry.stem[11:] if entry.stem[:2] == "20" else entry.stem
        try:
            episode = whole.load(entry.path)
        except (ShelfError, LookupError):
            continue
        for text in _texts(episode):
            yield from ((TEXT, entry.path, one) for one in _pieces(text))
    for path in sorted(whole.files.keys() - shown.files.keys()):
        if path.endswith(".md"):
            yield from ((TEXT, path, one) for one in _pieces(whole.files[path]))


def _texts(episode: Episode) -> Iterator[str]:
    yield from (episode.description, episode.session, episode.notes, episode.author, episode.agent)
    yield from (*episode.tags, *episode.keywords, episode.op, episode.digest)
    for name, body in episode.sections:
        yield from (name, body)
    for _, value in episode.extra:
        yield from _values(value)


def _values(value: object) -> Iterator[str]:
    """The texts in a value of front matter."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for one in pair for text in _values(one))
    elif isinstance(value, list | tuple):
        yield from (text for one in value for text in _values(one))


def _pieces(text: str) -> Iterator[str]:
    """The lines of a text without the addresses of links; and these, and what marks set apart.

    Ids in it are no words of its own: those of hidden episodes are looked for by themselves.
    """
    for line in _MENTION.sub("\n", text).split("\n"):
        yield _TARGET.sub("]", line) if "](" in line else line
        yield from _CLAUSE.split(line)
        if "](" in line:
            yield from _TARGET.findall(line)
        for found in _INSIDE.findall(line):
            yield from filter(None, found)


def _telling(found: list[bytes]) -> bool:
    """Whether a title is long enough to be nobody else's by chance."""
    if _dense(found):
        return True
    return len(found) >= _TITLE_WORDS and sum(map(len, found)) >= _TITLE_LETTERS


def _dense(found: list[bytes]) -> bool:
    return sum(word[0] >= 0xE0 for word in found) >= _DENSE_WORDS


def _is_word(word: bytes) -> bool:
    """Whether a word is long enough to know a piece by, and no number."""
    return len(word) >= _LEAST and not word.isdigit()


def _line(text: str, at: int) -> int:
    """The line in which the word at a place stands, from 0."""
    for number, line in enumerate(text.split("\n")):
        at -= len(words(line))
        if at < 0:
            return number
    return 0
