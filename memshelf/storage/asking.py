"""Asking a remote whether everybody may read it: one request without any credentials."""

from __future__ import annotations

import http.client
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable
from typing import Literal

Seen = Literal["public", "private", "unknown"]
DEADLINE = 6.0
"""Seconds for all of them together: a name that nobody resolves must not hold anybody up."""
_GIT = "application/x-git-upload-pack-advertisement"


def who_reads(addresses: Iterable[str], deadline: float = DEADLINE) -> dict[str, Seen]:
    """Whether everybody may read what is at each address; unknown for what did not answer in time.

    An address is what `hosts.asking_address` makes. No credentials are sent: nothing of git's
    configuration, no cookies, no .netrc; an address that holds any is not asked.
    """
    found: dict[str, Seen] = {}
    threads = []
    for address in dict.fromkeys(addresses):
        found[address] = "unknown"
        if "@" not in address:
            thread = threading.Thread(target=_note, args=(found, address, deadline), daemon=True)
            thread.start()
            threads.append(thread)
    for thread in threads:
        thread.join(deadline)
        deadline = deadline if not thread.is_alive() else 0.0
    return dict(found)


def _note(found: dict[str, Seen], address: str, deadline: float) -> None:
    found[address] = _asked(address, deadline)


def _asked(address: str, deadline: float) -> Seen:
    """Public where git's own answer comes, private where it is refused, else unknown."""
    request = urllib.request.Request(address, headers={"User-Agent": "git/2"})
    try:
        with urllib.request.build_opener().open(request, timeout=deadline) as answer:
            return "public" if answer.headers.get_content_type() == _GIT else "unknown"
    except urllib.error.HTTPError as refused:
        refused.close()
        return "private" if refused.code in (401, 404) else "unknown"
    except (OSError, ValueError, http.client.HTTPException):
        return "unknown"
