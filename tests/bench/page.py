"""docs/performance.md, from the results alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .page_demands import demanded
from .page_growth import growing
from .page_sizes import measured_at

Results = Mapping[str, Any]


def page(results: Results) -> str:
    """The whole page."""
    sizes = {int(size): found for size, found in sorted(results["sizes"].items(), key=_number)}
    parts = [_HEAD, _facts(results["facts"], sizes), demanded(sizes), _HOW]
    parts += [measured_at(size, found) for size, found in sizes.items()]
    parts += [growing(sizes), _NOT]
    return "\n".join(part for part in parts if part)


def _number(item: tuple[str, Any]) -> int:
    return int(item[0])


_HEAD = """\
# How fast it is

memshelf against memshelf-mcp, the program whose shelves it takes over, on the same generated shelves and in one run.
This page is written by `make bench`; nothing on it is typed by hand.
"""

_HOW = """\
## How it is measured

- Whole processes, from outside: the clock on the wall from start to end, and the processor time of the process and its children (in brackets).
- One run each that does not count, then in turn: memshelf, peer, memshelf, peer. Shown are medians, and the ratio is taken turn by turn; the least and the most of it stand behind it.
- Each program has its own copy of the shelf, equal to the byte but for the chart, which each draws in its own way. Between runs that write, the shelf is put back; that is not counted.
- "No cache" means a new, empty `MEMSHELF_CACHE_DIR` for each run; the system keeps the files in memory in all rows. The peer keeps no cache.
- "One episode changed" is a letter of its description and one of its last section, which no other page shows. What others show (a title, a tag, a new episode) makes all lists again, and takes longer than these rows say.
- The site is built by MkDocs with memshelf installed beside it, whose hook spares Python-Markdown our HTML; without it, one run before the hook came gave 1.11 of Material alone at 1,000 episodes and 0.96 at 3,000. Material alone has its search, ours is switched off there and replaced.
- Servers are timed by a client that speaks JSON lines: from the start of the process to its list of tools, and each kind of call once uncounted, then five times; after a pause twice, both counted.
- "No index" is the same search with a new, empty cache folder, and nothing is indexed behind it (`MEMSHELF_BACKGROUND=off`, in all rows). No answer of `search` is remembered: each run looks up, opens and ranks. The words are one that a thousandth of the episodes hold, one that nearly all hold, three, and a whole question; the peer is given the question as it is.
- Other ways are asked for any of the words, as whole processes too: ripgrep and `git grep` count in all files and rank nothing; bare FTS5 is a table of whole episodes (`unicode61`) made beforehand, which never looks whether the shelf has changed, and gives the ten best by `bm25()`.
- "After a pause": the server is left alone for 1.1 seconds before the call, so that it looks at all files again; in between it trusts a look for a second. "One episode changed" plants a new word in one episode: where the server or the index then does not find it, nothing is measured at all.
- The index: "made anew" is `cache rebuild` with what is known of each episode at hand, "no cache" reads that first; both as whole processes. "One processor" runs the same in one process.
- Over 20,000 episodes search is asked in 2 turns, and the peer's server and the browser not at all.
- Memory is the most that the process or one of its children had at any time, of the largest of them.
- Pages are opened in a headless Chromium from a file, at 390 x 844 and three pixels to one, with touch; "4x slower" is the browser's own brake on the page's thread. Laid out: the page was loaded, two frames were drawn, and layout was asked for once more. An episode is open when, after the tap, it stands in its place for two frames. A search counts from the last letter, its wait for another one included. Of tasks, those under 50 ms are not told, and count as 50.
"""

_NOT = """\
## What is not measured

- A disk that must be read first: all files are in the system's memory.
- Equal answers: `index` is a page of 2,500 tokens from memshelf and the whole of INDEX.md from the peer, `search` goes by words in memshelf and by pieces of words in the peer, a retrospective of memshelf follows threads and decisions, and its page for the phone has tables, a search and folds. The rows say what asking costs.
- A real phone: a slowed processor stands for one, with this machine's memory and disk.
- Remotes, hooks that people install, and Windows' virus scanners.
- Several writers at once: tests count that, with no clock.
"""


def _facts(facts: Mapping[str, str], sizes: Mapping[int, Any]) -> str:
    rows = [f"| {name} | {value} |" for name, value in facts.items()]
    for size, found in sizes.items():
        shelf = found["shelf"]
        doctors = shelf["doctor"].values()
        said = "no errors for either doctor" if len(doctors) > 1 else "no errors for doctor"
        mega = shelf["bytes"] / 1e6
        busy = _busy(found["load"])
        rows.append(
            f"| {size:,} episodes | {mega:.1f} MB, {shelf['mean']:,} bytes each; {said}; "
            f"{found['runs']} turns, {found['date']}{busy} |"
        )
    return "\n".join(["| | |", "|---|---|", *rows, ""])


def _busy(load: list[float | None]) -> str:
    known = [one for one in load if one is not None]
    return f"; load average {' to '.join(f'{one:.1f}' for one in known)}" if known else ""
