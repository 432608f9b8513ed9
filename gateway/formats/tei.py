"""TEI P5 and P4 headers (tei-c.org), those of GROBID too: read only. The text and its references are never read."""

from gateway.core.xmlio import Element
from gateway.formats._describing import Describing
from gateway.formats._paths import find, one, texts
from gateway.formats._tables import format_of, read_by


def _more(header: Element, known: Describing, _held: object) -> None:
    source = one(header, "fileDesc/sourceDesc/biblStruct")
    if find(source, "analytic"):
        read_by("tei_host", one(source, "monogr"), known)
        if find(source, "monogr/title[level=j]"):
            known.coar_type = "journal article"
    for language in (
        *texts(header.getparent(), "text@lang"),
        *texts(header, "profileDesc/langUsage/language@ident", ".@lang"),
    ):
        known.language(language if not known.languages else "")


FORMAT = format_of("tei", _more)
