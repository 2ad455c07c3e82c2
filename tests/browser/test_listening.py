"""That nothing on a page goes unnoticed: each trouble is planted once, and heard."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import ROOT, run_process

from .conftest import Phone

STRICT = "default-src 'none'; style-src 'none'"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a page.html"


def put(file: Path, body: str, policy: str = "") -> Path:
    rule = f'<meta http-equiv="Content-Security-Policy" content="{policy}">' if policy else ""
    file.write_text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{rule}'
        '<meta name="viewport" content="width=device-width"><title>A page</title></head>'
        f"<body><main><h1>A page</h1>{body}</main></body></html>",
        "utf-8",
    )
    return file


TROUBLES = {
    "<script>console.error('so')</script>": "console: so",
    "<script>console.warn('well')</script>": "console: well",
    "<script>throw new Error('thrown')</script>": "error: thrown",
    "<script>Promise.reject(new Error('broken'))</script>": "error: broken",
    "<script>alert('look')</script>": "dialog: look",
    "<script>open('about:blank')</script>": "window: about:blank",
    "<script>fetch('https://example.org/a')</script>": "request: https://example.org/a",
    "<script>new WebSocket('wss://example.org/b')</script>": "request: wss://example.org/b",
    '<img src="https://example.org/c.png">': "request: https://example.org/c.png",
    '<iframe src="https://example.org/d"></iframe>': "request: https://example.org/d",
    '<link rel="stylesheet" href="file:///e.css">': "request: file:///e.css",
}


def test_what_a_page_says_and_asks_for_is_heard(phone: Phone, file: Path) -> None:
    seen = phone(put(file, "".join(TROUBLES)), loud=True)
    with pytest.raises(AssertionError):
        seen.quiet()
    for trouble, heard in TROUBLES.items():
        assert any(line.startswith(heard) for line in seen.heard), trouble


BLOCKED = {
    '<p style="color:red">x</p>': "policy: style-src-attr blocks what stands in the page",
    '<img src="https://example.org/c.png">': "policy: img-src blocks https://example.org/c.png",
    '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">': "policy: img-src blocks data",
}


@pytest.mark.parametrize("scripts", [True, False])
def test_what_a_policy_blocks_is_heard_with_scripts_and_without(
    phone: Phone, file: Path, scripts: bool
) -> None:
    seen = phone(put(file, "".join(BLOCKED), STRICT), scripts=scripts, loud=True)
    with pytest.raises(AssertionError):
        seen.quiet()
    assert set(BLOCKED.values()) <= set(seen.heard)


def test_a_phone_is_what_was_asked_for(phone: Phone, file: Path) -> None:
    asked = {"scheme": "dark", "media": "print", "width": 360, "scale": 2, "slow": 2}
    page = phone(put(file, "<p id='end'>x</p>"), fragment="end", **asked).page
    for query in ("(prefers-color-scheme: dark)", "print", "(width: 360px)", "(pointer: coarse)"):
        assert page.evaluate(f"matchMedia('{query}').matches"), query
    assert page.evaluate("[devicePixelRatio, location.hash]") == [2, "#end"]
    page = phone(file).page
    for query in ("(prefers-color-scheme: light)", "screen", "(width: 390px)", "(height: 844px)"):
        assert page.evaluate(f"matchMedia('{query}').matches"), query
    assert page.evaluate("devicePixelRatio") == 3


@pytest.mark.parametrize("scripts", [True, False])
def test_axe_sees_the_page_and_the_page_does_not_see_axe(
    phone: Phone, file: Path, scripts: bool
) -> None:
    body = "<a href='#x'></a><noscript><p><a href='#y'></a></p></noscript><script>so()</script>"
    seen = phone(put(file, body, STRICT), scripts=scripts, loud=True)
    before = seen.page.content(), list(seen.heard)
    found = [line.split(": ")[:3] for line in seen.violations()]
    rule = ["link-name (serious)", "Links must have discernible text"]
    places = ['a[href="#x"]', 'a[href="#y"]'] if not scripts else ["a"]
    assert found == [[*rule, place] for place in places]
    assert (seen.page.content(), seen.heard) == before
    assert seen.page.evaluate("typeof axe") == "undefined"
    assert seen.page.evaluate("matchMedia('(scripting: none)').matches") is not scripts


def test_what_reaches_past_the_edge_is_named_and_what_scrolls_by_itself_is_not(
    phone: Phone, file: Path
) -> None:
    wide = f"<pre>{'wide ' * 30}</pre>"
    seen = phone(put(file, wide))
    assert [line.split()[0] for line in seen.sideways()] == ["the", "#text"]
    kept = f"<div style='overflow-x:auto'>{wide}</div><p>{'words ' * 99}</p>"
    assert phone(put(file, kept)).sideways() == []
    cut = f"<article style='content-visibility:auto'>{wide}</article>"
    assert [line.split()[0] for line in phone(put(file, cut)).sideways()] == ["#text"]


def test_without_a_browser_a_test_says_what_to_install_and_fails_where_it_is_demanded() -> None:
    test = f"{ROOT / 'tests/browser/test_phone.py'}::test_the_page_opens_quietly"
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", test]
    environ = {"MEMSHELF_CHROMIUM": "/no/such/program", "MEMSHELF_REQUIRE_BROWSER": "0"}
    skipped = run_process(command, cwd=ROOT, environ=environ)
    assert skipped.code == 0, skipped.out
    assert "MEMSHELF_CHROMIUM names no program that runs: /no/such/program" in skipped.out
    failed = run_process(command, cwd=ROOT, environ={**environ, "MEMSHELF_REQUIRE_BROWSER": "1"})
    assert failed.code == 1
    assert "skipped, though MEMSHELF_REQUIRE_BROWSER is set" in failed.out
