"""`oai_openaire`: OpenAIRE Guidelines for Literature Repositories 4, of DSpace, OJS, EPrints.

Its elements are those of DataCite, Dublin Core, and its own (oaire): citation, files, licence, version. Of what the
guidelines call mandatory, every record has title, creator and resource type. Publication date, access rights and
resource identifier are there if the record states them; an embargo or an open licence states access rights. What is
mandatory if applicable is there if it is known.
"""

import re
from collections.abc import Iterator, Mapping

from gateway.core.addresses import address, is_address
from gateway.core.bibliography.types import address_of, type_of
from gateway.core.model import DateType, FileLink, Identifier, Work
from gateway.core.xmlio import Element, text_of
from gateway.core.xmltext import DC
from gateway.formats import datacite
from gateway.formats._describing import Describing
from gateway.formats._tables import format_of
from gateway.formats._writing import TABLES, Facts, around, document, facts_of, lang, tag

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

_OFFICIAL = "https://www.openaire.eu/schema/repo-lit/4.0/openaire.xsd"
ACCESS = TABLES["openaire_access"]
_STATED_ACCESS = re.compile(
    r"(?i)\b(open|embargoed|restricted|closed|metadata[ -]only) ?access\b|(c_(?:abf2|f1cf|16ec|14cb))$"
)
_OPEN_LICENSE = re.compile(r"(?i)creativecommons\.org/")
_IDENTIFIERS = TABLES["openaire_identifiers"]
VERSIONS = TABLES["openaire_versions"]
OTHER_TYPE = ("other", "http://purl.org/coar/resource_type/c_1843")
# Types of COAR that the guidelines do not have.
_NOT_IN_GUIDELINES = frozenset(("conference presentation", "newspaper", "manuscript", "corrigendum", "learning object"))


def write(work: Work) -> bytes:
    """Return the work in UTF-8 (OpenAIRE Guidelines for Literature Repositories 4, application profile)."""
    stated = facts_of(work)
    namespaces = {"oaire": _OAIRE, "datacite": datacite.KERNEL, "dc": DC}
    return document("oaire:resource", namespaces, _OFFICIAL, (*_described(stated), *_accessible(stated)))


def _described(stated: Facts) -> Iterator[str]:
    known, host = stated.known, stated.host
    yield datacite.titles(stated, "datacite:")
    yield datacite.agents(stated, "datacite:")
    yield datacite.funding(stated, "oaire:")
    best = next((entry for entry in stated.identifiers if entry.scheme in _IDENTIFIERS), None)
    yield datacite.alternate_identifiers([entry for entry in stated.identifiers if entry is not best], "datacite:")
    numbers = [("ISSN", host.issn), ("ISBN", host.isbn)]
    yield around("datacite:relatedIdentifiers", [
        tag("datacite:relatedIdentifier", text, {"relatedIdentifierType": scheme, "relationType": "IsPartOf"})
        for scheme, text in numbers
    ])  # fmt: skip
    yield datacite.dates(stated, "datacite:", stated.embargo_end)
    yield from (tag("dc:language", language) for language in known.languages)
    yield from (tag("dc:publisher", publisher) for publisher in known.publishers)
    is_known = known.type and known.type not in _NOT_IN_GUIDELINES
    label, uri = (known.type, address_of(known.type)) if is_known else (known.type or OTHER_TYPE[0], OTHER_TYPE[1])
    yield tag("oaire:resourceType", label, {"resourceTypeGeneral": _kind(stated), "uri": uri})
    yield from (tag("dc:description", text, lang(language)) for text, language, _ in known.descriptions)
    yield from (tag("dc:format", text) for text in known.formats)
    if best or stated.page:
        scheme, text, *_ = best or Identifier("url", stated.page)
        yield tag("datacite:identifier", text, {"identifierType": _IDENTIFIERS[scheme]})
    yield from (tag("dc:source", text) for text in known.sources)
    yield datacite.subjects(stated, "datacite:")
    yield from (tag("dc:coverage", text) for text in known.coverage)
    yield from (tag(f"oaire:{name}", getattr(host, field)) for name, field in _HOST.items())


def _kind(stated: Facts) -> str:
    """Return the general type (OpenAIRE 4, resource type)."""
    general = datacite.GENERAL.get(stated.known.type, "")
    products = ("Image", "Audiovisual", "Sound", "Collection", "InteractiveResource")
    kinds = {"Dataset": "dataset", "Software": "software", **dict.fromkeys(products, "other research product")}
    return kinds.get(general, "literature")


def _accessible(stated: Facts) -> Iterator[str]:
    access = access_of(stated)
    if access:
        yield tag("datacite:rights", access, {"rightsURI": ACCESS[access]})
    for text in stated.known.rights:
        if not _STATED_ACCESS.search(text):
            yield tag("oaire:licenseCondition", text, {"uri": address(text) if is_address(text) else ""})
    sizes = [f"{file.size} bytes" for file in stated.files if file.size is not None]
    if len(sizes) == len(stated.files):  # they are read in the order of the files
        yield around("datacite:sizes", [tag("datacite:size", size) for size in sizes])
    version = next((VERSIONS[file.version] for file in stated.files if file.version in VERSIONS), None)
    if version:
        yield tag("oaire:version", version[0], {"uri": version[1]})
    yield from (_file(file, stated, access) for file in stated.files)


def access_of(stated: Facts) -> str:
    """Return the access rights that a record states; empty if it states none."""
    if stated.embargo_end:
        return "embargoed access"
    for text in stated.known.rights:
        if match := _STATED_ACCESS.search(text):
            word = (match[1] or "").lower()
            label = next((label for label, uri in ACCESS.items() if match[2] and uri.endswith(match[2])), "")
            return label or ("metadata only access" if word[:1] in "cm" else f"{word} access")
    is_open = any(map(_OPEN_LICENSE.search, (*stated.known.rights, stated.license)))
    return "open access" if is_open else ""


def _file(file: FileLink, stated: Facts, access: str) -> str:
    kind = {"literature": "fulltext"}.get(_kind(stated), _kind(stated)).replace("other research product", "other")
    facts = {"accessRightsURI": ACCESS.get(access, ""), "mimeType": file.mime_type, "objectType": kind}
    return tag("oaire:file", file.url, facts)


FORMAT = format_of("oai_openaire", _more, metadata_prefix="oai_openaire", schema=_OFFICIAL, write=write)
