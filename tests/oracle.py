"""The judge of our answers: the official schemas, read from `../shared/xsd` without network, on whole answers.

Envelope, headers, about containers, descriptions, oai_dc and DIDL are judged strictly, as OAI-PMH.xsd asks. Payloads
of formats that are not ours are re-exposed as they came; they need only be well-formed, so each is replaced before.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from lxml import etree

SCHEMAS = Path(__file__).resolve().parent.parent.parent / "shared" / "xsd"
OAI = "{http://www.openarchives.org/OAI/2.0/}"
OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"

# Namespace and file of every schema that something of ours must be valid against.
_JUDGED = (
    ("http://www.openarchives.org/OAI/2.0/", "oai-2.0/OAI-PMH.xsd"),
    (OAI_DC, "oai-2.0/oai_dc.xsd"),
    ("http://www.openarchives.org/OAI/2.0/oai-identifier", "oai-2.0/oai-identifier.xsd"),
    ("http://www.openarchives.org/OAI/2.0/provenance", "oai-2.0/provenance.xsd"),
    ("http://www.openarchives.org/OAI/2.0/friends/", "oai-2.0/friends.xsd"),
    ("http://www.openarchives.org/OAI/2.0/branding/", "oai-2.0/branding.xsd"),
    ("http://www.openarchives.org/OAI/2.0/rights/", "oai-2.0/rightsManifest.xsd"),
    ("urn:mpeg:mpeg21:2002:02-DIDL-NS", "mpeg21/didl.xsd"),
)


def faults(answer: bytes, *, is_foreign: bool = False) -> list[str]:
    """Return what the official schemas object to in a whole answer, a sentence each; empty when it is valid.

    `is_foreign`: the metadata belongs to a format that is not ours and is not judged beyond being well-formed.
    """
    try:
        root = etree.fromstring(answer, _parser())
    except etree.XMLSyntaxError as error:
        return [f"not well-formed: {error}"]
    if is_foreign:
        _replace_payloads(root)
    schema = _schema()
    if schema.validate(root):
        return []
    return [f"line {entry.line}: {entry.message}" for entry in schema.error_log]  # type: ignore[attr-defined]


def records(answer: bytes) -> Iterator[etree._Element]:
    """Return the records of a ListRecords or GetRecord answer."""
    return etree.fromstring(answer, _parser()).iterfind(f"*/{OAI}record")


def _replace_payloads(root: etree._Element) -> None:
    """Put an empty oai_dc in the place of every payload, one for one: their number is the envelope's business."""
    for metadata in root.iterfind(f"*/{OAI}record/{OAI}metadata"):
        for payload in metadata:
            metadata.replace(payload, etree.Element(f"{{{OAI_DC}}}dc"))


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)


class _Offline(etree.Resolver):
    """Resolves every address by the catalogue; what it does not list is not fetched."""

    def __init__(self) -> None:
        self._files: dict[str, str] = json.loads((SCHEMAS / "catalog.json").read_text())

    def resolve(self, system_url: str, _public_id: str, context: object) -> object:  # type: ignore[override]
        if "://" not in system_url:
            return None
        return self.resolve_filename(str(SCHEMAS / self._files[system_url]), context)  # type: ignore[attr-defined]


@cache
def _schema() -> etree.XMLSchema:
    parser = _parser()
    parser.resolvers.add(_Offline())
    imports = "".join(f'<xs:import namespace="{name}" schemaLocation="{SCHEMAS / file}"/>' for name, file in _JUDGED)
    driver = (
        f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:judged">{imports}</xs:schema>'
    )
    return etree.XMLSchema(etree.fromstring(driver, parser))
