"""What leaves the shelf for some readers: cut before it is rendered, and guarded before it is written."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..domain.errors import ShelfError, UsageError
from ..domain.leaving import Leaving, leaving
from ..domain.publishing import Publishing, Readers
from ..domain.shelf import Shelf
from ..domain.text import plural
from ..storage.clock import today
from ..storage.store import Store

if TYPE_CHECKING:  # the guard compiles what an export for oneself does not need
    from ..domain.finding import Finding
    from ..domain.guard import Watch


class GuardStopped(ShelfError):
    """Something must not leave. `data` holds the findings, each with its place."""

    code = "guard"

    def __init__(self, findings: Iterable[Finding], done: str) -> None:
        found = tuple(findings)
        errors = sum(one.level == "error" for one in found)
        super().__init__(
            "\n".join(
                [
                    f"The guard found {plural(errors, 'thing')} that must not leave.",
                    *map(str, found),
                ]
            ),
            f"{done} An exception needs a hash, a reason and an end: docs/publishing.md.",
        )
        self.data = {"findings": [one._asdict() for one in found]}


class Outgoing(NamedTuple):
    """A snapshot on its way out. Without a watch it stays with its owner: nothing is cut."""

    shelf: Shelf
    watch: Watch | None = None
    leaving: Leaving | None = None

    def check(
        self, pages: Iterable[tuple[str, str | bytes]], done: str = "Nothing was written."
    ) -> tuple[Finding, ...]:
        """Guard some files (path, content); the warnings. Raises GuardStopped."""
        if self.watch is None:
            return ()
        from ..domain.guard import guard

        report = guard(pages, self.watch)
        if not report.ok:
            unused = ("allow-unused",)
            raise GuardStopped((one for one in report.findings if one.code not in unused), done)
        return report.findings

    def guarded(self, name: str, pieces: Iterable[bytes]) -> Iterable[bytes]:
        """The pieces of a file, as they come; where there is a watch, whole and guarded."""
        if self.watch is None:
            return pieces
        whole = b"".join(pieces)
        self.check([(name, whole)])
        return [whole]


def outgoing(
    store: Store, readers: Readers | None, rev: str = "", history: bool = False
) -> Outgoing:
    """The snapshot that some readers may see, None being the owner; with its `history` by git.

    Raises ShelfError with the line to write where nothing of it may leave, and UsageError for a
    revision: what may be read is what episodes say today.
    """
    if readers is None:
        return Outgoing(store.read(rev, bodied=True, history=history))
    if rev:
        said = "--for asks what may be read today, and --rev shows the shelf as it was."
        raise UsageError(said, "Give one of them.")
    publishing = Publishing.of(store.config).for_(readers)
    return cut(store.read(bodied=True, history=history), publishing)


def cut(
    shelf: Shelf,
    publishing: Publishing,
    furniture: str = "",
    vendored: frozenset[str] = frozenset(),
    empty: bool = False,
) -> Outgoing:
    """A snapshot cut to what may leave today, and the watch for it.

    Raises ShelfError where nothing may leave, unless that is to take the place of what did (`empty`).
    """
    from ..domain.guard import Watch

    day = today()
    made = leaving(shelf, publishing, day)
    made = made if empty else made.required(publishing)
    watch = Watch.of(shelf, made, publishing, day, _labels() + furniture, vendored)
    return Outgoing(made.shelf, watch, made)


@cache
def _labels() -> str:
    """All that our own templates and renderers can say: such words give nothing away."""
    from ..render import templates

    folders = [folder for folder in templates.folders() if folder.is_dir()][:1]
    places = [*folders, Path(templates.__file__).parent]
    files = (path for place in places for path in sorted(place.rglob("*")) if path.is_file())
    texts = (path.read_bytes() for path in files if path.suffix not in (".pyc", ".woff2"))
    return "\n".join(text.decode("utf-8", "replace") for text in texts)
