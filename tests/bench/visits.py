"""A page on a phone: opened once, and what a reader does there, timed inside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .clock import LIMIT, Took

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_SCRIPT = Path(__file__).with_name("phone.js")
_PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 3,
    "is_mobile": True,
    "has_touch": True,
}
_LETTER = 150
"""Milliseconds from one letter to the next."""


@contextmanager
def visit(browser: Browser, file: Path, slow: float = 1) -> Iterator[Visit]:
    """A file as it is opened on a phone whose processor is `slow` times slower than this one."""
    context = browser.new_context(**_PHONE)
    try:
        page = context.new_page()
        page.set_default_timeout(LIMIT * 1_000)
        page.add_init_script(path=_SCRIPT)
        if slow != 1:
            session = context.new_cdp_session(page)
            session.send("Emulation.setCPUThrottlingRate", {"rate": slow})
        page.goto(file.as_uri(), wait_until="commit")
        yield Visit(page)
    finally:
        context.close()


class Visit:
    """An open page; every answer is in seconds."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def laid(self) -> dict[str, Took]:
        """From the start of the way to the page: to the first paint, and to all laid out."""
        return self._told("bench.laid()")

    def longest(self) -> Took:
        """The longest task since the start, or since this was asked last; at least 0.05."""
        return Took(self._page.evaluate("bench.longest()") / 1_000)

    def by_links(self) -> list[Took]:
        """From a tap on a link to its episode: open, in its place, laid out."""
        return self._opened("bench.links()")

    def by_taps(self) -> list[Took]:
        """The same from a tap on the fold itself."""
        return self._opened("bench.folds()")

    def fullest(self) -> list[Took]:
        """The same for the episode that holds most."""
        return self._opened("[bench.fullest()]")

    def typed(self, word: str) -> dict[str, Took]:
        """A word, letter by letter: from the last one to the first results, and to all of them."""
        self._page.evaluate("word => bench.searches(word)", word)
        self._tap(self._page.evaluate_handle("document.getElementById('q')"))
        self._page.keyboard.type(word, delay=_LETTER)
        return self._told("bench.searched()")

    def pasted(self, word: str) -> dict[str, Took]:
        """The same for a word that comes at once, so that nothing was looked at before."""
        self._page.evaluate("word => bench.searches(word)", word)
        self._tap(self._page.evaluate_handle("document.getElementById('q')"))
        self._page.keyboard.insert_text(word)
        return self._told("bench.searched()")

    def _told(self, script: str) -> dict[str, Took]:
        told = self._page.evaluate(script).items()
        return {name: Took(time / 1_000) for name, time in told if time is not None}

    def _opened(self, elements: str) -> list[Took]:
        found = self._page.evaluate_handle(elements)
        took = []
        for place in range(found.evaluate("all => all.length")):
            element = found.evaluate_handle("(all, place) => all[place]", place)
            self._tap(element, "bench.opens(element)")
            took.append(Took(self._page.evaluate("bench.opened()") / 1_000))
        return took

    def _tap(self, element: Any, before: str = "") -> None:
        """Bring an element into view and tap on it."""
        point = element.evaluate("element => bench.place(element)")
        if before:
            element.evaluate(f"element => {{ {before}; }}")
        self._page.touchscreen.tap(point["x"], point["y"])
