"""Changing single keys of episodes, of several in one commit; every other byte stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..domain.errors import BadField, ShelfError, UsageError
from ..domain.retag import refuse_tag, renamed, retagged
from ..domain.tags import named, tags
from ..domain.text import plural
from . import amending
from .adding import refuse_same_title
from .reworking import Carried, Plan, Rework, carry_out
from .shelving import Wish
from .standing import one_file
from .store import Store


def edit(
    store: Store,
    ids: Sequence[str],
    fields: Mapping[str, Any],
    wishes: Sequence[str],
    write: bool,
    commit: bool = True,
) -> Carried:
    """Give episodes these fields, and tags by wishes `+a` and `-a`; an empty text takes one away.

    The digest is not held to its contract, since it is not touched. Raises EpisodeNotFound, NotOne,
    Rejected and what else an amend raises; nothing is written unless all of them can be.
    """
    if not ids:
        raise UsageError("No episode was named.", "Give one id or more.")
    if not fields and not wishes:
        raise UsageError("Nothing to change was named.", "Give --tag +a, --visibility team or so.")
    if fields.get("display_title") and len(set(ids)) > 1:
        said = "A title belongs to one episode."
        raise UsageError(said, "Name one episode, or leave the title out.")

    def make() -> Plan:
        counts: Counter[str] = Counter()
        said: list[str] = []
        reworks = {}
        shelf = store.read()
        for name in ids:
            path = one_file(store, shelf, name)
            if path in reworks:
                continue
            given = dict(fields)
            if wishes:
                given["tags"] = retagged(store.episode(path).tags, wishes)
            reworks[path] = _rework(store, path, given, counts, said)
        keys = ", ".join((*fields, *(("tags",) if wishes else ())))
        return Plan.of([*reworks.values()], f"edit: {_named(reworks)} ({keys})", said, counts)

    return carry_out(store, make, write, commit)


def rename_tag(store: Store, old: str, new: str, write: bool, commit: bool = True) -> Carried:
    """Rename a tag in every episode, archived ones too, in whatever spelling it stands.

    Raises ShelfError where no episode has it, and BadField for what cannot be a tag.
    """
    tag = refuse_tag(new)

    def make() -> Plan:
        counts: Counter[str] = Counter()
        said: list[str] = []
        found = named(tags(store.read()), old)
        reworks = []
        for path in sorted(entry.path for entry in found.episodes):
            now = store.episode(path).tags
            then = renamed(now, found.key, tag)
            if then != now:
                reworks.append(_rework(store, path, {"tags": then}, counts, said))
        many = plural(len(reworks), "episode")
        return Plan.of(reworks, f"tags: {found.name} is now {tag} ({many})", said, counts)

    return carry_out(store, make, write, commit)


def _rework(
    store: Store, path: str, fields: Mapping[str, Any], counts: Counter[str], said: list[str]
) -> Rework:
    stem = path.rpartition("/")[2][:-3]
    try:
        made = amending.prepare(store, Wish(stem, None, {}, fields), contract=False)
    except BadField as trouble:
        raise ShelfError(f"{path}: {trouble.message}", trouble.fix, trouble.code) from None
    if fields.get("display_title"):
        refuse_same_title(store, made.episode, path)
    counts.update(made.done.redaction["counts"])
    said += made.done.warnings
    return Rework(made.path, made.target, made.old, made.text)


def _named(paths: Mapping[str, object]) -> str:
    if len(paths) == 1:
        return next(iter(paths)).rpartition("/")[2][:-3]
    return plural(len(paths), "episode")
