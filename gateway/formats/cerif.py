"""OpenAIRE Guidelines for CRIS Managers (CERIF XML 1.1, 1.2): publications, products and patents, read only.

Persons, organizations, projects and events describe no work: see not_works.toml.
"""

from gateway.core.model import Work
from gateway.core.xmlio import Element, name_of
from gateway.formats._describing import Describing
from gateway.formats._tables import format_of, read_by


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a publication, a product or a patent; None if it is neither."""
    if name_of(root)[1] not in ("Publication", "Product", "Patent"):
        return None
    known = Describing("cerif:FileLocations")
    read_by("cerif", root, known)
    return known.work()


FORMAT = format_of("cerif", read)
