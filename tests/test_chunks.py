from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memshelf.domain.episode import Document
from memshelf.domain.text import count_words
from memshelf.engine.chunks import CHARS, ENOUGH, WORDS, Chunk, chunks

SENTENCE = "The gauge at the quay was late again, and nobody could say why it was. "


def of(text: str) -> tuple[Chunk, ...]:
    return chunks(Document.of(text), "Title")


def test_a_short_section_is_one_chunk_with_title_and_name() -> None:
    text = "# T\n\nAbove.\n\n## Digest\n\nOne. Two.\n\n## Notes\n\n## Notes\n\n- three\n"
    assert [(c.section, text[c.start : c.end]) for c in of(text)] == [
        ("", "Above."),
        ("Digest", "One. Two."),
        ("Notes (2)", "- three"),
    ]
    assert of(text)[1].embedded == "Title\nDigest\nOne. Two."


def test_a_long_section_is_cut_at_ends_of_sentences() -> None:
    text = f"## Notes\n\n{SENTENCE * 60}\n"
    found = of(text)
    assert len(found) > 4
    for chunk in found:
        assert text[chunk.start : chunk.end].startswith("The gauge")
        assert text[chunk.start : chunk.end].endswith("it was.")
        assert ENOUGH <= count_words(text[chunk.start : chunk.end]) <= WORDS


def test_a_chunk_that_has_enough_ends_with_its_paragraph() -> None:
    text = "## Notes\n\n" + f"{SENTENCE * 8}\n\n" * 4
    assert [count_words(text[c.start : c.end]) for c in of(text)] == [120] * 4


def test_a_short_rest_is_no_chunk_of_its_own() -> None:
    text = f"## Notes\n\n{SENTENCE * 13}\n\nThe end.\n"
    assert all(count_words(text[c.start : c.end]) > 50 for c in of(text))


def test_scripts_without_spaces_are_cut_as_well() -> None:
    text = "## 记录\n\n" + "潮位计昨天晚上又停了，没有人知道原因。" * 80 + "\n"
    assert len(of(text)) > 2
    assert all(text[c.start : c.end].endswith("。") for c in of(text))


def test_a_heading_in_a_fence_opens_no_section() -> None:
    assert [c.section for c in of("## A\n\n```\n## B\n```\n\nText.\n")] == ["A"]


def test_the_key_is_of_what_is_embedded() -> None:
    a, b = of("## A\n\nSame.\n"), of("---\nid: x\n---\n\n## A\n\nSame.\n")
    assert a[0].key == b[0].key
    assert len(a[0].key) == 32
    assert a[0].key != of("## B\n\nSame.\n")[0].key


PIECES = st.sampled_from(
    (
        "\n",
        "\n\n",
        "\r\n\r\n",
        "## A\n",
        " ",
        ". ",
        "。",
        "! ",
        "```\n",
        "word ",
        "слово ",
        "潮位",
        "x" * 700,
        SENTENCE * 3,
    )
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=60).map("".join))
def test_chunks_hold_every_word_once_and_are_never_too_long(text: str) -> None:
    document = Document.of(text)
    found = chunks(document, "T")
    bounds = [edge for chunk in found for edge in (chunk.start, chunk.end)]
    assert bounds == sorted(bounds)
    for chunk in found:
        piece = text[chunk.start : chunk.end]
        assert piece == piece.strip()
        assert chunk.embedded.endswith(piece)
        assert count_words(piece) <= WORDS
        assert len(piece) <= CHARS
    bodies = [document.preamble, *(section.body(text) for section in document.sections)]
    held = "".join("".join(text[c.start : c.end].split()) for c in found)
    assert held == "".join("".join(body.split()) for body in bodies)
