"""ETD-MS 1.0 and 1.1 (NDLTD): theses, with the elements of Dublin Core in its own namespace, read only."""

from collections.abc import Mapping

from gateway.core.bibliography.dates import dublin_core_dates
from gateway.core.xmlio import Element, text_of
from gateway.formats._describing import Describing
from gateway.formats._tables import degree_of, format_of


def _more(_record: Element, known: Describing, held: Mapping[str, list[Element]]) -> None:
    # DSpace writes the dates of accession and of availability before that of issue.
    known.dates[:0] = dublin_core_dates(filter(None, map(text_of, held["date"])))
    if held["degree"]:
        known.coar_type = degree_of(" ".join(map(text_of, held["degree/level"] + held["degree/name"]))) or "thesis"


FORMAT = format_of("etdms", _more)
