"""Show the tags of the shelf, or all that stands under one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..domain.errors import at_least
from ..domain.finding import left_out
from ..storage.store import Store
from ..verb import CommandLineOnly, Filled, Rev, verb

if TYPE_CHECKING:
    from ..domain.shelf import Shelf


@dataclass(frozen=True)
class Tags:
    """A report on tags, as text and as data, each made when it is asked for; or where it was
    written to. `none` is true where the text of all tags is empty."""

    text: Callable[[], str]
    values: Callable[[], dict[str, Any]]
    path: str = ""
    problems: tuple[str, ...] = ()
    none: bool = False

    @property
    def hint(self) -> str:
        """Where the report is, and what is not in it."""
        rows = [f"wrote {self.path}"] if self.path else []
        if self.none:
            rows.append("no episode has a tag yet: `memshelf edit ID --tag +WORD` gives it one.")
        rows += [left_out(self.problems)] if self.problems else []
        return "\n".join(f"memshelf: {row}" for row in rows)

    def data(self) -> dict[str, Any]:
        """The report as data, and what could not be read."""
        path = {"path": self.path} if self.path else {}
        return {**self.values(), **path, **({"problems": self.problems} if self.problems else {})}

    def __str__(self) -> str:
        return "" if self.path else self.text()


@verb(remembers=("tag", "format", "max_results"))
def tags(
    store: Store,
    tag: Annotated[str, "Only this tag, in any spelling.", Filled()] = "",
    *,
    format: Annotated[Literal["text", "md"], "The form.", CommandLineOnly()] = "text",
    max_results: Annotated[int, "At most so many episodes of one tag."] = 200,
    out: Annotated[Path | None, "The file to write; else it is printed.", CommandLineOnly()] = None,
    rev: Rev = "",
) -> Tags:
    """Show the tags of the shelf, or all that stands under one.

    Spellings that differ by case or accents alone are one tag. Of a tag: what goes with it, its
    episodes by quarter, decisions that stand, open threads, episodes. The text of all tags is
    tag<TAB>count<TAB>ids, for scripts. `tags rename OLD NEW` gives one another name.

    Example:
    memshelf tags
    memshelf tags print
    memshelf tags --format md --out ../tags.md
    """
    at_least(1, "max_results", max_results)
    shelf = store.read(rev)
    made = _one(store, shelf, tag, format, max_results) if tag else _all(store, shelf, format)
    if out is None:
        none = not tag and format == "text" and not any(entry.tags for entry in shelf.entries)
        return Tags(*made, problems=shelf.unread, none=none)
    from .writing_out import write_out

    text, values = made
    path = write_out(store, Path(out), text().rstrip("\n") + "\n")
    return Tags(text, values, str(path), shelf.unread)


_Report = tuple[Callable[[], str], Callable[[], dict[str, Any]]]


def _all(store: Store, shelf: Shelf, form: str) -> _Report:
    from ..domain.tags import tags, untagged
    from ..render.tags import tags_data, tags_text

    found, without = tags(shelf), untagged(shelf)

    def text() -> str:
        return _pages(store, shelf).all() if form == "md" else tags_text(found, without)

    return text, lambda: tags_data(shelf, found, without)


def _one(store: Store, shelf: Shelf, name: str, form: str, most: int) -> _Report:
    from ..domain.tags import named, tags, under
    from ..render.tags import tag_data, tag_text

    found = under(shelf, named(tags(shelf), name))

    def text() -> str:
        page = form == "md"
        return _pages(store, shelf).one(found, most) if page else tag_text(shelf, found, most)

    return text, lambda: tag_data(shelf, found, most)


def _pages(store: Store, shelf: Shelf) -> Any:
    from ..render.tags_page import Tagged

    own = store.root / "templates"
    return Tagged(shelf, templates=own if own.is_dir() else None)
