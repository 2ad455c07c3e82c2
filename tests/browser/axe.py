"""axe-core on a page, from outside it: the page's policy stays in force and sees nothing of it."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page


def violations(page: Page) -> list[str]:
    """What axe-core finds, by all its rules: rule, weight, what should be, and where.

    Where scripts are off they stay off. What is folded is not seen: unfold it first.
    """
    session = page.context.new_cdp_session(page)
    frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    asked = {"frameId": frame, "worldName": "axe"}
    world = session.send("Page.createIsolatedWorld", asked)["executionContextId"]
    script = {"expression": _source() + ";" + RUN, "contextId": world}
    said = session.send("Runtime.evaluate", {**script, "awaitPromise": True, "returnByValue": True})
    session.detach()
    if "exceptionDetails" in said:
        raise RuntimeError(f"axe-core failed: {said['exceptionDetails']}")
    return [
        _line(rule, node) for rule in json.loads(said["result"]["value"]) for node in rule["nodes"]
    ]


# Without scripts no timer runs, for axe-core neither, but promises are kept: its short waits become
# those. And it holds every noscript to be hidden, which is then what is shown: while it looks,
# boxes stand in their place. Frames, which it would ask by messages that a page can hear, are not
# looked into: no page here may have any.
RUN = """(async () => {
    const without = matchMedia("(scripting: none)").matches;
    const shown = without ? [...document.querySelectorAll("noscript")] : [];
    const boxes = shown.map(it => {
        const box = document.createElement("div");
        box.append(...it.childNodes);
        it.replaceWith(box);
        return box;
    });
    if (without)
        globalThis.setTimeout = (call, wait = 0) => wait < 100 && Promise.resolve().then(call);
    try {
        const found = await axe.run(document, {iframes: false, resultTypes: ["violations"]});
        return JSON.stringify(found.violations);
    } finally {
        boxes.forEach((box, place) => {
            shown[place].append(...box.childNodes);
            box.replaceWith(shown[place]);
        });
    }
})()"""


@cache
def _source() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def _line(rule: dict[str, Any], node: dict[str, Any]) -> str:
    place = " ".join(map(str, node["target"]))
    return f"{rule['id']} ({node['impact']}): {rule['help']}: {place}: {node['html'][:120]}"
