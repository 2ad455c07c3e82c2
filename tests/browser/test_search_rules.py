"""Words in the pages are the words of `memshelf search`, and questions find what they ask for."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page

import memshelf
from memshelf.domain.words import CASED
from memshelf.engine.tokens import UNSTEMMED, stream
from memshelf.storage.store import Store

from .conftest import Phone
from .test_reading import put, search

INPUTS = (
    # English, apostrophes, hyphens
    "Don't cache camelCase in C++: 10 000 × v0.4.0, #208", "The quick brown fox", "it’s o'clock", "rock'n'roll", "'tis",
    "night-shift nightshift night shift", "re-read the state-of-the-art", "a-b-c-d-e-f", "x-", "-x", "--check", "e-mail E-Mail",
    "and/or", "user@example.org", "https://example.org/a/b?c=d#e", "C:\\Windows\\System32", "~/.config/memshelf.toml", "e.g. i.e. U.S.A.",
    # Russian, with ё and й, together and apart
    "Ещё ёлка, мой йод", "еще елка", unicodedata.normalize("NFD", "Ещё мой чёрный йод"), "ночная смена", "НОЧНЫЕ СМЕНЫ", "из-за кого-то",
    "решениями", "объём", "Ґанок і їжак", "ᲀᲁ old print",
    # German, French, Spanish, Polish, Greek
    "Straße STRASSE ẞ", "Größe, Bücherei", "Donaudampfschifffahrt", unicodedata.normalize("NFD", "Größe über"), "l’été d'aujourd'hui",
    "Où est-ce qu'il y a ça?", "cœur naïve résumé", "¿Cuánto? ¡Mañana!", "Łódź żółw", "ΣΊΣΥΦΟΣ Σίσυφος ὀδυσσεύς", "ᾳ ῼ ΐ",
    # Turkish
    "İSTANBUL Iğdır ılık", "istanbul ISTANBUL", "DİYARBAKIR'da", "i̇",
    # wide, ligatures, compatibility forms
    "ＦＵＬＬ　ｗｉｄｔｈ １２３", "ｶﾀｶﾅ", "ﬁne ﬂow eﬀect", "ŉ ǰ և ſ µ", "x² H₂O ½ ⅷ ①", "ªº ℃ ℡", "ⓒircled", "㈠ ㍿", "𝐛𝐨𝐥𝐝 𝒾𝓉", "ｃａｍｅｌＣａｓｅ",
    # scripts without spaces
    "東京都の天気と検索の話", "支架与梯子的防污涂层比较", "数据库 v2 接口", "使用Redis作为cache", "ひらがなカタカナ", "コーヒー", "𠮷野家", "一", "東 京",
    "ภาษาไทยเขียนติดกัน", "น้ำท่วม", "ລາວ", "ភាសាខ្មែរ", "မြန်မာ", "潮見表2026年", "C言語", "全角スペース　あり",
    # Hangul, composed and not
    "한국어 검색 엔진", unicodedata.normalize("NFD", "한국어 검색"), "서버-설정", "API를",
    # from right to left
    "السلام عليكم", "المَدُّ وَالجَزْر", "كتاب٣", "٣٬٠٠٠ ١٢٣", "שלום עולם", "שָׁלוֹם", "צה״ל", "فارسی می‌خواهم",
    # Indic
    "हिन्दी में खोज", "தமிழ்", "বাংলা ১২৩", "ქართული ខ្មែរ བོད་སྐད", "ދިވެހި ܫܠܳܡܳܐ", unicodedata.normalize("NFD", "データベース が"), "\u05e9\u05c1\u05dc\u05d5\u05b9\u05dd الرَّحْمٰن",
    # emoji
    "👍🏽 ok 👩‍👩‍👧", "🇩🇪flag", "heart❤️s", "1️⃣ step", "❶ one ❷-a",
    # code
    "camelCase CamelCase HTTPServer parseHTMLDoc getX2Y", "snake_case __init__ _private CONST_NAME", "foo.bar.baz() a.b", "memshelf/render/html.py",
    "--max-results=5", "x->y a::b", "C++ C# F# g++ c++11 A+ a+b a#b", "##### #", "#208 #abc #a_b #1,000", "abc123 x1 sha256 utf-8 UTF8 iPhone15",
    "9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0", "x" * 60, "b" * 20 + "-" + "c" * 40, "IOError E2BIG v8", "don'tStop",
    "a_b_c_d_e", "kebab-case-of-four words", "one-two-three-four-five", "node_modules/.bin", "résuméParser", "тестCase camelСлово",
    # numbers
    "10 000 10,000 10.000 10'000 10’000 10\u00a0000 10\u2009000 10\u202f000", "1,234,567.89", "1.5 0.25 3.14159", "2026-01-05", "12:30:45",
    "v1.2.3 1.2.3rc1 2.0.0-beta.2 v2 1.0a1 1.2.post1", "007 0 000", "5 000 000 и 12 345", "100 000a", "1 23 456", "10,000-20,000", "+49 30 123 456",
    "12,345,67", "50% 3× ±5", "1e10 0x1F", "192.168.0.1", "3 000 2 000", "1 000,5", "#1.2", "2,3,4",
    # what nobody sees
    "soft\u00adhyphen", "zero\u200bwidth\u200djoiner\u200c", "\ufeffbom", "word\u2060joiner", "\u200b", "a\u0301 e\u0300\u0301", "\u0301", "x\u20dd",
    # nothing, and spaces of all kinds
    "", " ", "...", "?!", "tab\tnew\nline\r\nend", "a\u3000b\u2003c", "(brackets) [and] {more}", '"quoted" «so» „or so“', "…and…more", "-_-", "._.",
)  # fmt: skip
"""Texts of all kinds, each a trap for somebody who cuts texts into words."""


def cut(text: str) -> list[str]:
    """The words of a text as the engine cuts it, no one brought to its stem."""
    return stream(text, UNSTEMMED).split()


def same(page: Page, texts: list[str]) -> None:
    """Both sides cut the texts alike."""
    made = page.evaluate("texts => texts.map(memshelf.tokens)", texts)
    other = {text: (there, cut(text)) for text, there in zip(texts, made, strict=True)}
    assert {text: both for text, both in other.items() if both[0] != both[1]} == {}


def test_texts_of_all_kinds_are_cut_as_the_command_line_cuts_them(
    phone: Phone, sample_page: Path
) -> None:
    assert len(INPUTS) >= 120
    same(phone(sample_page).page, list(INPUTS))


# Cherokee goes to its other case.
_RARE = {chr(n) for n in (*range(0x13A0, 0x1400), *range(0xAB70, 0xABC0))}
_ANY = st.characters(exclude_categories=("Cs", "Cn", "Co")).filter(lambda char: char not in _RARE)
_LIKELY = st.sampled_from(
    "aZbcXß1230 00'’-._,#+ \u00a0\u202f\u200b\u0301йёЁИ\u0306İı東京の한ไ้ا٣éﬁ²vVrc"
)


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.text(_LIKELY, max_size=14) | st.text(_ANY | _LIKELY, max_size=8),
        min_size=300,
        max_size=400,
    )
)
def test_texts_of_any_characters_are_cut_alike(
    phone: Phone, sample_page: Path, texts: list[str]
) -> None:
    same(phone(sample_page).page, texts)


def test_every_word_of_a_text_finds_it(phone: Phone, store: Store) -> None:
    """What is looked through is not cut up as a whole, and must hold its words all the same."""
    lost = {}
    page = phone(_export(store)).page
    wide = {
        "ｃａｍｅｌＣａｓｅ",
        "ⓒircled",
    }  # only their compatibility forms are CamelCase, or a letter
    for text in set(INPUTS) - wide:
        words = [word for word in cut(text) if word.isalnum() and cut(word) == [word]]
        held = page.evaluate(
            "([text, words]) => words.filter(word => !memshelf.holds(memshelf.texts('', '', text), word))",
            [text, words],
        )
        if held:
            lost[text] = held
    assert lost == {}


def test_the_table_of_letters_holds_what_lower_case_leaves_undone() -> None:
    def lowered(char: str) -> str:
        return unicodedata.normalize("NFKD", "".join(CASED.get(c, c) for c in char.lower()))

    points = (chr(n) for n in range(0x20, 0x30000) if chr(n) not in _RARE)
    there = {c for c in points if lowered(c) != unicodedata.normalize("NFKD", c.casefold())}
    # What is left comes apart into letters that are folded then.
    assert {c for c in there if len(unicodedata.normalize("NFKD", c)) == 1} == set()


def _export(store: Store) -> Path:
    put(store, "2026-01-05-one")
    put(store, "2026-01-06-two")
    return Path(memshelf.export_html(store, out=store.root.parent / "page.html").path)


# --- what a search finds ---------------------------------------------------------------------

SENTENCES = {
    "Why did we not put pressure cells on the sea bed?": "2025-10-14-ultrasonic-over-pressure",
    "how much does the water rise when air pressure drops": "2026-02-26-residuals-and-air-pressure",
    "which harbour needs a cellular modem?": "2026-01-22-radio-or-cellular",
    "which harbours need cellular modems": "2026-01-22-radio-or-cellular",
    "Почему ложные тревоги из-за чаек?": "2026-08-27-porogi-trevogi",
    "支架要不要涂层？": "2026-07-14-antifouling-coatings",
}
"""Questions to the sample shelf, in whole sentences and in other forms than it is written in."""

ALIKE = (
    "почему отклонили sentence-transformers",
    "Зачем выбрали merge вместо rebase?",
    "роллапы?",
    "#208",
)
"""Questions whose first answer is what the command line answers first."""

REAL = {
    "какой лимит у хоста на вывод хука?": "2026-10-09-session-start-hook-host-cap",
    "лимиты хостов на вывод хуков": "2026-10-09-session-start-hook-host-cap",
    "What limit does the host put on hook output?": "2026-10-09-session-start-hook-host-cap",
}


@pytest.mark.parametrize(
    ("name", "asked", "chosen"),
    [("sample", SENTENCES, ()), ("real_shelf", REAL, ALIKE)],
)
def test_a_question_in_whole_sentences_finds_its_episode_first(
    phone: Phone,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    name: str,
    asked: dict[str, str],
    chosen: tuple[str, ...],
) -> None:
    store: Store = request.getfixturevalue(name)
    page = phone(Path(memshelf.export_html(store, out=tmp_path / "page.html").path)).page
    firsts = {words: search(page, words)[:1] for words in asked}
    assert firsts == {words: [episode] for words, episode in asked.items()}
    for words in chosen:
        (best, *_) = memshelf.search(store, words).hits
        assert search(page, words)[:1] == [best.id], words


def test_words_that_nobody_uses_empty_no_result_and_are_named(
    phone: Phone, sample_page: Path
) -> None:
    page = phone(sample_page).page
    assert search(page, "battery zebra 斑马 giraffe-neck") == search(page, "battery")
    search(page, "battery zebra 斑马")
    assert page.inner_text("#status").endswith(", none with “zebra” or “斑马”")
    assert search(page, "zebra") == []
    assert "Nothing found" in page.inner_text("#status")


def test_small_words_count_only_alone(phone: Phone, store: Store) -> None:
    put(store, "2026-01-05-both", digest="the wombat and the others of the place")
    put(store, "2026-01-06-none", digest="a curious echidna")
    page = phone(_export(store)).page
    assert search(page, "of the wombat") == ["2026-01-05-both"]
    assert search(page, "the others")[0] == "2026-01-05-both"
    assert "2026-01-05-both" in search(page, "the")


def test_a_phrase_must_stand_and_what_has_a_minus_must_not(phone: Phone, store: Store) -> None:
    put(store, "2026-02-01-side", digest="A night shift of wombats")
    put(store, "2026-02-02-apart", digest="A shift at night of wombats")
    put(store, "2026-02-03-joined", digest="A night-shift of echidnas")
    put(store, "2026-02-04-code", digest="git commit -m wombats in 東京都の天気")
    page = phone(_export(store)).page
    side, apart, joined = (f"2026-02-0{n}" for n in ("1-side", "2-apart", "3-joined"))
    assert set(search(page, '"night shift"')) == {side, joined}
    assert set(search(page, "«night shift» wombat")) == {side, joined}
    assert set(search(page, "night -echidna")) == {side, apart}
    assert search(page, "wombats shift −apart")[0] == side
    assert search(page, "nightshift") == [joined]
    assert search(page, "-echidnas") == [joined]  # nothing else is asked for
    assert set(search(page, 'wombats -"night shift"')) == {apart, "2026-02-04-code"}
    assert set(search(page, "night -night-shift")) == {side, apart}
    assert search(page, '-"night-shift"') == [joined]
    for phrase in ('"git commit -m"', '"東京都"', '"京都の"', '"気"'):
        assert search(page, phrase) == ["2026-02-04-code"], phrase
        assert set(search(page, f"wombats -{phrase}")) == {side, apart}, phrase
    assert search(page, '"東京の"') == []


def test_what_is_rare_in_a_title_side_by_side_and_in_force_comes_first(
    phone: Phone, store: Store
) -> None:
    for number in range(1, 6):
        put(store, f"2026-03-0{number}-common", digest="cache cache cache cache cache cache")
    put(store, "2026-03-06-rare", digest="cache of a wombat")
    put(store, "2026-03-07-title", "Echidnas", digest="nothing else")
    put(store, "2026-03-08-body", digest="echidnas")
    put(store, "2026-03-09-near", digest="the platypus burrow is dry")
    put(store, "2026-03-10-far", digest=f"the platypus {'is far away from any ' * 5} burrow")
    page = phone(_export(store)).page
    assert search(page, "cache wombat")[0] == "2026-03-06-rare"
    assert search(page, "echidnas") == ["2026-03-07-title", "2026-03-08-body"]
    assert search(page, "platypus burrow") == ["2026-03-09-near", "2026-03-10-far"]


def test_numbers_and_names_of_code_are_found_however_they_are_written(
    phone: Phone, store: Store
) -> None:
    put(store, "2026-04-01-number", digest="It took 10 000 steps in parseHTMLDoc of v0.4.0")
    put(store, "2026-04-02-other", digest="It took 20 000 steps, see snake_case_name and #208")
    page = phone(_export(store)).page
    for words in ("10000", "10,000", "10 000", "parse HTML doc", "parsehtmldoc", "0.4.0", "v0.4.0"):
        assert search(page, words)[0] == "2026-04-01-number", words
    for words in ("20'000", "snake_case_name", "snakeCaseName", "#208", "208"):
        assert search(page, words)[0] == "2026-04-02-other", words
