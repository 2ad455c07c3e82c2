"""Asking a shelf a set of questions, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..domain import evaluation
from ..domain.errors import ShelfError, UsageError
from ..domain.evaluation import Absent, Asked, Scores, Significance
from ..domain.questions import Question, questions
from ..storage import files
from ..storage.store import Store
from .search import search

if TYPE_CHECKING:
    from ..engine.finder import Mode

MODES = ("lexical", "semantic", "hybrid", "auto")


class Answer(NamedTuple):
    """What the engine said to a question: addresses, best first, whether the answer is likely among
    them, how sure it is, and the mode in which it really looked."""

    addresses: tuple[str, ...]
    likely: bool = True
    confidence: float | None = None
    mode: str = "lexical"


def asked(store: Store, question: str, mode: str, k: int) -> Answer:
    """The engine's answer; a question that it does not take has none."""
    try:
        found = search(store, question, max_results=k, detail="address", mode=cast("Mode", mode))
    except UsageError:
        return Answer((), likely=False)
    addresses = tuple(hit.address for hit in found.hits)
    return Answer(addresses, found.likely, found.confidence, found.mode)


class Measured(NamedTuple):
    """The figures of one mode: over all questions, by language, by class, and of absent ones."""

    all: Scores
    languages: dict[str, Scores]
    classes: dict[str, Scores]
    absent: Absent | None

    @classmethod
    def of(cls, answers: Sequence[Asked], k: int) -> Measured:
        """The figures of answers."""
        gone = evaluation.absent(answers)
        return cls(
            evaluation.scores(answers, k),
            evaluation.grouped(answers, k, lambda q: q.lang),
            evaluation.grouped(answers, k, lambda q: q.kind),
            gone if gone.n else None,
        )

    def data(self) -> dict[str, Any]:
        """The figures under the names that the table has, rounded to four places."""
        groups = {"languages": self.languages, "classes": self.classes}
        return {
            **_named(self.all),
            "misses": self.all.misses,
            "absent": self.absent and _rounded(self.absent._asdict()),
            **{kind: {name: _named(s) for name, s in of.items()} for kind, of in groups.items()},
        }


def _named(scores: Scores) -> dict[str, Any]:
    values = (scores.n, scores.hit1, scores.hitk, scores.mrr, scores.ndcg)
    return _rounded(dict(zip(("n", "hit@1", "hit@k", "mrr", "ndcg"), values, strict=True)))


def _rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: round(v, 4) if isinstance(v, float) else v for key, v in values.items()}


