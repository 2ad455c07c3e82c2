"""Whether the value behind a name and a joint is a secret: one judge for each kind of joint.

What the peer's `env-secret` finds (any word with TOKEN, SECRET, PASSWORD ... before a `=`) is a
secret here too, but for what plainly is none: a number behind `max_tokens =`, an expression, a
variable, a path, a word of prose. There the peer's doctor cannot be pleased.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .names import Name, name_at
from .secretlike import (
    is_code,
    is_expression,
    is_number,
    is_path,
    is_place,
    is_reference,
    is_regex,
    is_sentence,
    is_slot,
    is_strong,
    is_vocabulary,
    is_wordy,
)
from .tokens import Span
from .values import Value, value_at, whole_end

ASSIGNED, OTHER = "env-secret", "credential"

_RANK = 700
_WORDY = ("colon", "copula", "apart", "dash", "cell")
_WORDS = re.compile(rb"[A-Z]?[a-z]{1,9}[,;]? [A-Za-z(]")
_TELLING = re.compile(rb"login[ \t]+\S{1,64}[ \t]+$|(?:with|using)[ \t]+(?:\S{1,20}[ \t]+)?$")
_STOPS = {"element": b"</", "cell": b"|"}
_LAST = re.compile(r"[\s,;.)\]}>\"'`|*!]*(?:(?:#|//|\(|--|<!--).*)?$")
_FLAG_OR_LOGIN = re.compile(rb"(?<![a-z])login[ \t]+\S{1,64}[ \t]+$")


def verdict(match: re.Match[bytes], raw: bytes, low: bytes) -> Span | None:
    """The span of the value behind a name and a joint, or None where it is no secret.

    `match` is one of named.py: its last group is the joint, `tail`, `close` and `joint` say where
    what is grown onto the noun, closing quotes behind the name, and the joint begin.
    """
    joint, end = match.lastgroup or "", match.start("close")
    if _is_prose(joint, match, raw, low):
        return None
    name = name_at(raw, low, match.start(), match.start("tail"), end)
    value = value_at(raw, match.end(), _STOPS.get(joint, b"")) if name else None
    if name is None or value is None or (joint == "space" and end < match.start("joint")):
        return None
    tight = match[joint] in (b"=", b":") or (joint == "colon" and match[joint].endswith(b":"))
    if not _is_secret(joint, name, value, tight):
        return None
    if joint in ("equals", "typed") and end == match.start("joint"):
        # The layout of the peer, which its doctor looks for: `KEY=«redacted:env-secret»`.
        stop = value.closed if value.quoted else whole_end(raw, value)
        return Span(end, stop, ASSIGNED, _RANK, value.start, "=")
    return Span(value.start, whole_end(raw, value), OTHER, _RANK + 1, value.start)


def _is_prose(joint: str, match: re.Match[bytes], raw: bytes, low: bytes) -> bool:
    """True where plain words go on behind a name: most of what is met, told at little cost."""
    if joint == "space":
        before = low[max(0, match.start() - 80) : match.start()]
        telling = match["flag"] is not None or _TELLING.search(before)
        return not telling and raw[match.end()] not in b"\"'`"
    return joint in _WORDY and bool(_WORDS.match(raw, match.end()))


def _is_secret(joint: str, name: Name, value: Value, tight: bool) -> bool:
    """`joint` is a key of `JUDGES`; `tight` says that no white space stands at a `=` or behind a
    `:`."""
    if not value.quoted:
        # A line break that is written out ends a value, where all of it will be masked.
        value = value._replace(text=re.split(r"\\[nr](?!\w*$)", value.text)[0])
    bare = value.text if value.quoted else value.text.lstrip("*_").rstrip("*.,;:)\"'`")
    if is_slot(value.text) or is_slot(bare):
        return False
    return JUDGES[joint](name, value, bare, tight)


def _quoted(name: Name, value: Value, text: str, tight: bool) -> bool:
    if is_vocabulary(text) or is_sentence(text) or is_place(text) or is_regex(text):
        return False
    if is_number(text):
        return _long_number(name, text)
    if name.about:
        return " " not in text and is_strong(text, 2)
    if is_strong(text, name.digits) and not (name.loose and " " in text):
        return True
    if name.password or not is_wordy(text) or len(text.split()) > 2:
        return not is_reference(text) and not (name.loose and " " in text)
    return False


def _assigned_text(name: Name, text: str, tight: bool) -> bool:
    """Behind a `=` a quoted word is enough, as it is for the peer."""
    if not is_sentence(text) and len(text) > 2 and not is_vocabulary(text):
        if name.upper and not is_place(text):
            return True
        if re.fullmatch(r"[\w-]+", text) and not (is_number(text) or name.about):
            return not is_reference(text)
    return False


def _assigned(name: Name, value: Value, text: str, tight: bool) -> bool:
    if name.written.lower().endswith(b"pwd") and is_path(text):
        return False  # the working directory of a shell
    if value.quoted:
        return _quoted(name, value, text, tight) or _assigned_text(name, text, tight)
    if is_vocabulary(text) or is_place(text) or is_code(value.text, value.line):
        return False
    if is_number(text):
        return _long_number(name, text)
    if name.about:
        return is_strong(text, 2)
    if name.upper and (tight or _LAST.match(value.line)):
        return True
    if is_expression(value.text):
        return _plain_password(name, value, text, tight)
    return not is_reference(text)


def _plain_password(name: Name, value: Value, text: str, tight: bool) -> bool:
    """True for a bare word behind `password =` (or `token=`, tight) that reads as its value."""
    if len(text) < 4 or is_reference(text) or value.text != text:
        return False
    if is_strong(text, name.digits):
        return True
    identifier = "_" in text or not (text.islower() or text.isupper() or text.istitle())
    if tight:
        return name.password or not identifier
    return name.password and not identifier and bool(_LAST.match(value.line))


def _coloned(name: Name, value: Value, text: str, tight: bool) -> bool:
    if name.before.endswith((b"$", b"${")):
        return False  # "$pwd: not found"
    if value.quoted:
        return _quoted(name._replace(upper=False), value, text, tight)
    if tight:
        return _shown(name, value, re.split(r"[,{}\[\]();\"'`<>]", text)[0], tight) and (
            not name.before.endswith((b":", b"/"))
        )
    if is_vocabulary(text) or is_place(text) or is_code(value.text, value.line):
        return False
    if is_number(text):
        return _long_number(name, text) and bool(_LAST.match(value.line))
    if name.about:
        return is_strong(text, 2)
    if is_strong(text, name.digits):
        return True
    alone = bool(_LAST.match(value.line))
    return name.password and alone and len(text) >= 4 and not is_reference(text)


def _cell(name: Name, value: Value, text: str, tight: bool) -> bool:
    """A cell behind a cell with a name: `| db password | x |`."""
    line = name.before.rpartition(b"\n")[2]
    text = text.strip("`")
    return (
        (b"|" in line or not line.strip()) and " " not in text and (_said(name, value, text, tight))
    )


def _said(name: Name, value: Value, text: str, tight: bool) -> bool:
    """Prose and tables: only what is no word."""
    if name.about or is_vocabulary(text) or is_sentence(text) or is_place(text):
        return False
    if text.isdigit():
        amount = value.text == text and re.match(r"\s+\w", value.line)
        return name.password and len(text) >= 6 and not amount
    if value.quoted and name.password and not is_number(text):
        return not is_reference(text)
    if not value.quoted and is_code(value.text, ""):
        return False
    if not (value.quoted or name.password) and re.search(r"[\[\](){}]", text):
        return False
    return is_strong(text, name.digits)


def _shown(name: Name, value: Value, text: str, tight: bool) -> bool:
    """Only what looks like a secret by itself, quoted or not."""
    return not name.about and is_strong(text, name.digits) and not is_sentence(text)


def _called(name: Name, value: Value, text: str, tight: bool) -> bool:
    return (
        b"." not in name.tail and bool(re.search(r"\d", text)) and _shown(name, value, text, tight)
    )


def _element(name: Name, value: Value, text: str, tight: bool) -> bool:
    return name.before.endswith((b"<", b":")) and _quoted(name, value, text, tight)


def _spaced(name: Name, value: Value, text: str, tight: bool) -> bool:
    """A flag (`--password x`), a login line of .netrc, SQL (`PASSWORD 'x'`), "with password x"."""
    flag = name.written.startswith(b"-")
    if flag or _FLAG_OR_LOGIN.search(name.before):
        if name.password and not value.quoted:
            return not (is_vocabulary(text) or is_place(text) or is_reference(text))
        return (
            _quoted(name, value, text, tight) if value.quoted else _shown(name, value, text, tight)
        )
    if value.quoted:
        sql = name.written == b"PASSWORD" and not is_vocabulary(text)
        return name.password and (sql or _shown(name, value, text, tight))
    return name.password and name.before.endswith((b"with ", b"using ")) and is_strong(text)


def _long_number(name: Name, text: str) -> bool:
    """True for a number that is no amount: four digits of a password, eight of anything else."""
    if name.counted or name.about or not text.isdigit():
        return False
    return len(text) >= (4 if name.password else 8)


JUDGES: dict[str, Callable[[Name, Value, str, bool], bool]] = {
    "sibling": _coloned,
    "typed": _assigned,
    "equals": _assigned,
    "arrow": _quoted,
    "block": _coloned,
    "colon": _coloned,
    "element": _element,
    "call": _called,
    "cell": _cell,
    "copula": _said,
    "apart": _said,
    "dash": _said,
    "space": _spaced,
}
