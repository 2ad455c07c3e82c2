"""A page on a phone: opened once, and what a reader does there, timed inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .clock import LIMIT, Took

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, JSHandle, Keyboard, Page

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
        session = context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        session.send("Emulation.setCPUThrottlingRate", {"rate": slow})
        page.goto(file.as_uri(), wait_until="commit")
        yield Visit(page, session)
    finally:
        context.close()


class Visit:
    """An open page; every answer is in seconds, the processor time that of the page's thread.

    On a slowed processor the brake works by keeping the thread busy, so that counts too.
    """

    def __init__(self, page: Page, session: CDPSession) -> None:
        self._page, self._session = page, session

    def laid(self) -> dict[str, Took]:
        """From the start of the way to the page: to the first `paint`, and to all `laid` out."""
        told = self._page.evaluate("bench.laid()")
        laid = Took(told["laid"] / 1_000, self._spent())
        return {"paint": Took(told["paint"] / 1_000), "laid": laid}

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
        """A word, letter by letter: from the last one to the `first` results, and to `all`."""
        return self._searched(word, lambda keys: keys.type(word, delay=_LETTER))

    def pasted(self, word: str) -> dict[str, Took]:
        """The same for a word that comes at once, so that nothing was looked at before."""
        return self._searched(word, lambda keys: keys.insert_text(word))

    def _searched(self, word: str, give: Callable[[Keyboard], None]) -> dict[str, Took]:
        self._page.evaluate("word => bench.searches(word)", word)
        self._tap(self._page.evaluate_handle("document.getElementById('q')"))
        give(self._page.keyboard)
        told = self._page.evaluate("bench.searched()")
        return {name: Took(time / 1_000) for name, time in told.items()}

    def _opened(self, elements: str) -> list[Took]:
        found = self._page.evaluate_handle(elements)
        return [
            self._opened_by(found.evaluate_handle("(all, place) => all[place]", place))
            for place in range(found.evaluate("all => all.length"))
        ]

    def _opened_by(self, element: JSHandle) -> Took:
        element.evaluate("element => { bench.opens(element); }")
        before = self._tap(element)
        wall = self._page.evaluate("bench.opened()") / 1_000
        return Took(wall, self._spent() - before)

    def _tap(self, element: JSHandle) -> float:
        """Bring an element into view and tap on it; what the page had spent before the tap."""
        point = element.evaluate("element => bench.place(element)")
        before = self._spent()
        self._page.touchscreen.tap(point["x"], point["y"])
        return before

    def _spent(self) -> float:
        """Seconds of processor time that the page's thread has worked."""
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")
