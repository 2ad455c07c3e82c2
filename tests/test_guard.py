"""Nothing hidden and no secret leaves, in whatever form it stands in a page."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import itertools
import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from urllib.parse import quote

import canaries
import pytest
import support
from canaries import Canaries
from conftest import Cli
from hypothesis import given, settings
from hypothesis import strategies as st
from test_choosing import episode, shelf_of

from memshelf.domain.changes import Change, History
from memshelf.domain.choosing import Choice, chosen
from memshelf.domain.finding import Report
from memshelf.domain.guard import Watch, allow_hash, guard
from memshelf.domain.leaving import leaving
from memshelf.domain.publishing import Allow, Publishing
from memshelf.domain.shelf import Shelf
from memshelf.domain.traces import words
from memshelf.render.bodies import bodies_of
from memshelf.render.export_json import Document
from memshelf.render.html import html as page_of
from memshelf.storage.store import Store
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


def test_a_secret_in_the_name_of_a_file_is_not_shown_with_its_place() -> None:
    secret = "AK" + "IA" + "Q7Z2M4X9P1L8W3K6"
    report = guard([(f"data/{secret}/key.html", "<p>a</p>\n"), (f"{secret}.x", b"\0")], Watch())
    assert not report.ok and secret not in str(report)
    assert any("data/" in found.where and "(its name)" in found.where for found in report.findings)


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


def _coloured(text: str) -> str:
    """As code is coloured: any tag that a colour has, inside words."""
    cut = [text[at : at + 4] for at in range(0, len(text), 4)]
    tags = itertools.cycle(("b", "i", "u", "var", "del", "ins"))
    return f"<pre><code>{''.join(f'<{t}>{part}</{t}>' for t, part in zip(tags, cut, strict=False))}</code></pre>"


def _escapes(text: str) -> str:
    return '{"text": "' + "".join(f"\\u{ord(c):04x}" for c in text) + '"}'


def _data(text: str) -> str:
    packed = base64.b64encode(f"<svg><title>{text}</title></svg>".encode()).decode()
    return f"data:image/svg+xml;base64,{packed}"


WAYS: dict[str, tuple[str, Callable[[str], str | bytes]]] = {
    "plain": ("a.md", lambda t: f"# x\n\n{t}\n"),
    "shouted": ("a.txt", str.upper),
    "a byte order mark": ("a.txt", lambda t: "\ufeff" + t),
    "entities": ("a.html", lambda t: "".join(f"&#x{ord(c):x};" for c in t)),
    "tags inside words": ("a.html", _mark),
    "code": ("a.html", lambda t: f"<p><code>{t}</code></p>"),
    "code in colours": ("a.html", _coloured),
    "an index of code": ("index.json", lambda t: json.dumps({"text": f"<code>{t}</code>"})),
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
    "a feed with marks": (
        "feed.xml",
        lambda t: f"<summary>{html.escape(_mark(t))}</summary>",
    ),
    "an index with marks": ("index.json", lambda t: json.dumps({"text": _mark(t)})),
    "a picture": ("g.svg", lambda t: f"<svg><text>{t}</text></svg>"),
    "a picture in a page": ("a.html", lambda t: f"<img src='{_data(t)}'>"),
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
    assert "2026-01-06-kept" in report.errors[0].message


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("shouted", "a cut")])
def test_a_secret_is_found_in_whatever_form_it_stands(way: str) -> None:
    secret = "ghp_" + "".join(random.Random("s").choices("abcDEF0123456789xyzQ", k=36))
    report = _guarded_in(way, f"the key of the harbour is as {secret}", Watch())
    assert {one.code for one in report.errors} == {"secret"}
    assert "github-token" in report.errors[0].message
    assert secret[8:20] not in str(report).replace(report.errors[0].where, "")


def _guarded_in(way: str, text: str, watch: Watch) -> Report:
    path, form = WAYS[way]
    path = quote(text) + ".html" if path == "%" else path.format(text)
    return guard([(path, form(text))], watch)


def _watch(shelf: Shelf, furniture: str = "") -> Watch:
    publishing = Publishing()
    return Watch.of(shelf, leaving(shelf, publishing, TODAY), publishing, TODAY, furniture)


# --- what passes -----------------------------------------------------------------------------

HIDDEN = "2026-01-06-kept"
ONE, OTHER = "password: correcthorse7", "password: batterystaple9"


def two(hidden: str, shown: str = "", title: str = "", **fields: object) -> Shelf:
    """A shelf with one public episode and one private one, each with a text."""
    return shelf_of(
        episode("2026-01-05-seen", visibility="public", digest=f"All is well. {shown}"),
        episode(HIDDEN, digest=hidden, display_title=title, **fields),
    )


def codes(text: str, watch: Watch, path: str = "a.html") -> list[str]:
    return [one.code for one in guard([(path, f"<p>{text}</p>")], watch).errors]


LONG = "the harbour master and the two pilots agreed to keep the old tables"


@pytest.mark.parametrize(
    ("hidden", "shown", "page"),
    [
        (LONG, LONG, LONG),
        ("- Yes", "", "Yes"),
        ("agreed to keep", "agreed at last to keep it", "agreed to keep"),
        ("12345678", "", "12345678"),
        (
            "- Continue 2026-01-05-seen/t1 as the old pilots and the new wanted",
            "",
            "2026-01-05-seen",
        ),
    ],
)
def test_what_a_visible_episode_says_too_or_anybody_could_gives_nothing_away(
    hidden: str, shown: str, page: str
) -> None:
    assert codes(page, _watch(two(hidden, shown))) == []


def test_a_line_is_found_though_all_its_words_are_public() -> None:
    shown = " ".join(reversed(LONG.split()))
    assert codes(LONG, _watch(two(LONG, shown))) == ["hidden-text"]


def test_the_title_of_a_hidden_episode_is_found_even_where_a_visible_one_says_it() -> None:
    title = "Moving the harbour lights"
    report = guard(
        [("a.js", '"\\u004d' + title[1:] + '"'), ("b.html", title)], _watch(two("x", title, title))
    )
    assert [(one.code, one.where) for one in report.errors] == [("hidden-title", "b.html:1")]
    assert "docs/topics/2026-01-05-seen.md says it" in report.errors[0].message
    assert "Reword it in docs/topics/2026-01-05-seen.md" in report.errors[0].fix


def test_a_title_that_a_visible_episode_has_too_passes() -> None:
    title = "Moving the harbour lights"
    shelf = shelf_of(
        episode("2026-01-05-seen", visibility="public", display_title=title),
        episode(HIDDEN, display_title=title),
    )
    assert codes(title, _watch(shelf)) == []


def test_words_of_the_pages_themselves_give_nothing_away() -> None:
    shelf = two("x", tags=["statistics"])
    assert codes("Statistics", _watch(shelf)) == ["hidden-text"]
    assert codes("Statistics", _watch(shelf, furniture="Search; statistics")) == []


def test_the_words_of_our_own_pages_are_known(birds: Canaries) -> None:
    labels = set(words(going._labels()))
    assert {b"threads", b"decisions", b"search"} <= labels
    assert not {b"zq", b"msgpack"} & labels


def test_who_changed_a_visible_episode_may_be_named() -> None:
    shelf = two("x", author="Nadezhda Example")
    assert codes("Nadezhda Example", _watch(shelf)) == ["hidden-text"]
    change = Change("new", "docs/topics/2026-01-05-seen.md", "", "Nadezhda Example", "c")
    told = replace(shelf, changes=History((change,), available=True))
    assert codes("Nadezhda Example", _watch(told)) == []


def test_an_id_that_begins_like_a_hidden_one_passes() -> None:
    shelf = shelf_of(episode("2026-01-06-plan-b", visibility="public"), episode("2026-01-06-plan"))
    assert codes("2026-01-06-plan-b", _watch(shelf)) == []
    assert codes("2026-01-06-plan and 2026-01-06-plan-b", _watch(shelf)) == ["hidden-id"]


def test_an_id_in_an_old_form_is_found_by_itself_only() -> None:
    shelf = shelf_of(episode("2026-01-05-seen", visibility="public"), episode("Notes-Of-Old"))
    assert "hidden-id" in codes("Notes-Of-Old", _watch(shelf))
    assert codes("a Notes-Of-Older one", _watch(shelf)) == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_a_page_that_holds_a_visible_text_alone_is_never_stopped_for_its_words(
    texts: list[str],
) -> None:
    shown = "\n".join("- " + text.replace("\r", " ") for text in texts)
    shelf = shelf_of(
        episode("2026-01-05-seen", visibility="public", sections=[("Decisions", shown)]),
        episode(HIDDEN, sections=[("Decisions", shown + "\n- something else")]),
    )
    made = leaving(shelf, Publishing(), TODAY).shelf
    page = html.escape(made.load("docs/topics/2026-01-05-seen.md").sections[0][1])
    assert "hidden-text" not in codes(page, _watch(shelf))


# --- files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.html", b"\xff\xfe<\0p\0>\0"),
        ("a.html", b"caf\xe9"),
        ("a.txt", b"a\0b"),
        ("a.pdf", b"%PDF-1.7 text"),
        ("a.zip", b"PK\x03\x04"),
        ("a.png", b"this is no picture"),
        ("a.woff2", b"<script>"),
        ("a.gz", b"\x1f\x8b\x08broken"),
        ("a.gz", gzip.compress(b"one", mtime=0) + b"more"),
        ("a.gz", gzip.compress(b"one", mtime=0)[:-5]),
        ("a.unheard", b"of"),
        ("a.html", b"<img src='data:application/pdf;base64,JVBERi0='>"),
        ("a.html", b"<img src='data:image/png;base64,QQ'>"),
    ],
)
def test_what_cannot_be_read_does_not_leave(path: str, data: bytes) -> None:
    report = guard([(path, data)], Watch())
    assert [(one.code, one.where) for one in report.errors] == [("unknown-file", path)]
    hash = report.errors[0].fix.partition('hash = "')[2][:16]
    assert guard([(path, data)], Watch(allow=(Allow(hash, "x", TODAY),), today=TODAY)).ok


@pytest.mark.parametrize(
    ("path", "data"),
    [
        (".nojekyll", b""),
        ("CNAME", b"tides.example.org\n"),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\1\2"),
        ("a.woff2", b"wOF2\0\xff"),
        ("a.ico", b"\0\0\1\0\xff"),
        ("a.js.map", b'{"version": 3}'),
        ("x.xml.gz", gzip.compress(b"<x/>", mtime=0)),
        ("a.html", b"<img src='data:image/png;base64,iVBORw0KGgo='>"),
    ],
)
def test_known_kinds_of_files_pass(path: str, data: bytes) -> None:
    assert not guard([(path, data)], Watch()).findings


def test_files_of_an_installed_package_are_not_read_but_their_names_are() -> None:
    data = b"\0 no text \xff"
    name = f"{HIDDEN}.bin"
    watch = _watch(two("x"))
    known = Watch(watch.rules, watch.traces, vendored=frozenset([hashlib.sha256(data).hexdigest()]))
    assert guard([("a.bin", data)], known).ok
    assert [one.code for one in guard([(name, data)], known).errors] == ["hidden-id"]


@pytest.mark.parametrize(
    "text",
    ["a" * 200_000 + "% ", "](" * 50_000, "](" + "a" * 200_000, '"' * 100_001, "\\'" * 50_001],
    ids=["percent", "links", "a link", "quotes", "escapes"],
)
@pytest.mark.parametrize("path", ["a.html", "a.js"])
def test_a_text_without_end_is_read_to_its_end(text: str, path: str) -> None:
    watch = _watch(two(text))
    assert codes(f"{text}\n<p>{ONE}</p>", watch, path)


# --- exceptions ------------------------------------------------------------------------------


def test_an_exception_lets_one_value_pass_under_one_kind_and_no_other() -> None:
    mine = Allow(allow_hash("credential", "correcthorse7"), "a sample", date(2026, 6, 1))
    watch = Watch(allow=(mine,), today=TODAY)
    assert codes(ONE, watch) == []
    assert codes(f"{ONE}<br>{OTHER}", watch) == ["secret"]
    other = Allow(allow_hash("bearer", "correcthorse7"), "a sample", date(2026, 6, 1))
    assert codes(ONE, Watch(allow=(other,), today=TODAY)) == ["secret"]


def test_the_hash_that_is_printed_is_the_one_to_write() -> None:
    fix = guard([("a.html", ONE)], Watch()).errors[0].fix
    assert f'hash = "{allow_hash("credential", "correcthorse7")}"' in fix


def test_an_exception_is_over_after_its_last_day_and_that_is_told() -> None:
    mine = Allow(allow_hash("credential", "correcthorse7"), "a sample", date(2026, 5, 31))
    report = guard([("a.html", ONE)], Watch(allow=(mine,), today=TODAY))
    assert [one.code for one in report.findings] == ["secret", "allow-ended"]
    assert "a sample" in report.warnings[0].message


def test_an_exception_that_nothing_needs_is_told() -> None:
    mine = Allow("0123456789abcdef", "a sample", date(2026, 7, 1))
    report = guard([("a.html", "x")], Watch(allow=(mine,), today=TODAY))
    assert report.ok
    assert [one.code for one in report.warnings] == ["allow-unused"]


# --- what is said ----------------------------------------------------------------------------


def test_a_value_in_many_files_is_told_once_with_its_first_place_and_its_episode() -> None:
    watch = _watch(two("x", shown=ONE))
    report = guard([(f"{name}.html", f"\n\n{ONE}\n") for name in "abc"], watch)
    assert [one.where for one in report.errors] == ["a.html:3"]
    assert "in 2 other files" in report.errors[0].message
    assert "docs/topics/2026-01-05-seen.md" in report.errors[0].message
    assert "horse" not in str(report)


def test_a_rule_of_the_shelf_itself_stops_what_it_names(birds: Canaries, watch: Watch) -> None:
    report = guard([("a.html", f"<td>{birds.words['policy']}77</td>")], watch)
    assert "house-rule" in report.errors[0].message


@pytest.mark.parametrize("cell", ["<td>password</td><td>correcthorse7</td>"])
def test_a_password_in_a_table_is_found(cell: str) -> None:
    page = f"<table>\n<tr><th>name</th><th>value</th></tr>\n<tr>{cell}</tr>\n</table>"
    assert codes(page, Watch()) == ["secret"]


def test_markup_behind_a_telling_word_is_no_password() -> None:
    assert codes('Garden over draft "token": 114</h1><p>The digest', Watch()) == []


def test_the_guard_reads_a_message_like_any_file(watch: Watch, birds: Canaries) -> None:
    told = guard([("commit message", f"Publish 2026-03-02-{birds.words['team id']}")], watch)
    assert [one.where for one in told.errors] == ["commit message:1"]


@pytest.mark.parametrize("form", ["html", "epub", "json"])
def test_an_export_that_the_guard_stops_writes_nothing_and_says_where(
    birds: Canaries, cli: Cli, tmp_path: Path, form: str
) -> None:
    root = tmp_path / "shelf"
    store = canaries.shelf(root).store
    path = store.root / f"docs/topics/{canaries.PUBLIC}.md"
    path.write_text(path.read_text("utf-8") + f"- Log in with {ONE}\n", "utf-8")
    out = tmp_path / "out" / f"x.{form}"
    out.parent.mkdir()
    ran = cli("export", form, "--shelf", root, "--out", out, "--for", "public", "--json")
    assert ran.code == 1
    assert not [*out.parent.iterdir()]
    answer = json.loads(ran.out)
    assert (answer["status"], answer["code"]) == ("error", "guard")
    assert canaries.PUBLIC in answer["findings"][0]["message"]
    assert "horse" not in ran.out + ran.err
    assert cli("export", form, "--shelf", root, "--out", out).code == 0


def test_an_export_of_a_fresh_shelf_says_which_line_to_write(store: Store, cli: Cli) -> None:
    support.add(store, support.episode())
    ran = cli("export", "json", "--shelf", store.root, "--for", "public")
    assert ran.code == 1
    assert "visibility: public" in ran.err


def test_what_may_be_read_is_not_asked_of_the_past(birds: Canaries, cli: Cli) -> None:
    ran = cli("export", "json", "--shelf", birds.store.root, "--for", "public", "--rev", "HEAD")
    assert ran.code == 2


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("a.json", '{"title": "Garden over draft \\"token\\": 114","text": "and so on"}'),
        ("a.json", '["the password: 114","correcthorse7"]'),
        ("a.html", '<script>x=["draft \\"token\\": 114","correcthorse7"]</script>'),
    ],
)
def test_texts_in_a_script_do_not_run_into_one_another(path: str, page: str) -> None:
    assert not guard([(path, page)], Watch()).findings


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("a.json", '{"user": "ann", "password": "correcthorse7"}'),
        ("a.json", '{"password": "correct\\u0068orse7"}'),
        ("a.json", '{"text": "Log in with password: correcthorse7\\nand go"}'),
        ("a.html", "<script>\nconst password = 'correcthorse7'\n</script>"),
        ("a.html", "<script>login(`password: correcthorse7`)</SCRIPT >"),
        ("a.html", "<script>login(`password: correcthorse7`)"),
        ("a.js", "x = /'/.test(y); z = 'password: correct\\u0068orse7'"),
    ],
)
def test_a_password_in_a_script_is_found(path: str, page: str) -> None:
    assert {one.code for one in guard([(path, page)], Watch()).errors} == {"secret"}


# --- real texts ------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["sample", "peer_shelf"])
@pytest.mark.parametrize("odd", [0, 1])
def test_a_real_shelf_half_of_which_is_hidden_gives_no_false_alarm(
    request: pytest.FixtureRequest, which: str, odd: int
) -> None:
    shelf = request.getfixturevalue(which).read(bodied=True)
    half = tuple(
        entry._replace(visibility="public" if place % 2 == odd else "private")
        for place, entry in enumerate(shelf.entries)
    )
    out = going.cut(replace(shelf, entries=half), Publishing().for_("public"))
    assert out.watch is not None
    found = chosen(out.shelf, Choice())
    page = page_of(found.shelf, found.inside, lambda _: bodies_of(found.shelf))
    report = guard(
        [("a.html", b"".join(page.parts)), ("a.json", "".join(Document(found)))], out.watch
    )
    # A visible roll-up may well quote the titles of what it rolls up: that is for its owner to know.
    assert {one.code for one in report.errors} <= {"hidden-title"}
    assert all("says it" in one.message for one in report.errors)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.html", "<code>--passphrase</code> locks it"),
        ("index.json", json.dumps({"text": "<code>--passphrase</code> locks it"})),
        ("index.json", json.dumps({"text": "<li><code>api_key=$API_KEY</code>.</li>\\"})),
        ("index.json", json.dumps({"text": "<code>password = getpass()</code>, and more"})),
    ],
)
def test_what_stands_behind_code_is_no_value_of_it(path: str, text: str) -> None:
    assert guard([(path, text)], Watch()).errors == ()


@pytest.mark.parametrize("form", ["password: <code>{}</code>", "<code>password: {}</code>"])
@pytest.mark.parametrize("path", ["a.html", "index.json"])
def test_a_value_that_is_code_is_one_all_the_same(path: str, form: str) -> None:
    text = form.format("correct" + "horse7")
    text = json.dumps({"text": text}) if path == "index.json" else f"<p>{text}</p>"
    assert [one.code for one in guard([(path, text)], Watch()).errors] == ["secret"]


def test_a_markdown_page_of_a_site_is_read_as_what_a_browser_makes_of_it() -> None:
    def found(words: str) -> set[str]:
        page = f'# Head\n\n<div class="shelf">\n<p><a href="x">{words}</a></p>\n</div>\n'
        return {one.code for one in guard([("docs/topics/x.md", page)], Watch()).findings}

    assert found("Token of the &#34;mutex&#34;: 734") == set()
    assert found("key AK&#73;AQ7Z2M4X9" + "P1L8W3K6") == {"secret"}
