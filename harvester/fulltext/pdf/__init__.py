"""Comparison of a fetched file with the work: by its bytes, its text, and words in common with the metadata."""
