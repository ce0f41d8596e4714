"""Values only: errors, events, messages, the session as a fold, text. Imports nothing above."""
