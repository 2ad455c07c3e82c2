"""A site gets to its branch, guarded, and nothing else of the repository moves."""

from __future__ import annotations

import gzip
import hashlib
import html
import json
from pathlib import Path

import canaries
import pytest
import yaml
from canaries import TOML, Canaries
from conftest import ROOT, Cli, commit_all
from gitkit import POSIX, files_of, git, hook, litter, put, status
from hypothesis import given
from hypothesis import strategies as st
from support import put_bytes, tree

import memshelf
from memshelf.domain.errors import ShelfError
from memshelf.domain.hosts import pages_address, place, shown
from memshelf.domain.leaving import Leaving
from memshelf.domain.pages_plan import plan
from memshelf.storage.pages_branch import PushRefused
from memshelf.storage.store import Store
from memshelf.verbs.leaving import GuardStopped
from memshelf.verbs.publishing import Asked, Published, published

WORKFLOWS = ROOT / "docs" / "publishing-workflows"


def build(store: Store, leaving: Leaving, folder: Path, url: str = "") -> None:
    """A small site: a page for each episode, a list, a packed map."""
    names = []
    for entry in leaving.shelf.entries:
        whole = leaving.shelf.load(entry.path)
        body = "\n".join(html.escape(text) for _, text in (("", whole.digest), *whole.sections))
        page = f"<h1>{html.escape(entry.heading)}</h1>\n<p>{body}</p>\n"
        put(folder, f"{entry.id}/index.html", page)
        names.append(entry.id)
    put(folder, "index.html", "\n".join(names) + "\n")
    data = gzip.compress("\n".join(names).encode(), mtime=0)
    (folder / "sitemap.xml.gz").write_bytes(data)


@pytest.fixture
def birds(tmp_path: Path) -> Canaries:
    """The shelf with canaries, told to publish, with a bare repository as its origin."""
    return canaries.told(canaries.shelf(tmp_path / "shelf"), tmp_path)


def remote(folder: Path, *args: str) -> str:
    return git(folder / "remote.git", *args)


def there(folder: Path, branch: str = "gh-pages") -> dict[str, str]:
    """What the branch holds at the remote: path -> text."""
    names = remote(folder, "ls-tree", "-r", "--name-only", branch).split("\n")
    return {
        name: git(folder / "remote.git", "show", f"{branch}:{name}", check=False)
        if not name.endswith(".gz")
        else ""
        for name in names
    }


def go(store: Store, **asked: object) -> Published:
    return published(store, build, Asked(**asked))  # type: ignore[arg-type]


def local(root: Path) -> tuple[object, ...]:
    """All of a repository that publishing must leave alone."""
    return (
        git(root, "symbolic-ref", "-q", "HEAD", check=False),
        git(root, "rev-parse", "HEAD"),
        git(root, "for-each-ref", "refs/heads", "refs/tags", "refs/stash"),
        git(root, "ls-files", "-s"),
        status(root),
        tree(root),
        litter(root),
        (root / ".git/FETCH_HEAD").exists(),
    )


def seed(folder: Path, branch: str, **files: str) -> None:
    """Put files onto a branch of the remote, as somebody else would."""
    other = folder / f"other-{branch.replace('/', '-')}-{len(list(folder.iterdir()))}"
    git(folder, "clone", "-q", "remote.git", str(other))
    if remote(folder, "branch", "--list", branch):
        git(other, "checkout", "-q", branch)
    else:
        git(other, "checkout", "-q", "--orphan", branch)
        git(other, "rm", "-rfq", ".")
    for name, text in files.items():
        put(other, name, text)
    git(other, "add", "-A")
    git(other, "commit", "-qm", "by another")
    git(other, "push", "-q", "origin", f"HEAD:refs/heads/{branch}")


# --- what is published -----------------------------------------------------------------------


