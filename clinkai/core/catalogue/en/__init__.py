"""The English strings, one module an area."""
