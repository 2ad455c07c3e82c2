"""The pictures of the README can be taken anew, and stay small."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from .pictures import MOST, take

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_the_pictures_are_of_a_phone_in_light_and_dark_and_are_small(
    browser: Browser, tmp_path: Path
) -> None:
    light, dark, chart = take(tmp_path / "pictures", browser)
    corners = {}
    for path in (light, dark):
        assert path.stat().st_size < MOST
        with Image.open(path) as picture:
            assert picture.size == (780, 1688)
            corners[path.stem] = sum(picture.convert("RGB").getpixel((0, 0)))
    assert corners["phone-dark"] < 128 * 3 < corners["phone-light"]
    assert "<title" in chart.read_text("utf-8")
