"""The parts of a retrospective from its decisions on, each from the value that was computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ..domain.chronicle import kinds
from ..domain.entry import Entry
from ..domain.episode import CATEGORY
from ..domain.retrospect import Cut, Retrospective, Rise
from ..domain.text import plural
from ..domain.threads import Decision
from .escape import plain
from .index import counted
from .report import Bars, Block, Chart, Line, Part, Span, ident, line, link, strong
from .retro_words import Words

T = TypeVar("T")


def _block(heading: str, found: Cut[T], make: Callable[[T], Line]) -> Block | None:
    """A list under its heading with the number of all; None where there is nothing."""
    if not found.total:
        return None
    more = f"{found.more:,} more." if found.more else ""
    return Block(_counted(heading, found.total), tuple(map(make, found.shown)), more)


def _part(
    anchor: str, title: str, *blocks: Block | None, said: tuple[Line, ...] = ()
) -> Part | None:
    there = tuple(block for block in blocks if block)
    return Part(anchor, title, said=said, blocks=there) if there or said else None


# --- 3: decisions ----------------------------------------------------------------------------


def decided(seen: Retrospective, words: Words) -> Part | None:
    """The decisions by month, what stands before what was reversed."""
    by_month: dict[str, list[Decision]] = {}
    for made in seen.decisions.shown:
        by_month.setdefault(made.date[:7], []).append(made)
    blocks = [Block(month, tuple(_decisions(found, words))) for month, found in by_month.items()]
    if not blocks:
        return None
    if seen.decisions.more:
        said = f"{seen.decisions.more:,} more, of episodes that fewer others name."
        blocks[-1] = blocks[-1]._replace(more=said)
    return Part("decisions", _counted("Decisions", seen.decisions.total), blocks=tuple(blocks))


def first_decisions(seen: Retrospective, words: Words, limit: int) -> Part | None:
    """The first decisions of the report, in the order in which it has them."""
    shown = tuple(_decisions(seen.decisions.shown[:limit], words))
    found = Cut(shown, seen.decisions.total)
    more = f"{found.more:,} more." if found.more else ""
    return _part("decisions", "Decisions", Block("", shown, more) if shown else None)


def _decisions(found: Iterable[Decision], words: Words) -> Iterator[Line]:
    yield from (words.decision(made) for made in sorted(found, key=lambda made: not made.stands))


def _counted(title: str, count: int) -> str:
    return f"{title} ({count:,})"


# --- 4: threads ------------------------------------------------------------------------------


def threads(seen: Retrospective, words: Words) -> Part | None:
    """What was closed, what was opened and stays open, what came in open and still is."""
    f = seen.figures
    said = (
        f"{seen.open_before:,} open before + {f.opened:,} opened − {f.closed:,} closed "
        f"− {f.carried:,} carried on by others = {f.open:,} open at the end."
    )
    blocks = (
        _block("Closed", seen.closed, words.closed),
        _block("Opened and still open", seen.opened, words.thread),
        _block("Carried in, oldest first", seen.carried_in, words.thread),
    )
    nothing = not (seen.open_before or f.opened)
    return None if nothing else _part("threads", "Threads", *blocks, said=(line(said),))


# --- 5 and 6: replaced, mentioned ------------------------------------------------------------


def replaced(seen: Retrospective, words: Words) -> Part | None:
    """Episodes that others replaced in the period, and single decisions that were reversed."""
    return _part(
        "replaced",
        "Replaced",
        _block("Episodes", seen.replaced, words.replaced),
        _block("Single decisions", seen.reversed, words.turned),
    )


def mentioned(seen: Retrospective, words: Words) -> Part | None:
    """What the episodes of the period name most."""

    def named(pair: tuple[str, int]) -> Line:
        return line(*words.named(pair[0]), f"— named by {plural(pair[1], 'episode')}")

    found = seen.mentioned
    more = f"{found.more:,} more are named." if found.more else ""
    block = Block("", tuple(map(named, found.shown)), more)
    return _part("mentioned", "Most mentioned", block) if found.total else None


# --- 7 and 8: memory used, topics ------------------------------------------------------------


def memory(seen: Retrospective, words: Words) -> Part | None:
    """What was recalled most, and what never was; left out while no recall has a date."""

    def recalled(pair: tuple[str, int]) -> Line:
        return line(*words.named(pair[0]), f"— {plural(pair[1], 'recall')}")

    undated = line(
        "Some rows of", ident("recall-log.tsv"), "have no date: those recalls count in no period."
    )
    said = (undated,) if seen.undated_recalls else ()
    if not seen.recalls_begin:
        return _part("memory", "Memory used", said=said)
    never = f"On the shelf for the whole of {seen.period.label} and not recalled by its end"
    return _part(
        "memory",
        "Memory used",
        _block("Recalled most", seen.recalled, recalled),
        _block(never, seen.unrecalled, lambda entry: line(*words.named(entry.id), f"— {entry.ledger_date}")),
        said=said,
    )  # fmt: skip


def topics(seen: Retrospective) -> Part | None:
    """The tags of the period: used most, rising, new."""

    def rising(rise: Rise) -> str:
        return f"{rise.tag} ({rise.before:,} to {rise.now:,})"

    def counts(rise: Rise) -> str:
        return f"{rise.tag} ({rise.now:,})"

    rows = (
        ("Used most", seen.used, counts),
        ("Rising", seen.rising, rising),
        ("New", seen.new, counts),
    )
    lines = tuple(_tags(name, found, word) for name, found, word in rows if found.total)
    return Part("topics", "Topics", blocks=(Block("", lines),)) if lines else None


def _tags(name: str, found: Cut[Rise], word: Callable[[Rise], str]) -> Line:
    more = f", and {found.more:,} more" if found.more else ""
    return line(strong(f"{name}:"), ", ".join(map(word, found.shown)) + more)


# --- 9: episodes -----------------------------------------------------------------------------


def episodes(seen: Retrospective, words: Words, command: str) -> Part:
    """All episodes by month, newest first; of a large period their numbers."""
    title = _counted("Episodes", seen.episodes.total)
    months = [(month, found) for month, found in seen.months if found]
    if seen.episodes.more:
        lines = tuple(line(f"{month}: {_sum(found)}") for month, found in months)
        return Part("episodes", title, blocks=(_summed(lines, words, command),))
    blocks = (
        Block(f"{month} ({len(found):,})", tuple(map(words.episode, found)), folded=True)
        for month, found in months
    )
    return Part("episodes", title, blocks=tuple(blocks))


def _summed(lines: tuple[Line, ...], words: Words, command: str) -> Block:
    """The months in numbers, and where the episodes are."""
    if words.form.everything:
        return Block("", lines, "All of them are", onward=(link("by date", words.form.everything),))
    return Block("", lines, f"“{command} --full” lists them, and everything else that is cut here.")


def _sum(found: tuple[Entry, ...]) -> str:
    said = ", ".join(counted(count, _folder(kind)) for kind, count in kinds(found))
    return f"{plural(len(found), 'episode')}: {said}"


def _folder(kind: str) -> str:
    return plain(CATEGORY.get(kind, kind))


def by_month(seen: Retrospective) -> Chart | None:
    """Bars of episodes a month by kind, the oldest month first, where there is more than one."""
    names = [kind for kind, _ in seen.figures.kinds]
    shown = names[:3]
    months = seen.months[::-1]
    if len(months) < 2 or len(months) > 36:
        return None
    longest = max(len(found) for _, found in months)
    rows = (_bars(month, found, shown, longest) for month, found in months)
    legend = (*map(_folder, shown), *(["other"] if len(names) > len(shown) else []))
    return Chart(legend, tuple(rows))


def _bars(month: str, found: tuple[Entry, ...], shown: list[str], longest: int) -> Bars:
    counts = dict(kinds(found))
    sizes = [counts.pop(kind, 0) for kind in shown] + [sum(counts.values())]
    parts, at = [], 0
    for place, size in enumerate(sizes):
        left, right = (round(100 * n / longest) for n in (at, at + size))
        at += size
        if size:
            parts.append((left, max(1, right - left), place))
    return Bars(month, f"{len(found):,}", tuple(parts))


# --- 10 and 11: exceptions, since then -------------------------------------------------------


def exceptions(seen: Retrospective, words: Words) -> Part | None:
    """The sum that adds up, and by name what is not in it or stands out."""
    e, count = seen.exceptions, seen.figures.episodes
    dated = seen.earlier + count
    said = (
        f"{seen.earlier:,} episodes before + {count:,} in {seen.period.label} = {dated:,} with a date "
        f"up to {seen.period.end}."
    )
    blocks = (
        _block("Without a date, in no figure", e.undated, lambda entry: _undated(entry, words)),
        _block("Cannot be read, in no figure", e.unreadable, lambda f: line(ident(f.where), f"— {f.message}")),
        _block("Without a digest", e.without_digest, lambda entry: line(*words.named(entry.id))),
        _block("One id in several files, each counted", e.twice, lambda t: line(ident(t[0]), f"— {', '.join(t[1])}")),
    )  # fmt: skip
    nothing = () if any(blocks) else ("No exceptions.",)
    return _part("exceptions", "Exceptions", *blocks, said=(line(said, *nothing),))


def _undated(entry: Entry, words: Words) -> Line:
    why = f"{entry.ledger_date} is no calendar date" if entry.ledger_date else "no date"
    return line(
        strong(entry.heading)._replace(href=words.title(entry).href), ident(entry.path), f"— {why}"
    )


def since(seen: Retrospective, words: Words) -> Part | None:
    """What later episodes did to those of the period: the only part that grows."""
    later, f = seen.since, seen.figures
    blocks = (
        _block("Closed", later.closed, words.closed),
        _block("Carried on", later.carried, words.carried),
        _block("Decisions reversed", later.reversed, words.turned),
        _block("Replaced", later.replaced, words.replaced),
        _block("Archived by now", later.archived, lambda entry: line(*words.named(entry.id))),
    )
    gone = (
        f"Of the {plural(f.open, 'thread')} open on {seen.period.end}, {later.gone:,} "
        f"{'is' if later.gone == 1 else 'are'} not open any more."
    )
    said = (line(*_after(seen, words)), *([line(gone)] if later.gone else []))
    return _part("since", "Since then", *blocks, said=said)


def _after(seen: Retrospective, words: Words) -> Iterator[Span | str]:
    later = seen.since
    dated = seen.earlier + seen.figures.episodes
    if later.newest:
        yield f"{plural(later.after, 'episode')} came later, the newest"
        yield words.id(later.newest.id)
        yield f"on {later.newest.ledger_date}:"
    else:
        yield "Nothing came later:"
    yield f"{dated:,} + {later.after:,} + {seen.undated:,} without a date = {seen.total:,} on the shelf."
