"""TEI P5 and P4 headers (tei-c.org), those of GROBID too: read only. The text and its references are never read."""

from gateway.core.model import Work
from gateway.core.xmlio import Element
from gateway.formats._describing import Describing
from gateway.formats._tables import find, format_of, one, read_by, record_in, texts


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a document, or of the first one in a corpus; None if it has no header."""
    header = record_in(root, "teiHeader")
    if header is None or not find(header, "fileDesc"):
        return None
    known = Describing("tei:idno")
    read_by("tei", header, known)
    source = one(header, "fileDesc/sourceDesc/biblStruct")
    if find(source, "analytic"):
        read_by("tei_host", one(source, "monogr"), known)
        if find(source, "monogr/title[level=j]"):
            known.coar_type = "journal article"
    document = header.getparent() if header is not root else None
    for language in (*texts(document, "text@lang"), *texts(header, "profileDesc/langUsage/language@ident", ".@lang")):
        known.language(language if not known.languages else "")
    return known.work()


FORMAT = format_of("tei", read)
