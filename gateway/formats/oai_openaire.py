"""`oai_openaire`: OpenAIRE Guidelines for Literature Repositories 4, of DSpace, OJS, EPrints.

Its elements are those of DataCite, Dublin Core, and its own (oaire): citation, files, licence, version. Of what the
guidelines call mandatory, every record has title, creator and resource type. Publication date, access rights and
resource identifier are there if the record states them; an embargo or an open licence states access rights. What is
mandatory if applicable is there if it is known.
"""

import re
from collections.abc import Mapping

from gateway.core.bibliography.types import type_of
from gateway.core.model import DateType, Identifier
from gateway.core.xmlio import Element, text_of
from gateway.formats import datacite
from gateway.formats._describing import Describing, first
from gateway.formats._tables import format_of
from gateway.formats._templates import TABLES
from gateway.formats._writing import Facts

_OAIRE = "http://namespace.openaire.eu/schema/oaire/"
_HOST = {
    "citationTitle": "title", "citationVolume": "volume", "citationIssue": "issue", "citationStartPage": "first_page",
    "citationEndPage": "last_page",
}  # fmt: skip
_EMBARGOED = "c_f1cf"  # COAR access rights: embargoed access
_SIZE = re.compile(r"(?i)\s*(\d{1,15})(?:\s*(?:bytes?|b))?\s*")


def _more(resource: Element, known: Describing, held: Mapping[str, list[Element]]) -> None:
    # Where an embargo ends, that is the date of availability. What was issued is cited, then what was accepted.
    is_embargoed = any(_EMBARGOED in (element.get("rightsURI") or "") for element in held["rights"])
    is_issued = any(date.type is DateType.ISSUED for date in known.dates)
    same = {DateType.AVAILABLE: DateType.EMBARGO_END} if is_embargoed else {}
    same |= {} if is_issued else {DateType.ACCEPTED: DateType.ISSUED}
    known.dates = [date._replace(type=same.get(date.type, date.type)) for date in known.dates]
    for element in held["resourceType"]:
        known.coar_type = type_of((element.get("uri") or "", text_of(element)))
    datacite.add_host(resource, known)
    files, sizes = held["file"], [_SIZE.fullmatch(text_of(element)) for element in held["sizes/size or size"]]
    in_order = sizes if len(sizes) == len(files) else [None] * len(files)
    for element, size in zip(files, in_order, strict=True):
        known.file(text_of(element), element.get("mimeType") or "", int(size[1]) if size else None)


# --- writing ---------------------------------------------------------------------------------------------------------

_STATED_ACCESS = re.compile(
    r"(?i)\b(open|embargoed|restricted|closed|metadata[ -]only) ?access\b|(c_(?:abf2|f1cf|16ec|14cb))$"
)
_OPEN_LICENSE = re.compile(r"(?i)creativecommons\.org/")


def _values(facts: Facts) -> Mapping[str, object]:
    identifiers = facts.identifiers
    best = next((entry for entry in identifiers if entry.scheme in TABLES["openaire_identifiers"]), None)
    sizes = [file.size for file in facts.files if file.size is not None]
    return {
        **datacite.values(facts, facts.embargo_end),
        "best": best or Identifier("url", facts.page),
        "alternates": [entry for entry in identifiers if entry is not best],
        "access": access_of(facts),
        "licenses": [text for text in facts.known.rights if not _STATED_ACCESS.search(text)],
        "sizes": sizes if len(sizes) == len(facts.files) else (),
        "version": first(file.version for file in facts.files if file.version in TABLES["openaire_versions"]),
    }


def access_of(facts: Facts) -> str:
    """Return the access rights that a record states; empty if it states none."""
    if facts.embargo_end:
        return "embargoed access"
    for text in facts.known.rights:
        if match := _STATED_ACCESS.search(text):
            word, uris = (match[1] or "").lower(), TABLES["openaire_access"].items()
            label = next((label for label, uri in uris if match[2] and uri.endswith(match[2])), "")
            return label or ("metadata only access" if word[:1] in "cm" else f"{word} access")
    return "open access" if any(map(_OPEN_LICENSE.search, (*facts.known.rights, facts.license))) else ""


FORMAT = format_of("oai_openaire", _more, written="oai_openaire", values=_values)
