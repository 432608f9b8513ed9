"""Decides on the files that a search found, and publishes accepted files. It imports nothing of the search."""
