"""Rioxx 2 and 3 (rioxx.net), research outputs of British repositories: both are read, 3 is written.

Rioxx 3 describes a work with all its files, by COAR's vocabularies. Rioxx 2 describes one file, and demands a project,
a licence and a type of a short list, so most records could not be both true and valid. What is written follows the
profile (3.0 final). Its schema contradicts it: that allows one creator, and no `cite-as`. Of what the profile calls
mandatory, an unknown language is `und`, an unknown creator `:unav`, and dc:identifier is left out if there is no page,
DOI or Handle. A gateway cannot know which DOI is that of its source, so all are `ext_relation`. Local numbers are not
written, because all identifiers of Rioxx are addresses.
"""

from collections.abc import Iterator, Mapping

from gateway.core.addresses import address, any_uri, is_address
from gateway.core.bibliography.dates import iso_of
from gateway.core.bibliography.dublin_core import spelled
from gateway.core.bibliography.types import address_of
from gateway.core.model import Agent, DateType, FileLink, Relation, Work
from gateway.core.xmlio import Element, text_of
from gateway.core.xmltext import DC, DCTERMS
from gateway.formats import oai_openaire
from gateway.formats._describing import Describing, first
from gateway.formats._file_links import UNKNOWN as NO_TYPE
from gateway.formats._file_links import type_named
from gateway.formats._paths import attribute_of, text
from gateway.formats._tables import format_of
from gateway.formats._writing import UNKNOWN, Facts, around, document, facts_of, lang, tag

_PUBLISHED = "c_970fb48d4fbd8a85"  # COAR version types: the version of record


def _more(record: Element, known: Describing, held: Mapping[str, list[Element]]) -> None:
    # Identifiers of external versions: of the version of record, or of what has the type of the work alone.
    own_type = text(record, "type").rpartition("/")[2]
    for element in held["ext_relation[rel=cite-as]"]:
        version, type_ = attribute_of(element, "coar_version"), attribute_of(element, "coar_type").rpartition("/")[2]
        is_own = _PUBLISHED in version or (not version and type_ in ("", own_type))
        known.identifier(text_of(element), relation=Relation.OWN if is_own else Relation.OTHER)
    # Rioxx 3 has the landing page as dc:identifier, Rioxx 2 the file; some mix them up.
    is_third = bool(held["creator|relation/*"] or known.files)
    stated = "" if is_third else first(map(type_named, map(text_of, held["format"])))
    for words in filter(None, map(text_of, held["identifier"])):
        before = len(known.files)
        known.link(words, stated)
        if len(known.files) == before:
            known.identifier(words)
    if not any(date.type is DateType.ISSUED for date in known.dates):
        known.dates = [date._replace(type=DateType.ISSUED) for date in known.dates]


# --- writing ----------------------------------------------------------------------------------------------------------

_RIOXX, _TERMS = "http://www.rioxx.net/schema/v3.0/rioxx/", "http://www.rioxx.net/schema/v3.0/rioxxterms/"
_SCHEMA = f"{_RIOXX}rioxx.xsd"


def write(work: Work) -> bytes:
    """Return the work in UTF-8 as a record of Rioxx 3.0."""
    stated = facts_of(work)
    namespaces = {"": _RIOXX, "dc": DC, "dcterms": DCTERMS, "rioxxterms": _TERMS}
    return document("rioxx", namespaces, _SCHEMA, _elements(stated))


def _elements(stated: Facts) -> Iterator[str]:
    known = stated.known
    type_ = address_of(known.type) or oai_openaire.OTHER_TYPE[1]
    resolved = next((entry.url for entry in stated.identifiers if entry.scheme in ("doi", "handle")), "")
    yield from (tag("dc:coverage", words) for words in known.coverage)
    yield from (tag("dc:description", words, lang(language)) for words, language, _ in known.descriptions)
    yield tag("dc:identifier", stated.page or resolved)
    yield from (tag("dc:language", language) for language in known.languages or ("und",))
    addresses = {stated.page, *(file.url for file in stated.files)}
    for entry in stated.identifiers:
        if entry.scheme not in ("doi", "other") and spelled(entry) not in addresses:
            yield tag("dc:relation", any_uri(spelled(entry)), {"rel": "cite-as"})
    yield from (_file(file, stated, type_) for file in stated.files)
    yield tag("dc:source", stated.host.issn or stated.host.isbn or stated.host.title)
    yield from (tag("dc:subject", words, lang(language)) for words, language, _ in known.subjects)
    yield tag("dc:title", stated.title.text or UNKNOWN, lang(stated.title.language))
    yield tag("dc:type", type_)
    accepted = (iso_of(date.text) for date in known.dates if date.type is DateType.ACCEPTED)
    yield tag("dcterms:dateAccepted", first(accepted))
    yield from (_agent("contributor", agent) for agent in stated.others)
    for place, agent in enumerate(stated.authors or (Agent(UNKNOWN),)):
        yield _agent("creator", agent, {"first-named-author": "" if place else "true"})
    for entry in stated.identifiers:
        if entry.scheme == "doi":
            yield tag("rioxxterms:ext_relation", entry.url, {"rel": "cite-as", "coar_type": type_})
    for funding in known.funding:
        funder_id = address(funding.funder_id) if is_address(funding.funder_id) else ""
        if funding.funder:
            yield tag("rioxxterms:grant", funding.grant, {"funder_name": funding.funder, "funder_id": funder_id})
    yield tag("rioxxterms:publication_date", stated.date)
    yield from (around("rioxxterms:publisher", [tag("rioxxterms:name", name)]) for name in known.publishers)


def _agent(kind: str, agent: Agent, attributes: dict[str, str] | None = None) -> str:
    parts = tag("rioxxterms:name", agent.family_first), tag("rioxxterms:id", agent.orcid or agent.ror)
    return around(f"rioxxterms:{kind}", parts, attributes)


def _file(file: FileLink, stated: Facts, type_: str) -> str:
    """Return a file that can be downloaded; an embargo ends on the day on which it is exposed."""
    license_ = file.license or stated.license
    _, version = oai_openaire.VERSIONS.get(file.version, ("", ""))
    facts = {
        "rel": "item", "type": "" if file.mime_type == NO_TYPE else file.mime_type, "coar_type": type_,
        "coar_version": version, "resource_exposed_date": stated.embargo_end,
        "access_rights": oai_openaire.ACCESS.get(oai_openaire.access_of(stated), ""),
        "license_ref": address(license_) if is_address(license_) else "",
    }  # fmt: skip
    return tag("dc:relation", file.url, facts)


FORMAT = format_of("rioxx", _more, metadata_prefix="rioxx", schema=_SCHEMA, write=write)
