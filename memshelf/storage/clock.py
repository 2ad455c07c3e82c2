"""The only reader of the clock."""

from __future__ import annotations

import os
import time
from datetime import UTC, date, datetime


def today() -> date:
    """The local calendar day; `SOURCE_DATE_EPOCH`, where set, stands for the clock."""
    pinned = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(pinned), UTC).date() if pinned.isdigit() else date.today()


def time_of_day() -> str:
    """The local time as HH:MM:SS, for people who look on."""
    return datetime.now().strftime("%H:%M:%S")


def now() -> float:
    """Seconds of the epoch; `SOURCE_DATE_EPOCH`, where set, stands for the clock."""
    pinned = os.environ.get("SOURCE_DATE_EPOCH", "")
    return float(pinned) if pinned.isdigit() else time.time()
