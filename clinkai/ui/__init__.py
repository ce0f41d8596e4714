"""Front ends: the only place that prints, prompts or serves."""
