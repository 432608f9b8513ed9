"""The search for full text: which steps there are, how one work goes through them, and how many works do."""
