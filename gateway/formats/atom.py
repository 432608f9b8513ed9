"""Entries of Atom (RFC 4287): of catalogues in OPDS, and resource maps of OAI-ORE; read only."""

from gateway.formats._tables import format_of

FORMAT = format_of("atom")