def test_the_first_publish_makes_the_branch_and_holds_no_canary(
    birds: Canaries, tmp_path: Path
) -> None:
    before = local(birds.store.root)
    answer = go(birds.store)
    assert local(birds.store.root) == before
    files = there(tmp_path)
    assert f"{canaries.PUBLIC}/index.html" in files
    assert ".nojekyll" in files
    assert sorted(answer.new) == sorted(files)
    assert answer.commit == remote(tmp_path, "rev-parse", "gh-pages")
    log = remote(tmp_path, "log", "--format=%B", "gh-pages")
    said = json.dumps(files, ensure_ascii=False) + log
    assert not birds.seen(said.encode())
    assert "published 2 episodes" in str(answer)


def test_the_manifest_names_every_file_by_its_hash(birds: Canaries, tmp_path: Path) -> None:
    go(birds.store)
    files = there(tmp_path)
    manifest = json.loads(files.pop("memshelf-manifest.json"))
    assert manifest["files"].keys() == files.keys()
    page = f"{canaries.PUBLIC}/index.html"
    raw = git(tmp_path / "remote.git", "show", f"gh-pages:{page}") + "\n"
    assert manifest["files"][page] == hashlib.sha256(raw.encode()).hexdigest()
    assert (manifest["as_of"], manifest["episodes"]) == ("2026-02-09", 2)
    assert manifest["memshelf"] == memshelf.__version__


def test_a_page_named_after_passwords_is_no_secret(birds: Canaries, tmp_path: Path) -> None:
    def named(store: Store, leaving: Leaving, folder: Path, url: str = "") -> None:
        build(store, leaving, folder)
        for name in ("password", "secret", "api-key"):
            put(folder, f"tags/{name}.html", "x")

    assert published(birds.store, named, Asked()).commit
    assert "tags/password.html" in json.loads(there(tmp_path)["memshelf-manifest.json"])["files"]


def test_a_second_publish_makes_no_commit(birds: Canaries, tmp_path: Path) -> None:
    first = go(birds.store)
    again = go(memshelf.open_shelf(birds.store.root))
    assert again.commit == ""
    assert str(again).startswith("nothing changed")
    assert remote(tmp_path, "rev-parse", "gh-pages") == first.commit


def test_changed_and_gone_pages_follow_in_a_commit_on_top(birds: Canaries, tmp_path: Path) -> None:
    first = go(birds.store)
    root = birds.store.root
    path = root / f"docs/topics/{canaries.PUBLIC}.md"
    path.write_text(path.read_text("utf-8") + "- And once more.\n", "utf-8")
    (root / f"docs/topics/{canaries.SECOND}.md").unlink()
    answer = go(memshelf.open_shelf(root))
    assert f"{canaries.PUBLIC}/index.html" in answer.changed
    assert answer.gone == (f"{canaries.SECOND}/index.html",)
    assert remote(tmp_path, "rev-parse", "gh-pages^") == first.commit
    assert f"{canaries.SECOND}/index.html" not in there(tmp_path)


def test_a_dry_run_shows_what_would_change_and_pushes_nothing(
    birds: Canaries, tmp_path: Path
) -> None:
    before = local(birds.store.root)
    answer = go(birds.store, dry_run=True)
    assert local(birds.store.root) == before
    assert remote(tmp_path, "branch", "--list", "gh-pages") == ""
    assert "would publish" in str(answer)
    assert f"new      {canaries.PUBLIC}/index.html" in str(answer)


def test_files_that_cannot_be_read_are_told_to_the_one_who_publishes(birds: Canaries) -> None:
    put_bytes(birds.store.root / "docs/topics/2026-03-04-x.md", b"\xff\xfe")
    store = memshelf.open_shelf(birds.store.root)
    assert "1 file cannot be read" in go(store, dry_run=True).hint


def test_a_dry_run_shows_pages_before_other_files(birds: Canaries) -> None:
    def more(store: Store, leaving: Leaving, folder: Path, url: str = "") -> None:
        build(store, leaving, folder)
        for number in range(30):
            put(folder, f"assets/{number}.js", "1\n")

    said = str(published(birds.store, more, Asked(dry_run=True))).splitlines()
    assert all(row.endswith("index.html") for row in said[1:4])
    assert said[-2] == "  new      and 16 more"


