"""Reads a published `<record>` (OAI-PMH 2.0 §2.5), so that pages show exactly what harvesters get. Pure."""

from collections.abc import Iterator
from xml.parsers import expat

from gateway.core import xmlio
from gateway.core.errors import NotXml, UnusableRecord
from gateway.core.model import Description, Hop, Work
from gateway.core.xmlio import Element, name_of, text_of
from gateway.core.xmltext import DIDL, PROVENANCE, RIGHTS
from gateway.formats import oai_didl, reader_of
from gateway.publish.provenance import MOST_HOPS

_OURS = b"<didl:DIDL "  # as our DIDLs begin


def describe(record: bytes) -> Description:
    """Return the contents of a published record. Raise NotXml if the bytes are no record at all.

    The files are known completely if the record is an `oai_didl` of ours. A DIDL of many files is too large for a tree
    although what was harvested was not; its files are read apart. Of another record of that size, the Work stays empty.
    """
    content = metadata_of(record)
    weight = xmlio.memory_of(record)
    is_large = weight > xmlio.MAX_MEMORY
    apart = _work_apart(content) if weight else None
    root = xmlio.parse(record.replace(content, b"", 1) if is_large or apart else record)
    header = root.find("{*}header")
    if header is None:
        raise NotXml("A published record has no header.")
    is_deleted = header.get("status") == "deleted"
    work = apart or (Work() if is_deleted or is_large else _work(root, content))
    abouts = [child for about in root.iterfind("{*}about") for child in xmlio.children(about)]
    return Description(
        identifier=_text(header, "{*}identifier"),
        datestamp=_text(header, "{*}datestamp"),
        sets=tuple(text_of(element) for element in header.iterfind("{*}setSpec")),
        is_deleted=is_deleted,
        work=work,
        hops=tuple(hop for element in abouts for hop in _hops(element)),
        rights=tuple(text for element in abouts for text in _rights(element)),
        metadata=content,
        is_too_large=is_large and apart is None,
    )


def metadata_of(record: bytes) -> bytes:
    """Return the bytes between `<metadata>` and `</metadata>` of a published record; none for a deleted record."""
    if b"<metadata>" not in record:
        return b""
    start = record.index(b"<metadata>") + len(b"<metadata>")
    if record.count(b"</metadata>") == 1:
        return record[start : record.index(b"</metadata>")]
    return record[start : _end_of_metadata(record)]


def _end_of_metadata(record: bytes) -> int:
    """Return where the end tag of the record's own metadata begins: what is inside may have elements of that name."""
    parser = expat.ParserCreate()
    depth = 0
    ends: list[int] = []

    def opened(_name: str, _attributes: object) -> None:
        nonlocal depth
        depth += 1

    def closed(name: str) -> None:
        nonlocal depth
        depth -= 1
        if depth == 1 and name == "metadata":
            ends.append(parser.CurrentByteIndex)

    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    parser.Parse(record, True)
    return ends[0]


def _work_apart(content: bytes) -> Work | None:
    """Return the Work of a DIDL of ours that has many files, in a third of the time of a tree; None for another one."""
    try:
        return oai_didl.read_apart(content) if content.startswith(_OURS) else None
    except UnusableRecord:
        return None


def _work(root: Element, content: bytes) -> Work:
    holder = root.find("{*}metadata")
    element = None if holder is None else next(xmlio.children(holder), None)
    if element is None:
        return Work()
    try:
        work = reader_of(name_of(element)[0]).read(element, content) or Work()
    except UnusableRecord:
        return Work()
    return work.with_files(oai_didl.files_of_ours(element)) if name_of(element) == (DIDL, "DIDL") else work


def _text(holder: Element, path: str) -> str:
    element = holder.find(path)
    return "" if element is None else text_of(element)


def _hops(element: Element) -> Iterator[Hop]:
    if element.tag != f"{{{PROVENANCE}}}provenance":
        return
    description = element.find(f"{{{PROVENANCE}}}originDescription")
    for _ in range(MOST_HOPS):
        if description is None:
            return
        fields = (
            _text(description, f"{{{PROVENANCE}}}{name}")
            for name in ("baseURL", "identifier", "datestamp", "metadataNamespace")
        )
        base_url, identifier, datestamp, namespace = fields
        is_altered = (description.get("altered") or "") in ("true", "1")
        harvest_date = description.get("harvestDate") or ""
        yield Hop(base_url, identifier, datestamp, namespace, harvest_date, is_altered)
        description = description.find(f"{{{PROVENANCE}}}originDescription")


def _rights(element: Element) -> Iterator[str]:
    if element.tag == f"{{{RIGHTS}}}rights":
        for part in xmlio.children(element):
            yield part.get("ref") or text_of(part)
