"""What a three-way merge of an episode would give, key by key and section by section."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

from . import frontmatter
from .amend import amend
from .episode import KEYS, LIST, ORDER, Document, written
from .errors import ShelfError
from .splicing import splice
from .yaml_text import Value

FRONT, SECTION, ABOVE = "front matter", "section", "above the sections"
_Key = tuple[str, str]
_Edit = tuple[int, int, list[str]]


class Part(NamedTuple):
    """One front matter key or section in which the sides differ; None is a side that lacks it.

    `merged` is what both changes give together, and says something only where it is `clean`.
    """

    kind: str
    name: str
    changed: Literal["ours", "theirs", "both"]
    base: str | None
    ours: str | None
    theirs: str | None
    clean: bool
    merged: str | None

    def __str__(self) -> str:
        name = self.name if self.kind == ABOVE else f"{self.kind}: {self.name}"
        head = f"{name} (changed by {self.changed}{'' if self.clean else '; in conflict'})"
        sides = [("base", self.base), ("ours", self.ours), ("theirs", self.theirs)]
        sides += [("merged", self.merged)] if self.clean and self.changed == "both" else []
        return "\n".join([head, *(f"  {side}: {_indented(text)}" for side, text in sides)])


class Proposal(NamedTuple):
    """The parts that differ, and the whole text that a clean merge gives; None where it is not."""

    parts: tuple[Part, ...]
    text: str | None

    @property
    def conflicts(self) -> tuple[str, ...]:
        """The names of the parts that both sides changed in different ways."""
        return tuple(part.name for part in self.parts if not part.clean)


def propose(base: str, ours: str, theirs: str) -> Proposal:
    """The merge of two versions of an episode's text. Nothing is decided: it is for showing."""
    documents = tuple(Document.of(text) for text in (base, ours, theirs))
    values = [_contents(document) for document in documents]
    names = dict.fromkeys((*values[1], *values[2], *values[0]))
    parts, wanted = [], {}
    for key in names:
        before, our, their = (side.get(key) for side in values)
        clean, merged = _merged(before, our, their)
        wanted[key] = merged
        if our != their:
            changed: Any = "ours" if their == before else "theirs" if our == before else "both"
            shown = _shown(before), _shown(our), _shown(their)
            result = _shown(merged) if clean else None
            parts.append(Part(*key, changed, *shown, clean, result))
    whole = _text(documents[1], wanted) if all(part.clean for part in parts) else None
    return Proposal(tuple(parts), whole)


def _contents(document: Document) -> dict[_Key, Value]:
    """All that an episode says, by kind and name; line ends and the order of keys are no matter."""
    said: dict[_Key, Value] = {(FRONT, key): v for key, v in document.front.values.items()}
    if document.front.heading:
        said[ABOVE, "title line"] = document.front.heading
    if document.preamble:
        said[ABOVE, "text above the sections"] = document.preamble
    bodies = (section.body(document.text) for section in document.sections)
    return said | {(SECTION, name): b for name, b in zip(document.names, bodies, strict=True)}


def _merged(
    base: Value | None, ours: Value | None, theirs: Value | None
) -> tuple[bool, Value | None]:
    """Whether two changes go together, and what they give."""
    if ours == theirs or theirs == base:
        return True, ours
    if ours == base:
        return True, theirs
    if isinstance(ours, tuple) and isinstance(theirs, tuple) and isinstance(base or (), tuple):
        return True, _listed(base or (), ours, theirs)  # type: ignore[arg-type]
    if isinstance(base, str) and isinstance(ours, str) and isinstance(theirs, str):
        found = merged_lines(base, ours, theirs)
        return found is not None, found
    return False, None


def _listed(base: tuple[Any, ...], ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> Value:
    kept = [one for one in ours if one in theirs or one not in base]
    return (*kept, *(one for one in theirs if one not in base and one not in kept))


def merged_lines(base: str, ours: str, theirs: str) -> str | None:
    """Both changes of a text, line by line; None where they touch.

    >>> merged_lines("a\\nb\\nc\\nd", "A\\nb\\nc\\nd", "a\\nb\\nc\\nD")
    'A\\nb\\nc\\nD'
    """
    lines = base.split("\n")
    edits = _edits(lines, ours.split("\n"))
    for edit in _edits(lines, theirs.split("\n")):
        if edit in edits:
            continue
        if any(max(edit[0], other[0]) <= min(edit[1], other[1]) for other in edits):
            return None
        edits.append(edit)
    for start, stop, new in sorted(edits, reverse=True):
        lines[start:stop] = new
    return "\n".join(lines)


def _edits(base: list[str], new: list[str]) -> list[_Edit]:
    codes = SequenceMatcher(None, base, new, autojunk=False).get_opcodes()
    return [(i1, i2, new[j1:j2]) for what, i1, i2, j1, j2 in codes if what != "equal"]


# --- the whole text --------------------------------------------------------------------------


def _text(ours: Document, wanted: Mapping[_Key, Value | None]) -> str | None:
    """Our text with what it lacks spliced in; None where that does not give exactly the merge."""
    have = _contents(ours)
    missing = {key: value for key, value in wanted.items() if have.get(key) != value}
    lines = {name: _line(name, v) for (kind, name), v in missing.items() if kind == FRONT}
    bodies = {name: str(v or "") for (kind, name), v in missing.items() if kind == SECTION}
    title = {key: wanted[FRONT, key] or "" for key in ("display_title",) if key in lines}
    rest = {key: line for key, line in lines.items() if key not in title}
    try:
        text = amend(splice(ours.text, rest, ORDER), title, bodies)
        text = _above(text, missing)
    except ShelfError:
        return None
    given = {key: value for key, value in wanted.items() if value is not None}
    return text if _contents(Document.of(text)) == given else None


def _line(key: str, value: Value | None) -> str | None:
    if value is None:
        return None
    known = key in KEYS and isinstance(value, tuple) == (KEYS[key] == LIST)
    return written(key, value) if known else frontmatter.value(value)


def _above(text: str, missing: Mapping[_Key, Value | None]) -> str:
    key = (ABOVE, "text above the sections")
    if key not in missing:
        return text
    document = Document.of(text)
    start = document.front.body
    stop = document.sections[0].start if document.sections else len(text)
    body = str(missing[key] or "")
    return f"{text[:start]}\n{body}\n\n{text[stop:]}" if body else f"{text[:start]}\n{text[stop:]}"


# --- for eyes --------------------------------------------------------------------------------


def _shown(value: Value | None) -> str | None:
    return value if value is None or isinstance(value, str) else frontmatter.value(value)


def _indented(text: str | None) -> str:
    if text is None:
        return "(nothing)"
    return text if "\n" not in text else "\n    " + text.replace("\n", "\n    ")
