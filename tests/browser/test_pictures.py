"""The pictures of the README can be taken anew, and stay small."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from .pictures import MOST, take

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_the_pictures_are_of_a_phone_and_a_desk_in_light_and_dark_and_are_small(
    browser: Browser, tmp_path: Path
) -> None:
    *pictures, chart = take(tmp_path / "pictures", browser)
    lights = {}
    for path in pictures:
        assert path.stat().st_size < MOST
        with Image.open(path) as picture:
            device = path.stem.partition("-")[0]
            assert picture.size == {"phone": (780, 1688), "site": (1650, 1200)}[device]
            below = picture.convert("RGB").getpixel((2, picture.height - 2))
            lights[path.stem] = sum(below)
    assert lights["phone-dark"] < 128 * 3 < lights["phone-light"]
    assert lights["site-dark"] < 128 * 3 < lights["site-light"]
    assert "<title" in chart.read_text("utf-8")