def test_what_stayed_is_told_only_where_that_is_asked_for(birds: Canaries, tmp_path: Path) -> None:
    go(birds.store, stayed=tmp_path / "stayed.json")
    found = json.loads((tmp_path / "stayed.json").read_text("utf-8"))["stayed"]
    assert {one["reason"] for one in found} == {"visibility", "retain_until"}
    assert len(found) == 4
    with pytest.raises(ShelfError):
        go(birds.store, stayed=birds.store.root / "docs/stayed.json")


def test_one_commit_takes_the_place_of_all_before(birds: Canaries, tmp_path: Path) -> None:
    go(birds.store)
    put(birds.store.root, f"docs/topics/{canaries.SECOND}.md", "x")
    (birds.store.root / f"docs/topics/{canaries.SECOND}.md").unlink()
    answer = go(memshelf.open_shelf(birds.store.root), single_commit=True)
    assert remote(tmp_path, "rev-list", "--count", "gh-pages") == "1"
    assert remote(tmp_path, "rev-parse", "gh-pages") == answer.commit
    assert f"{canaries.SECOND}/index.html" not in there(tmp_path)


def test_a_history_goes_though_the_site_is_as_it_was(birds: Canaries, tmp_path: Path) -> None:
    go(birds.store)
    path = birds.store.root / f"docs/topics/{canaries.PUBLIC}.md"
    path.write_text(path.read_text("utf-8") + "- And once more.\n", "utf-8")
    go(memshelf.open_shelf(birds.store.root))
    assert remote(tmp_path, "rev-list", "--count", "gh-pages") == "2"
    tree = remote(tmp_path, "rev-parse", "gh-pages^{tree}")
    assert go(memshelf.open_shelf(birds.store.root), single_commit=True).commit
    assert remote(tmp_path, "rev-list", "--count", "gh-pages") == "1"
    assert remote(tmp_path, "rev-parse", "gh-pages^{tree}") == tree
    assert go(memshelf.open_shelf(birds.store.root), single_commit=True).commit == ""


