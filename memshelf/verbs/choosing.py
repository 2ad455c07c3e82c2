"""The flags that choose episodes, the same for every export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from ..verb import Alias, Flag

Quarters = Annotated[
    Sequence[str], "Only this quarter or year: 2026Q3, FY2027Q1, 2026.", Flag("--quarter")
]
Tags = Annotated[Sequence[str], "Only episodes with this tag.", Flag("--tag")]
Kinds = Annotated[Sequence[str], "Only this kind: topic, research, session.", Flag("--kind")]
Visibilities = Annotated[
    Sequence[str],
    "Only this visibility: private, team, public; the rest leaves no trace.",
    Flag("--visibility"),
]
For = Annotated[
    Literal["public", "team"] | None,
    "Only what these readers may see today, read by the guard before it is written.",
]
Ids = Annotated[Sequence[str], "Only this episode.", Flag("--id"), Alias("episode")]
