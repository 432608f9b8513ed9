"""Takedowns: what an entry touches, and carrying the list out."""
