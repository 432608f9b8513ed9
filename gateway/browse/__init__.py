"""The pages about the repository as a whole: its start page, sets, formats, sources, and every verb of OAI-PMH."""
