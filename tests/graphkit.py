"""What the tests of the graph share: shelves of few words, and texts that try to be more than text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from memshelf.domain.entry import Entry, entry_of
from memshelf.domain.shelf import Shelf

GOLDEN = Path(__file__).parent / "golden" / "graph"

ATTACKS = (
    # words of Mermaid's and Graphviz's own grammar
    *(
        "end",
        "default",
        "style",
        "class",
        "click me",
        "subgraph",
        "graph LR",
        "o-x",
        "x--x",
        "linkStyle",
    ),
    *(
        "direction TB",
        "classDef a fill:#f00;",
        "style n0 fill:#f00",
        "node",
        "edge",
        "strict digraph",
    ),
    # what would end a label, a line, a diagram, an element
    *(
        '"]; click n0 "javascript:alert(1)"',
        '"); n0 -.-> n1',
        "a --> b",
        "]]>",
        "-->",
        "```",
        "---",
    ),
    *(
        "%% c",
        '%%{init: {"securityLevel": "loose"}}%%',
        "title: x",
        "@{ shape: cloud }",
        ":::a",
        "{|}",
    ),
    # markup, links, formulas, icons, entities
    *("<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "</title><svg onload=alert(1)>"),
    *("<a href='javascript:alert(1)'>x</a>", "[x](javascript:alert(1))", "https://example.org/a"),
    *(
        "**bold** _it_ `code` ~~no~~",
        "1. one",
        "- item",
        "# head",
        "> quote",
        "$$x^2$$ ${y}",
        "fa:fa-car",
    ),
    *(
        "&lt;b&gt; &#60; #60; #lt;",
        "A & B;",
        "\\n \\N \\G \\",
        "a|b",
        "line\nbreak\ttab",
        "{{x}}",
        "it's",
    ),
    # other scripts and directions
    *(
        "日本語タイトル",
        "שלום עולם",
        "الجدول",
        "🚀 👩‍👩‍👧",
        "ทดสอบ हिन्दी",
        "\u202eevil",
        "\x00\x1b[31m",
    ),
)
"""Each is used as id, title, tag and section name."""


def entry(name: str, body: str = "", folder: str = "docs/topics", **front: object) -> Entry:
    """An episode of a body, or of one section that names others."""
    fields = {"id": name, "kind": "topic", "display_title": f"Title of {name}"} | front
    lines = "".join(
        f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items()
    )
    stem = front.get("stem", name)
    return entry_of(f"{folder}/{stem}.md", f"---\n{lines}---\n\n# Heading\n\n{body}\n")


def shelf(*entries: Entry, **rest: object) -> Shelf:
    """A snapshot of some entries."""
    return Shelf.make(entries, **rest)


def chain(bodies: Mapping[str, str]) -> Shelf:
    """A shelf of ids, each with its body."""
    return shelf(*(entry(name, body) for name, body in bodies.items()))


def ids(count: int) -> list[str]:
    """So many ids, one a day, over years."""
    return [
        f"20{20 + n // 336:02}-{n // 28 % 12 + 1:02}-{n % 28 + 1:02}-episode-{n}"
        for n in range(count)
    ]


def crowd(count: int, mentions: int = 3) -> Shelf:
    """So many episodes, each of which names the ones before it."""
    names = ids(count)
    return chain(
        {
            name: "## Notes\n" + " ".join(names[max(0, place - mentions) : place])
            for place, name in enumerate(names)
        }
    )


def attacks() -> Shelf:
    """A shelf on which every text is an attack; all are linked in a ring."""
    stems = [f"2026-01-{n % 28 + 1:02}-a{n}" for n in range(len(ATTACKS))]
    return shelf(
        *(
            entry(
                attack,
                f"## {' '.join(attack.split())} x\nSee {stems[place - 1]}.",
                stem=stems[place],
                display_title=attack,
                tags=[attack, "all"],
            )
            for place, attack in enumerate(ATTACKS)
        )
    )


def same(name: str, text: str, update: bool) -> None:
    """The text is what the golden file holds, which is written anew where that is asked for."""
    path = GOLDEN / name
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
    assert path.read_text("utf-8") == text
