"""python -m tests.bench.follow SHELF EPISODE TURNS: how long an open index takes over one edit.

A process of its own, since the memory of the one that measures is a floor under what it measures.
Prints the turns, each a line of JSON.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

from .clock import Failed, Took, in_turn, stopwatch
from .group import settle

_PLANTED = "\nPlanted: "
_numbers = itertools.count(1)


def planted(file: Path) -> str:
    """Write a new word at the end of an episode, which nothing else holds; that word."""
    word = f"zyzzyva{next(_numbers)}q"
    text = file.read_text("utf-8").partition(_PLANTED)[0].rstrip("\n")
    file.write_text(f"{text}\n{_PLANTED}{word}\n", "utf-8", newline="\n")
    settle()
    return word


def followed(root: Path, episode: str, turns: int) -> list[Took]:
    """Each turn an edit, and what the index takes to know of it. Raises Failed if it does not."""
    import memshelf
    from memshelf.engine import finder, following

    store = memshelf.open_shelf(root)
    engine = following.engine(store)
    engine.current(store)

    def once() -> Took:
        word = planted(root / episode)
        with stopwatch() as took:
            behind = engine.current(store)
        found = finder.find(store, word, finder.Wanted())
        if behind or [hit.doc.path for hit in found.hits] != [episode]:
            raise Failed(f"the index does not follow {episode}")
        return took[0]

    try:
        return in_turn({"": once}, turns)[""]
    finally:
        following.close(store)
        store.close()


if __name__ == "__main__":
    for one in followed(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])):
        print(json.dumps(one))
