"""Measure how well questions find their episodes, under the peer's name and with its flags."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..storage.store import Store
from ..verb import verb
from .eval import eval
from .evaluating import Evaluated


@verb(mcp=False)
def search_bench(
    store: Store,
    *,
    queries: Annotated[Path, "The questions, a line each: question, tab, expected address."],
    k: Annotated[int, "Look at so many hits."] = 5,
    verbose: Annotated[bool, "List the questions that were missed."] = False,
) -> Evaluated:
    """Measure how well questions find their episodes, under the peer's name and with its flags.

    The same as `eval`, which has more to choose from.

    Example:
    memshelf search-bench --queries questions.tsv --verbose
    """
    measured: Evaluated = eval(store, queries, k=k, verbose=verbose)
    return measured
