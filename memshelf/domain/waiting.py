"""Episodes that no renderer has counted yet: whose turn it is, and whether that took too long.

Rules: the peer's (`doctor`, *Renderer clock*), told apart here from how git is asked. What cannot be
known is said to be unknown. One rule is milder: where there is no upstream, an episode has waited no
longer than it has been on the shelf, however old the ledger is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .finding import Finding

MOST = 3
"""Names that one finding tells."""


class Wait(NamedTuple):
    """How long the episodes have waited that a renderer can see, in hours: at least, and at most.

    None is not known. `cut` is true where a shallow clone ends before that could be read.
    """

    least: float | None = None
    most: float | None = None
    cut: bool = False


class Waiting(NamedTuple):
    """Where the uncounted episodes are, by their ids, and how long those have waited that a renderer
    can see.

    `visible` are on the branch that is rendered, `unmerged` on the branch that this one follows,
    `unpushed` on neither. `render` names the branch that is rendered, "" where nothing is followed;
    then all are visible. `remote` is whether there is a remote at all.
    """

    visible: tuple[str, ...] = ()
    unmerged: tuple[str, ...] = ()
    unpushed: tuple[str, ...] = ()
    wait: Wait = Wait()
    render: str = ""
    upstream: str = ""
    remote: bool = False


_REBUILD = "`memshelf rebuild --commit` renders them here."
_BOT = "Look at the job that renders the shelf; `memshelf rebuild --commit` renders it here."


def findings(found: Waiting, threshold: float) -> Iterator[Finding]:
    """What is to be said of episodes without a row, where `threshold` hours are too long."""
    if found.visible and (verdict := _verdict(found, threshold)):
        yield verdict
    if found.unmerged:
        said = f"On {found.upstream} and not on {found.render}: {some(found.unmerged)}."
        fix = f"They are rendered once they are merged into {found.render}."
        yield Finding("warning", "upstream-not-rendered", said, "ledger.tsv", fix)
    if found.unpushed:
        said = f"Not on {found.upstream}, as of the last fetch: {some(found.unpushed)}."
        yield Finding("warning", "episode-unpushed", said, "ledger.tsv", "Push them.")
    if found.visible and found.remote and not found.render:
        said = "There is a remote, but this branch follows none of its branches."
        fix = "`git push -u REMOTE BRANCH` makes it follow one."
        yield Finding("warning", "upstream-unknown", said, "", fix)


def _verdict(found: Waiting, threshold: float) -> Finding | None:
    least, most, cut = found.wait
    names = some(found.visible)
    if least is not None and least >= threshold:
        said = f"For {_hours(least)} at least no renderer has counted: {names}."
        fix = _BOT if found.render else _REBUILD
        return Finding("error", "derived-stale", said, "ledger.tsv", fix)
    if most is not None and most < threshold:
        return None
    if found.render:
        said = f"Whether a renderer is late for these cannot be told from here: {names}."
        fix = "`git fetch` notes when they came; the renderer's own log says more."
        return Finding("unknown", "renderer-wait-unknown", said, "ledger.tsv", fix)
    said = "How old the ledger is cannot be told" + (", the clone is shallow." if cut else ".")
    fix = "`git fetch --unshallow` brings the history." if cut else _REBUILD
    return Finding("unknown", "derived-age-unknown", said, "ledger.tsv", fix)


def some(names: Sequence[str], most: int = MOST) -> str:
    """The first few of many names, and how many more there are.

    >>> some(["a", "b", "c", "d", "e"])
    'a, b, c … (+2)'
    """
    more = f" … (+{len(names) - most})" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _hours(hours: float) -> str:
    """
    >>> _hours(30.4), _hours(100)
    ('30 hours', '4 days')
    """
    return f"{hours:.0f} hours" if hours < 72 else f"{hours / 24:.0f} days"