def test_an_episode_past_its_last_day_is_taken_down(
    birds: Canaries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = f"2026-03-02-{birds.words['past id']}/index.html"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772496000")  # 2026-03-03
    assert past in go(birds.store).new
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772582400")
    assert past in go(memshelf.open_shelf(birds.store.root)).gone


def test_where_nothing_may_leave_any_more_the_site_is_emptied(
    birds: Canaries, cli: Cli, tmp_path: Path
) -> None:
    assert cli("publish", "--shelf", birds.store.root).code == 0
    for path in (birds.store.root / "docs").rglob("*.md"):
        text = path.read_text("utf-8", "surrogateescape")
        text = text.replace("visibility: public", "visibility: private")
        path.write_text(text, "utf-8", "surrogateescape")
    ran = cli("publish", "--shelf", birds.store.root)
    assert ran.code == 0 and "published 0 episodes" in ran.out, ran
    assert "is public" in ran.err and "the site is empty" in ran.err
    git(tmp_path, "clone", "-q", "-b", "gh-pages", "remote.git", "site")
    left = tree(tmp_path / "site")
    assert b"Nothing here yet." in left["index.html"]
    assert not [p for p, raw in left.items() if canaries.PUBLIC.encode() in p.encode() + raw]
    again = cli("publish", "--shelf", birds.store.root)
    assert again.code == 0 and again.out.startswith("nothing changed")


# --- the branch ------------------------------------------------------------------------------


def test_files_of_others_stay(birds: Canaries, tmp_path: Path) -> None:
    seed(tmp_path, "gh-pages", CNAME="tides.example.org\n", **{"old/a.html": "x", "b": "y"})
    answer = go(birds.store)
    files = there(tmp_path)
    assert files["CNAME"] == "tides.example.org"
    assert (files["old/a.html"], files["b"]) == ("x", "y")
    assert answer.kept == ("CNAME", "b", "old/a.html")
    assert answer.address == "https://tides.example.org/"
    assert remote(tmp_path, "rev-list", "--count", "gh-pages") == "2"
    assert go(memshelf.open_shelf(birds.store.root)).commit == ""


def test_the_domain_on_the_branch_is_the_address_that_the_feed_is_made_for(
    birds: Canaries, tmp_path: Path
) -> None:
    urls = []

    def kept(store: Store, leaving: Leaving, folder: Path, url: str = "") -> None:
        urls.append(url)
        build(store, leaving, folder)

    assert "No feed" in str(published(birds.store, kept, Asked(dry_run=True)))
    seed(tmp_path, "gh-pages", CNAME="tides.example.org\n")
    answer = published(birds.store, kept, Asked(dry_run=True))
    assert urls == ["", "https://tides.example.org/"] and "No feed" not in str(answer)


def test_a_remote_that_is_away_is_told_before_anything_is_built(birds: Canaries) -> None:
    def never(*_: object) -> None:
        raise AssertionError("it was built")

    git(birds.store.root, "remote", "set-url", "origin", "../nowhere.git")
    with pytest.raises(ShelfError, match="cannot be read"):
        published(birds.store, never, Asked())


def test_files_of_others_are_not_overwritten_unless_that_is_asked_for(
    birds: Canaries, tmp_path: Path
) -> None:
    seed(tmp_path, "gh-pages", **{"index.html": "theirs", "b": "y"})
    before = remote(tmp_path, "rev-parse", "gh-pages")
    with pytest.raises(ShelfError, match=r"index\.html") as caught:
        go(birds.store)
    assert "--overwrite" in caught.value.fix
    assert remote(tmp_path, "rev-parse", "gh-pages") == before
    go(birds.store, overwrite=True)
    assert there(tmp_path)["b"] == "y"
    assert canaries.PUBLIC in there(tmp_path)["index.html"]


def test_a_file_where_a_folder_must_be_is_in_the_way(birds: Canaries, tmp_path: Path) -> None:
    seed(tmp_path, "gh-pages", **{canaries.PUBLIC: "a file"})
    with pytest.raises(ShelfError, match=canaries.PUBLIC):
        go(birds.store)
    go(birds.store, overwrite=True)
    assert f"{canaries.PUBLIC}/index.html" in there(tmp_path)


def test_a_domain_once_published_stays_though_it_is_built_no_more(
    birds: Canaries, tmp_path: Path
) -> None:
    def with_domain(store: Store, leaving: Leaving, folder: Path, url: str = "") -> None:
        build(store, leaving, folder)
        put(folder, "CNAME", "tides.example.org\n")

    published(birds.store, with_domain, Asked())
    answer = go(memshelf.open_shelf(birds.store.root))
    assert "CNAME" in there(tmp_path)
    assert answer.address == "https://tides.example.org/"


def test_branch_and_remote_come_from_the_settings_or_from_flags(
    birds: Canaries, tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q", "--bare", "up.git")
    git(birds.store.root, "remote", "add", "up", str(tmp_path / "up.git"))
    go(birds.store, branch="site/pages", remote="up", message="The tides")
    assert git(tmp_path / "up.git", "log", "--format=%s", "site/pages") == "The tides"
    put(birds.store.root, "memshelf.toml", TOML + 'branch = "web"\nremote = "up"\n')
    go(memshelf.open_shelf(birds.store.root))
    assert "index.html" in git(tmp_path / "up.git", "ls-tree", "--name-only", "web")
    assert remote(tmp_path, "branch", "--list") == "* main"


def test_a_dirty_worktree_a_staged_file_and_a_detached_head_stay_as_they_are(
    birds: Canaries, tmp_path: Path
) -> None:
    root = birds.store.root
    put(root, "staged.txt", "one\n")
    git(root, "add", "staged.txt")
    put(root, "staged.txt", "two\n")
    put(root, "untracked.txt", "x\n")
    git(root, "checkout", "-q", "--detach")
    before = local(root)
    go(birds.store)
    assert local(root) == before


def test_a_linked_worktree_and_a_shelf_below_the_top_publish_too(
    tmp_path: Path, birds: Canaries
) -> None:
    root = birds.store.root
    git(root, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "work")
    go(memshelf.open_shelf(tmp_path / "linked"))
    assert "index.html" in there(tmp_path)


def test_the_users_own_git_settings_change_no_byte(birds: Canaries, tmp_path: Path) -> None:
    root = birds.store.root
    git(root, "config", "core.autocrlf", "true")
    put(root, ".git/info/exclude", "*.html\n")
    put(root, ".git/info/attributes", "*.html text eol=crlf\n")
    before = git(root, "config", "core.autocrlf")
    go(birds.store)
    page = f"gh-pages:{canaries.PUBLIC}/index.html"
    raw = (tmp_path / "remote.git", "cat-file", "-s", page)
    manifest = json.loads(there(tmp_path)["memshelf-manifest.json"])
    assert f"{canaries.PUBLIC}/index.html" in manifest["files"]
    assert int(git(*raw)) == len((git(tmp_path / "remote.git", "show", page) + "\n").encode())
    assert before == "true"


# --- what is refused -------------------------------------------------------------------------


def test_a_fresh_shelf_says_the_lines_to_write(store: Store, cli: Cli) -> None:
    ran = cli("publish", "--shelf", store.root)
    assert ran.code == 1
    assert 'include = ["public"]' in ran.err


def test_a_shelf_with_nothing_public_says_the_line_to_write(
    store: Store, cli: Cli, tmp_path: Path
) -> None:
    put(store.root, f"docs/topics/{canaries.PUBLIC}.md", "---\nid: x\n---\n# x\n")
    put(store.root, "memshelf.toml", TOML)
    commit_all(store.root)
    git(store.root, "remote", "add", "origin", str(tmp_path))
    ran = cli("publish", "--shelf", store.root)
    assert ran.code == 1
    assert "visibility: public" in ran.err


@POSIX
def test_a_push_that_a_hook_refuses_is_told_and_changes_nothing(
    birds: Canaries, tmp_path: Path
) -> None:
    hook(tmp_path / "remote.git", "pre-receive", "echo 'not on a Friday' >&2; exit 1")
    before = local(birds.store.root)
    with pytest.raises(PushRefused) as caught:
        go(birds.store)
    assert "not on a Friday" in caught.value.message
    assert "nothing was published" in caught.value.message
    assert caught.value.exit_code == 1
    assert local(birds.store.root) == before
    assert remote(tmp_path, "branch", "--list", "gh-pages") == ""


@pytest.mark.parametrize("single_commit", [False, True])
def test_a_publish_that_somebody_else_was_quicker_with_is_refused_and_the_next_goes_on_top(
    birds: Canaries, tmp_path: Path, single_commit: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memshelf.storage.pages_branch import PagesBranch

    go(birds.store)
    commit = PagesBranch.commit

    def slow(branch: PagesBranch, *args: object) -> str:
        made = commit(branch, *args)  # type: ignore[arg-type]
        seed(tmp_path, "gh-pages", **{"theirs.html": "x"})
        return made

    put(birds.store.root, "memshelf.toml", TOML + "\n")
    path = birds.store.root / f"docs/topics/{canaries.PUBLIC}.md"
    path.write_text(path.read_text("utf-8") + "- And once more.\n", "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(PagesBranch, "commit", slow)
        with pytest.raises(PushRefused) as caught:
            go(memshelf.open_shelf(birds.store.root), single_commit=single_commit)
    assert "publish again" in caught.value.fix
    assert there(tmp_path)["theirs.html"] == "x"
    go(memshelf.open_shelf(birds.store.root))
    assert there(tmp_path)["theirs.html"] == "x"
    assert "once more" in there(tmp_path)[f"{canaries.PUBLIC}/index.html"]


def test_a_remote_that_is_not_there_is_told_without_its_password(
    birds: Canaries, tmp_path: Path
) -> None:
    url = "https://ann:hunter2secret@127.0.0.1:9/shelf.git"
    git(birds.store.root, "remote", "set-url", "origin", url)
    before = local(birds.store.root)
    with pytest.raises(ShelfError) as caught:
        go(birds.store)
    assert "cannot be read" in caught.value.message
    assert "hunter2" not in str(caught.value)
    assert "git remote -v" in caught.value.fix
    assert local(birds.store.root) == before


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"remote": "nowhere"}, "no remote 'nowhere'"),
        ({"remote": "--upload-pack=x"}, "no remote"),
        ({"branch": "a..b"}, "no name of a branch"),
        ({"branch": "-x"}, "no name of a branch"),
        ({"branch": "main"}, "branch of the shelf itself"),
    ],
)
def test_a_remote_or_branch_that_cannot_be_is_refused(
    birds: Canaries, asked: dict[str, str], said: str
) -> None:
    with pytest.raises(ShelfError, match=said):
        go(birds.store, **asked)


