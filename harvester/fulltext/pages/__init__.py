"""Parsers of web pages: links to the file of a work, and statements about its licence. Pure."""
