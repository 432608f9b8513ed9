"""Whether everything that was published is held: what Crossref lists, beside what we hold."""
