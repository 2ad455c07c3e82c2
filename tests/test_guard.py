"""Nothing hidden and no secret leaves, in whatever form it stands in a page."""

from __future__ import annotations

import base64
import gzip
import html
import json
import random
from collections.abc import Callable
from datetime import date
from pathlib import Path
from urllib.parse import quote

import canaries
import pytest
from canaries import Canaries
from conftest import Cli
from hypothesis import given, settings
from hypothesis import strategies as st
from test_choosing import episode, shelf_of

from memshelf.domain.guard import Watch, allow_hash, guard
from memshelf.domain.leaving import leaving
from memshelf.domain.publishing import Allow, Publishing
from memshelf.domain.traces import words
from memshelf.verbs import leaving as going

TODAY = date(2026, 6, 1)


@pytest.fixture(scope="module")
def birds(tmp_path_factory: pytest.TempPathFactory) -> Canaries:
    """The shelf with its canaries; no test of this file writes to it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("STATE", "CACHE"):
            patch.setenv(f"MEMSHELF_{name}_DIR", str(tmp_path_factory.mktemp(name)))
        for role in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{role}_NAME", "Ann Example")
            patch.setenv(f"GIT_{role}_EMAIL", "ann@example.org")
        return canaries.shelf(tmp_path_factory.mktemp("birds") / "shelf")


@pytest.fixture(scope="module")
def watch(birds: Canaries) -> Watch:
    """What the guard watches for when that shelf goes to the public."""
    made = going.outgoing(birds.store, "public").watch
    assert made is not None
    return made


def leak(text: str) -> str:
    return f"<!doctype html>\n<h1>Tides</h1>\n<p>{html.escape(text, quote=False)}</p>\n"


# --- what is cut -----------------------------------------------------------------------------


def test_there_are_more_than_a_hundred_canaries(birds: Canaries) -> None:
    assert len(birds.words) > 100
    assert len(set(birds.words.values())) == len(birds.words)


@pytest.mark.parametrize("form", ["html", "epub", "json"])
def test_no_canary_leaves_by_an_export_for_the_public(
    birds: Canaries, cli: Cli, tmp_path: Path, form: str
) -> None:
    out = tmp_path / f"out.{form}"
    ran = cli("export", form, "--shelf", birds.store.root, "--out", out, "--for", "public")
    assert ran.code == 0, ran
    for path in sorted(tmp_path.iterdir()):
        found = canaries.inside(path)
        assert not birds.seen(found), path.name
        assert canaries.PUBLIC.encode() in found


@pytest.mark.parametrize("form", ["html", "json"])
def test_no_canary_leaves_by_an_export_that_is_printed(
    birds: Canaries, cli: Cli, form: str
) -> None:
    ran = cli("export", form, "--shelf", birds.store.root, "--for", "public")
    assert ran.code == 0, ran
    assert not birds.seen(ran.out.encode())
    assert canaries.PUBLIC in ran.out


def test_the_team_sees_its_own_and_no_more(birds: Canaries, cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    ran = cli("export", "json", "--shelf", birds.store.root, "--out", out, "--for", "team")
    assert ran.code == 0, ran
    levels = {place.partition(" ")[0] for place in birds.seen(out.read_bytes())}
    assert levels == {"team"}


def test_the_owner_sees_all_of_it(birds: Canaries, cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    cli("export", "json", "--shelf", birds.store.root, "--out", out)
    assert len(birds.seen(out.read_bytes())) > 100


# --- what is stopped -------------------------------------------------------------------------


def test_every_canary_that_a_page_shows_is_stopped_at_its_place(
    birds: Canaries, watch: Watch
) -> None:
    for place, text in birds.texts.items():
        report = guard([("tides/index.html", leak(text))], watch)
        assert not report.ok, f"{place}: {text}"
        assert {one.where for one in report.errors} == {"tides/index.html:3"}, place
        value = birds.words[place]
        own = next(name for name in birds.words if birds.words[name] == value)
        shown = str(report)
        if not own.endswith(" id"):
            assert value not in shown, place
        assert 'hash = "' in shown


def test_the_id_of_a_hidden_episode_is_not_said_again(birds: Canaries, watch: Watch) -> None:
    name = "2026-03-02-" + birds.words["private id"]
    report = guard([("a.html", f"<p>x</p>\n<a href='../{name}/'>x</a>")], watch)
    assert [one.code for one in report.errors] == ["hidden-id"]
    assert birds.words["private id"] not in str(report)


LINE = "We met behind the {} lighthouse to talk about the new harbour master"


def _rare(seed: str) -> str:
    return canaries.word(random.Random(seed))


def _mark(text: str) -> str:
    return f"<p>{text[:30]}<mark>{text[30:33]}</mark><b class='x'></b>{text[33:]}</p>"


def _escapes(text: str) -> str:
    return '{"text": "' + "".join(f"\\u{ord(c):04x}" for c in text) + '"}'


WAYS: dict[str, tuple[str, Callable[[str], str | bytes]]] = {
    "plain": ("a.md", lambda t: f"# x\n\n{t}\n"),
    "shouted": ("a.txt", str.upper),
    "a byte order mark": ("a.txt", lambda t: "\ufeff" + t),
    "entities": ("a.html", lambda t: "".join(f"&#x{ord(c):x};" for c in t)),
    "tags inside words": ("a.html", _mark),
    "a comment inside words": ("a.html", lambda t: f"{t[:30]}<!-- x\n -->{t[30:]}"),
    "an attribute": ("a.html", lambda t: f'<p title="{html.escape(t)}">x</p>'),
    "an attribute of a mark": ("a.html", lambda t: f"<span data-x='{t}'>x</span>"),
    "a comment": ("a.html", lambda t: f"<!-- {t} -->"),
    "a script": ("a.html", lambda t: f"<script>x = {_escapes(t)}</script>"),
    "a style": ("a.css", lambda t: f".x::after {{ content: '{t}' }}"),
    "json": ("search/index.json", lambda t: json.dumps({"docs": [{"text": t}]})),
    "escapes": ("index.js", _escapes),
    "an address": ("a.html", lambda t: f'<a href="?q={quote(t)}">x</a>'),
    "a feed": ("feed.xml", lambda t: f"<entry><summary>&lt;p&gt;{t}&lt;/p&gt;</summary></entry>"),
    "a picture": ("g.svg", lambda t: f"<svg><text>{t}</text></svg>"),
    "a picture in a page": (
        "a.html",
        lambda t: (
            "<img src='data:image/svg+xml;base64,%s'>"
            % base64.b64encode(f"<svg><title>{t}</title></svg>".encode()).decode()
        ),
    ),
    "a packed file": ("sitemap.xml.gz", lambda t: gzip.compress(f"<x>{t}</x>".encode())),
    "a file's name": ("{}.html", lambda t: "x"),
    "a file's name, quoted": ("%", lambda t: "x"),
    "a photograph": ("a.png", lambda t: b"\x89PNG\r\n\x1a\n\0\0\0" + t.encode() + b"\0\xff"),
    "marks of direction": ("a.html", lambda t: "\u2068".join((t[:30], t[30:])) + "\u2069"),
    "a cut": ("a.html", lambda t: f"<p>{t[3:-8]}…</p>"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_hidden_line_is_found_in_whatever_form_it_stands(way: str) -> None:
    line = LINE.format(_rare("line"))
    shelf = shelf_of(
        episode("2026-01-05-seen", visibility="public"),
        episode("2026-01-06-kept", sections=(("Decisions", f"- {line}."),)),
    )
    report = _guarded_in(way, line, _watch(shelf))
    assert [one.code for one in report.errors] == ["hidden-text"]
    assert report.errors[0].where.startswith(WAYS[way][0][:2] if "{" not in WAYS[way][0] else "We")
    assert "2026-01-06-kept" in report.errors[0].message


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("shouted", "a cut")])
def test_a_secret_is_found_in_whatever_form_it_stands(way: str) -> None:
    secret = "ghp_" + "".join(random.Random("s").choices("abcDEF0123456789xyzQ", k=36))
    report = _guarded_in(way, f"the key of the harbour is as {secret}", Watch())
    assert {one.code for one in report.errors} == {"secret"}
    assert "github-token" in report.errors[0].message
    assert secret[8:20] not in str(report).replace(report.errors[0].where, "")


def _guarded_in(way: str, text: str, watch: Watch):  # type: ignore[no-untyped-def]
    path, form = WAYS[way]
    path = quote(text) + ".html" if path == "%" else path.format(text)
    return guard([(path, form(text))], watch)


def _watch(shelf, allow: tuple[Allow, ...] = (), furniture: str = "") -> Watch:  # type: ignore[no-untyped-def]
    publishing = Publishing(allow=allow)
    return Watch.of(shelf, leaving(shelf, publishing, TODAY), publishing, TODAY, furniture)
