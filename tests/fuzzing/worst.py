"""python -m tests.fuzzing.worst PARSER SIZE: let a parser read the worst texts of a size."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator

from .parsers import read

UNITS = {
    "letters": "a",
    "digits": "1",
    "spaces": " ",
    "tabs": "\t",
    "line ends": "\n",
    "lines of spaces": "   \n",
    "dashes": "-",
    "rules": "---\n",
    "open brackets": "[",
    "links": "[a](",
    "braces": "{",
    "quotes": '"',
    "single quotes": "'",
    "backslashes": "\\",
    "backticks": "`",
    "fences": "```\n",
    "stars": "*a ",
    "underscores": "_a_",
    "angles": "<a ",
    "quoted": "> ",
    "items": "- ",
    "nested items": "- a\n  ",
    "headings": "## a\n",
    "keys": "a: b\n",
    "equals": "a=",
    "commas": "a, ",
    "colons": ":",
    "dates": "2026-01-05-",
    "ids": "2026-01-05-cache ",
    "at signs": "a@a.",
    "dots": "a.b.",
    "pipes": "|a",
    "words": "we ",
    "entities": "&lt;",
    "comments": "<!--",
    "groups": "(a",
    "names of secrets": "password ",
    "slashes": "a/",
    "marks": "<<<<<<< a\n",
    "wide": "語",
    "accents": "e\u0301",
}


def texts(size: int) -> Iterator[tuple[str, str]]:
    """The worst texts: long runs of each unit, in one piece and behind an episode's beginning."""
    for name, unit in UNITS.items():
        yield name, unit * (size // len(unit))
    front = "---\nid: x\ntags: ["
    yield "front matter that never ends", front + "a, " * (size // 3)
    yield "an unclosed quote", '---\nid: "' + "a" * size + "\n---\n"
    yield "a fence that never ends", "## Digest\n```\n" + "a\n" * (size // 2)
    yield "rows that stand twice", "".join(f"x\t{n}\n" for n in range(size // 20)) * 2
    half = size // 2
    yield "brackets that close", "[" * half + "]" * half
    yield "groups that close", "(" * half + ")" * half
    yield "braces that close", '{"a":' * (half // 5) + "}" * (half // 5)
    yield "stars that close", "*" * half + "a" + "*" * half


def main() -> None:
    """Print the seconds of each text, as JSON, once all are read."""
    name, size = sys.argv[1], int(sys.argv[2])
    took = {}
    for label, text in texts(size):
        begun = time.perf_counter()
        print(label, file=sys.stderr, flush=True)
        read(name, text)
        took[label] = round(time.perf_counter() - begun, 3)
    print(json.dumps(took))


if __name__ == "__main__":
    main()
