"""The checkers of HTML and EPUB find what is planted, and pass what is right."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

from validity import FALSE_ALARMS, html_messages, matches

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='">
<title>A page</title>
<style>
@layer base { p { margin: 0; } }
p { text-wrap: pretty; }
@container (min-width: 20rem) { p { margin: 0; } }
main { container-type: inline-size; scrollbar-gutter: stable; }
article { content-visibility: auto; contain-intrinsic-size: auto 8rem; }
details::details-content { content-visibility: visible; }
body { padding: max(1rem, env(safe-area-inset-right)) 0; }
main { padding-bottom: env(safe-area-inset-bottom); }
</style>
</head>
<body>
<search><label>Search <input type="search" inputmode="search"></label></search>
<main>
<details name="one" open><summary dir="auto">Digest</summary>
<noscript><section><h2>A title</h2><table><tr><th scope="col">x</th></tr></table></section></noscript>
</details>
</main>
</body>
</html>
"""


def test_what_is_wrong_in_a_modern_page_is_named_and_nothing_else(
    invalid: Callable[[bytes], list[str]],
) -> None:
    wrong = PAGE.replace("<noscript>", '<noscript><p id="a"></p><p id="a"></p>')
    said = invalid(wrong.replace("text-wrap", "colour").encode())
    assert [line.split(": ", 2)[:2] for line in said] == [
        ["line 9", "error"],
        ["line 22", "error"],
        ["line 22", "warning"],
    ]
    assert "“colour” doesn't exist" in said[0] and "Duplicate ID “a”" in said[1]


def test_each_false_alarm_is_still_raised(invalid: Callable[[bytes], list[str]]) -> None:
    said = html_messages(PAGE.encode())
    for alarm in FALSE_ALARMS:
        assert any(matches(alarm, message) for message in said), alarm.message


CONTAINER = (
    '<?xml version="1.0"?><container version="1.0" '
    'xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile '
    'full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8</dc:identifier>
<dc:title>A book</dc:title><dc:language>en</dc:language>
<meta property="dcterms:modified">2026-01-01T00:00:00Z</meta>
</metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>
<spine><itemref idref="nav"/></spine>
</package>
"""
NAV = """<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en">
<head><title>A book</title></head>
<body><nav epub:type="toc"><ol><li><a href="nav.xhtml">Begin</a></li></ol></nav></body>
</html>
"""


def book(path: Path, nav: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("book.opf", PACKAGE)
        archive.writestr("nav.xhtml", nav)
    return path


def test_what_is_wrong_in_a_book_is_named_with_its_place_and_nothing_else(
    epub_faults: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    wrong = NAV.replace('href="nav.xhtml"', 'href="gone.xhtml"')
    (fault,) = epub_faults(book(tmp_path / "a book.epub", wrong))
    assert fault.startswith("RSC-007 error: ") and fault.endswith("nav.xhtml:4")
