"""`dim`: DSpace's Intermediate Metadata, its metadata fields as they are stored: read only."""

from gateway.core.model import Work
from gateway.core.xmlio import Element, name_of, text_of
from gateway.formats import MetadataFormat
from gateway.formats._describing import Describing
from gateway.formats._dspace import add_field

_DIM = "http://www.dspace.org/xmlns/dspace/dim"


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a record, or of the first one in a list; None if there is none."""
    record = root
    if name_of(root)[1] != "dim" or root.find("{*}field") is None:
        found = next((element for element in root.iter("{*}dim") if element.find("{*}field") is not None), None)
        if found is None:
            return None
        record = found
    known = Describing("dim:field")
    for field in record.iterfind("{*}field"):
        name = (field.get("mdschema") or "", field.get("element") or "", field.get("qualifier") or "")
        add_field(known, name, text_of(field), field.get("lang") or "")
    return known.work()


FORMAT = MetadataFormat(namespaces=(_DIM,), rank=25, read=read, roots=("dim",))
