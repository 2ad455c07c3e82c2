"""What a shelf says under [publish]: who reads the result, what may leave, which exceptions hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Literal, NamedTuple

from .config import SETTINGS, Config
from .dates import parse
from .episode import VISIBILITIES
from .errors import ShelfError, ShelfUnusable
from .finding import Finding
from .patterns import lazy

PUBLIC: Final = "public"
TEAM: Final = "team"
Readers = Literal["public", "team"]
MAY_READ: dict[str, tuple[str, ...]] = {PUBLIC: (PUBLIC,), TEAM: (TEAM, PUBLIC)}
"""The visibilities that each kind of readers may see."""

_KEYS = ("include", "readers", "branch", "remote", "site_url", "allow_public", "allow")
_ALLOW_KEYS = ("hash", "reason", "until")
_WEB = lazy(r"https?://[^\s/]")
_HASH = lazy(r"[0-9a-f]{16}")


class Allow(NamedTuple):
    """An exception for the guard: one value under one kind, by its hash; `until` is its last day."""

    hash: str
    reason: str
    until: date


@dataclass(frozen=True)
class Publishing:
    """How a shelf is published, defaults filled in. `told` is False where it says nothing of it.

    `include` are the visibilities that leave, `readers` those who see the result, `site_url` is where,
    "" for the address that the remote gives it.
    """

    include: tuple[str, ...] = (PUBLIC,)
    readers: Readers = PUBLIC
    branch: str = "gh-pages"
    remote: str = "origin"
    site_url: str = ""
    allow_public: bool = False
    allow: tuple[Allow, ...] = ()
    told: bool = False
    findings: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, config: Config) -> Publishing:
        """What the table [publish] says. Raises ShelfUnusable naming the line to change."""
        table = config.raw.get("publish")
        if table is None:
            return cls()
        if not isinstance(table, dict):
            raise _wrong("has a `publish` that is no table.", "Write [publish].")
        made = cls(
            include=_levels(table),
            readers=_readers(table),
            branch=_name(table, "branch", cls.branch),
            remote=_name(table, "remote", cls.remote),
            site_url=_address(table),
            allow_public=_flag(table),
            allow=_allowed(table),
            told=True,
            findings=tuple(_unknown(table)),
        )
        return _agreeing(made)

    def for_(self, readers: Readers) -> Publishing:
        """The same exceptions for an export that some readers get, whatever [publish] includes."""
        return Publishing(MAY_READ[readers], readers, allow=self.allow, told=True)

    def required(self) -> Publishing:
        """Itself; raises ShelfError with the lines to write where the shelf does not publish."""
        if self.told:
            return self
        raise ShelfError(
            "This shelf publishes nothing: it is private until it says otherwise.",
            f"Write in {SETTINGS}:\n\n"
            '  [publish]\n  include = ["public"]\n  readers = "public"\n\n'
            "  and `visibility: public` into the front matter of the episodes that may leave.",
            "not-published",
        )


def faults(config: Config) -> tuple[Finding, ...]:
    """What is wrong with the table [publish], for those who do not publish now."""
    try:
        return Publishing.of(config).findings
    except ShelfUnusable as trouble:
        return (Finding("error", "publish-settings", trouble.message, SETTINGS, trouble.fix),)


def _wrong(what: str, fix: str) -> ShelfUnusable:
    return ShelfUnusable(f"{SETTINGS} {what}", fix)


def _agreeing(made: Publishing) -> Publishing:
    """Itself, where nothing is included that the readers may not see."""
    may = MAY_READ[made.readers]
    beyond = [level for level in made.include if level not in may]
    if not beyond:
        return made
    what = f'includes {", ".join(beyond)} under [publish], and readers = "{made.readers}".'
    fix = f"Write include = [{', '.join(map(_quoted, may))}]"
    if beyond == [TEAM]:
        fix += ', or readers = "team" where only the team can open the result'
    raise _wrong(what, f"{fix}.")


def _levels(table: Mapping[str, Any]) -> tuple[str, ...]:
    value = table.get("include", [PUBLIC])
    if not isinstance(value, list) or not value or not all(one in VISIBILITIES for one in value):
        raise _wrong(f"says publish.include = {value!r}.", 'Write include = ["public"].')
    return tuple(dict.fromkeys(value))


def _readers(table: Mapping[str, Any]) -> Readers:
    value = table.get("readers", PUBLIC)
    if value not in MAY_READ:
        raise _wrong(f"says publish.readers = {value!r}.", 'Write "public" or "team".')
    return TEAM if value == TEAM else PUBLIC


def _name(table: Mapping[str, Any], key: str, default: str) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or not value or value.startswith("-"):
        raise _wrong(f"says publish.{key} = {value!r}.", f'Write {key} = "{default}".')
    return value


def _address(table: Mapping[str, Any]) -> str:
    value = table.get("site_url", "")
    if isinstance(value, str) and (not value or _WEB.match(value)):
        return value
    fix = 'Write site_url = "https://example.org/memory/".'
    raise _wrong(f"says publish.site_url = {value!r}.", fix)


def _flag(table: Mapping[str, Any]) -> bool:
    value = table.get("allow_public", False)
    if not isinstance(value, bool):
        raise _wrong(f"says publish.allow_public = {value!r}.", "Write true or false.")
    return value


def _allowed(table: Mapping[str, Any]) -> tuple[Allow, ...]:
    entries = table.get("allow", [])
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise _wrong("has a `publish.allow` that is no list of tables.", "Write [[publish.allow]].")
    return tuple(_exception(place, one) for place, one in enumerate(entries, 1))


def _exception(place: int, entry: Mapping[str, Any]) -> Allow:
    """One [[publish.allow]]: without a reason and an end it is no exception but a hole."""
    which, value = f"the [[publish.allow]] number {place}", entry.get("hash", "")
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise _wrong(f"gives {which} no hash.", "Copy the 16 digits that the guard printed.")
    reason = entry.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        raise _wrong(f"gives {which} no reason.", 'Write reason = "why this may be read".')
    until = _day(entry.get("until"))
    if until is None:
        raise _wrong(f"gives {which} no end.", "Write until = 2027-01-31, its last day.")
    return Allow(value, reason.strip(), until)


def _day(value: Any) -> date | None:
    """A day of TOML, or one in a text."""
    if isinstance(value, str):
        return parse(value)
    return value if isinstance(value, date) and not isinstance(value, datetime) else None


def _unknown(table: Mapping[str, Any]) -> list[Finding]:
    names = [f"publish.{key}" for key in table if key not in _KEYS]
    entries = table.get("allow", [])
    names += [f"publish.allow.{key}" for one in entries for key in one if key not in _ALLOW_KEYS]
    said = "The setting {!r} is not known and has no effect."
    fix = "Check its spelling."
    return [
        Finding("warning", "unknown-setting", said.format(name), SETTINGS, fix)
        for name in dict.fromkeys(names)
    ]


def _quoted(word: str) -> str:
    return f'"{word}"'
