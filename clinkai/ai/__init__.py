"""Talk to a model server. Knows no tools and no files."""
