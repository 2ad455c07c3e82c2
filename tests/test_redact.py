"""Redaction: every made-up secret is masked, no decoy is, and masking again changes nothing."""

from __future__ import annotations

import random
import re
import string
from collections import Counter
from collections.abc import Iterator

import pytest
import secret_corpus as corpus
from hypothesis import given, settings
from hypothesis import strategies as st

from memshelf.domain.redact import (
    VERSION,
    Rule,
    find_secrets,
    merge_counts,
    parse_patterns,
    redact,
    summary,
)
from memshelf.domain.redaction.sieve import sieve
from memshelf.domain.redaction.tokens import shaped

SEEDS = range(1, 6)
MASK = re.compile("«redacted:[^\\s»]+»")


def masked(text: str, *rules: Rule) -> str:
    return redact(text, rules)[0]


def joined(*pieces: str) -> str:
    """A secret from its pieces, so that no file holds it whole."""
    return "".join(pieces)


PASSWORD = joined("Tr0ub", "4dor", "7x")
NAMED = joined("hun", "ter", "2")
GITHUB = joined("gh", "p_", "aB3" * 12)
AWS = joined("AK", "IA", "Z2X4" * 4)
BORDER = "-" * 5 + "{} PRIVATE " + "KEY" + "-" * 5


# --- the corpus ------------------------------------------------------------------------------


def test_the_corpus_holds_a_hundred_secrets_and_a_hundred_decoys() -> None:
    assert len(corpus.secrets()) >= 100
    assert len(set(corpus.decoys())) >= 100
    assert len({sample.kind for sample in corpus.secrets()}) >= 50


def test_no_file_of_ours_holds_a_secret_of_the_corpus_whole() -> None:
    from pathlib import Path

    source = Path(corpus.__file__).read_text("utf-8") + Path(__file__).read_text("utf-8")
    assert not [piece for s in corpus.secrets() for piece in s.pieces if piece in source]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_secret_is_masked(seed: int) -> None:
    left = [
        (sample.kind, sample.text)
        for sample in corpus.secrets(seed)
        if any(piece in masked(sample.text) for piece in sample.pieces)
    ]
    assert not left


@pytest.mark.parametrize("seed", SEEDS)
def test_no_decoy_is_changed(seed: int) -> None:
    assert [text for text in corpus.decoys(seed) if masked(text) != text] == []


def test_a_token_of_a_provider_is_known_by_itself_wherever_it_stands() -> None:
    rng = random.Random(7)
    frames = [
        "{}",
        "see {}.",
        '"{}"',
        "({})",
        "`{}`",
        "a\n{}\nb",
        "é {} ü",
        "x={};",
        "|{}|",
        "<{}>",
    ]
    left = []
    for sample in corpus.provider_tokens(rng):
        for frame in frames:
            text = frame.format(sample.text)
            if any(piece in masked(text) for piece in sample.pieces):
                left.append((sample.kind, text))
    assert not left


def test_a_token_is_counted_as_its_own_kind() -> None:
    kinds = {
        sample.text: (sample.kind, redact(sample.text)[1])
        for sample in corpus.provider_tokens(random.Random(3))
    }
    assert [(k, c) for k, c in kinds.values() if c != {k: 1}] == []


@pytest.mark.parametrize(
    "alphabet",
    [string.ascii_letters + string.digits, string.hexdigits[:16], corpus.ALNUM + "!@#%^*-_+"],
)
def test_a_name_gives_away_whatever_stands_behind_it(alphabet: str) -> None:
    rng = random.Random(11)
    left = Counter(
        layout
        for layout in corpus.NAMED
        for _ in range(5)
        for secret in ["Q7" + corpus.draw(rng, alphabet, 18) + "9k"]
        if secret in masked(layout.format(secret))
    )
    assert not left


def test_it_finds_at_least_what_detect_secrets_finds_and_flags_no_more() -> None:
    ours, theirs = corpus.measure()
    assert (ours.scanner, theirs.scanner) == ("memshelf", "detect-secrets")
    assert ours.found >= theirs.found
    assert ours.flagged <= theirs.flagged
    assert (ours.found, ours.flagged) == (ours.secrets, 0)


