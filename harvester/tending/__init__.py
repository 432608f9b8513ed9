"""A machine that goes of itself: what is due, when, and its stages."""
