"""Whether what was fetched is the work: its bytes, its text, and how much it shares with the metadata."""
