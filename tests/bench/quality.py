"""python -m tests.bench.quality: how well questions are answered, written into docs/evaluation.md.

The questions of tests/evaluation are put to search, to the peer's search and to bare BM25 over whole
episodes. Only figures are shown, so that the half that is held apart stays unseen.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from memshelf.domain import evaluation
from memshelf.domain.errors import ShelfError
from memshelf.domain.evaluation import Asked
from memshelf.domain.questions import Question
from memshelf.storage.store import Store
from memshelf.verbs.evaluating import Answer, asked, read_questions
from memshelf.verbs.semantic_build import semantic_build

from . import others
from .world import ROOT, Tool, World, world

K = 5
SET = ROOT / "tests" / "evaluation"
HALVES = {"tune.tsv": "looked at while tuning", "held.tsv": "held apart, never looked at"}
BM25, PEER, LEXICAL, HYBRID = "BM25 over whole episodes", "peer", "lexical", "hybrid"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
Ask = Callable[[str], Answer]


def main() -> None:
    """Measure both halves, print the tables and put them between the marks of the page."""
    options = _options()
    made = world(options.build, options.peer, options.no_peer)
    environ = made.environ(made.ours)
    os.environ.clear()
    os.environ.update(environ)
    os.environ.pop("MEMSHELF_SEMANTIC", None)  # meaning takes part where it is installed
    with made.fresh_cache() as folder, tempfile.TemporaryDirectory(dir=made.folder) as copies:
        os.environ["MEMSHELF_CACHE_DIR"] = str(folder)
        text = "\n".join(_tables(made, Path(copies)))
    print(text)
    page = options.out.read_text("utf-8")
    options.out.write_text(between(page, text), "utf-8", newline="\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.bench.quality", description=__doc__)
    parser.add_argument("--peer", type=Path, help="folder of the peer's scripts (else installed)")
    parser.add_argument("--no-peer", action="store_true", help="measure without the peer")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "bench", metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "evaluation.md")
    return parser.parse_args()


def between(page: str, text: str) -> str:
    """The page with a text between its marks. Raises ValueError where it has none."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the page has no {BEGIN} and {END}")
    return f"{head}{BEGIN}\n\n{text.strip()}\n\n{END}{tail}"


def _tables(made: World, folder: Path) -> Iterator[str]:
    with _engines(made, folder) as engines:
        for name, said in HALVES.items():
            questions = read_questions(SET / name)
            answers = {engine: _answers(ask, questions) for engine, ask in engines.items()}
            yield from table(f"`{name}`, {said}", answers)


def _answers(ask: Ask, questions: Sequence[Question]) -> list[Asked]:
    found = ((question, ask(question.text)) for question in questions)
    return [Asked(question, a.addresses, a.likely, a.confidence) for question, a in found]


# --- who is asked ----------------------------------------------------------------------------


@contextlib.contextmanager
def _engines(made: World, folder: Path) -> Iterator[dict[str, Ask]]:
    """Whoever is here to be asked, each with a copy of the shelf."""
    import memshelf
    from memshelf.engine import following

    shelves = {name: folder / name for name in ("ours", "peer")}
    for shelf in shelves.values():
        shutil.copytree(SET / "shelf", shelf)
    others.filled(folder / "bare.sqlite", shelves["ours"])
    store = memshelf.open_shelf(shelves["ours"])
    with contextlib.closing(sqlite3.connect(folder / "bare.sqlite")) as bare:
        engines: dict[str, Ask] = {BM25: lambda text: _bare(bare, text)}
        if made.peer:
            tool, environ = made.peer, made.environ(made.peer)
            engines[PEER] = lambda text: _peer(tool, environ, shelves["peer"], text)
        engines[LEXICAL] = _ours(store, LEXICAL)
        with contextlib.suppress(ShelfError):  # there is no encoder
            semantic_build(store)
        if asked(store, "hybrid", HYBRID, K).mode == HYBRID:
            engines[HYBRID] = _ours(store, HYBRID)
        yield engines
    following.close(store)
    store.close()


def _ours(store: Store, mode: str) -> Ask:
    return lambda text: asked(store, text, mode, K)


def _bare(table: sqlite3.Connection, text: str) -> Answer:
    """Any of the words, best first; as sure as the best score is high."""
    rows = others.best(table, text, K)
    return Answer(tuple(path for path, _ in rows), bool(rows), rows[0][1] if rows else 0.0)


def _peer(tool: Tool, environ: dict[str, str], shelf: Path, text: str) -> Answer:
    """The question as it is; what finds nothing says that nothing is there."""
    command = [*tool.cli, "search", f"--query={text}", "--shelf", str(shelf)]
    command += ["--max-results", str(K)]
    done = subprocess.run(command, env=environ, capture_output=True, check=True)
    lines = done.stdout.decode("utf-8").splitlines()
    found = tuple(line.partition("\t")[0] for line in lines if line.startswith("docs/"))
    return Answer(found, bool(found))


# --- what is shown ---------------------------------------------------------------------------

_HEAD = (
    f"| | hit@1 | hit@{K} | MRR | nDCG | not there: recognised | there, but called absent | AUC |"
)


def table(title: str, answers: dict[str, list[Asked]]) -> Iterator[str]:
    """The figures of each engine on the same questions, and ours against the plain one."""
    first = next(iter(answers.values()))
    there = sum(bool(one.question.expected) for one in first)
    yield f"### {title}: {there} questions, and {len(first) - there} without an answer"
    yield from ("", _HEAD, "|---" * 8 + "|")
    yield from (_line(name, found) for name, found in answers.items())
    yield from ("", *(f"- {note}." for note in _notes(answers)), "")


def _line(name: str, found: list[Asked]) -> str:
    scores, gone = evaluation.scores(found, K), evaluation.absent(found)
    sure = "" if gone.auc is None else f"{gone.auc:.2f}"
    values = (scores.hit1, scores.hitk, scores.mrr, scores.ndcg, gone.recognised, gone.wrong)
    return f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} | {sure} |"


def _notes(answers: dict[str, list[Asked]]) -> Iterator[str]:
    ranks = {
        name: [evaluation.rank(one, K) for one in found if one.question.expected]
        for name, found in answers.items()
    }
    for first, second in ((BM25, LEXICAL), (PEER, LEXICAL), (LEXICAL, HYBRID)):
        if first in ranks and second in ranks:
            found = evaluation.significance(ranks[first], ranks[second])
            yield found.note(first, second)


if __name__ == "__main__":
    main()
