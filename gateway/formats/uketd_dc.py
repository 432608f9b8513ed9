"""`uketd_dc`, the records of theses of EThOS (British Library): read only."""

from collections.abc import Mapping

from gateway.core.bibliography.people import agent_of, orcid_of, parts_of_list
from gateway.core.digests import digest
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.formats._describing import Describing, first
from gateway.formats._paths import attribute_of
from gateway.formats._tables import degree_of, format_of, with_role


def _more(record: Element, known: Describing, held: Mapping[str, list[Element]]) -> None:
    for name, role in (("creator", "aut"), ("advisor", "ths")):
        for words in filter(None, map(text_of, held[name])):
            for part in parts_of_list(words):
                known.agent(with_role(agent_of(part), role))
    if known.agents and (orcid := first(map(orcid_of, map(text_of, held["authoridentifier"])))):
        known.agents[0] = known.agents[0]._replace(orcid=orcid)
    _files(record, known)
    degree = (*map(text_of, held["qualificationlevel"] + held["qualificationname"]), *known.types)
    known.coar_type = degree_of(" ".join(degree))


def _files(record: Element, known: Describing) -> None:
    """Add what identifies the thesis; a checksum belongs to the address before it."""
    names_file = False
    for element in children(record):
        name, words = name_of(element)[1], text_of(element)
        if name == "checksum" and names_file:
            stated = tuple(digest(attribute_of(element, "type") or "MD5", words))
            known.files[-1] = known.files[-1]._replace(digests=stated)
        before = len(known.files)
        if name == "identifier" and words[:4].lower() == "http":
            known.link(words)
        elif name == "identifier":
            known.identifier(words, attribute_of(element, "type"))
        names_file = len(known.files) > before


FORMAT = format_of("uketd_dc", _more)
