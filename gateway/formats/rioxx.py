"""Rioxx 2 and 3 (rioxx.net), research outputs of British repositories: both are read, 3 is written.

Rioxx 3 describes a work with all its files, by COAR's vocabularies. Rioxx 2 describes one file, and demands a project,
a licence and a type of a short list, so most records could not be both true and valid. What is written follows the
profile (3.0 final). Its schema contradicts it: that allows one creator, and no `cite-as`. Of what the profile calls
mandatory, an unknown language is `und`, an unknown creator `:unav`, and dc:identifier is left out if there is no page,
DOI or Handle. A gateway cannot know which DOI is that of its source, so all are `ext_relation`. Local numbers are not
written, because all identifiers of Rioxx are addresses.
"""

from collections.abc import Mapping

from gateway.core.addresses import any_uri
from gateway.core.bibliography.dates import iso_of
from gateway.core.bibliography.dublin_core import spelled
from gateway.core.model import Agent, DateType, Relation
from gateway.core.xmlio import Element, text_of
from gateway.formats._describing import Describing, first
from gateway.formats._file_links import type_named
from gateway.formats._paths import attribute_of, text
from gateway.formats._tables import format_of
from gateway.formats._writing import UNKNOWN, Facts
from gateway.formats.oai_openaire import access_of

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


def _values(facts: Facts) -> Mapping[str, object]:
    addresses = {facts.page, *(file.url for file in facts.files)}
    same = [spelled(entry) for entry in facts.identifiers if entry.scheme not in ("doi", "other")]
    creators = facts.authors or (Agent(UNKNOWN),)
    return {
        "access": access_of(facts),
        "resolved": first(entry.url for entry in facts.identifiers if entry.scheme in ("doi", "handle")),
        "languages": facts.known.languages or ("und",),
        "same": [any_uri(uri) for uri in same if uri not in addresses],
        "accepted": first(iso_of(date.text) for date in facts.known.dates if date.type is DateType.ACCEPTED),
        "first_creator": creators[:1],
        "next_creators": creators[1:],
    }


FORMAT = format_of("rioxx", _more, written="rioxx", values=_values)
