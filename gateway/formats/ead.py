"""EAD 2002 and EAD3 (Society of American Archivists): the unit that a finding aid describes, read only."""

from gateway.core.model import Work
from gateway.core.xmlio import Element
from gateway.formats._describing import Describing
from gateway.formats._tables import find, format_of, read_by, record_in


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a finding aid; None if it describes no unit."""
    record = record_in(root, "ead")
    if not find(record, "archdesc/did"):
        return None
    known = Describing("ead:dao")
    read_by("ead", record, known)
    return known.work()


FORMAT = format_of("ead", read)
