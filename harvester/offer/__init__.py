"""Offers of discovered files to the sources of their items."""
