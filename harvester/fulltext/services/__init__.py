"""Parsers of the answers of services for the search for full text: one file each. Pure."""
