"""What was gathered as a property graph: exported for other programs, loaded into LadybugDB, and queried."""