# --- what a mask looks like ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"key {AWS} was used", "key «redacted:aws-access-key» was used"),
        (joined("sq", "u_", "0a" * 20), "«redacted:sonar-token»"),
        (f"pushed with {GITHUB}.", "pushed with «redacted:github-token»."),
        (f"Authorization: Bearer {'abc.def-' * 3}", "Authorization: «redacted:bearer»"),
        (f"bearer\n  {'q' * 16}", "«redacted:bearer»"),
        (f"DB_PASSWORD={NAMED}", "DB_PASSWORD=«redacted:env-secret»"),
        (f"db_password = {NAMED} # old", "db_password=«redacted:env-secret» # old"),
        (f"API_KEY = 'a b {NAMED}';", "API_KEY=«redacted:env-secret»;"),
        (f"GITHUB_TOKEN={GITHUB}", "GITHUB_TOKEN=«redacted:github-token»"),
        (f'token = "{GITHUB}"', "token=«redacted:github-token»"),
    ],
)
def test_the_five_kinds_of_the_peer_keep_their_names_and_shape(text: str, wanted: str) -> None:
    assert masked(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f'{{"api_key": "{PASSWORD}"}}', '{"api_key": "«redacted:credential»"}'),
        (f"password: {NAMED}, user: joe", "password: «redacted:credential», user: joe"),
        (f"(password: {NAMED})", "(password: «redacted:credential»)"),
        (f"the password is {NAMED}.", "the password is «redacted:credential»."),
        (f"cmd --password {NAMED} x", "cmd --password «redacted:credential» x"),
        (f"https://joe:{NAMED}@h/", "https://joe:«redacted:url-password»@h/"),
        (f"redis://:p@{NAMED}@h:1", "redis://:«redacted:url-password»@h:1"),
        (f"?token={PASSWORD}&user=joe", "?token=«redacted:env-secret»&user=joe"),
        (f"Id=joe;Password={NAMED};Ssl=1", "Id=joe;Password=«redacted:env-secret»;Ssl=1"),
        (f"password: |\n  {NAMED}\nnext: 1", "password: |\n  «redacted:credential»\nnext: 1"),
        (
            f"- name: DB_PASSWORD\n  value: {NAMED}",
            "- name: DB_PASSWORD\n  value: «redacted:credential»",
        ),
    ],
)
def test_only_the_secret_is_masked_and_the_text_around_it_stays(text: str, wanted: str) -> None:
    assert masked(text) == wanted


def test_what_the_peer_looks_for_is_nowhere_in_what_was_masked() -> None:
    """Its five patterns, from its description; only decoys can still please them."""
    word = "(?:TOKEN|SECRET|PASSWORD|PASSWD|PWD|API[_-]?KEY|ACCESS[_-]?KEY)"
    peer = [
        re.compile(r"\bAKIA[0-9A-Z]{16}\b"),
        re.compile(r"\bsqu_[0-9a-f]{40}\b"),
        re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b"),
        re.compile(r"\bBearer\s+[A-Za-z0-9._-]{16,}", re.IGNORECASE),
        re.compile(rf"\b\w*{word}\w*\s*=\s*(?!«redacted:)\S+", re.IGNORECASE),
    ]
    texts = [masked(sample.text) for seed in SEEDS for sample in corpus.secrets(seed)]
    assert [(p.pattern, text) for text in texts for p in peer if p.search(text)] == []


def test_a_value_is_kept_whole_whatever_joins_name_and_value() -> None:
    joints = ["=", " = ", "= ", " =", ": ", " : ", ":= ", ' => "', " := "]
    for joint in joints:
        text = f"password{joint}{PASSWORD}" + ('"' if '"' in joint else "")
        assert PASSWORD not in masked(text), text


def test_lines_stay_lines() -> None:
    for sample in corpus.secrets():
        if not sample.kind.startswith("private-key"):
            assert masked(sample.text).count("\n") == sample.text.count("\n")


def test_a_key_block_becomes_one_mask_and_its_neighbours_stay() -> None:
    lines = ["MIIE" + "aB3+" * 15, "x9/Z" * 16, "Qw==" + ""]
    block = "\n".join([BORDER.format("BEGIN"), *lines, BORDER.format("END")])
    assert masked(f"before\n{block}\nafter") == "before\n«redacted:private-key»\nafter"


def test_a_border_line_alone_is_prose() -> None:
    text = f"It begins with {BORDER.format('BEGIN')} and ends with {BORDER.format('END')}."
    assert masked(text) == text


