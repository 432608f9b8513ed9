"""Entries of Atom (RFC 4287): of catalogues in OPDS, and resource maps of OAI-ORE; read only."""

from gateway.core.model import Work
from gateway.core.xmlio import Element
from gateway.formats._describing import Describing
from gateway.formats._tables import format_of, read_by, record_in


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of an entry, or of the first one of a feed; None if there is none."""
    known = Describing("atom:link")
    read_by("atom", record_in(root, "entry"), known)
    return known.work()


FORMAT = format_of("atom", read)
