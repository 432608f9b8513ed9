"""Takedowns in an instance: how a target is recognised, what is done at once, and what is overwritten for good."""
