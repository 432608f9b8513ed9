"""Rioxx 2.0 and 3.0 (rioxx.net): research outputs of British repositories, read only."""

from gateway.core.model import DateType, Work
from gateway.core.xmlio import Element
from gateway.formats._describing import Describing, first
from gateway.formats._file_links import type_named
from gateway.formats._tables import find, format_of, read_by, record_in, texts


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a record; None if there is none."""
    record = record_in(root, "rioxx")
    if record is None:
        return None
    known = Describing("dc:identifier")
    read_by("rioxx", record, known)
    # Rioxx 3 has the landing page as dc:identifier, Rioxx 2 the file; some mix them up.
    is_third = bool(find(record, "creator|relation/*") or known.files)
    stated = "" if is_third else first(map(type_named, texts(record, "format")))
    for words in texts(record, "identifier"):
        before = len(known.files)
        known.link(words, stated)
        if len(known.files) == before:
            known.identifier(words)
    read_by("dc", record, known)
    if not any(date.type is DateType.ISSUED for date in known.dates):
        known.dates = [date._replace(type=DateType.ISSUED) for date in known.dates]
    return known.work()


FORMAT = format_of("rioxx", read)
