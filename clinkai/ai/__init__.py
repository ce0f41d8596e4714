"""Talk to a model server. Knows no tools and no files."""

DEFAULT_KEY = "local-3090"
"""The key a local server needs where it needs any; known to all, so it never leaves the machine."""