# --- counts, hits, summary -------------------------------------------------------------------


def test_secrets_are_counted_by_kind_and_summed_up_in_a_sentence() -> None:
    text, counts = redact(f"{GITHUB} and {GITHUB}\npassword={NAMED}")
    assert counts == {"github-token": 2, "env-secret": 1}
    assert summary(counts) == "redacted 3 (env-secret×1, github-token×2)"
    assert summary({}) == "no secrets found"
    assert merge_counts(counts, {"github-token": 1}) == {"github-token": 3, "env-secret": 1}
    assert GITHUB not in text
    assert VERSION >= 1


def test_a_hit_says_kind_and_place_in_characters_and_never_the_value() -> None:
    text = f"пароль — ключ 🔑: {GITHUB}, api_key: '{PASSWORD}'"
    hits = find_secrets(text)
    assert [(hit.kind, text[hit.start : hit.end]) for hit in hits] == [
        ("github-token", GITHUB),
        ("credential", PASSWORD),
    ]
    assert GITHUB not in repr(hits)


# --- properties ------------------------------------------------------------------------------


def _fragments() -> Iterator[str]:
    yield from [
        "password",
        "TOKEN",
        "api_key",
        "secret",
        "=",
        ": ",
        " is ",
        '"',
        "'",
        "`",
        "\n",
        " ",
    ]
    yield from [
        "«redacted:x»",
        "«redacted:",
        "»",
        "://",
        "@",
        "u:p@h",
        "Bearer ",
        "|",
        "--",
        "${X}",
    ]
    yield from [
        NAMED,
        PASSWORD,
        GITHUB,
        AWS,
        joined("ey", "J"),
        BORDER.format("BEGIN"),
        "é",
        "密码：",
    ]
    yield from [sample.text for sample in corpus.secrets()[::9]]
    yield from corpus.decoys()[::15]


TEXTS = st.lists(st.sampled_from(list(_fragments())) | st.text(max_size=5), max_size=14).map(
    "".join
)
RULES = parse_patterns("ticket T-\\d+\nletters [a-z]{3,}\nany \\S+\nline .+")[0]


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_masking_again_changes_nothing(text: str) -> None:
    once, _ = redact(text)
    assert redact(once) == (once, {})


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(st.sampled_from(RULES), max_size=3))
def test_masking_again_changes_nothing_with_rules_of_a_shelf(text: str, rules: list[Rule]) -> None:
    once, _ = redact(text, tuple(rules))
    assert redact(once, tuple(rules)) == (once, {})


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=40) | TEXTS)
def test_any_unicode_passes_and_hits_are_there_where_something_changes(text: str) -> None:
    hits = find_secrets(text)
    out, counts = redact(text)
    assert bool(hits) == (out != text) == bool(counts)
    assert all(0 <= hit.start < hit.end <= len(text) for hit in hits)


def test_half_characters_and_odd_line_ends_pass() -> None:
    text = f"\ud800 \x00\u2028 password: {NAMED} \udfff\r\n\ufeff"
    assert masked(text) == text.replace(NAMED, "«redacted:credential»")


@pytest.mark.parametrize("seed", SEEDS)
def test_the_pre_filter_lets_through_whatever_the_patterns_would_find(seed: int) -> None:
    for text in [*(s.text for s in corpus.secrets(seed)), *corpus.decoys(seed)]:
        found = sieve(text)
        assert list(shaped(found.raw, found.runs)) == list(shaped(found.raw, found.raw))


@pytest.mark.parametrize(
    "anchor",
    [
        joined("gh", "p_"),
        joined("ey", "J-"),
        joined("ey", "J."),
        "sk-",
        "password=",
        "password",
        "://a:",
        "a:b@",
        BORDER.format("BEGIN"),
        BORDER.format("END") + "\n",
        "«redacted:",
        "«redacted:x»",
        "aB3",
        "0",
        " ",
        "\\n",
        "- ",
    ],
)
def test_a_megabyte_of_one_anchor_is_read_to_the_end(anchor: str) -> None:
    """A pattern that is worse than linear would not come back from here."""
    text = anchor * (1_000_000 // len(anchor))
    out, _ = redact(text)
    assert redact(out)[0] == out


def test_a_long_line_of_pairs_loses_its_secrets_and_keeps_its_names() -> None:
    text = "&".join(f"a{i}_token={PASSWORD}{i}" for i in range(20_000))
    out, counts = redact(text)
    assert counts == {"env-secret": 20_000}
    assert PASSWORD not in out
    assert out.count("_token=«redacted:env-secret»") == 20_000


# --- masks that stand there ------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "KEY_TOKEN=«redacted:env-secret»",
        "password: «redacted:credential» and more",
        '"api_key": "«redacted:ticket-ref»"',
        "https://u:«redacted:url-password»@h/",
        "Authorization: «redacted:bearer»",
        "see «redacted:employee-id»: «redacted:name»",
    ],
)
def test_a_mask_is_left_alone(text: str) -> None:
    assert redact(text) == (text, {})


