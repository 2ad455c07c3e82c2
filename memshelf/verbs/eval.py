"""Measure how well questions find their episodes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from ..domain.errors import ShelfError, UsageError, at_least
from ..domain.questions import NAME, Question, as_tsv, made_questions, spread
from ..storage.store import Store
from ..verb import Filled, verb
from .evaluating import Evaluated, evaluate, read_questions
from .writing_out import write_out


@verb(mcp=False)
def eval(
    store: Store,
    questions: Annotated[Path | None, "The questions, TSV or JSON lines."] = None,
    *,
    make: Annotated[bool, "Make questions from titles and digests."] = False,
    write: Annotated[Path | None, "Make them and write them here too."] = None,
    max_questions: Annotated[int, "Make at most so many."] = 500,
    k: Annotated[int, "Look at so many hits."] = 5,
    modes: Annotated[str, "Which: lexical,semantic,hybrid,auto.", Filled()] = "",
    verbose: Annotated[bool, "List the questions that were missed."] = False,
    baseline: Annotated[Path | None, "--json of an earlier run; exit 1 if worse by 0.05."] = None,
) -> Evaluated:
    """Measure how well questions find their episodes.

    Each line of the file is a question, a tab, and a part of the address of the episode that
    answers it. Without a file it is the shelf's own questions.tsv. Shown are hit@1, hit@k, MRR and
    nDCG of each mode, and whether they differ by more than chance.

    Example:
    memshelf eval
    memshelf eval questions.tsv --verbose
    memshelf eval --make --write made.tsv
    memshelf eval --baseline earlier.json
    """
    at_least(1, "k", k)
    at_least(1, "max_questions", max_questions)
    if questions and (make or write):
        raise UsageError("Questions are either read or made.", "Leave the file out, or --make.")
    if not (make or write):
        return evaluate(
            store, read_questions(questions or _own(store)), k, modes, verbose, baseline
        )
    made = _made(store)
    wanted = spread(made, max_questions)
    if write:
        write_out(store, write, as_tsv(wanted))
    measured = evaluate(store, wanted, k, modes, verbose, baseline)
    left = len(made) - len(wanted)
    more = (f"{left:,} more can be made: raise --max-questions.",) if left else ()
    return replace(measured, notes=(*measured.notes, *more))


def _own(store: Store) -> Path:
    path = store.root / NAME
    if not path.is_file():
        said = f"This shelf has no {NAME}."
        raise UsageError(said, "Name a file of questions, or have them made: memshelf eval --make")
    return path


def _made(store: Store) -> tuple[Question, ...]:
    made = made_questions(store.read(bodied=True))
    if not made:
        said = "There is no episode on this shelf to ask about."
        raise ShelfError(said, "Shelve one first.", "no-questions")
    return made
