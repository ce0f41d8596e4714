"""A session as a file for others, and back: Markdown, HTML, JSON lines, ATIF.

Each format has a module of its own over the steps of `steps.py`; `redact.py` takes out what is
nobody's business; `importing.py` makes a session of a file.
"""
