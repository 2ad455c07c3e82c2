"""The phone file: how long it takes to make, and how large it is."""

from __future__ import annotations

from pathlib import Path

from .group import OURS, Bench, Group, Runs, Words, rewritten

COLD, WARM = "export html, first, no cache", "export html, nothing changed"
ONE_CHANGED = "export html, one episode changed"
_WORDS = {OURS: ("export", "html")}
_PEER = ("mirror", "--all")


def page(bench: Bench, side: str) -> Path:
    """Where a tool's page of this shelf lies once it was exported."""
    folder = bench.world.folder / "pages"
    folder.mkdir(exist_ok=True)
    return folder / f"{bench.ours.size}-{side}.html"


def bytes_of(bench: Bench) -> dict[str, int]:
    """The bytes of each page that there is, by side."""
    pages = {side: page(bench, side) for side in bench.tools}
    return {side: file.stat().st_size for side, file in pages.items() if file.is_file()}


def exporting(bench: Bench, side: str) -> Words:
    """The command line by which a tool writes its page of all episodes."""
    words, out = _WORDS.get(side, _PEER), str(page(bench, side))
    return lambda shelf: [*words, "--shelf", str(shelf.root), "--out", out]


def _whole(bench: Bench) -> dict[str, Runs]:
    ours, run = bench.world.ours, exporting(bench, OURS)
    jobs = {COLD: bench.job(ours, run, cold=True), WARM: bench.job(ours, run)}
    return bench.against(jobs, bench.peer(exporting(bench, "peer")))


def _changed(bench: Bench) -> dict[str, Runs]:
    job = bench.job(bench.world.ours, exporting(bench, OURS), prepare=rewritten)
    peer = bench.peer(exporting(bench, "peer"), prepare=rewritten)
    return bench.against({ONE_CHANGED: job}, peer)


GROUPS = (Group((COLD, WARM), _whole), Group((ONE_CHANGED,), _changed))
