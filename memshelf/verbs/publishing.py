"""A site on its way to the pages branch: built into a folder, guarded, committed, pushed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import memshelf

from ..domain.errors import ShelfError
from ..domain.finding import left_out
from ..domain.hosts import pages_address, shown
from ..domain.leaving import Leaving
from ..domain.pages_plan import DOMAIN, Plan, plan
from ..domain.publishing import TEAM, Publishing
from ..domain.shelf import Shelf
from ..domain.text import plural
from ..render import feed
from ..render.left import NAME, files_of, unhashed, what_left, what_stayed
from ..storage import files as shelf_files
from ..storage.gitcall import GitTrouble
from ..storage.pages_branch import PagesBranch, Tip
from ..storage.repo import Repo
from ..storage.store import Store
from .leaving import Outgoing, cut
from .site_build import lost_past
from .themes import theme_files, theme_words
from .writing_out import refuse_place, write_out

Build = Callable[[Store, Leaving, Path, str], None]
"""Writes the site of what leaves into an empty folder; its address comes last, "" if unknown."""

_SHOWN = 20


class Asked(NamedTuple):
    """How a site is to be published; empty values stand for what [publish] says."""

    branch: str = ""
    remote: str = ""
    message: str = ""
    dry_run: bool = False
    single_commit: bool = False
    overwrite: bool = False
    allow_public: bool = False
    stayed: Path | None = None


@dataclass(frozen=True)
class Published:
    """What became of the branch: `commit` is the one that was pushed, "" where none was.

    `new`, `changed` and `gone` are files of ours, `kept` those of others; `stayed` episodes.
    """

    remote: str
    branch: str
    address: str
    commit: str
    episodes: int
    stayed: int
    files: int
    new: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    kept: tuple[str, ...]
    dry_run: bool
    warnings: tuple[str, ...] = ()
    feed: bool = False

    @property
    def hint(self) -> str:
        """What is to be mended, though it stopped nothing."""
        return "\n".join(self.warnings)

    def __str__(self) -> str:
        what = f"{plural(self.episodes, 'episode')} in {plural(self.files, 'file')}"
        where = f"{self.remote} {self.branch}"
        changes = f"{len(self.new):,} new, {len(self.changed):,} changed, {len(self.gone):,} gone"
        if self.dry_run:
            rows = [f"would publish {what} to {where}: {changes}", *self._listed()]
            rows += [] if self.feed else [feed.NONE.format("[publish] site_url")]
        elif not self.commit:
            rows = [f"nothing changed: {where} holds {what} already"]
        else:
            rows = [f"published {what} to {where}: {changes} ({self.commit[:12]})"]
        rows += [f"everybody can read it at {self.address}"] if self.address else []
        return "\n".join(rows)

    def _listed(self) -> list[str]:
        rows: list[str] = []
        for head, paths in (("new", self.new), ("changed", self.changed), ("gone", self.gone)):
            pages_first = sorted(paths, key=lambda path: not path.endswith(".html"))
            rows += [f"  {head:8} {path}" for path in pages_first[:_SHOWN]]
            rows += [f"  {head:8} and {len(paths) - _SHOWN:,} more"] * (len(paths) > _SHOWN)
        return rows

    def data(self) -> dict[str, Any]:
        """All of it, for programs."""
        return dict(vars(self))


def published(store: Store, build: Build, asked: Asked) -> Published:
    """Build the site of what may leave, guard all of it, and put it on the pages branch.

    Raises ShelfError where the shelf publishes nothing, the guard stops it, the branch cannot be
    read or the push is refused. The repository is as it was then, and so is the remote.
    """
    publishing = Publishing.of(store.config).required()
    if asked.stayed is not None:
        refuse_place(store, Path(asked.stayed))
    branch = _branch(store, publishing, asked)
    address = _public(branch.url, publishing, asked)
    shelf = store.read(bodied=True, history=True)
    going = cut(shelf, publishing, theme_words(), theme_files(), empty=True)
    tip = _tip(branch, going, publishing)  # before the site is built: that takes long
    address = _domain(branch, tip, {}) or address
    files = built(store, build, going, publishing.site_url or address)
    as_of = f" as of {going.shelf.as_of}" if going.shelf.as_of else ""
    message = asked.message or f"Publish {going.shelf.name}{as_of}"
    words = (("commit message", message), ("branch name", branch.branch))
    said = going.check([*to_read(files), *words], "Nothing was published.")
    answer = _put(branch, tip, files, message, address, going, asked)
    if asked.stayed is not None and going.leaving:
        write_out(store, Path(asked.stayed), what_stayed(going.shelf, going.leaving.stays))
    warnings = [*map(str, (*publishing.findings, *said)), lost_past(shelf)]
    warnings += [left_out(shelf.unread)] if shelf.unread else []
    if going.leaving and not going.shelf.entries:
        warnings.append(f"{going.leaving.none(publishing)}: the site is empty.")
    there = feed.has_feed(publishing.site_url or address)
    return replace(answer, warnings=tuple(filter(None, warnings)), feed=there)


def _tip(branch: PagesBranch, going: Outgoing, publishing: Publishing) -> Tip:
    """What the branch holds. Raises ShelfError where it cannot be read, and where nothing may leave
    and no site of ours is there, which would be emptied then."""
    assert going.leaving
    try:
        tip = branch.tip()
    except GitTrouble:
        going.leaving.required(publishing)
        raise
    if NAME not in tip.files:
        going.leaving.required(publishing)
    return tip


def built(store: Store, build: Build, going: Outgoing, address: str = "") -> dict[str, bytes]:
    """The files of the site by path, its manifest among them. Raises ShelfError for a link."""
    assert going.leaving
    with tempfile.TemporaryDirectory(prefix="memshelf-site-") as name:
        folder = Path(name).resolve()
        build(store, going.leaving, folder, address)
        files = read_folder(folder)
    files |= {".nojekyll": files.get(".nojekyll", b"")}
    return with_manifest(going.shelf, files)


def with_manifest(shelf: Shelf, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a site and, with its hashes of them, the manifest of what left."""
    made = {path: data for path, data in files.items() if path != NAME}
    return made | {NAME: what_left(shelf, made, memshelf.__version__).encode("utf-8")}


