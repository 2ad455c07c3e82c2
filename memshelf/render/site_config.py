"""The mkdocs.yml of a site of its own: MkDocs and Zensical build it without plugins and offline."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from ..domain.page import Page
from ..domain.shelf import Shelf
from . import captions, site_places
from .site import SCRIPT, STYLE, Form, Site
from .templates import source

_NAV = (
    ("Home", site_places.HOME),
    ("Search", site_places.FIND),
    ("Episodes", site_places.DATES),
    ("Open threads", site_places.THREADS),
    ("Decisions", site_places.DECISIONS),
    ("Tags", site_places.TAGS),
)
"""The navigation. Every page of a site carries all of it: a page of each episode in it would make the
site quadratic, and what is not in it is one step further, on the first page."""

LISTED = frozenset(path for _, path in _NAV)
"""The pages that may stand in a navigation."""

_NOWHERE, _NO_BRANCH = "private-site-is-not-published", "private site"
"""Where `mkdocs gh-deploy` would put what only the owner of the shelf may read: there is no such remote,
and git takes no branch of that name, so that not even a local one holds it."""

_HOOK = "quick.py"
_UNUSED = "*.map\n/assets/javascripts/lunr/\n/assets/javascripts/workers/\n"
"""Files of the theme that nothing on our pages asks for: a megabyte and more."""

_LIGHT = {"media": "(prefers-color-scheme: light)", "scheme": "default"}
_DARK = {"media": "(prefers-color-scheme: dark)", "scheme": "slate"}


def site_files(site: Site) -> Iterator[Page]:
    """Everything in the folder of a site: the pages below `docs/`, and the settings."""
    there = []
    for page in chain(site.assets(), site.pages()):
        there.append(page.path)
        yield page._replace(path=f"docs/{page.path}")
    yield Page(_HOOK, source("site/quick.py"))
    yield site_config(site.shelf, there, site.form)


def site_config(shelf: Shelf, there: Iterable[str], form: Form) -> Page:
    """The settings; `there` are the pages that the site has."""
    import yaml

    text = yaml.safe_dump(_settings(shelf, set(there), form), sort_keys=False, allow_unicode=True)
    return Page("mkdocs.yml", text)


def nav(there: Iterable[str]) -> list[dict[str, str]]:
    """The navigation of those pages that there are."""
    known = set(there)
    return [{words: path} for words, path in _NAV if path in known]


def _settings(shelf: Shelf, there: set[str], form: Form) -> dict[str, Any]:
    owner = form.readers == "owner"
    return {
        "site_name": html.escape(captions.name(shelf)),
        **({"site_url": form.url} if form.url else {}),
        **({"remote_name": _NOWHERE, "remote_branch": _NO_BRANCH} if owner else {}),
        "docs_dir": "docs",
        "site_dir": "site",
        "use_directory_urls": False,  # so that it can be read from a disk as well
        "theme": {
            "name": "material",
            "font": False,
            "palette": [
                _LIGHT | {"toggle": {"icon": "material/brightness-4", "name": "Dark"}},
                _DARK | {"toggle": {"icon": "material/brightness-7", "name": "Light"}},
            ],
            "features": ["toc.follow"],
        },
        "plugins": [],  # the search is our own
        "hooks": [_HOOK],
        "markdown_extensions": ["attr_list", {"toc": {"permalink": False}}],
        "extra": {"generator": False},
        "extra_css": [path for path in (STYLE,) if path in there],
        "extra_javascript": [path for path in (SCRIPT,) if path in there],
        "nav": nav(there),
        "not_in_nav": "*.md",
        "exclude_docs": _UNUSED,
        "validation": {"omitted_files": "ignore", "unrecognized_links": "ignore"},
    }
