"""The evaluation suite: tasks as data, trials of the real program, figures with intervals."""
