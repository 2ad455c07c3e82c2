"""What is kept so that a change of a configuration can be taken back: the part that was replaced."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from .client import Target, disconnected
from .connect import Before


def kept(base: str | None, after: str, before: Before) -> str:
    """The backup of a change as JSON. `base` is the file's text before it, None for no file.

    Only what differs is kept, and not the whole file: it may hold keys to other things.
    """
    old = base or ""
    start = _same(old, after)
    end = _same(old[start:][::-1], after[start:][::-1])
    data = {
        "was_there": base is not None,
        "start": start,
        "old": old[start : len(old) - end],
        "length": len(after) - end - start,
        "after": _hash(after),
        "servers": [[list(path), entry] for path, entry in before.servers],
        "hooks": list(before.hooks),
    }
    return json.dumps(data, ensure_ascii=False, default=str)


def undone(target: Target, text: str, backup: str | None) -> str | None:
    """A file's text without memshelf; None where the file was not there before.

    Byte for byte as it was if nobody changed it since; else our entries are taken out, and those
    that they replaced put back. Raises OddConfig.
    """
    saved = _saved(backup)
    if saved.get("after") == _hash(text):
        start, old = saved["start"], saved["old"]
        return text[:start] + old + text[start + saved["length"] :] if saved["was_there"] else None
    servers = tuple((tuple(path), entry) for path, entry in saved.get("servers", ()))
    left = disconnected(target, text, Before(servers, tuple(saved.get("hooks", ()))))
    return left if saved.get("was_there", True) or left.strip() not in ("", "{}") else None


def _same(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _saved(backup: str | None) -> dict[str, Any]:
    try:
        data = json.loads(backup or "{}")
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
