"""Regular expressions that are compiled when they are first used.

Compiling is most of what importing this package would cost, and a command uses few of them.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Lazy:
    """Stands for a compiled pattern; takes over its methods at the first use."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._source)
        for method in ("fullmatch", "match", "search", "findall", "finditer", "sub", "split"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, compiled at the first use of one of its methods.

    >>> lazy("a+").fullmatch("aaa") is not None
    True
    """
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))