def test_a_rule_never_masks_a_mask_or_a_part_of_one() -> None:
    (rule,), _ = parse_patterns("word [a-z]+")
    assert masked("«redacted:x» ab 1 «redacted:y»", rule) == (
        "«redacted:x» «redacted:word» 1 «redacted:y»"
    )


def test_a_rule_that_reaches_into_a_mask_takes_it_whole() -> None:
    (rule,), _ = parse_patterns("run \\w+«redacted")
    assert masked("ab«redacted:x» c", rule) == "«redacted:run» c"


# --- the rules of a shelf --------------------------------------------------------------------


def test_a_line_is_a_kind_and_a_pattern_that_may_hold_spaces() -> None:
    text = "# comment\n\n  student   Student \\d{3}  \r\nmail\t[\\w.]+@x\\.org\n"
    rules, findings = parse_patterns(text)
    assert [(rule.kind, rule.pattern.pattern) for rule in rules] == [
        ("student", "Student \\d{3}"),
        ("mail", "[\\w.]+@x\\.org"),
    ]
    assert findings == ()
    assert redact("Student 123, student 123, joe@x.org", rules) == (
        "«redacted:student», student 123, «redacted:mail»",
        {"student": 1, "mail": 1},
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("alone", "no pattern"),
        ("broken (", "no regular expression"),
        ("huge a{99999999999999999999}", "no regular expression"),
        ("empty x*", "can match nothing"),
        ("edge \\b", "can match nothing"),
        ("ahead (?=a)", "can match nothing"),
        ("nested (a+)+$", "repeats what it repeats"),
        ("spaced (\\w+\\s?)+x", "repeats what it repeats"),
        ("either (a|aa)+$", "repeats what it repeats"),
        ("long " + "a" * 1001, "1001 characters"),
        ("k»d a", "cannot stand in a mask"),
    ],
)
def test_a_bad_line_is_a_warning_with_its_number_and_the_others_still_work(
    line: str, why: str
) -> None:
    rules, (finding,) = parse_patterns(f"ticket T-\\d+\n{line}\nroom R\\d+\n")
    assert (finding.level, finding.code) == ("warning", "policy-pattern-invalid")
    assert finding.where == "POLICY.patterns:2"
    assert why in finding.message
    assert finding.fix
    assert redact("T-1 in R2", rules)[1] == {"ticket": 1, "room": 1}


@pytest.mark.parametrize(
    "pattern",
    [
        "[\\w.+-]+@(?:[\\w-]+\\.)+[a-z]{2,}",
        "(?:(\\w+)\\.)+com",
        "(?i)(?:tel|phone)[:= ]+\\+?\\d[\\d -]{7,}\\d",
        "\\d{3}[- ]?\\d{2}[- ]?\\d{4}",
        "(?:\\d{3}-?){2,}\\d",
        "(?:foo|fob)+",
        "EMP-\\d{4}|[[a]",
    ],
)
def test_ordinary_patterns_are_taken(pattern: str) -> None:
    rules, findings = parse_patterns(f"kind {pattern}")
    assert (len(rules), findings) == (1, ())


def test_a_rule_can_keep_what_stands_in_front() -> None:
    rule = Rule("staff", re.compile("(?P<title>Dr\\. )\\w+"), keep="title")
    assert masked("Dr. Who met Dr. No", rule) == "Dr. «redacted:staff» met Dr. «redacted:staff»"


def test_a_built_in_kind_goes_before_a_rule_and_nothing_is_masked_twice() -> None:
    (rule,), _ = parse_patterns("any \\S+_\\S+")
    assert redact(f"x {GITHUB} y", (rule,)) == ("x «redacted:github-token» y", {"github-token": 1})
