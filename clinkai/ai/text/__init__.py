"""What servers and models left inside the text of an answer: thinking, marks, calls (`markup.py`)."""
