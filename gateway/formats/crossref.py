"""Crossref's unixref, unixsd, and the deposit schema (5.3): read only.

The work is the smallest item of a record: the article, paper or chapter, else the book, the proceedings or the journal.
Its list of references has the same elements and is never read.
"""

from gateway.core.errors import NotAWork
from gateway.core.model import Work
from gateway.core.xmlio import Element, name_of
from gateway.formats._describing import Describing
from gateway.formats._paths import attribute_of, find, one, texts
from gateway.formats._tables import TABLES, degree_of, format_of, read_by

_KINDS, _ITEMS, _ABOVE = (TABLES["crossref"][name] for name in ("kinds", "items", "above"))


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a record, or of the first of a batch; None if there is none. Raise NotAWork for a grant."""
    kind = next(root.iter(*(f"{{*}}{name}" for name in _KINDS)), None)
    if kind is None:
        return None
    name = name_of(kind)[1]
    if name == "grant":
        raise NotAWork("a grant")
    known = Describing("crossref:resource")
    item = one(kind, "|".join(_ITEMS))
    above = sorted(find(kind, "|".join(_ABOVE)), key=lambda holder: _ABOVE.index(name_of(holder)[1]))
    for holder in [item] if item is not None else [*above, kind]:
        read_by("crossref", holder, known)
    for holder in above if item is not None else ():
        read_by("crossref_host", holder, known)
    label = name_of(item)[1] if item is not None else name
    stated = attribute_of(kind, "type") if name == "posted_content" else "report" if name == "report-paper" else label
    known.coar_type = TABLES["types_crossref"].get(stated or label, "")
    if name == "dissertation":
        known.coar_type = degree_of(" ".join(texts(kind, "degree"))) or "thesis"
    for found in root.iter("{*}crm-item") if not known.publishers else ():
        known.publisher(found.text or "" if found.get("name") == "publisher-name" else "")
    return known.work()


FORMAT = format_of("crossref", read=read)
