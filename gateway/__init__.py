"""The gateway: one OAI-PMH 2.0 repository made of many sources."""
