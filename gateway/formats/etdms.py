"""ETD-MS 1.0 and 1.1 (NDLTD): theses, with the elements of Dublin Core in its own namespace, read only."""

from gateway.core.bibliography.dates import dublin_core_dates
from gateway.core.model import Work
from gateway.core.xmlio import Element
from gateway.formats._describing import Describing
from gateway.formats._tables import degree_of, find, format_of, read_by, record_in, texts


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a thesis; None if there is none."""
    record = record_in(root, "thesis")
    if record is None:
        return None
    known = Describing("etdms:identifier")
    # DSpace writes the dates of accession and of availability before that of issue.
    known.dates += dublin_core_dates(texts(record, "date"))
    read_by("dc", record, known)
    read_by("etdms", record, known)
    if find(record, "degree"):
        known.coar_type = degree_of(" ".join(texts(record, "degree/level", "degree/name"))) or "thesis"
    return known.work()


FORMAT = format_of("etdms", read)
