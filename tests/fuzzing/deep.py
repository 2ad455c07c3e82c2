"""python -m tests.fuzzing.deep PARSER [OPTIONS OF LIBFUZZER]: fuzz by coverage, with `atheris`.

`atheris` is no dependency of anything here: `python -m pip install atheris` first. It runs until
it is stopped or finds something; `-max_total_time=600` ends it after ten minutes.
"""

from __future__ import annotations

import sys
from typing import Any


def main() -> None:
    """Fuzz one parser; what is not a ShelfError stops it and is written down."""
    import atheris

    with atheris.instrument_imports(include=["memshelf"]):
        from .parsers import PARSERS, read

    name = sys.argv.pop(1)
    if name not in PARSERS:
        sys.exit(f"no parser {name!r}; there are: {', '.join(PARSERS)}")

    def one(data: bytes) -> None:
        fuzzed: Any = atheris.FuzzedDataProvider(data)
        read(name, fuzzed.ConsumeUnicodeNoSurrogates(len(data)))

    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
