"""python -m memshelf."""

from __future__ import annotations

from .surfaces.cli import main

if __name__ == "__main__":  # processes of our own import this file too
    main()
