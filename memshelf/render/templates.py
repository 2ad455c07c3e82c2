"""The Jinja environment: where templates are found, and what they may do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..domain.errors import ShelfError

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_PACKAGE = Path(__file__).resolve().parent.parent


def folders() -> tuple[Path, Path]:
    """Where our templates may be: inside an installed package, or beside it in a checkout."""
    return _PACKAGE / "site_templates", _PACKAGE.parent / "site_templates"


@cache
def environment(shelf_templates: Path | None = None) -> Environment:
    """The environment that renders pages; a shelf's own templates stand in front of ours.

    Undefined names are errors, and HTML is escaped unless marked as made by us. A shelf's own may
    come from anybody and run in a sandbox, which makes every step twice as slow: ours do not need
    it. Raises ShelfError where ours are missing.
    """
    from jinja2 import FileSystemLoader, StrictUndefined

    from .escape import attribute, json_in_html, markdown, xml
    from .pieces import pieces

    found = _made_by(shelf_templates is not None)(
        loader=FileSystemLoader([*([shelf_templates] if shelf_templates else []), _ours()]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters.update(attribute=attribute, markdown=markdown, xml=xml, json=json_in_html)
    found.filters.update(pieces=pieces)
    return found


def _made_by(strangers: bool) -> type[Environment]:
    if strangers:
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        return ImmutableSandboxedEnvironment
    from jinja2 import Environment

    return Environment


@contextmanager
def told(shelf_templates: Path | None) -> Iterator[None]:
    """What goes wrong with a shelf's own templates is said in a sentence that names them.

    In ours it is a fault of memshelf, and stays what it is.
    """
    try:
        yield
    except ShelfError:
        raise
    except Exception as trouble:
        if shelf_templates is None:
            raise
        files = (path for path in shelf_templates.rglob("*") if path.is_file())
        names = ", ".join(sorted(path.relative_to(shelf_templates).as_posix() for path in files))
        said = f"The shelf's own templates cannot be rendered: {trouble}."
        fix = f"Mend or remove what is in templates/ on the shelf: {names}."
        raise ShelfError(said, fix, "bad-template") from None


def _ours() -> Path:
    for folder in folders():
        if folder.is_dir():
            return folder
    inside, beside = folders()
    raise ShelfError(
        f"The templates of memshelf are missing: neither {inside} nor {beside} is there.",
        "Install memshelf again, or run it from a whole checkout.",
        code="no-templates",
    )


def made_here(text: str) -> Markup:
    """HTML, CSS or a script of our own making, which templates put in as it stands."""
    from markupsafe import Markup

    return Markup(text)


def escaped(text: str) -> str:
    """Text as templates escape it, for what is too often in a page to be laid out by one."""
    from markupsafe import escape

    return str(escape(text))


def source(name: str) -> str:
    """The text of one of our own templates, for what is put into a page as it stands (CSS)."""
    return (_ours() / name).read_text(encoding="utf-8")
