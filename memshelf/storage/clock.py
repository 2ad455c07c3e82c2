"""The only reader of the clock."""

from __future__ import annotations

import os
import re
import time
from datetime import UTC, date, datetime


def today() -> date:
    """The local calendar day; `SOURCE_DATE_EPOCH`, where set, stands for the clock."""
    pinned = _pinned()
    return date.today() if pinned is None else datetime.fromtimestamp(pinned, UTC).date()


def time_of_day() -> str:
    """The local time as HH:MM:SS, for people who look on."""
    return datetime.now().strftime("%H:%M:%S")


def now() -> float:
    """Seconds of the epoch; `SOURCE_DATE_EPOCH`, where set, stands for the clock."""
    pinned = _pinned()
    return time.time() if pinned is None else pinned


def _pinned() -> float | None:
    """`SOURCE_DATE_EPOCH`, where it is a number of seconds; eleven digits reach beyond any clock."""
    named = os.environ.get("SOURCE_DATE_EPOCH", "")
    return float(named) if re.fullmatch("[0-9]{1,11}", named) else None
