"""The index: an inverted file of all episodes in SQLite's FTS5, in the cache folder; disposable.

A row is a file, known by the hash of its content; its tokens are kept without the text. A file that
changed gets a new row, and the old one stays behind as a dead one until a fifth of all are dead:
FTS5 cannot take a row out whose text it does not have.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

from ..domain.entry import VERSION
from ..storage import database
from ..storage.survey import Row
from .fields import FIELDS, Catalogue, Doc, Searched, replacing
from .postings import NEAR, Counts

_HEADS = "{title tags} : "
_LAYOUT = f"3.{VERSION}"
_SCHEMA = f"""
CREATE VIRTUAL TABLE words USING fts5({", ".join(FIELDS)}, content='', columnsize=0,
  tokenize="ascii tokenchars '+#.-'");
CREATE VIRTUAL TABLE places USING fts5vocab(words, instance);
CREATE VIRTUAL TABLE terms USING fts5vocab(words, row);
CREATE TABLE docs(no INTEGER PRIMARY KEY, path TEXT UNIQUE, blob TEXT, id TEXT, kind TEXT, date TEXT,
  author TEXT, project TEXT, tags TEXT, supersedes TEXT, superseded_by TEXT, length INT);
CREATE INDEX newest ON docs(date DESC, path, length);
CREATE INDEX ids ON docs(id);
CREATE INDEX replacing ON docs(no) WHERE supersedes <> '' OR superseded_by <> '';
CREATE TABLE state(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
"""
_TOGETHER = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?"
"""All that match as one text: a row each takes Python twice as long."""
_LAST = "\U0010ffff"
_DEAD = 5
"""One dead row in so many is the most that is kept."""
FILE = "search.sqlite"


class Changes(NamedTuple):
    """What an index lacks of some rows, and the numbers of the files that it has too many."""

    added: tuple[Row, ...]
    gone: tuple[int, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.gone)


class Note(NamedTuple):
    """What is remembered of a state of the shelf: the hash of the look that saw it, empty where it
    may change again unseen, and what could not be read, a line each."""

    seen: str
    problems: str = ""


Read = Callable[[Sequence[Row]], Iterable[Searched]]
"""What reads files for the index."""


class Index:
    """The index of one shelf. Methods raise sqlite3.Error where its file is damaged or held."""

    def __init__(self, folder: Path | None) -> None:
        self.file = folder / FILE if folder else None
        self._db, self.kept = database.opened(self.file, _LAYOUT, _SCHEMA)
        self._opened = self._inode()
        self.docs = Catalogue.of({})
        """All files, as they were when they were last read; see `refresh`."""
        self._fetched: dict[int, Doc] = {}
        self._beginning: dict[str, list[str]] = {}
        self._version, self._all_live = -1, True
        self.refresh()

    def _inode(self) -> tuple[int, int] | None:
        with contextlib.suppress(OSError):
            if self.file:
                found = self.file.stat()
                return found.st_dev, found.st_ino
        return None

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def discard(self) -> None:
        """Take the index away, with its file."""
        self.close()
        if self.file:
            database.removed(self.file)

    @property
    def gone(self) -> bool:
        """True where somebody has deleted the file, or put another in its place."""
        return self.kept and self._inode() != self._opened

    # --- what it holds --------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the list of files again, if this or another process has written."""
        version = self.version
        if version != self._version:
            self._fetched.clear()
            self._beginning.clear()
            self.docs = self._catalogue()
            self._all_live = not self.dead
            self._version = version

    @property
    def version(self) -> int:
        """A number that changes whenever another process has written."""
        ((version,),) = self._db.execute("PRAGMA data_version")
        return int(version)

    def _catalogue(self) -> Catalogue:
        rows = self._db.execute("SELECT no, length FROM docs ORDER BY date DESC, path")
        related = "SELECT * FROM docs WHERE supersedes <> '' OR superseded_by <> ''"
        replaced = replacing(map(_doc, self._db.execute(related)))
        archived = "SELECT no FROM docs WHERE path >= 'archive/' AND path < 'archive0'"
        past = {no for (no,) in self._db.execute(archived)}
        for name in replaced:
            past |= {no for (no,) in self._db.execute("SELECT no FROM docs WHERE id = ?", (name,))}
        return Catalogue(dict(rows.fetchall()), self._doc, self._no, past, replaced)

    def _no(self, path: str) -> int | None:
        found = self._db.execute("SELECT no FROM docs WHERE path = ?", (path,)).fetchone()
        return int(found[0]) if found else None

    def _doc(self, no: int) -> Doc:
        found = self._fetched.get(no)
        if found is None:
            (row,) = self._db.execute("SELECT * FROM docs WHERE no = ?", (no,))
            found = self._fetched[no] = _doc(row)
        return found

    @property
    def dead(self) -> int:
        """Rows of files that have changed or are gone."""
        ((live,),) = self._db.execute("SELECT count(*) FROM docs")
        return int(self.state("rows") or 0) - int(live)

    @property
    def crowded(self) -> bool:
        """True where so many rows are dead that the index should be made anew."""
        return self.dead * _DEAD > int(self.state("rows") or 0)

    def state(self, name: str) -> str:
        """A remembered text, or an empty one."""
        found = self._db.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else ""

    @property
    def note(self) -> Note:
        """What is remembered of the state that the index has."""
        return Note(self.state("seen"), self.state("problems"))

    def keep_state(self, name: str, value: str) -> None:
        """Remember a text under a name."""
        self._db.execute("INSERT OR REPLACE INTO state VALUES(?, ?)", (name, value))

    # --- following the shelf ---------------------------------------------------------------------

    def lacks(self, rows: Iterable[Row]) -> Changes:
        """How the index differs from the files that there are."""
        known, wanted = set(self._db.execute("SELECT path, blob FROM docs")), set(rows)
        gone = (self._no(path) for path, _ in sorted(known - wanted))
        return Changes(tuple(sorted(wanted - known)), tuple(no for no in gone if no is not None))

    def follow(self, rows: Sequence[Row], read: Read, note: Note | None = None) -> int:
        """Take in what the index lacks of some files, all or nothing; how many were read.

        With a note the files are all that there are: the others go, and the note stays. Another
        process that writes meanwhile has to wait, and then finds less to do.
        """
        with self._writing():
            changes = self.lacks(rows)
            if note:
                gone = ((no,) for no in changes.gone)
                self._db.executemany("DELETE FROM docs WHERE no = ?", gone)
            self._take_in(read(changes.added), note)
        return len(changes.added)

    def amend(
        self, read: Sequence[Searched], gone: Collection[str], note: Note, version: int
    ) -> bool:
        """Take in some files and let go of others: all that may have changed since the index had a
        version. False where it has another one by now, and nothing was done."""
        new = [one for one in read if self._blob(one.doc.path) != one.doc.blob]
        if not new and not gone and note == self.note:
            return self.version == version
        with self._writing():
            if self.version != version:
                return False
            self._db.executemany("DELETE FROM docs WHERE path = ?", ((path,) for path in gone))
            self._take_in(new, note)
        return True

    def _take_in(self, read: Iterable[Searched], note: Note | None) -> None:
        first = count = int(self.state("rows") or 0)
        for count, one in enumerate(read, first + 1):
            self._put(count, one)
        if count != first:
            self.keep_state("rows", str(count))
        for name, value in (note._asdict() if note else {}).items():
            self.keep_state(name, value)

    def _blob(self, path: str) -> str:
        found = self._db.execute("SELECT blob FROM docs WHERE path = ?", (path,)).fetchone()
        return str(found[0]) if found else ""

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # a full disk has undone it already
                self._db.execute("ROLLBACK")
            raise
        finally:
            self._version = -1

    @contextlib.contextmanager
    def at_rest(self) -> Iterator[None]:
        """What is asked meanwhile is answered from one state, whatever other processes write."""
        self._db.execute("BEGIN")
        try:
            self.refresh()
            yield
        finally:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("COMMIT")

    def settle(self) -> None:
        """Bring the file to its least size, once all is in it; while others read it, it stays."""
        with contextlib.suppress(sqlite3.OperationalError):
            self._db.execute("INSERT INTO words(words) VALUES('optimize')")
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _put(self, no: int, one: Searched) -> None:
        marks = ", ".join("?" * (1 + len(FIELDS)))
        names = ", ".join(("rowid", *FIELDS))
        self._db.execute(f"INSERT INTO words({names}) VALUES({marks})", (no, *one.fields))
        doc = one.doc
        cells = list(doc[:7])
        cells += ["\n".join(part) for part in (doc.tags, doc.supersedes, doc.superseded_by)]
        self._db.execute(
            "INSERT OR REPLACE INTO docs VALUES(?,?,?,?,?,?,?,?,?,?,?,?)", (no, *cells, doc.length)
        )

    # --- postings ----------------------------------------------------------------------------------

    def known(self, tokens: Collection[str]) -> bool:
        """See Postings."""
        return bool(tokens) and any(no in self.docs.lengths for (no,) in self._rows(_any(tokens)))

    def holding(self, tokens: Collection[str], heads: bool = False) -> set[int]:
        """See Postings."""
        return self._matching((_HEADS if heads else "") + f"({_any(tokens)})") if tokens else set()

    def counts(self, tokens: Collection[str]) -> dict[int, Counts]:
        """See Postings."""
        found: Counter[tuple[int, str]] = Counter()
        for token in tokens:
            found.update(self._db.execute("SELECT doc, col FROM places WHERE term = ?", (token,)))
        out: dict[int, list[int]] = {}
        for (no, field), count in found.items():
            if no in self.docs.lengths:
                out.setdefault(no, [0] * len(FIELDS))[FIELDS.index(field)] = count
        return {no: tuple(counts) for no, counts in out.items()}

    def near(self, one: Collection[str], other: Collection[str], among: Set[int]) -> Set[int]:
        """See Postings."""
        pairs = (f"NEAR({_quoted(a)} {_quoted(b)}, {NEAR})" for a in one for b in other if a != b)
        asked = " OR ".join(pairs)
        return among & self._matching(asked) if asked else set()

    def phrase(self, tokens: Sequence[str]) -> set[int]:
        """See Postings."""
        return self._matching(_quoted(" ".join(tokens))) if tokens else set()

    def beginning(self, start: str) -> Iterator[str]:
        """See Postings; tokens that only dead rows hold are among them."""
        first = start[:1]  # what words begin with is asked for letter by letter, again and again
        if first not in self._beginning:
            query = "SELECT term FROM terms WHERE term >= ? AND term < ?"
            rows = self._db.execute(query, (first, first + _LAST))
            self._beginning[first] = [term for (term,) in rows]
        return (term for term in self._beginning[first] if term.startswith(start))

    def _matching(self, asked: str) -> set[int]:
        ((joined,),) = self._db.execute(_TOGETHER, (asked,))
        found = set(json.loads(f"[{joined or ''}]"))
        return found if self._all_live else found & self.docs.lengths.keys()

    def _rows(self, asked: str) -> Iterator[tuple[int]]:
        return self._db.execute("SELECT rowid FROM words WHERE words MATCH ?", (asked,))


def _any(tokens: Iterable[str]) -> str:
    return " OR ".join(map(_quoted, sorted(tokens)))


def _quoted(token: str) -> str:
    """A token as FTS5 takes it for text; none holds a quote."""
    return f'"{token}"'


def _doc(row: tuple[Any, ...]) -> Doc:
    lists = (tuple(cell.split("\n")) if cell else () for cell in row[8:11])
    return Doc._make((*row[1:8], *lists, row[11]))
