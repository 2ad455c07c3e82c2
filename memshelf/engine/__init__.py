"""One engine for every question to a shelf."""
