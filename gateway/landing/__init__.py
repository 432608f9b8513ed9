"""The page of every item, its metadata as they are published, and typed links between them (Signposting)."""
