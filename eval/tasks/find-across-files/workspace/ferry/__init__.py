"""A small service that follows one ferry."""
