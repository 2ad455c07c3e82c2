"""The face of an episode: what lists and the pages of others show of it."""

from __future__ import annotations

import hashlib
import json

from ..domain.entry import Entry
from .language import may_prove

VERSION = 1
_ITS_OWN = frozenset(("description", "approx_tokens", "digest_tokens", "tokens", "more"))
"""What stands on an episode's own page alone; so do its digest, its sections and its numbers."""
_SHOWN = tuple(place for place, name in enumerate(Entry._fields) if name not in _ITS_OWN)
_JSON = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))
SPEAKS = "~"


def face(entry: Entry) -> str:
    """A hash of all that is shown of an episode elsewhere, but for lists with descriptions.

    While the faces of a shelf stand, an episode that changes changes its own page alone. One whose
    script may prove the language of a whole page ends with a sign of its own: there every letter
    counts.
    """
    facts = entry.facts
    shown: list[object] = [entry[place] for place in _SHOWN]
    shown += [facts.decisions, facts.threads, facts.mentions, facts.closing]
    text = _JSON.encode(shown).encode("utf-8", "surrogatepass")
    made = hashlib.sha1(text, usedforsecurity=False).hexdigest()
    return made + SPEAKS * may_prove(entry.title + facts.digest)
