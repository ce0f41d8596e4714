"""The Chinese strings, one module an area."""
