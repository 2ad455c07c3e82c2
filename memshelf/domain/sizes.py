"""Sizes of files, as people give and read them."""

from __future__ import annotations

from .errors import UsageError
from .patterns import lazy

_SIZE = lazy(r"(\d{1,12}(?:\.\d{1,3})?)\s*([kmg]?)(i?)b?", 2)  # 2: re.IGNORECASE
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3}


def parse_size(text: str) -> int:
    """Bytes: `5MB` are 5,000,000, `5MiB` are 5 x 1,048,576, a bare number is bytes.

    Raises UsageError where the text names no size.

    >>> parse_size("5MB"), parse_size("1.5 MiB"), parse_size("60000")
    (5000000, 1572864, 60000)
    """
    found = _SIZE.fullmatch(text.strip())
    size = 0
    if found:
        number, power, binary = found.groups()
        size = int(float(number) * (1024 if binary else 1000) ** _POWERS[power.lower()])
    if size < 1:
        raise UsageError(f"{text!r} is no size.", "Write it like 5MB, 800KB or 20MiB.")
    return size


def said_size(count: int) -> str:
    """Bytes in words.

    >>> said_size(999), said_size(61_000), said_size(8_140_000)
    ('999 bytes', '61 KB', '8.1 MB')
    """
    if count < 1000:
        return f"{count} bytes"
    if count < 1_000_000:
        return f"{count / 1000:.0f} KB"
    return f"{count / 1e6:.1f} MB"
