"""memshelf against memshelf-mcp, on shelves made here: `python -m tests.bench` (see --help)."""
