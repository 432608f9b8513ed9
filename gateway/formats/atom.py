"""Entries of Atom (RFC 4287): of catalogues in OPDS, and resource maps of OAI-ORE; read only.

The rights and the date of publication of a resource map are not those of what it describes (ORE User Guide, Atom).
"""

from collections.abc import Mapping

from gateway.core.model import DateType
from gateway.core.xmlio import Element
from gateway.formats._describing import Describing
from gateway.formats._tables import format_of


def _more(_entry: Element, known: Describing, held: Mapping[str, list[Element]]) -> None:
    if any(held.values()):
        known.all_rights, known.license = [], ""
        known.dates = [date for date in known.dates if date.type is not DateType.AVAILABLE]


FORMAT = format_of("atom", _more)
