"""Answers and refusals of verbs as results of tool calls, each within the budget of a reply."""

from __future__ import annotations

import os
import re
from typing import Any

from ..domain.errors import ShelfError
from ..domain.paging import BUDGET, compact, page, page_data
from ..verb import Verb, as_data, as_object

Result = dict[str, Any]
"""A result as it is sent."""

_SMALLEST_BUDGET = 2_000


def budget() -> int:
    """Bytes of one reply: `MEMSHELF_REPLY_BYTES`, else 48,000; never fewer than 2,000."""
    named = os.environ.get("MEMSHELF_REPLY_BYTES", "")
    return max(int(named), _SMALLEST_BUDGET) if re.fullmatch("[0-9]{1,12}", named) else BUDGET


def result(verb: Verb, answer: Any, cursor: str = "") -> Result:
    """An answer: prose as text alone, data as an object and the same as text.

    An object travels twice, so that each of the two may cost half of the budget.
    """
    if verb.prose:
        return {"content": [_text(page(str(answer), budget(), cursor).text)], "isError": False}
    body = as_object(answer) if not hasattr(answer, "brief") else as_data(answer.brief())
    return _both(page_data(sound(body), budget() // 2, cursor))


def refusal(trouble: ShelfError) -> Result:
    """A request that was not met: what is wrong, its code and the way out.

    What is too long for a reply is cut and not paged: asking again would be trying again.
    """
    said = {"status": "error", "code": trouble.code, "error": trouble.message, "fix": trouble.fix}
    body = page_data(sound(said | as_data(getattr(trouble, "data", {}))), budget() // 2)
    body.get("paged", {}).pop("cursor", None)
    text = f"{trouble.code}: {trouble}".encode("utf-8", "replace")
    cut = text[: budget() // 2].decode("utf-8", "ignore")
    return {"content": [_text(cut)], "structuredContent": body, "isError": True}


def _both(body: dict[str, Any]) -> Result:
    return {"content": [_text(compact(body))], "structuredContent": body, "isError": False}


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": sound(text)}


def sound(value: Any) -> Any:
    """A value that UTF-8 can hold: halves of letters, as odd file names bring them, are replaced."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {sound(name): sound(part) for name, part in value.items()}
    return [sound(part) for part in value] if isinstance(value, list) else value
