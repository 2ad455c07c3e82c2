"""Source: what gives the texts of a shelf, and what the shelf says of itself in them.

A folder is one (`store.py`), a commit another (`revision.py`); what is made of their texts is
the same and stands here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from ..domain.episode import Document, Episode, episode_of
from ..domain.errors import ShelfError, ShelfUnusable
from ..domain.finding import Finding

if TYPE_CHECKING:  # importing these at run time would cost every start-up
    from ..domain.config import Config
    from ..domain.policy import Policy
    from ..domain.shelf import Recall, Shelf
    from .survey import Survey

_ARCHIVE = "archive/.docshelf.json"
_RETROS = "retros"


class Source(ABC):
    """The texts of a shelf by their paths. `folder` is the name that it has without settings."""

    folder: str

    @abstractmethod
    def text(self, path: str) -> str:
        """A file as text. Raises ShelfError naming the file where it cannot be read."""

    @abstractmethod
    def bytes(self, path: str) -> bytes | None:
        """A file as bytes, None where there is none."""

    @abstractmethod
    def has(self, path: str) -> bool:
        """Whether there is a file."""

    @abstractmethod
    def names(self, folder: str) -> list[str]:
        """The names of the Markdown files in a folder."""

    def document(self, path: str) -> Document:
        """The document at a path."""
        return Document.of(self.text(path))

    def episode(self, path: str) -> Episode:
        """The whole episode at a path."""
        return episode_of(self.document(path), PurePosixPath(path).stem)

    # --- what the shelf says of itself ---------------------------------------------------------

    @cached_property
    def config(self) -> Config:
        """The settings. Raises ShelfUnusable where one of their files cannot be understood."""
        from ..domain.config import DOCSHELF, MANIFEST, SETTINGS, read_config

        manifest, docshelf, settings = map(self._optional, (MANIFEST, DOCSHELF, SETTINGS))
        return read_config(manifest, docshelf, settings, self.folder)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What memshelf.toml says under [shelf], defaults filled in; cheaper than `config`."""
        from ..domain.config import SETTINGS, shelf_settings

        return shelf_settings(self._optional(SETTINGS))

    @cached_property
    def tables(self) -> dict[str, Any]:
        """All of memshelf.toml, as read; cheaper than `config`. Raises ShelfUnusable."""
        from ..domain.config import SETTINGS, all_settings

        return all_settings(self._optional(SETTINGS))

    @cached_property
    def patterns(self) -> tuple[str, int]:
        """What the policy is made of: the text of the shelf's redaction rules, digest words."""
        from ..domain.config import SETTINGS, policy_settings

        digest_words, names = policy_settings(self._optional(SETTINGS))
        return "\n".join(map(self._rules, names)), digest_words

    def _rules(self, name: str) -> str:
        """A file of redaction rules; only the usual one may be absent."""
        from ..domain.config import PATTERNS

        try:
            text = self._optional(name)
        except ShelfError as trouble:
            raise ShelfUnusable(trouble.message, trouble.fix) from None
        if text is None and name != PATTERNS:
            said = f"memshelf.toml names {name} under redact.patterns, which is not there."
            raise ShelfUnusable(said, "Restore the file, or take the name out.")
        return text or ""

    @cached_property
    def policy(self) -> Policy:
        """The shelf's own redaction rules."""
        from ..domain.policy import policy_of

        return policy_of(*self.patterns)

    def _optional(self, path: str) -> str | None:
        return self.text(path) if self.has(path) else None

    # --- all of it -----------------------------------------------------------------------------

    def snapshot(self, survey: Survey) -> Shelf:
        """The snapshot of a survey. Files that cannot be read are problems and hide no other."""
        from ..domain.shelf import Shelf

        sides, unread = self.side_files()
        return Shelf.make(
            survey.entries().values(),
            config=self.config,
            rules=lambda: self.policy,
            recalls=tuple(self.recalls()),
            problems=(*survey.problems, *unread),
            load=self.episode,
            contents={row.path: row.blob for row in survey.rows},
            files=sides,
        )

    def side_files(self) -> tuple[dict[str, str], list[Finding]]:
        """The other texts that renderers need, by path, and which of them cannot be read."""
        found = {_ARCHIVE: self.text(_ARCHIVE)} if self.has(_ARCHIVE) else {}
        unread = []
        paths = sorted(f"{_RETROS}/{name}" for name in self.names(_RETROS))
        for path in filter(self.has, paths):
            try:
                found[path] = self.text(path)
            except ShelfError as trouble:
                unread.append(unreadable(path, trouble))
        return found, unread

    def recalls(self) -> Iterator[Recall]:
        """Every recall in the log."""
        from . import recalls

        log = (self.bytes(recalls.LOG) or b"").decode("utf-8", "replace")
        yield from recalls.parse(log)


def unreadable(path: str, trouble: ShelfError) -> Finding:
    """What is wrong with a file, as a finding that hides no other file."""
    return Finding("error", trouble.code, trouble.message, path, trouble.fix)
