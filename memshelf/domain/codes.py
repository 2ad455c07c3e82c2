"""Every code that doctor may find: how bad it is, what it means, what is to be done, and the peer's.

docs/doctor.md shows these tables; tests hold the docs and the checks to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Code(NamedTuple):
    """A kind of finding: its level, what it means and what is to be done about it."""

    code: str
    level: str
    meaning: str
    fix: str


RENDERED = frozenset(
    (
        *("stale-index", "stale-derived", "ledger-malformed", "no-ledger-row"),
        *("orphan-ledger-row", "derived-stale"),
    )
)
"""Codes that a rebuild puts right."""

MENDED = RENDERED | {"id-mismatch"}
"""Codes that `doctor --fix` may put right."""

E, W, U, N = "error", "warning", "unknown", "info"

_EPISODE = """
no-frontmatter|E|The file has no front matter.|Add a `---` block at the top.
unclosed-frontmatter|E|The block is not closed.|Close it with `---`.
frontmatter-too-large|E|The block is over 64 KB.|Move what is text into sections.
frontmatter-refused|E|The block holds a form of YAML that is not read.|Write `key: value` lines.
frontmatter-unreadable|E|The block is not YAML.|Write `key: value` lines.
frontmatter-not-yaml|W|A value is no YAML and was read as the text that it is.|Quote it.
duplicate-key|W|A key stands twice; the last counts.|Delete one.
frontmatter-missing-field|E|A key that every episode needs is missing.|Add it.
bad-approx-tokens|E|`approx_tokens` is no whole number.|Write one.
bad-approx-tokens-source|W|`approx_tokens_source` is none of the three words.|Write one of them.
id-mismatch|E|The id is not the file's name.|Make them equal; `--fix` does where nothing else names it.
old-id|W|The id has an old form.|Leave it; new ids are YYYY-MM-DD-words.
bad-date|E|`date` is no calendar day.|Write YYYY-MM-DD.
bad-retain-until|E|`retain_until` is no calendar day.|Write YYYY-MM-DD.
bad-span|E|`span` is no day and no span.|Write YYYY-MM-DD or A..B.
bad-visibility|E|`visibility` is no known word and counts as private.|Write one of them.
long-title|W|The title is too long for a line.|Shorten it.
long-description|W|The description is too long for a line.|Shorten it.
bad-tag|W|A tag holds what tags may not.|Rename it.
bad-kind|W|The kind is not known.|Write one of them.
kind-folder|W|The file is not in its kind's folder.|Amend it with its kind.
missing-section|E|A section that the kind needs is missing.|Amend it with that section.
no-digest|E|There is no `## Digest`.|Amend it with one.
digest-empty|E|The digest is empty.|Say what was decided and why.
digest-too-long|E|The digest has too many words.|Cut it.
digest-referent-we|E|The digest says who by "we".|Name who.
digest-secret|E|The digest holds a secret.|Take it out.
digest-referent-bare|W|The digest begins with a word that points at nothing.|Begin with the thing.
digest-thin|W|The digest names no decision.|Say what was decided, rejected, left open.
digest-body-mismatch|W|Few of the digest's words occur in the body.|See whose digest it is.
secret-at-rest|E|The text holds what looks like a secret.|Amend it (it is masked), change the secret.
policy-pattern-at-rest|E|The text holds what a rule of the shelf masks.|Amend it.
instruction-like|W|A phrase orders an AI about.|Look where it comes from.
open-fence|W|A code fence is not closed.|Close it.
merge-conflict|E|The markers of a merge stand in it.|`memshelf resolve`, or edit it to one text.
not-a-file|E|A link, a folder or a pipe stands in an episode's place.|Put the file there.
not-utf8|E|The file, or its name, is not UTF-8.|Convert it.
"""
_SHELF = """
duplicate-id|E|Two files claim one id.|Give one another id and name.
duplicate-title|W|Two episodes of a folder have one title.|Retitle one.
index-title-markup|W|Markdown in a title, on a shelf whose INDEX.md cannot escape it.|Retitle it.
dangling-reference|W|`supersedes`, `superseded_by`, `reversed_by` or `closes` names what is not there.|Check the id.
empty-category|N|A folder holds no episode yet.|Nothing.
index-bloat|W|INDEX.md costs more than 200 + 80 tokens an entry.|Shorten the lines that it names.
ledger-malformed|E|A row of ledger.tsv is broken, or stands twice.|`--fix`, or `memshelf rebuild`.
orphan-ledger-row|W|ledger.tsv has a row without an episode.|`--fix`, or `memshelf rebuild`.
no-ledger-row|W|Episodes have no row yet.|`--fix`, or `memshelf rebuild`.
stale-index|W|INDEX.md is not what the episodes make.|`--fix`, or `memshelf rebuild`.
stale-derived|W|Another derived file is not.|`--fix`, or `memshelf rebuild`.
policy-pattern-invalid|W|A rule of the shelf cannot be used.|Mend the line.
unknown-setting|W|memshelf.toml holds a word that means nothing.|Check its spelling.
publish-settings|E|The table [publish] cannot be used.|As the message says.
"""
_AROUND = """
git-unusable|E|git cannot be asked about the shelf, so that nothing can be saved.|As the message says.
derived-stale|E|A renderer had its time and did not count episodes.|See the renderer's job, or `--fix`.
renderer-wait-unknown|U|It cannot be told how long a renderer has had.|`git fetch`; the job's own log.
derived-age-unknown|U|It cannot be told how old the ledger is.|`git fetch --unshallow`.
upstream-not-rendered|W|Episodes wait for a merge, not for a renderer.|Merge the branch.
episode-unpushed|W|Episodes are on no branch of the remote.|Push.
sync-unfinished|W|A sync was killed: files lie as the remote has them, uncommitted.|`memshelf sync`.
upstream-unknown|W|There is a remote, but the branch follows nothing.|`git push -u`.
local-split-dir|W|A folder of sections that git does not know lies beside its episode.|`memshelf prune-splits`.
orphaned-split-dir|W|A folder of sections has no episode beside it.|Look, then delete it.
no-remote|N|`--check-remote`: there is no remote.|Nothing.
remote-private|N|`--check-remote`: not everybody can read it.|Nothing.
public-remote|E|`--check-remote`: everybody can read it.|Make it private.
remote-unverified|W|`--check-remote`: nobody answered plainly.|Look at its settings.
shadowed-script|W|`memshelf` starts the old package.|Uninstall that one.
old-package-beside|W|The old package is installed beside this one.|Uninstall it, install this again.
served-code-differs|W|`--installed`: a copy that answers is not the code that it was installed from.|Install it anew.
freshness-unknown|U|`--installed`: it cannot be told for a copy.|Install it from a folder or a wheel.
"""


def _codes(text: str) -> tuple[Code, ...]:
    rows = (line.split("|") for line in text.strip().splitlines())
    levels = {"E": E, "W": W, "U": U, "N": N}
    return tuple(Code(code, levels[level], said, fix) for code, level, said, fix in rows)


GROUPS = {
    "Of an episode": _codes(_EPISODE),
    "Of the shelf": _codes(_SHELF),
    "About the shelf": _codes(_AROUND),
}
CODES = {one.code: one for group in GROUPS.values() for one in group}

_OTHERS = {
    "corrupt-meta": "`stale-derived` for that .meta.json: it is rendered, never read",
    "meta-shape": "`stale-derived`, as before",
    "stale-meta-entry": "`stale-derived`, as before",
    "split-out-of-sync": "none: splits are not read; `orphaned-split-dir` and `local-split-dir` remain",
    "colliding-category-dirs": "none: folders are taken by their names, not by slugs of them",
    "unknown-provider": "none: memshelf's own INDEX.md links to files, never to a provider",
    "custom-without-template": "none, as before",
    "docshelf-config-conflict": "none: shelf.yml counts before .docshelf.json",
    "uncommitted-split-dir": "`local-split-dir`",
    "not-a-release": "`doctor --installed` says the version and where it comes from",
}
_SAME = (
    *("empty-category", "orphaned-split-dir", "duplicate-title", "stale-index"),
    *("policy-pattern-invalid", "ledger-malformed", "freshness-unknown", "served-code-differs"),
    *("no-frontmatter", "frontmatter-missing-field", "bad-approx-tokens-source"),
    *("bad-approx-tokens", "id-mismatch", "bad-kind", "missing-section", "no-digest"),
    *("digest-empty", "digest-too-long", "digest-referent-we", "digest-secret"),
    *("digest-body-mismatch", "secret-at-rest", "policy-pattern-at-rest", "no-ledger-row"),
    *("derived-stale", "renderer-wait-unknown", "derived-age-unknown", "upstream-not-rendered"),
    *("episode-unpushed", "upstream-unknown", "local-split-dir", "orphan-ledger-row"),
    *("index-bloat", "no-remote", "remote-private", "public-remote", "remote-unverified"),
)
_MILDER = {
    "bad-kind": "the same, but a warning: another kind is kept and searched all the same",
    "no-ledger-row": "the same, one finding for all of them",
    "served-code-differs": "the same, but a warning and only with `--installed`: a folder that lies "
    "beside a shelf proves nothing",
    "freshness-unknown": "the same, only with `--installed`",
}
PEER = {name: _MILDER.get(name, "the same") for name in _SAME} | _OTHERS
"""What each code of the peer is here."""


def tables() -> Iterator[str]:
    """The tables of docs/doctor.md, line by line."""
    for title, codes in GROUPS.items():
        yield from (f"### {title}", "", "| code | level | what it means | what to do |")
        yield "|---|---|---|---|"
        yield from (f"| `{one.code}` | {one.level} | {one.meaning} | {one.fix} |" for one in codes)
        yield ""
    yield from ("### The codes of memshelf-mcp", "", "| its code | here |", "|---|---|")
    yield from (f"| `{name}` | {here} |" for name, here in sorted(PEER.items()))
