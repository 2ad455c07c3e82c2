"""Questions to a shelf."""
