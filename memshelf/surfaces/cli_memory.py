"""Which answers of the command line may be said again, and what has to stand for that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..storage import answers
from ..storage.glance import Glance
from ..verb import Verb, good


class Memory(NamedTuple):
    """A question that may be asked again, and a glance from before it was answered."""

    question: str
    before: Glance

    def keep(self, answer: Any, text: str, note: str) -> None:
        """Remember an answer, and what was said beside it, if it was good and left nothing out."""
        if text and good(answer) and not getattr(answer, "problems", ()):
            answers.keep(self.question, self.before, text.rstrip("\n") + "\n", note)


def memory(
    verb: Verb, place: tuple[Any, ...], given: Mapping[str, Any], question: str | None
) -> Memory | None:
    """The memory of a call; None where its answer depends on more than the shelf's files."""
    if not question or verb.remembers is None or not set(given) <= set(verb.remembers):
        return None
    (store,) = place
    return Memory(question, Glance.at(store))
