"""How an OAI-PMH repository is asked: its description, and its lists from the first page to the proof."""
