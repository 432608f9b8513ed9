"""`oai_openaire`: OpenAIRE Guidelines for Literature Repositories 4, of DSpace, OJS, EPrints: read only.

Its elements are those of DataCite, Dublin Core, and its own (oaire): citation, files, licence, version.
"""

from __future__ import annotations

import re

from gateway.core.bibliography.types import type_of
from gateway.core.model import DateType, Work, WorkDate
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.formats import MetadataFormat
from gateway.formats._describing import Describing
from gateway.formats.datacite import below, describe

_OAIRE = ("http://namespace.openaire.eu/schema/oaire/", "http://namespaceopenaire.eu/schema/oaire/")
_HOST = {
    "citationTitle": "title", "citationVolume": "volume", "citationIssue": "issue", "citationStartPage": "first_page",
    "citationEndPage": "last_page",
}  # fmt: skip
_EMBARGOED = "c_f1cf"  # COAR access rights: embargoed access
_SIZE = re.compile(r"(?i)\s*(\d{1,15})\s*(?:bytes?|b)?\s*")


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a record; None if it is none."""
    if name_of(root)[1] != "resource":
        return None
    known = Describing("oaire:file")
    describe(root, known)
    _dates(root, known)
    fields: dict[str, str] = {}
    for element in children(root):
        name = name_of(element)[1]
        if name in _HOST:
            fields.setdefault(_HOST[name], text_of(element))
        elif name == "licenseCondition":
            known.rights(text_of(element), element.get("uri") or "")
        elif name == "rights" and element.get("rightsURI"):
            known.more("all_rights", element.get("rightsURI") or "")
        elif name == "resourceType":
            known.coar_type = type_of((element.get("uri") or "", text_of(element)))
        elif name == "source" and text_of(element):
            known.more("sources", text_of(element))
        elif name in ("coverage", "format"):
            known.more("places" if name == "coverage" else "formats", text_of(element))
    known.host(**fields)
    _files(root, known)
    return known.work()


def _dates(root: Element, known: Describing) -> None:
    """Tell the end of an embargo from the date of availability, and cite what was issued, then accepted."""
    is_embargoed = any(_EMBARGOED in (element.get("rightsURI") or "") for element in below(root, "rights"))
    if is_embargoed:
        known.dates = [
            WorkDate(date.text, DateType.EMBARGO_END) if date.type is DateType.AVAILABLE else date
            for date in known.dates
        ]
    if not any(date.type is DateType.ISSUED for date in known.dates):
        known.dates = [
            WorkDate(date.text, DateType.ISSUED) if date.type is DateType.ACCEPTED else date for date in known.dates
        ]


def _files(root: Element, known: Describing) -> None:
    files = [element for element in children(root) if name_of(element)[1] == "file"]
    sizes = [_SIZE.fullmatch(text_of(element)) for element in below(root, "sizes", "size")]
    in_order = sizes if len(sizes) == len(files) else [None] * len(files)
    for element, size in zip(files, in_order, strict=True):
        known.file(text_of(element), element.get("mimeType") or "", int(size[1]) if size else None)


FORMAT = MetadataFormat(namespaces=_OAIRE, rank=45, read=read)
