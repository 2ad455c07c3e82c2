"""What a test in a browser stands on: `phone` opens a file, and listens until the test ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import memshelf
from memshelf.storage.store import Store

from . import chromium
from .phone import Visit, visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Phone = Callable[..., Visit]
Serve = Callable[[Path], str]


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="package")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium, started once in each process that runs tests of this folder.

    It ends with this folder's last test and not with the session, because Playwright leaves an
    event loop running in the thread, in which no other test could start one of its own.
    """
    if lack := chromium.lacking():
        pytest.skip(lack)
    with chromium.started(tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serve a folder until the test ends: `serve(folder)` gives the address of its top."""
    with ExitStack() as stack:

        def open_(folder: Path) -> str:
            handler = partial(_Silent, directory=str(folder))
            server = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), handler))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
            return f"http://127.0.0.1:{server.server_port}"

        yield open_


@pytest.fixture
def phone(browser: Browser, serve: Serve) -> Iterator[Phone]:
    """Open a file on a phone: `phone(path, scripts=False, scheme="dark", width=360, ...)`.

    See `visit` in phone.py for the rest. Each page must have been quiet when the test ends; one
    that is to be heard is opened with `loud=True`. It stands on `serve`, so that no server goes
    while a page still loads from it.
    """
    visits: list[tuple[Visit, bool]] = []

    def open_(file: Path | str, *, loud: bool = False, **options: Any) -> Visit:
        seen = visit(browser, file, **options)
        visits.append((seen, loud))
        return seen

    yield open_
    try:
        for seen, loud in visits:
            if not loud:
                seen.quiet()
    finally:
        for seen, _ in visits:
            seen.page.context.close()


@pytest.fixture
def sample_page(sample: Store, tmp_path: Path) -> Path:
    """The sample shelf as one file."""
    return Path(memshelf.export_html(sample, out=tmp_path / "shelf.html").path)
