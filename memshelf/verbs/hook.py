"""Answer a client's hook: the index at the start of a session."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from ..domain.errors import ShelfError
from ..storage.store import Store, discover
from ..verb import verb

EVENT = "SessionStart"
UNITS = 10_000
"""UTF-16 units that a host takes in; of a longer text it shows a file's name and a beginning."""

_SAID_AT_MOST = 1 << 20  # bytes of what a host says


@dataclass(frozen=True)
class Hooked:
    """What the host puts before the session; "" where there is nothing to say."""

    event: str
    context: str

    verbatim = True
    """The host reads this answer: it is printed as it is, whatever form answers have else."""

    def data(self) -> dict[str, Any]:
        """The answer in the host's own words."""
        if not self.context:
            return {}
        said = {"hookEventName": self.event, "additionalContext": self.context}
        return {"hookSpecificOutput": said}

    def __str__(self) -> str:
        return json.dumps(self.data()) if self.context else ""


@verb(mcp=False)
def hook(
    root: Path,
    event: Annotated[str, "The event, as the host names it: SessionStart."] = "",
) -> Hooked:
    """Answer a client's hook: the index at the start of a session.

    Clients call it, and `memshelf setup` tells them to. It reads what the host says from standard
    input, and prints the index, newest first, within 10,000 UTF-16 units. Without a shelf, and for
    other events, it prints nothing. It never fails: a session must begin whatever the shelf's state.

    Example:
    echo '{}' | memshelf hook SessionStart
    """
    said = _said()
    if event != EVENT:
        return Hooked(event, "")
    try:
        return Hooked(event, _index(root, said))
    except Exception as trouble:  # the host would show a traceback, or stop the session
        reason = str(trouble) if isinstance(trouble, ShelfError) else repr(trouble)
        print(f"memshelf: no index for this session: {' '.join(reason.split())}", file=sys.stderr)
        return Hooked(event, "")


def _said() -> dict[str, Any]:
    """What the host says of the event, {} where that cannot be understood. It is read in any case:
    some hosts take it amiss if nobody listens."""
    try:
        if sys.stdin.isatty():
            return {}
        said = json.loads(sys.stdin.buffer.read(_SAID_AT_MOST))
    except (AttributeError, OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _index(root: Path, said: dict[str, Any]) -> str:
    from ..render.view import session_text

    found = _found(root, said)
    return session_text(Store.open(found).read(), UNITS) if found else ""


def _found(root: Path, said: dict[str, Any]) -> Path | None:
    """The shelf that was named, or the nearest one from here or from the session's folder up."""
    if root != Path.cwd():
        return root
    folder = said.get("cwd")
    for start in (root, Path(folder) if isinstance(folder, str) and folder else root):
        try:
            return discover(None, {}, start)[0]
        except ShelfError:
            continue
    return None
