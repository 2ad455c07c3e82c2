"""Questions with the episodes that answer them: read from a file, or made from a shelf."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .entry import Entry
from .errors import ShelfError
from .items import SENTENCE
from .shelf import Shelf
from .text import clip, count_words, fold, one_line, unspaced

NAME = "questions.tsv"
"""The file at the top of a shelf that holds its own questions."""

NOWHERE = "-"
"""Stands in a TSV file where no episode answers; an empty column says the same."""

_WORDS, _CHARS = 20, 40
"""So long a made question is at most: words, and characters of a script without spaces."""


class Question(NamedTuple):
    """A question, and what the address of a right answer contains: any one of `expected`.

    Empty `expected`: the answer is not on the shelf. `lang` and `kind` are what its figures are
    grouped by, "" for nothing.
    """

    text: str
    expected: tuple[str, ...]
    lang: str = ""
    kind: str = ""


def questions(text: str, name: str) -> tuple[Question, ...]:
    """The questions of a file's text; `name` is the file, for what is raised.

    TSV, a line each: question, expected, then as one likes language and class; `#` begins a
    comment. Two columns are the peer's `search-bench` file. Several right answers stand between
    `|`; `-` or nothing says that the answer is not on the shelf. Lines in braces are JSON:
    `question` (or `query`), `expected` (or `id`, `ids`; null for none), `lang`, `class`.

    Raises ShelfError naming the file and line of what is neither.

    >>> questions("where is it\\tdocs/x\\tde\\n", "q.tsv")
    (Question(text='where is it', expected=('docs/x',), lang='de', kind=''),)
    """
    rows = enumerate(text.removeprefix("\ufeff").split("\n"), 1)
    kept = ((n, line.strip("\r")) for n, line in rows if line.strip())
    return tuple(
        _of_json(line, f"{name}, line {n}")
        if _is_json(line)
        else _of_columns(line, f"{name}, line {n}")
        for n, line in kept
        if not line.lstrip().startswith("#")
    )


def _is_json(line: str) -> bool:
    return line.lstrip().startswith("{") and line.rstrip().endswith("}")


def _of_columns(line: str, where: str) -> Question:
    asked, *rest = (column.strip() for column in line.split("\t"))
    if not asked or not rest:
        raise _bad(where, "is not a question, a tab and what its answer's address contains")
    expected, lang, kind = (*rest, "", "", "")[:3]
    names = () if expected == NOWHERE else tuple(filter(None, map(str.strip, expected.split("|"))))
    return Question(asked, names, lang, kind)


def _of_json(line: str, where: str) -> Question:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise _bad(where, "is not one whole JSON object") from None
    asked = row.get("question", row.get("query"))
    expected = next((row[key] for key in ("expected", "ids", "id") if key in row), False)
    names = _names(expected)
    if not isinstance(asked, str) or not asked.strip() or names is None:
        raise _bad(where, 'lacks a text "question", or "expected" (a text or a list of texts)')
    lang, kind = (str(row.get(key) or "") for key in ("lang", "class"))
    return Question(one_line(asked), names, lang, kind)


def _names(value: Any) -> tuple[str, ...] | None:
    """The addresses of a JSON value; None where it is neither a text nor a list of texts."""
    listed = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        return None
    return tuple(filter(None, map(str.strip, listed)))


def _bad(where: str, what: str) -> ShelfError:
    fix = 'Write QUESTION<TAB>EPISODE-ID, or {"question": "…", "expected": ["EPISODE-ID"]}.'
    return ShelfError(f"{where} {what}.", fix, "bad-question")


def as_tsv(asked: Iterable[Question]) -> str:
    """Questions as a TSV file, which `questions` reads back."""
    rows = ("\t".join((q.text, "|".join(q.expected) or NOWHERE, q.lang, q.kind)) for q in asked)
    return "\n".join(["# question\texpected\tlanguage\tclass", *rows, ""])


def made_questions(shelf: Shelf) -> tuple[Question, ...]:
    """Questions that any shelf can be asked, two an episode, always the same.

    Class `title`: an episode's title, which leads to its digest; none where the title is only the
    id. Class `digest`: the longest sentence of its digest, cut after 20 words, which leads to its
    sections. Archived and replaced episodes are left out; one question that fits several episodes
    is asked once and expects any of them.
    """
    out: dict[str, Question] = {}
    for entry in shelf.live:
        if entry.id not in shelf.superseded:
            for text, kind in _asked(entry):
                own = Question(text, (), entry.lang or shelf.config.language, kind)
                known = out.setdefault(text, own)
                out[text] = known._replace(expected=(*known.expected, entry.stem))
    return tuple(out.values())


def spread(made: tuple[Question, ...], at_most: int) -> tuple[Question, ...]:
    """At most so many questions, taken evenly from all, and from each class as large a share.

    >>> made = tuple(Question(text, (), kind=kind) for text, kind in ("at", "bd", "ct", "dd"))
    >>> [question.text for question in spread(made, 2)]
    ['b', 'a']
    """
    if len(made) <= at_most:
        return made
    rows = sorted(made, key=lambda question: question.kind)
    return tuple(rows[place * len(rows) // at_most] for place in range(at_most))


def _asked(entry: Entry) -> Iterator[tuple[str, str]]:
    title = _question(entry.title)
    if title and _bare(title) not in (_bare(entry.id), _bare(entry.stem)):
        yield title, "title"
    sentences = [_question(part) for part in SENTENCE.split(one_line(entry.digest))]
    longest = max(sentences, key=count_words, default="")
    if longest and longest != title:
        yield longest, "digest"


def _question(text: str) -> str:
    """A text as a question: one line, of at most 20 words, that is no comment and no JSON."""
    words = one_line(text).lstrip("#{ ").split(" ")
    cut = " ".join(words[:_WORDS]).rstrip(" ,;:—-")
    return clip(cut, _CHARS).rstrip("…") if unspaced(cut) else cut


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, fold(text)))
