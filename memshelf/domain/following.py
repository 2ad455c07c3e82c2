"""What became of a thread that nobody closed: later episodes that name it."""

from __future__ import annotations

from collections.abc import Iterable

from .mentions import numbers
from .shelf import Shelf
from .threads import Thread


def mentioned_since(shelf: Shelf, found: Iterable[Thread]) -> dict[str, tuple[str, ...]]:
    """Of each thread's address the later episodes, newest first, that name its episode or a number.

    A number is one like `#208` in the thread's text, which stands anywhere in the later episode. A
    mention closes nothing: it is where to look. Threads that nobody mentions are left out.
    """
    wanted = {thread.address: _names(thread) for thread in found}
    naming = _naming(shelf, {name for names in wanted.values() for name in names})
    out = {}
    for thread in found:
        later = {
            order
            for name in wanted[thread.address]
            for order in naming.get(name, ())
            if order > (thread.date, thread.episode) and order[1] != thread.episode
        }
        if later:
            out[thread.address] = tuple(name for _, name in sorted(later, reverse=True))
    return out


def _names(thread: Thread) -> tuple[str, ...]:
    return (thread.episode, *(f"#{number}" for number in numbers(thread.text)))


def _naming(shelf: Shelf, wanted: set[str]) -> dict[str, list[tuple[str, str]]]:
    """Of each id and number that is wanted the episodes that name it, by date and id."""
    out: dict[str, list[tuple[str, str]]] = {}
    for entry in shelf.entries:
        named = {name for name, _ in entry.mentions} | {f"#{n}" for n in entry.facts.numbers}
        for name in named & wanted:
            out.setdefault(name, []).append(entry.order)
    return out