def to_read(files: Mapping[str, bytes]) -> Iterator[tuple[str, str | bytes]]:
    """What the guard reads of a site with its manifest: all of it but the hashes."""
    for path, data in files.items():
        yield path, unhashed(data.decode("utf-8")) if path == NAME else data


def read_folder(folder: Path) -> dict[str, bytes]:
    """All files of a folder by path, in order, without those of git. Raises UnsafePath for a link."""
    below = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    paths = sorted(path.relative_to(folder).as_posix() for path in below)
    sites = (path for path in paths if path.partition("/")[0] != ".git")
    return {path: shelf_files.safe_join(folder, path).read_bytes() for path in sites}


def _branch(store: Store, publishing: Publishing, asked: Asked) -> PagesBranch:
    repo = Repo.of(store.root)
    if repo is None:
        said = f"{store.root} lies in no git repository, so that there is no branch to publish on."
        fix = "git init and git remote add make it one; memshelf export html needs none."
        raise ShelfError(said, fix, "no-repository")
    return PagesBranch(repo, asked.remote or publishing.remote, asked.branch or publishing.branch)


def _public(url: str, publishing: Publishing, asked: Asked) -> str:
    """The address at which everybody will read it, "" where none is known.

    Raises ShelfError where the team alone is to read it and that is not allowed.
    """
    address = pages_address(url)
    allowed = publishing.allow_public or asked.allow_public
    if not address or publishing.readers != TEAM or allowed:
        return address
    raise ShelfError(
        f"{shown(url)} makes pages public, those of a private repository too (at {address}), "
        'and [publish] says readers = "team".',
        "Write allow_public = true under [publish], or give --allow-public, if only the team can "
        'open it there; or let only public episodes leave: readers = "public".',
        "public-remote",
    )


def _put(
    branch: PagesBranch,
    tip: Tip,
    files: Mapping[str, bytes],
    message: str,
    address: str,
    going: Outgoing,
    asked: Asked,
) -> Published:
    made = {path: branch.repo.blob_id(data) for path, data in files.items()}
    there = {path: blob.id for path, blob in tip.files.items()}
    todo = plan(made, there, _ours(branch, tip))
    _refuse(branch, tip, todo, asked)
    commit = ""
    alone = asked.single_commit and branch.follows(tip)  # what left once may be in that history
    if (alone or not todo.nothing) and not asked.dry_run:
        kept = {path: tip.files[path] for path in todo.kept}
        onto = not asked.single_commit
        commit = branch.commit(tip.commit if onto else "", files, kept, message)
        branch.push(commit, tip.commit, onto)
    assert going.leaving
    return Published(
        remote=branch.remote,
        branch=branch.branch,
        address=_domain(branch, tip, files) or address,
        commit=commit,
        episodes=len(going.shelf.entries),
        stayed=len(going.leaving.stays),
        files=len(files),
        new=todo.new,
        changed=todo.changed,
        gone=todo.gone,
        kept=todo.kept,
        dry_run=asked.dry_run,
    )


def _ours(branch: PagesBranch, tip: Tip) -> frozenset[str]:
    """The files that an earlier site put on the branch, as its manifest says."""
    text = branch.repo.content(tip.files.get(NAME)).decode("utf-8", "replace")
    return files_of(text) | ({".nojekyll"} if text else set())


def _refuse(branch: PagesBranch, tip: Tip, todo: Plan, asked: Asked) -> None:
    """Raise ShelfError where the branch holds a shelf, or files of others in the way of ours."""
    where = f"{branch.branch} at {branch.remote}"
    if NAME not in tip.files and any(name in tip.files for name in ("shelf.yml", "memshelf.toml")):
        said = f"{where} holds a shelf and no pages."
        raise ShelfError(said, "Give another branch: --branch gh-pages.", "bad-branch")
    if not todo.clashing or asked.overwrite:
        return
    some = ", ".join(todo.clashing[:3]) + (", ..." if len(todo.clashing) > 3 else "")
    raise ShelfError(
        f"{where} holds {plural(len(todo.clashing), 'file')} that memshelf did not put there and "
        f"would overwrite: {some}.",
        "Give --overwrite if they may go, or another --branch. What is not in the way is kept.",
        "foreign-files",
    )


def _domain(branch: PagesBranch, tip: Tip, files: Mapping[str, bytes]) -> str:
    """The site's own address, where the branch has a CNAME."""
    data = files.get(DOMAIN) or branch.repo.content(tip.files.get(DOMAIN))
    name = data.decode("utf-8", "replace").strip()
    return f"https://{name}/" if name and " " not in name and "\n" not in name else ""
