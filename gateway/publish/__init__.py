"""The write path: a stored page becomes works, works become records, and these go into the store."""
