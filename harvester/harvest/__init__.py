"""One run of one source, from its first question to the proof that nothing is missing."""