def test_a_branch_that_holds_the_shelf_is_refused_from_elsewhere_too(birds: Canaries) -> None:
    git(birds.store.root, "checkout", "-q", "-b", "work")
    with pytest.raises(ShelfError, match="holds a shelf"):
        go(birds.store, branch="main", overwrite=True)


def test_a_repository_without_remotes_is_told_how_to_get_one(birds: Canaries) -> None:
    git(birds.store.root, "remote", "remove", "origin")
    with pytest.raises(ShelfError) as caught:
        go(birds.store)
    assert "git remote add origin" in caught.value.fix


def test_a_folder_without_git_is_told_so(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    put(folder, "shelf.yml", "name: Plain\n")
    put(folder, "memshelf.toml", TOML)
    with pytest.raises(ShelfError, match="no git repository"):
        go(memshelf.open_shelf(folder))


def test_where_there_is_no_git_program_that_is_told(
    birds: Canaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ShelfError, match="git program was not found"):
        go(birds.store)


def test_what_the_guard_stops_is_not_published_and_the_place_is_named(
    birds: Canaries, tmp_path: Path
) -> None:
    def leaking(store: Store, leaving: Leaving, folder: Path, url: str = "") -> None:
        build(store, leaving, folder)
        text = birds.texts["private description"]
        put(folder, "feed.xml", f"<feed>\n<summary>{text}</summary>\n</feed>\n")

    with pytest.raises(GuardStopped) as caught:
        published(birds.store, leaking, Asked())
    assert "feed.xml:2" in str(caught.value)
    assert birds.words["private description"] not in str(caught.value)
    assert remote(tmp_path, "branch", "--list", "gh-pages") == ""


def test_the_message_of_the_commit_is_guarded(birds: Canaries, tmp_path: Path) -> None:
    with pytest.raises(GuardStopped, match="commit message"):
        go(birds.store, message=f"Without 2026-03-02-{birds.words['private id']}")
    assert remote(tmp_path, "branch", "--list", "gh-pages") == ""


@POSIX
def test_a_link_in_the_built_site_is_refused(birds: Canaries) -> None:
    def linked(store: Store, leaving: Leaving, folder: Path, url: str = "") -> None:
        (folder / "a.html").symlink_to(birds.store.root / "memshelf.toml")

    with pytest.raises(ShelfError, match="link"):
        published(birds.store, linked, Asked())


def test_pages_for_the_team_at_a_host_that_shows_them_to_everybody_are_refused(
    birds: Canaries,
) -> None:
    root = birds.store.root
    put(root, "memshelf.toml", '[publish]\ninclude = ["team"]\nreaders = "team"\n')
    git(root, "remote", "set-url", "origin", "https://ann:pw5@github.com/acme/notes.git")
    git(root, "remote", "set-url", "--push", "origin", "https://ann:pw5@github.com/acme/notes.git")
    with pytest.raises(ShelfError) as caught:
        go(memshelf.open_shelf(root))
    assert "https://acme.github.io/notes/" in caught.value.message
    assert "allow_public = true" in caught.value.fix
    assert "pw5" not in str(caught.value)


def test_the_team_may_be_published_to_where_it_alone_can_read(
    birds: Canaries, tmp_path: Path
) -> None:
    toml = '[publish]\ninclude = ["team", "public"]\nreaders = "team"\n'
    put(birds.store.root, "memshelf.toml", toml)
    go(memshelf.open_shelf(birds.store.root))
    levels = {p.partition(" ")[0] for p in birds.seen(json.dumps(there(tmp_path)).encode())}
    assert levels == {"team"}


# --- the verb --------------------------------------------------------------------------------


def test_the_verb_builds_with_mkdocs_and_publishes_the_same_bytes_on_any_day(
    birds: Canaries, cli: Cli, tmp_path: Path
) -> None:
    before = local(birds.store.root)
    ran = cli("publish", "--shelf", birds.store.root, "--json")
    assert ran.code == 0, ran
    answer = json.loads(ran.out)
    assert answer["episodes"] == 2
    assert local(birds.store.root) == before
    git(tmp_path, "clone", "-q", "-b", "gh-pages", "remote.git", "site")
    site = tmp_path / "site"
    data = b"\n".join(
        name.encode() + (gzip.decompress(raw) if name.endswith(".gz") else raw)
        for name, raw in tree(site).items()
    )
    assert not birds.seen(data)
    assert canaries.PUBLIC.encode() in data
    again = cli("publish", "--shelf", birds.store.root)
    assert (again.code, again.out.startswith("nothing changed")) == (0, True)
    assert files_of(site)


# --- workflows to copy -----------------------------------------------------------------------


def test_the_workflow_for_github_fetches_all_history_and_publishes_each_night() -> None:
    flow = yaml.safe_load((WORKFLOWS / "github.yml").read_text("utf-8"))
    began = flow[True]  # what YAML 1.1 makes of `on`
    assert began["schedule"][0]["cron"].split()[2:] == ["*", "*", "*"]
    assert flow["permissions"] == {"contents": "write"}
    steps = flow["jobs"]["publish"]["steps"]
    assert steps[0]["with"]["fetch-depth"] == 0
    assert [step["run"] for step in steps if "run" in step][-1] == "memshelf publish"
    assert any(step.get("run") == "pip install memshelf" for step in steps)


def test_the_workflow_for_gitlab_fetches_all_history_and_publishes_what_it_pushed() -> None:
    job = yaml.safe_load((WORKFLOWS / "gitlab.yml").read_text("utf-8"))["pages"]
    assert job["variables"] == {"GIT_DEPTH": "0"}
    assert any("schedule" in rule["if"] for rule in job["rules"])
    lines = job["script"]
    assert "memshelf publish --branch pages" in lines
    assert "pip install memshelf" in lines
    assert job["artifacts"]["paths"] == ["public"]


# --- the parts -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("git@github.com:acme/notes.git", "https://acme.github.io/notes/"),
        ("ssh://git@ssh.github.com:443/acme/notes.git", "https://acme.github.io/notes/"),
        ("https://x:y@GitHub.com/Acme/Acme.github.io", "https://acme.github.io/"),
        ("https://gitlab.com/acme/team/notes.git", "https://acme.gitlab.io/team/notes/"),
        ("https://codeberg.org/acme/notes", "https://acme.codeberg.page/notes/"),
        ("https://git.example.org/acme/notes", ""),
        ("C:/shelves/notes", ""),
        ("/srv/github.com/notes.git", ""),
        ("https://[broken/", ""),
    ],
)
def test_the_address_that_will_be_public_is_known_for_known_hosts(url: str, address: str) -> None:
    assert pages_address(url) == address


def test_a_password_in_an_address_is_never_shown() -> None:
    said = "fatal: 'https://ann:p:w@@example.org/x' and ssh://git@example.org/y"
    assert shown(said) == "fatal: 'https://example.org/x' and ssh://example.org/y"
    assert place("https://ann:pw@example.org/x").host == "example.org"


_PATHS = st.dictionaries(
    st.sampled_from(("a", "a/b", "c/d", "CNAME", "e")), st.sampled_from("12"), max_size=5
)


@given(_PATHS, _PATHS, st.sets(st.sampled_from(("a", "a/b", "c/d", "CNAME", "e", "x"))))
def test_whatever_is_there_others_files_are_kept_or_named(
    made: dict[str, str], there: dict[str, str], ours: set[str]
) -> None:
    todo = plan(made, there, ours)
    after = {**made, **{path: there[path] for path in todo.kept}}
    lost = {path for path in there if path not in ours and after.get(path) != there[path]}
    assert lost == set(todo.clashing) - ours
    assert todo.nothing == (after == there and not todo.clashing)
    assert "CNAME" in after or "CNAME" not in there
