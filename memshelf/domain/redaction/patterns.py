"""POLICY.patterns: a shelf's own rules, one a line, `KIND REGEX`.

A regular expression can be written so that it takes longer than the universe has (`(a+)+$`), and
Python's engine cannot be stopped. So before a rule is used its parse tree is looked at: a repeat
inside a repeat whose ends can meet in two ways is refused. What is merely slow (`.*x.*y`) passes.
"""

from __future__ import annotations

import re
import warnings
from importlib import import_module
from typing import Any, NamedTuple

from ..finding import Finding

LONGEST = 1000
"""Characters of the longest regular expression that is accepted."""


class Rule(NamedTuple):
    """What to mask, as which kind. Of a match the group named `keep` and what is in front of it
    stay; without one the whole match is masked."""

    kind: str
    pattern: re.Pattern[str]
    keep: str = ""


def parse_patterns(text: str) -> tuple[tuple[Rule, ...], tuple[Finding, ...]]:
    """The rules of a POLICY.patterns, and a warning for every line that is none.

    Lines are stripped; empty ones and those that begin with `#` are skipped. The kind is the first
    run of characters without white space, the rest is a regular expression of Python's `re`, which
    may hold spaces and is matched case-sensitively.
    """
    rules: list[Rule] = []
    findings: list[Finding] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        kind, source = [*line.split(None, 1), "", ""][:2]
        if not kind or kind.startswith("#"):
            continue
        made = _rule(kind, source.strip())
        if isinstance(made, Rule):
            rules.append(made)
        else:
            findings.append(_finding(number, *made))
    return tuple(rules), tuple(findings)


def _finding(number: int, message: str, fix: str) -> Finding:
    return Finding("warning", "policy-pattern-invalid", message, f"POLICY.patterns:{number}", fix)


def _rule(kind: str, source: str) -> Rule | tuple[str, str]:
    """The rule of a line, or what is wrong with it and what to do."""
    if not source:
        return f"The rule {kind!r} has no pattern.", "Write KIND, a space, a regular expression."
    if "«" in kind or "»" in kind or len(kind) > 64:
        return f"The kind {kind[:64]!r} cannot stand in a mask.", "Name it in at most 64 letters."
    if len(source) > LONGEST:
        return (
            f"The pattern of {kind!r} has {len(source)} characters.",
            f"Split it into several rules of at most {LONGEST}.",
        )
    return _compiled(kind, source)


def _compiled(kind: str, source: str) -> Rule | tuple[str, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pattern, tree = re.compile(source), _tree(source)
    except (re.error, OverflowError, RecursionError, ValueError) as fault:
        return f"The pattern of {kind!r} is no regular expression: {fault}.", "Mend it."
    if tree.getwidth()[0] == 0:
        return (
            f"The pattern of {kind!r} can match nothing at all, and so would match everywhere.",
            "Make a part of it mandatory, for example by + instead of *.",
        )
    if _explodes(_flat(tree), None):
        return (
            f"The pattern of {kind!r} repeats what it repeats, and could run for ever.",
            "Leave out one of the two repeats, or put a sign between that only ends the inner one.",
        )
    return Rule(kind, pattern)


def _tree(source: str) -> Any:
    # The parser of `re` itself: the same tree that the engine runs, and no second reading of syntax.
    return import_module("re._parser").parse(source)


_Items = list[tuple[str, Any]]

_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_MANY = 16
_ALL = frozenset(range(257))  # the last stands for everything beyond Latin-1


def _explodes(items: _Items, loop: _Items | None) -> bool:
    """True where, inside an unbounded repeat, one text can be read in two ways.

    `loop` is what comes again behind the items, None outside of every repeat.
    """
    for at, (name, args) in enumerate(items):
        behind = [*items[at + 1 :], *(loop or ())]
        if name in _REPEATS:
            low, high, body = args[0], args[1], _flat(args[2])
            if loop is not None and low != high and _first(body)[0] & _first(behind)[0]:
                return True
            again = body if int(high) > _MANY else [*body, *behind]
            if _explodes(body, again if loop is not None or int(high) > _MANY else None):
                return True
        elif name == "BRANCH":
            if loop is not None and _overlap(args[1], behind):
                return True
            if any(_explodes(_flat(part), None if loop is None else behind) for part in args[1]):
                return True
    return False


def _flat(tree: Any) -> _Items:
    """The items of a parse tree, those of groups in the place of the groups."""
    items: _Items = []
    for op, args in tree:
        name = str(op)
        if name in ("SUBPATTERN", "ATOMIC_GROUP"):
            items += _flat(args[-1] if name == "SUBPATTERN" else args)
        else:
            items.append((name, args))
    return items


def _overlap(parts: list[Any], behind: _Items) -> bool:
    """True where two alternatives of different length begin alike, or one begins like what comes
    behind where another is empty."""
    firsts = [(*_first(_flat(part)), part.getwidth()) for part in parts]
    if any(empty for _, empty, _ in firsts):
        firsts.append((*_first(behind), (0, 0)))
    return any(
        a & b and (wa != wb or wa[0] != wa[1] or wa[0] == 1)
        for i, (a, _, wa) in enumerate(firsts)
        for b, _, wb in firsts[i + 1 :]
    )


def _first(items: _Items) -> tuple[frozenset[int], bool]:
    """The letters that items can begin with, and whether all of them can be empty."""
    letters: set[int] = set()
    for name, args in items:
        more, empty = _first_of(name, args)
        letters |= more
        if not empty:
            return frozenset(letters), False
    return frozenset(letters), True


def _first_of(name: str, args: Any) -> tuple[frozenset[int], bool]:
    if name == "LITERAL":
        return frozenset({min(args, 256)}), False
    if name == "NOT_LITERAL":
        return _ALL - {args}, False
    if name == "IN":
        return _letters(args), False
    if name in _REPEATS or name == "POSSESSIVE_REPEAT":
        letters, empty = _first(_flat(args[2]))
        return letters, empty or args[0] == 0
    if name == "BRANCH":
        parts = [_first(_flat(part)) for part in args[1]]
        return frozenset().union(*(p for p, _ in parts)), any(e for _, e in parts)
    if name in ("AT", "ASSERT", "ASSERT_NOT"):
        return frozenset(), True
    return _ALL, False


def _letters(items: list[Any]) -> frozenset[int]:
    letters: set[int] = set()
    for op, args in items:
        name = str(op)
        if name == "LITERAL":
            letters.add(min(args, 256))
        elif name == "RANGE":
            letters |= set(range(args[0], min(args[1], 256) + 1)) or {256}
        elif name == "CATEGORY":
            letters |= _category(str(args))
    negated = bool(items) and str(items[0][0]) == "NEGATE"
    return _ALL - letters if negated else frozenset(letters)


def _category(name: str) -> set[int]:
    kind = name.removeprefix("CATEGORY_").removeprefix("NOT_")
    test = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[kind]
    inside = {code for code in range(256) if re.match(test, chr(code))} | {256}
    return (set(range(256)) - inside) | {256} if "NOT_" in name else inside
