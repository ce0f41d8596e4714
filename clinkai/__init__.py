"""ClinkAI: a local coding agent for language models on hardware of your own."""

__version__ = "0.1.0"
