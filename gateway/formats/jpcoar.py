"""JPCOAR Schema 1.0 and 2.0 (schema.irdb.nii.ac.jp), of the repositories of Japan: read only."""

from gateway.core.model import Work
from gateway.core.xmlio import Element
from gateway.formats._describing import Describing
from gateway.formats._tables import format_of, read_by, record_in


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a record; None if there is none."""
    known = Describing("jpcoar:URI")
    read_by("jpcoar", record_in(root, "jpcoar"), known)
    return known.work()


FORMAT = format_of("jpcoar", read)
