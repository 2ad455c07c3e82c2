"""python -m tests.browser.pictures: the pictures of the README, taken of the sample shelf.

docs/pictures gets phone-light.png, phone-dark.png, site-light.png, site-dark.png and stats.svg. The pictures are of what stands
in the checkout now, so they are taken anew when the page has changed, and looked at.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import memshelf

from . import chromium
from .phone import visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from memshelf.storage.store import Store

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
MOST = 150_000
"""Bytes of one picture, so that a clone stays small."""
DESK = (1100, 800)
SCALE = 1.5
SHOWN = "topics/2026-02-04-public-api-v1.html"
"""The page of the site that is shown: of an episode that was replaced, with decisions and threads."""


def main() -> None:
    """Take the pictures, and say where they are."""
    if lack := chromium.lacking():
        raise SystemExit(lack)
    with tempfile.TemporaryDirectory() as home, chromium.started(Path(home)) as browser:
        for path in take(PICTURES, browser):
            print(f"{path}: {path.stat().st_size:,} bytes")


def take(folder: Path, browser: Browser) -> list[Path]:
    """The files of all pictures, written into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        shelf = Path(made) / "shelf"
        shutil.copytree(memshelf.sample_shelf(), shelf)
        store = memshelf.open_shelf(shelf)
        memshelf.rebuild(store)
        page = Path(memshelf.export_html(store, out=Path(made) / "shelf.html").path)
        chart = Path(shutil.copyfile(shelf / "stats.svg", folder / "stats.svg"))
        leaf = _site(store, Path(made) / "site") / SHOWN
        return [*_phones(page, folder, browser), *_desks(leaf, folder, browser), chart]


def _phones(page: Path, folder: Path, browser: Browser) -> Iterator[Path]:
    for scheme in ("light", "dark"):
        seen = visit(browser, page, scheme=scheme, scale=2)
        seen.quiet()
        path = folder / f"phone-{scheme}.png"
        path.write_bytes(small(seen.page.screenshot()))
        yield path


def _site(store: Store, folder: Path) -> Path:
    """The finished site of a shelf, as MkDocs builds it."""
    memshelf.export_site(store, folder)
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "-f",
        str(folder / "mkdocs.yml"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "site"


def _desks(leaf: Path, folder: Path, browser: Browser) -> Iterator[Path]:
    width, height = DESK
    for scheme in ("light", "dark"):
        seen = browser.new_context(
            viewport={"width": width, "height": height},
            device_scale_factor=SCALE,
            color_scheme="dark" if scheme == "dark" else "light",
        )
        page = seen.new_page()
        page.goto(leaf.as_uri())
        path = folder / f"site-{scheme}.png"
        path.write_bytes(small(page.screenshot()))
        seen.close()
        yield path


def small(picture: bytes) -> bytes:
    """A PNG with a palette of its own: a page has few colours, and shades of them."""
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as image:
        reduced = image.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    out = io.BytesIO()
    reduced.save(out, "PNG", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    main()
