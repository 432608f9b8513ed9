"""Scheduled runs: what is due, when, and its stages."""
