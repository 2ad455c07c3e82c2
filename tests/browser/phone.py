"""A file opened as a phone opens it, and everything that its page says, asks for or lets through."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import axe

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page

SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
HEIGHT = 844
OF_ITS_OWN = ("data:", "blob:", "about:")


@dataclass
class Visit:
    """One page on one phone. `page` is Playwright's; `heard` is what a quiet page leaves empty.

    Each line of `heard` begins with what it is: console, error, policy, dialog, window, request.
    """

    page: Page
    file: Path | str
    width: int
    heard: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Where the page was opened."""
        return self.file if isinstance(self.file, str) else self.file.absolute().as_uri()

    def quiet(self) -> None:
        """Nothing was heard: no message, no error, no blocked part, no request but the file."""
        if not self.page.is_closed():
            self.page.evaluate("0")  # what happened before the answer has been told by then
        assert self.heard == []

    def picture(self, name: str, *, whole: bool = False) -> Path:
        """A picture in build/screenshots: of what one sees, or of the whole page."""
        path = SCREENSHOTS / f"{name}.png"
        self.page.screenshot(path=path, full_page=whole)
        return path

    def printed(self, name: str) -> int:
        """Print the page to build/screenshots, as a reader would; how many sheets that takes."""
        pdf = self.page.pdf(path=SCREENSHOTS / f"{name}.pdf", format="A4")
        return len(re.findall(rb"/Type */Page\b", pdf))

    def unfold(self) -> None:
        """Open everything that can be folded, and let the page do what it does then."""
        self.page.evaluate(_UNFOLD)

    def violations(self) -> list[str]:
        """What axe-core finds, one line for each element."""
        return axe.violations(self.page)

    def sideways(self) -> list[str]:
        """What reaches past the edge of the screen, and of the page as a whole whether it does.

        What lies in a box that scrolls by itself is in its place.
        """
        found: list[str] = self.page.evaluate(_SIDEWAYS, self.width)
        return found


def visit(
    browser: Browser,
    file: Path | str,
    *,
    fragment: str = "",
    scripts: bool = True,
    scheme: Literal["light", "dark"] = "light",
    media: Literal["screen", "print"] = "screen",
    width: int = 390,
    scale: float = 3,
    slow: float = 1,
) -> Visit:
    """Open a file or an address, `fragment` and all, on a phone. `slow` divides its processor's speed.

    A file may ask for nothing, a page of a server for what is on that server.
    """
    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT},
        device_scale_factor=scale,
        is_mobile=True,
        has_touch=True,
        color_scheme=scheme,
        java_script_enabled=scripts,
    )
    context.set_default_timeout(30_000)
    seen = Visit(context.new_page(), file, width)
    _listen(context, seen)
    if slow != 1:
        session = context.new_cdp_session(seen.page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": slow})
    address = seen.address + (f"#{fragment}" if fragment else "")
    seen.page.goto(address, timeout=60_000)
    if media == "print":  # earlier, it would not outlive the change of page
        seen.page.emulate_media(media="print")
    return seen


def _listen(context: BrowserContext, seen: Visit) -> None:
    """Everything is heard at the context, so that windows a page opens are heard too."""
    origin = "/".join(seen.address.split("/")[:3]) + "/" if isinstance(seen.file, str) else ""

    def request(asked: Any) -> None:
        own = asked.url.partition("#")[0] == seen.address or (
            origin and asked.url.startswith(origin)
        )
        if not own and not asked.url.startswith(OF_ITS_OWN):
            seen.heard.append(f"request: {asked.url}")

    def console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            seen.heard.append(f"console: {message.text}")

    def dialog(shown: Dialog) -> None:
        seen.heard.append(f"dialog: {shown.message}")
        shown.dismiss()

    def issue(told: dict[str, Any]) -> None:
        details = told["issue"]["details"].get("contentSecurityPolicyIssueDetails")
        if details:
            blocked = details.get("blockedURL") or "what stands in the page"
            seen.heard.append(f"policy: {details['violatedDirective']} blocks {blocked}")

    context.on("request", request)
    context.on("console", console)
    context.on("dialog", dialog)
    context.on("weberror", lambda wrong: seen.heard.append(f"error: {wrong.error}"))
    context.on("page", lambda opened: seen.heard.append(f"window: {opened.url}"))
    seen.page.on("websocket", lambda opened: seen.heard.append(f"request: {opened.url}"))
    seen.page.on("crash", lambda _: seen.heard.append("error: the page crashed"))
    session = context.new_cdp_session(seen.page)
    session.on("Audits.issueAdded", issue)
    session.send("Audits.enable")


_UNFOLD = """async () => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    const without = matchMedia("(scripting: none)").matches;
    if (!without) await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
}"""

# Asked of boxes and of runs of text, since text can leave a box that itself stays inside.
_SIDEWAYS = """width => {
    const scrolls = element => {
        for (let box = element; box && box !== document.body; box = box.parentElement)
            if (/auto|scroll/.test(getComputedStyle(box).overflowX)) return true;
        return false;
    };
    const found = [];
    const whole = document.documentElement.scrollWidth;
    if (whole > width) found.push(`the page is ${whole} wide`);
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (walk.nextNode()) {
        const node = walk.currentNode;
        range.selectNode(node);
        const box = (node instanceof Element ? node : range).getBoundingClientRect();
        const out = Math.round(box.right) > width || (Math.round(box.left) < 0 && box.right > 0);
        if (!out || scrolls(node.parentElement)) continue;
        const words = node.textContent.trim().slice(0, 60);
        found.push(`${node.nodeName.toLowerCase()} ${Math.round(box.left)}..${Math.round(box.right)}: ${words}`);
    }
    return found;
}"""
