"""What must not leave does not leave by MkDocs either: `build`, `gh-deploy`, and what `serve` shows."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import canaries
import pytest
from canaries import Canaries
from conftest import Cli
from gitkit import git, put
from sitekit import mkdocs
from support import episode, tree

from memshelf.storage.store import Store

SITE = "site_name: Tides\ntheme: {name: material, font: false}\nplugins: [search, memshelf]\n"
SECRET = "AK" + "IA" + "Q7Z2M4X9P1L8W3K6"
PATIENCE = 60.0


@pytest.fixture
def birds(tmp_path: Path) -> Canaries:
    """The shelf with canaries as a site of its own, with a bare repository as its origin.

    Somebody with a made-up name amended what is hidden, and wrote a made-up word about it.
    """
    made = canaries.told(canaries.shelf(tmp_path / "shelf"), tmp_path)
    root, words = made.store.root, made.words
    hidden = root / f"docs/research/2026-03-02-{words['private id']}.md"
    put(hidden.parent, hidden.name, hidden.read_text("utf-8") + "\nOne line more.\n")
    more = {"commit author": "zqauthorbdfg", "commit message": "zqmessagebdfg"}
    by = f"--author={more['commit author']} <{more['commit author']}@example.org>"
    git(root, "commit", "-qam", f"Amend {more['commit message']}", by)
    put(root, "mkdocs.yml", SITE)
    put(root, ".gitignore", "/site/\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "a site")
    return made._replace(words={**words, **more})


def bytes_of(folder: Path) -> bytes:
    """All that a folder holds, names and packed files too."""
    return b"\n".join(_read(name, raw) for name, raw in tree(folder).items())


def _read(name: str, raw: bytes) -> bytes:
    return name.encode() + b"\n" + (gzip.decompress(raw) if name.endswith(".gz") else raw)


def pushed(folder: Path, branch: str = "gh-pages") -> dict[str, bytes]:
    """Every blob that a branch of the remote holds or held, by its name there, and its messages."""
    remote = folder / "remote.git"
    found = {"": git(remote, "log", "--format=raw", branch).encode()}
    for row in git(remote, "rev-list", "--objects", branch).splitlines():
        name, _, path = row.partition(" ")
        if git(remote, "cat-file", "-t", name) == "blob":
            show = ["git", "cat-file", "blob", name]
            raw = subprocess.run(show, cwd=remote, capture_output=True, check=True).stdout
            found[path] = _read(path, raw)
    return found


def refs(folder: Path) -> str:
    return git(folder / "remote.git", "for-each-ref")


# --- nothing hidden leaves -------------------------------------------------------------------


def test_a_built_site_holds_no_canary(birds: Canaries) -> None:
    assert len(birds.words) > 100
    ran = mkdocs("build", cwd=birds.store.root)
    assert ran.returncode == 0, ran.stderr
    site = birds.store.root / "site"
    assert (site / "topics" / canaries.PUBLIC / "index.html").is_file()
    assert birds.seen(bytes_of(site)) == []
    assert birds.seen((ran.stdout + ran.stderr).encode()) == []


def test_a_deployed_site_holds_no_canary_in_any_blob_or_message(
    birds: Canaries, tmp_path: Path
) -> None:
    ran = mkdocs("gh-deploy", cwd=birds.store.root)
    assert ran.returncode == 0, ran.stderr
    found = pushed(tmp_path)
    assert f"topics/{canaries.PUBLIC}/index.html" in found and "sitemap.xml.gz" in found
    assert b"MkDocs" in found[""]
    assert birds.seen(b"\n".join(b"%s\n%s" % (k.encode(), v) for k, v in found.items())) == []


def test_what_was_deployed_has_a_manifest_so_that_publish_goes_on_from_it(
    birds: Canaries, tmp_path: Path, cli: Cli
) -> None:
    assert mkdocs("gh-deploy", cwd=birds.store.root).returncode == 0
    text = git(tmp_path / "remote.git", "show", "gh-pages:memshelf-manifest.json")
    files, site = json.loads(text)["files"], tree(birds.store.root / "site")
    site.pop("memshelf-manifest.json")
    assert files == {path: hashlib.sha256(raw).hexdigest() for path, raw in site.items()}
    ran = cli("publish", "--shelf", birds.store.root)
    assert ran.code == 0 and ran.out.startswith("published 2 episodes"), ran.err


def test_a_shelf_beside_the_docs_of_another_site_keeps_what_is_hidden(
    birds: Canaries, tmp_path: Path
) -> None:
    host = tmp_path / "host"
    put(host, "docs/index.md", "# Harbour\n\n[Memory](memory/index.md)\n")
    at = f"plugins: [search, {{memshelf: {{shelf: {birds.store.root.as_posix()}, at: memory}}}}]"
    put(host, "mkdocs.yml", SITE.replace("plugins: [search, memshelf]", at))
    ran = mkdocs("build", "--strict", cwd=host)
    assert ran.returncode == 0, ran.stderr
    assert (host / "site/memory/topics" / canaries.PUBLIC / "index.html").is_file()
    assert birds.seen(bytes_of(host / "site")) == []


# --- what leaks all the same stops it --------------------------------------------------------


def _secret_in_a_page(birds: Canaries) -> tuple[str, str]:
    put(birds.store.root, "docs/notes.md", f"# The host's own page\n\nThe key is {SECRET}.\n")
    return SECRET, "notes/index.html"


def _secret_in_a_file(birds: Canaries) -> tuple[str, str]:
    put(birds.store.root, "docs/keys.json", f'{{"key": "{SECRET}"}}\n')
    return SECRET, "keys.json"


def _secret_in_a_file_name(birds: Canaries) -> tuple[str, str]:
    put(birds.store.root, f"docs/key-{SECRET}.txt", "One word.\n")
    return SECRET, "(its name)"


def _policy_in_a_page(birds: Canaries) -> tuple[str, str]:
    word = f"{birds.words['policy']}7"
    put(birds.store.root, "docs/notes.md", f"# Notes\n\nThat is {word}.\n")
    return word, "notes/index.html"


def _title_quoted(birds: Canaries) -> tuple[str, str]:
    path = f"docs/topics/{canaries.PUBLIC}.md"
    text = (birds.store.root / path).read_text("utf-8")
    put(birds.store.root, path, f"{text}- As we said in “{birds.texts['private title']}”.\n")
    return birds.words["private title"], canaries.PUBLIC


def _id_in_a_file_name(birds: Canaries) -> tuple[str, str]:
    name = f"2026-03-02-{birds.words['team id']}"
    put(birds.store.root, f"docs/{name}.txt", "One word.\n")
    return "One word", "(its name)"


LEAKS = [
    _secret_in_a_page,
    _secret_in_a_file,
    _secret_in_a_file_name,
    _policy_in_a_page,
    _title_quoted,
    _id_in_a_file_name,
]


KNOWN = {"private id", "team id"}
"""The guard tells the owner of a shelf whose words it found: the id of the episode."""


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__.strip("_"))
@pytest.mark.parametrize("command", ["build", "gh-deploy"])
def test_a_leak_stops_it_with_its_place_and_without_its_words(
    birds: Canaries,
    tmp_path: Path,
    command: str,
    leak: Callable[[Canaries], tuple[str, str]],
) -> None:
    words, place = leak(birds)
    before = refs(tmp_path)
    ran = mkdocs(command, cwd=birds.store.root)
    assert ran.returncode == 1
    said = ran.stdout + ran.stderr
    assert "must not leave" in said and place in said
    assert words not in said and not set(birds.seen(said.encode())) - KNOWN
    assert not (birds.store.root / "site").exists()
    assert refs(tmp_path) == before
    assert git(birds.store.root, "branch", "--list", "gh-pages") == ""


def test_a_leak_takes_down_what_was_built_before_and_leaves_what_was_deployed(
    birds: Canaries, tmp_path: Path
) -> None:
    assert mkdocs("gh-deploy", cwd=birds.store.root).returncode == 0
    before = refs(tmp_path)
    _secret_in_a_page(birds)
    assert mkdocs("gh-deploy", cwd=birds.store.root).returncode == 1
    assert refs(tmp_path) == before
    assert not (birds.store.root / "site").exists()


# --- an export for oneself -------------------------------------------------------------------


def test_the_folder_of_a_private_export_cannot_be_deployed_by_accident(
    birds: Canaries, cli: Cli, tmp_path: Path
) -> None:
    folder = tmp_path / "workshop"
    git(tmp_path, "clone", "-q", "remote.git", str(folder))
    assert cli("export", "site", folder / "pages", "--shelf", birds.store.root).code == 0
    before = refs(tmp_path)
    ran = mkdocs("gh-deploy", cwd=folder / "pages")
    assert ran.returncode == 1
    assert refs(tmp_path) == before
    assert git(folder, "branch", "--format=%(refname:short)") == "main"


def test_the_folder_of_a_public_export_can_be_deployed(
    birds: Canaries, cli: Cli, tmp_path: Path
) -> None:
    folder = tmp_path / "workshop"
    git(tmp_path, "clone", "-q", "remote.git", str(folder))
    made = cli("export", "site", folder / "pages", "--for", "public", "--shelf", birds.store.root)
    assert made.code == 0, made.err
    ran = mkdocs("gh-deploy", cwd=folder / "pages")
    assert ran.returncode == 0, ran.stderr
    found = pushed(tmp_path)
    assert f"topics/{canaries.PUBLIC}.html" in found
    assert birds.seen(b"\n".join(found.values())) == []


# --- on this machine -------------------------------------------------------------------------


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which `mkdocs serve` shows a folder, until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    log = (folder.parent / "serve.log").open("wb")
    with (
        log,
        subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "serve", "-a", address],
            cwd=folder,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            yield f"http://{address}"
        finally:
            process.terminate()


def page(url: str, *words: str) -> str:
    """The page at an address, as soon as it is there and holds some words."""
    end, text = time.monotonic() + PATIENCE, ""
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                text = answer.read().decode("utf-8")
            if all(word in text for word in words):
                return text
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.2)
    raise AssertionError(f"{url} did not show {words} within {PATIENCE:g} s: {text[:500]}")


def test_what_is_private_is_shown_by_serve_and_by_no_build(store: Store) -> None:
    name, later = "2026-01-05-kept-at-home", "2026-01-06-written-meanwhile"
    put(store.root, f"docs/topics/{name}.md", episode(name, "Kept at home"))
    text = episode("2026-01-04-for-all", "For all").replace(
        "kind: topic", "kind: topic\nvisibility: public"
    )
    put(store.root, "docs/topics/2026-01-04-for-all.md", text)
    put(store.root, "memshelf.toml", canaries.TOML)
    put(store.root, "mkdocs.yml", SITE)
    with served(store.root) as url:
        page(f"{url}/topics/{name}/", "Kept at home", "Redis was chosen")
        put(store.root, f"docs/topics/{later}.md", episode(later, "Written meanwhile"))
        page(f"{url}/topics/{later}/", "Written meanwhile")
        page(f"{url}/", "Written meanwhile")
    assert not (store.root / "site").exists()
    ran = mkdocs("build", cwd=store.root)
    assert ran.returncode == 0, ran.stderr
    site = store.root / "site"
    assert (site / "topics/2026-01-04-for-all/index.html").is_file()
    found = bytes_of(site)
    assert b"For all" in found
    assert not any(word in found for word in (b"Kept at home", name.encode(), later.encode()))
