"""Looks after an instance: backup, restore, check, recovery, clocks, metrics."""
