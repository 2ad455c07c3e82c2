"""Who is behind a change: an agent, a person, or nobody can say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .patterns import lazy

AGENT, HUMAN, UNKNOWN = "agent", "human", "unknown"

_MARKS = ("agent", "assisted-by", "generated-by", "ai-assisted-by")
"""Trailers of a commit that name an agent."""
_PROGRAMS = lazy(
    r"(?<!\w)(claude|codex|copilot|gemini|cursor|aider|devin|windsurf|chatgpt|openai|anthropic)(?!\w)"
    r"|\[bot\]",
    re.IGNORECASE,
)


class Who(NamedTuple):
    """What is known of who made a change: `agent`, `human` or `unknown`, and the agent's name."""

    kind: str
    agent: str = ""


class Said(NamedTuple):
    """What the version of an episode that a change brought says of its writer."""

    author: str = ""
    agent: str = ""
    source: str = ""


def who(author: str, trailers: Iterable[tuple[str, str]], said: Said | None = None) -> Who:
    """Who made a change, from the commit's author and trailers and from what the episode says.

    git's author alone proves no person: agents commit under the name of the one whose machine it is.

    >>> who("Ann", [("Co-Authored-By", "Claude <noreply@anthropic.com>")])
    Who(kind='agent', agent='Claude')
    >>> who("Ann", []), who("Ann", [], Said(source="user"))
    (Who(kind='unknown', agent=''), Who(kind='human', agent=''))
    """
    for key, value in trailers:
        marked = key.lower() in _MARKS
        if marked or (key.lower() == "co-authored-by" and _PROGRAMS.search(value)):
            return Who(AGENT, _name(value))
    if "[bot]" in author:
        return Who(AGENT, author)
    if said and (said.agent or said.source == "agent"):
        return Who(AGENT, said.agent)
    if said and (said.source == "user" or said.author):
        return Who(HUMAN)
    return Who(UNKNOWN)


def _name(value: str) -> str:
    """A person's or program's name without its address."""
    return " ".join(re.sub(r"<[^<>]*>", "", value).split())
