"""The search for full text: its steps, the search for one work, and the search for many works."""
