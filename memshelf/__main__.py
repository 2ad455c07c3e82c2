"""python -m memshelf."""

from __future__ import annotations

from .surfaces.cli import main

main()
