"""Shell commands: reading them, judging them, running them."""
