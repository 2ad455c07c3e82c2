"""What a change of a configuration looks like to the one who is asked about it."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from pathlib import Path

from . import json_text

WIDTH = 200
"""Characters that are shown of a line: a configuration may be one line of a megabyte."""


def difference(path: Path, before: str | None, after: str | None) -> str:
    """The lines of a file that differ, as a unified diff; None stands for no file.

    One line only is shown around them: others may hold what is nobody's business. JSON that stands
    all in one line is shown as if it were spread over lines.
    """
    if before == after:
        return ""
    lines = _differing(path, before, after, lambda text: text)
    if any(len(line) > WIDTH for line in lines) and path.suffix == ".json":
        lines = _differing(path, before, after, _spread)
    return "\n".join(line if len(line) <= WIDTH else line[:WIDTH] + " ..." for line in lines)


def _differing(
    path: Path, before: str | None, after: str | None, shown: Callable[[str], str]
) -> list[str]:
    old, new = (shown(text or "").splitlines() for text in (before, after))
    was, is_now = (str(path) if text is not None else "/dev/null" for text in (before, after))
    return list(difflib.unified_diff(old, new, was, is_now, lineterm="", n=1))


def _spread(text: str) -> str:
    return json.dumps(json_text.read(text), indent=2, ensure_ascii=False)
