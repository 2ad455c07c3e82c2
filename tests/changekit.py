"""Changes of the sample shelf, one of each kind that a page may show or not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import memshelf

FILE = "docs/topics/2026-06-03-public-api-v2.md"
OTHER = "docs/topics/2026-05-25-tide-widget-japanese.md"
JAPANESE = "文字の大きさを決めた。波の高さは後で決める。" * 200


def replaced(old: str, new: str, path: str = FILE) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        text = (root / path).read_text("utf-8")
        assert old in text
        (root / path).write_text(text.replace(old, new, 1), "utf-8")

    return change


def also(line: str, path: str = FILE) -> Callable[[Path], None]:
    return replaced("\n## Digest\n", f"\n## Digest\n{line}\n", path)


def under(section: str, line: str) -> Callable[[Path], None]:
    return replaced(f"\n## {section}\n", f"\n## {section}\n{line}\n")


def moved(root: Path) -> None:
    shutil.move(root / FILE, root / "archive" / FILE)


def named_alike(root: Path) -> None:
    shutil.copy(root / FILE, root / "docs/research" / Path(FILE).name)


def set_(line: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        settings = root / "memshelf.toml"
        text = settings.read_text("utf-8") if settings.exists() else ""
        key = line.partition(" ")[0]
        rest = [row for row in text.split("\n") if not row.startswith(key)]
        text = "\n".join(rest)
        head = "" if "[shelf]" in text else "[shelf]\n"
        settings.write_text(f"{head}{text}".replace("[shelf]\n", f"[shelf]\n{line}\n"), "utf-8")

    return change


CHANGES: dict[str, Callable[[Path], None]] = {
    "nothing": lambda root: None,
    "the text of a section": under("Decisions", "\nOne more line.\n"),
    "the digest": also("One more sentence."),
    "the description": replaced('\ndescription: "', '\ndescription: "Otherwise: '),
    "the title": replaced('\ndisplay_title: "', '\ndisplay_title: "Zoned: '),
    "the date": replaced("\ndate: 2026-06-03", "\ndate: 2025-06-03"),
    "a tag": replaced("\ntags: [", "\ntags: [RÉLEASE, "),
    "what it replaces": replaced("\nspan:", f"\nsupersedes: [{Path(FILE).stem}]\nspan:", OTHER),
    "a name in it": also("See 2026-03-05-nul-glubin and 2026-08-12-print-on-demand."),
    "a decision": under("Decisions", "- One more was decided.\n"),
    "what it closes": also("Closes 2026-05-25-tide-widget-japanese/t1"),
    "who may read it": replaced("\nspan:", "\nvisibility: public\nspan:"),
    "the language that a digest proves": also(JAPANESE, OTHER),
    "an episode that is gone": lambda root: (root / FILE).unlink(),
    "an episode that went behind a rollup": moved,
    "two episodes of one name": named_alike,
    "a file that cannot be read": lambda root: (root / FILE).write_bytes(b"\xff\xfe\xff"),
    "a chart": lambda root: memshelf.rebuild(memshelf.open_shelf(root)) and None,
    "the year's beginning": set_("fiscal_year_start = 4"),
    "the shelf's language": set_('language = "de"'),
}
