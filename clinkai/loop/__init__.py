"""One turn: the agent loop, the shape of tools and of permission. Knows no disk, no terminal."""
