"""Pages in a real browser: what they say, show and ask for on a phone.

Fixtures are in conftest.py: `phone` opens a file, `browser` is the Chromium behind it.
"""
