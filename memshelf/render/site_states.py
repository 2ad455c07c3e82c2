"""Threads and decisions in an episode's page carry their address and what became of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..domain.patterns import lazy
from ..domain.threads import CARRIED, CLOSED, OPEN, Decision, Thread
from .escape import attribute, html
from .site_places import Here
from .words import unmarked

_LIST = lazy(r"<(/?)(ul|ol|li)\b[^>]*>")


class State(NamedTuple):
    """One item: its place in the page (`t2`), its first words, its state in a word, and the episode
    that made it so with its date ("" for neither)."""

    anchor: str
    text: str
    word: str
    by: str = ""
    href: str = ""
    date: str = ""

    @property
    def badge(self) -> str:
        """What stands at the margin, as HTML: a link to the place itself, and what made it so."""
        said = f"{self.anchor} {self.word}"
        here = f'<a class="state{" open" * (self.word == OPEN)}" href="#{self.anchor}">{said}</a>'
        if not self.by:
            return f"{here} "
        by, when = html(self.by), f" on {html(self.date)}" if self.date else ""
        made = f'<a href="{attribute(self.href)}" dir="ltr">{by}</a>' if self.href else by
        return f'<span class="state">{here} by {made}{when}</span> '


def thread_states(found: Iterable[Thread], here: Here) -> tuple[State, ...]:
    """The states of an episode's threads, in their order."""
    return tuple(_thread(thread, here) for thread in found)


def _thread(thread: Thread, here: Here) -> State:
    anchor = thread.address.rpartition("/")[2]
    if thread.state == CLOSED:
        by = "" if thread.closed_by == thread.episode else thread.closed_by
        return State(
            anchor, thread.text, CLOSED, by, here.episode(by) if by else "", thread.closed_on
        )
    if thread.state == CARRIED:
        on = thread.carried_by
        return State(anchor, thread.text, "carried on", on, here.episode(on), thread.carried_on)
    return State(anchor, thread.text, OPEN)


def decision_states(found: Iterable[Decision], here: Here) -> tuple[State, ...]:
    """The states of an episode's decisions, in their order."""
    return tuple(
        State(d.address.rpartition("/")[2], d.text, "stands")
        if d.stands
        else State(
            *(d.address.rpartition("/")[2], d.text, "reversed", d.reversed_by),
            *(here.episode(d.reversed_by), d.reversed_on),
        )
        for d in found
    )


def marked(section: str, states: Sequence[State]) -> str:
    """A section's HTML with each state in front of its item, or below all where it has no list."""
    if not states:
        return section
    return _in_list(section, states) or f"{section}{_below(states)}"


def _in_list(section: str, states: Sequence[State]) -> str:
    """Empty where the list does not have one item for each state: then none can be told from another."""
    depth, places = 0, []
    for found in _LIST.finditer(section):
        closing, name = found.groups()
        if name == "li":
            if not closing and depth == 1:
                places.append(found)
        else:
            depth += -1 if closing else 1
    if len(places) != len(states):
        return ""
    out, end = [], 0
    for place, state in zip(places, states, strict=True):
        opening = f'{place.group()[:-1]} id="{state.anchor}">{state.badge}'
        out += [section[end : place.start()], opening]
        end = place.end()
    return "".join([*out, section[end:]])


def _below(states: Sequence[State]) -> str:
    lines = (
        f'<li id="{s.anchor}">{s.badge}<bdi>{html(unmarked(s.text))}</bdi></li>' for s in states
    )
    return f'<ul class="states">{"".join(lines)}</ul>\n'
