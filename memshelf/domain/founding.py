"""The files that a new shelf begins with."""

from __future__ import annotations

import json
import re

from .config import DOCSHELF, MANIFEST, RECALL_RULE, SETTINGS
from .episode import CATEGORIES
from .frontmatter import quote

_POLICY = """\
# Policy of this shelf

Episodes are records of past conversations. Before anything is written here:

1. Credentials are masked as `«redacted:KIND»`. memshelf does it to every field; that is a net to
   fall into, no licence to paste secrets.
2. People outside the project are named by neutral labels ("person A", a role), never by name,
   mail or handle.
3. Raw transcripts are never kept here, only what came out of them.
4. What was written for one addressee is mentioned, not copied.

Rules that a machine can check stand in `POLICY.patterns`.
"""

_PATTERNS = """\
# One rule a line: KIND, white space, a regular expression (Python's, case-sensitive).
# What it matches is masked as «redacted:KIND» when an episode is written.
# email       [A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}
# student-id  S[0-9]{6}
"""

_IGNORE = """\
.DS_Store
*.swp
.memshelf-*.tmp
"""

_ATTRIBUTES = """\
* text=auto eol=lf
"""


def founding_files(
    name: str, after_write: bool, index: str = "external", merging: str = ""
) -> dict[str, str]:
    """Path and text of every file of a new shelf, derived ones apart.

    `index` says who renders INDEX.md: `external` is memshelf in its own form. `merging` are the
    lines of .gitattributes that say how git merges (see `merging.attributes`).
    """
    kept = {f"docs/{category}/.gitkeep": "" for category in CATEGORIES}
    return {
        MANIFEST: _manifest(name, index),
        DOCSHELF: _docshelf(name),
        SETTINGS: _settings(after_write),
        "POLICY.md": _POLICY,
        "POLICY.patterns": _PATTERNS,
        ".gitignore": _IGNORE,
        ".gitattributes": _ATTRIBUTES + merging,
        **kept,
    }


def _manifest(name: str, index: str) -> str:
    categories = "".join(f"  - {category}\n" for category in CATEGORIES)
    return f"""\
# What this folder is (shelf-spec); read by memshelf and other tools.
spec_version: "0.1"
mode: single
name: {quote(name)}
profile: memory
docs_root: docs
categories:
{categories}index:
  path: INDEX.md
  generated_by: {index}
ledger:
  path: ledger.tsv
policy:
  path: POLICY.md
  patterns: POLICY.patterns
"""


def _docshelf(name: str) -> str:
    """The peer's configuration, so that it keeps the name and the order of the categories."""
    content = {
        "name": name,
        "remote": "",
        "branch": "main",
        "preamble": RECALL_RULE,
        "category_order": list(CATEGORIES),
        "split_threshold_bytes": 51200,
        "index_style": "auto",
        "subindex_threshold_sections": 10,
        "provider": "github",
        "url_template": "",
    }
    return json.dumps(content, indent=2) + "\n"


def _settings(after_write: bool) -> str:
    rebuild = "after-write" if after_write else "manual"
    return f"""\
# Settings of memshelf; each may be left out.
[shelf]
visibility = "private"      # private, team or public: what an episode is unless it says otherwise
rebuild = "{rebuild}"     # render derived files after each write, or "manual"
"""


def take_index(manifest: str) -> str:
    """A manifest that says that INDEX.md is rendered by memshelf; the rest as it was."""
    return re.sub(r"(?m)^(\s+generated_by:\s*)\S+", r"\1external", manifest, count=1)