@dataclass(frozen=True)
class Evaluated:
    """The figures of each mode over one set of questions, and what is to be said of them.

    `fallen` are sentences about figures that are worse than in an earlier run.
    """

    k: int
    asked: int
    absent: int
    modes: dict[str, Measured]
    significance: Significance | None
    notes: tuple[str, ...] = ()
    fallen: tuple[str, ...] = ()
    verbose: bool = False

    @property
    def ok(self) -> bool:
        """False where a figure fell."""
        return not self.fallen

    def data(self) -> dict[str, Any]:
        """The same for programs; a later run takes it as its baseline."""
        found = self.significance
        compared = found and {**_rounded(found._asdict()), "note": self._compared(found)}
        return {
            "k": self.k,
            "questions": self.asked,
            "absent": self.absent,
            "modes": self.modes,
            "significance": compared,
            "notes": self.notes,
            "fallen": self.fallen,
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"questions: {self.asked}  k: {self.k}"
        yield from self._table("mode", [(mode, m.all) for mode, m in self.modes.items()])
        yield from self._groups("language", {n: m.languages for n, m in self.modes.items()})
        yield from self._groups("class", {n: m.classes for n, m in self.modes.items()})
        yield from self._absences()
        said = [self._compared(self.significance) + "."] if self.significance else []
        said += [*self.notes, *self.fallen]
        yield from ("", *said) if said else ()
        if self.verbose:
            for mode, measured in self.modes.items():
                yield from (f"miss[{mode}]\t{text}" for text in measured.all.misses)

    def _groups(self, title: str, modes: dict[str, dict[str, Scores]]) -> Iterator[str]:
        """A table of groups, where there is more than one."""
        rows = [(f"{mode} {name}", s) for mode, of in modes.items() for name, s in of.items()]
        if len(rows) > len(modes):
            yield from ("", *self._table(f"by {title}", rows, counted=True))

    def _table(
        self, title: str, rows: list[tuple[str, Scores]], counted: bool = False
    ) -> Iterator[str]:
        heads = (*(("n",) if counted else ()), "hit@1", f"hit@{self.k}", "mrr", "ndcg", "misses")
        width = max(len(title), 8, *(len(label) for label, _ in rows))
        yield f"{title:<{width}}" + "".join(f"{head:>8}" for head in heads)
        for label, s in rows:
            shares = "".join(f"{value:>8.2f}" for value in (s.hit1, s.hitk, s.mrr, s.ndcg))
            count = f"{s.n:>8}" if counted else ""
            yield f"{label:<{width}}{count}{shares}{len(s.misses):>8}"

    def _absences(self) -> Iterator[str]:
        found = {mode: m.absent for mode, m in self.modes.items() if m.absent}
        if found:
            yield from ("", f"not on the shelf: {self.absent} of the questions")
        for mode, gone in found.items():
            sure = (
                "" if gone.auc is None else f"; confidence tells them apart with AUC {gone.auc:.2f}"
            )
            yield (
                f"{mode}: {gone.recognised:.0%} of them recognised, "
                f"{gone.wrong:.0%} of the others wrongly called absent{sure}"
            )

    def _compared(self, found: Significance) -> str:
        first, second = tuple(self.modes)[:2]
        return found.note(first, second)


def read_questions(path: Path) -> tuple[Question, ...]:
    """The questions of a file anywhere. Raises UsageError where it holds none."""
    found = questions(_text(path), str(path))
    if not found:
        raise UsageError(f"{path} holds no question.", "Write QUESTION<TAB>EPISODE-ID lines.")
    return found


def _text(path: Path) -> str:
    data = files.read_bytes(Path(path).expanduser(), str(path), files.SIZE_LIMIT)
    return files.decoded(data, str(path))


def wanted_modes(text: str) -> tuple[str, ...]:
    """The modes that a list between commas names, each once."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in MODES]
    if unknown or not names:
        raise UsageError(f"There is no mode {', '.join(unknown)!r}.", f"Modes: {','.join(MODES)}.")
    return names


def evaluate(
    store: Store,
    wanted: Sequence[Question],
    k: int,
    modes: str = "",
    verbose: bool = False,
    baseline: Path | None = None,
) -> Evaluated:
    """Ask every question in every mode. Without modes it is lexical and, where there is meaning,
    hybrid; a mode that was named is measured even where the engine answers in another one."""
    before = _earlier(baseline, k) if baseline else {}
    answers: dict[str, list[Asked]] = {}
    notes = []
    for mode in wanted_modes(modes) if modes else ("lexical", "hybrid"):
        really = asked(store, wanted[0].text, mode, k).mode
        if really != mode and mode != "auto":
            notes.append(_instead(mode, really, left_out=not modes))
        if really == mode or modes:
            answers[mode] = list(_answers(store, wanted, mode, k))
    measured = {mode: Measured.of(found, k) for mode, found in answers.items()}
    compared = _compared(list(answers.values()), k)
    gone = sum(not question.expected for question in wanted)
    notes += [
        f"{mode} is in {baseline} and was not measured." for mode in before if mode not in measured
    ]
    fallen = tuple(_fallen(before, measured, k))
    return Evaluated(k, len(wanted), gone, measured, compared, tuple(notes), fallen, verbose)


def _instead(mode: str, really: str, left_out: bool) -> str:
    how = f"answers as {really} here: memshelf semantic status says why."
    return f"{mode} is left out, since it {how}" if left_out else f"{mode} {how}"


def _answers(store: Store, wanted: Sequence[Question], mode: str, k: int) -> Iterator[Asked]:
    for done, question in enumerate(wanted, 1):
        found = asked(store, question.text, mode, k)
        yield Asked(question, found.addresses, found.likely, found.confidence)
        store.report(done, len(wanted))


def _compared(answers: list[list[Asked]], k: int) -> Significance | None:
    """The first two modes against each other, over the questions that have an answer here."""
    ranks = [[evaluation.rank(a, k) for a in one if a.question.expected] for one in answers[:2]]
    if len(ranks) < 2 or not ranks[0]:
        return None
    return evaluation.significance(*ranks)


def _earlier(path: Path, k: int) -> dict[str, dict[str, float]]:
    """The figures of each mode in the JSON of an earlier run."""
    try:
        run = json.loads(_text(path))
        found = {
            mode: {name: float(figures[name]) for name in ("hit@k", "mrr")}
            for mode, figures in run["modes"].items()
        }
        before = run["k"]
    except (ValueError, KeyError, TypeError, AttributeError):
        said = f"{path} is not what `memshelf eval --json` wrote."
        raise ShelfError(
            said, f"Make it anew: memshelf eval --json > {path}", "bad-baseline"
        ) from None
    if before != k:
        said = f"{path} was measured with k = {before}, and this run has {k}."
        raise ShelfError(said, f"Give --k {before}.", "bad-baseline")
    return found


def _fallen(before: dict[str, dict[str, float]], now: dict[str, Measured], k: int) -> Iterator[str]:
    for mode, measured in now.items():
        for name, value in (("hit@k", measured.all.hitk), ("mrr", measured.all.mrr)):
            earlier = before.get(mode, {}).get(name, 0.0)
            if evaluation.dropped(earlier, value):
                shown = name.replace("@k", f"@{k}")
                yield f"{mode}: {shown} fell from {earlier:.2f} to {value:.2f}."
