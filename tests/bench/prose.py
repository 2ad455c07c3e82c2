"""Text of generated episodes: sentences in three languages, and the blocks that hold them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from . import words
from .words import Words


class Voice(NamedTuple):
    """Who speaks in one episode: the dice, the vocabulary, a language and an area."""

    rng: random.Random
    words: Words
    language: str
    area: str

    def speaking(self, language: str) -> Voice:
        """The same, in another language."""
        return self._replace(language=language)

    def noun(self) -> str:
        """A noun of the area, in the language."""
        table = {"ru": words.RUSSIAN, "zh": words.CHINESE}.get(self.language, words.ENGLISH)
        return self.rng.choice(table[self.area].split())

    def sentence(self) -> str:
        """One sentence; in a mixed episode now in one language, now in another."""
        language = self.language
        if language == "mixed":
            language = self.rng.choice(("en", "en", "en", "ru", "zh"))
        return _SENTENCES[language](self.speaking(language))


# --- sentences -------------------------------------------------------------------------------


def _english(voice: Voice) -> str:
    rng = voice.rng
    parts = _clause(voice)
    for _ in range(rng.choice((0, 1, 1, 2))):
        parts += [rng.choice(words.JOINTS), *_clause(voice)]
    chance = rng.random()
    if chance < 0.08:
        parts[-1] = f"`{voice.noun()}.{rng.choice(words.DOES)}()`"
    elif chance < 0.15:
        parts[0] = f"**{parts[0]}**"
    elif chance < 0.22:
        parts.append(f"({rng.randrange(2, 900)} ms)")
    text = " ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _clause(voice: Voice) -> list[str]:
    rng = voice.rng
    drawn = rng.choices(voice.words.english, cum_weights=voice.words.english_weights, k=2)
    small = rng.choices(words.SMALL, k=2)
    return [
        *(rng.choice(words.LIKE), voice.noun(), rng.choice(words.DOES)),
        *(small[0], drawn[0], small[1], drawn[1] if rng.random() < 0.5 else voice.noun()),
    ]


def _russian(voice: Voice) -> str:
    rng = voice.rng
    drawn = rng.choices(voice.words.russian, cum_weights=voice.words.russian_weights, k=4)
    noun = voice.noun()
    parts = [noun, rng.choice(words.RU_DOES), drawn[0], rng.choice(words.RU_SMALL), drawn[1]]
    if rng.random() < 0.6:
        parts += [rng.choice(words.RU_JOINTS), drawn[2], rng.choice(words.RU_DOES), voice.noun()]
    if rng.random() < 0.2:
        parts.append(f"`{rng.choice(words.ENGLISH[voice.area].split())}`")
    text = " ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _chinese(voice: Voice) -> str:
    rng = voice.rng
    parts = [voice.noun(), rng.choice(words.ZH_DOES), voice.noun()]
    for _ in range(rng.choice((1, 1, 2))):
        parts += ["，", rng.choice(words.ZH_JOINTS), voice.noun(), rng.choice(words.ZH_DOES)]
        parts.append(voice.noun())
    if rng.random() < 0.15:
        parts.append(f" {rng.choice(words.ENGLISH[voice.area].split())} ")
    return "".join(parts) + "。"


_SENTENCES: dict[str, Callable[[Voice], str]] = {
    "en": _english,
    "ru": _russian,
    "zh": _chinese,
}

# --- blocks ----------------------------------------------------------------------------------


def paragraph(voice: Voice) -> str:
    """Two to five sentences."""
    return " ".join(voice.sentence() for _ in range(voice.rng.randint(2, 5)))


def items(voice: Voice) -> str:
    """A list: plain, numbered, of boxes to tick, or nested."""
    rng = voice.rng
    style = rng.choice(("plain", "plain", "plain", "numbered", "boxes"))
    lines = []
    for number in range(1, rng.randint(3, 7) + 1):
        mark = {"numbered": f"{number}.", "boxes": rng.choice(("- [x]", "- [ ]"))}.get(style, "-")
        lead = f"**{voice.noun()}** — " if style == "plain" else ""
        lines.append(f"{mark} {lead}{voice.sentence()}")
        if style == "plain" and rng.random() < 0.2:
            lines.append(f"  - {voice.sentence()}")
    return "\n".join(lines)


def table(voice: Voice) -> str:
    """A table of numbers."""
    rng = voice.rng
    nouns = words.ENGLISH[voice.area].split()
    heads = ["case", *rng.sample(nouns, rng.randint(2, 4))]
    rows = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for _ in range(rng.randint(3, 9)):
        cells = [f"{rng.lognormvariate(3, 1):.1f}" for _ in heads[1:]]
        rows.append(f"| {' | '.join([rng.choice(nouns), *cells])} |")
    return "\n".join(rows)


def quote(voice: Voice) -> str:
    """Two quoted lines."""
    return f"> {voice.sentence()}\n> {voice.sentence()}"


def links(voice: Voice) -> str:
    """A list of addresses with a remark each."""
    rng = voice.rng
    rows = []
    for _ in range(rng.randint(2, 5)):
        noun = rng.choice(words.ENGLISH[voice.area].split())
        address = f"https://example.org/{noun}/{rng.randrange(9_999)}"
        rows.append(f"- [{noun} {rng.choice(words.LIKE)}]({address}) — {voice.sentence()}")
    return "\n".join(rows)


def code(voice: Voice) -> str:
    """A fenced block of code; one in fifteen stands indented under a list item."""
    rng = voice.rng
    language = rng.choice(tuple(_LINES))
    nouns = words.ENGLISH[voice.area].split()
    lines = [f"```{language}"]
    for _ in range(rng.randint(4, 20)):
        one, two = rng.sample(nouns, 2)
        verb, number = rng.choice(words.DOES), rng.randrange(9_999)
        shape = rng.choice(_LINES[language])
        lines.append(shape.format(one=one, two=two, verb=verb, number=number))
    lines.append("```")
    if rng.random() < 1 / 15:
        return f"- {voice.sentence()}\n\n" + "\n".join(f"  {line}" for line in lines)
    return "\n".join(lines)


_LINES: dict[str, tuple[str, ...]] = {
    "python": (
        "def {one}_{verb}({two}, *, limit={number}):",
        "    {two} = {one}.{verb}({number})  # {two}",
        "    if {one}.{two} > {number}:",
        "        return {two}[{number}]",
        "",
    ),
    "sh": ("{one} --{verb} {two} | sort -u > {two}.txt", "# {one} {verb} {two}", "cd {one}/{two}"),
    "json": ('  "{one}": {{"{two}": {number}, "{verb}": "{one}"}},',),
    "sql": ("select {one}, count(*) from {two} where {one} < {number} group by 1;",),
    "diff": ("+ {one}.{verb}({two})", "- {one}.{verb}({number})", "  {two}"),
    "yaml": ("{one}:", "  {two}: {number}", "  - {verb}"),
    "": ("{number} {one} {verb} {two}", "{one} {two}"),
}

BLOCKS = (paragraph, paragraph, paragraph, items, items, code, code, table, quote, links)


def block(voice: Voice) -> str:
    """Any block; one in twenty has a heading of its own."""
    made = voice.rng.choice(BLOCKS)(voice)
    if voice.rng.random() < 0.05:
        return f"### {voice.noun()} {voice.rng.randrange(99)}\n\n{made}"
    return made
