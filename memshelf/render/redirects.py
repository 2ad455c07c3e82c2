"""Pages at the old addresses of episodes that were renamed or moved, each leading to the new one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from ..domain.shelf import Shelf
from .templates import environment, told

_TEMPLATE = "site/redirect.html.j2"

PageOf = Callable[[str], str]
"""An episode's path on the shelf to the path of its page, "" where it has or had none."""


def redirects(
    shelf: Shelf, page_of: PageOf, old_page_of: PageOf, taken: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """Old page and new page of each episode that has another page than it once had, by old page.

    Each leads to where the episode is today, however many names it had in between. `page_of` gives
    the page of an episode that is on the shelf, `old_page_of` the one that a path would have had;
    `taken` are other pages of the site. None lies where there is a page, also where a file system
    takes upper and lower case for the same; of two episodes that once had one address the one that
    left it last has it.
    """
    pages = {entry.path: page_of(entry.path) for entry in shelf.entries}
    used = {page.casefold() for page in (*pages.values(), *taken)}
    found: dict[str, str] = {}
    for old, new in shelf.changes.moved.items():
        page, target = old_page_of(old), pages.get(new, "")
        if page and target and page.casefold() not in used:
            used.add(page.casefold())
            found[page] = target
    yield from sorted(found.items())


def redirect_page(target: str, templates: Path | None = None) -> str:
    """The HTML of a page that leads to a relative address at once, without any script."""
    with told(templates):
        return environment(templates).get_template(_TEMPLATE).render(target=target)
