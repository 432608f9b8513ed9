"""`uketd_dc`, the records of theses of EThOS (British Library): read only."""

from gateway.core.bibliography.people import agent_of, orcid_of, parts_of_list
from gateway.core.digests import digest
from gateway.core.model import Work
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.formats._describing import Describing, first
from gateway.formats._tables import attribute_of, degree_of, format_of, read_by, record_in, texts, with_role


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a thesis; None if there is none."""
    record = record_in(root, "uketddc")
    if record is None:
        return None
    known = Describing("uketd_dc:identifier")
    for name, role in (("creator", "aut"), ("advisor", "ths")):
        for words in texts(record, name):
            for part in parts_of_list(words):
                known.agent(with_role(agent_of(part), role))
    if known.agents and (orcid := first(map(orcid_of, texts(record, "authoridentifier")))):
        known.agents[0] = known.agents[0]._replace(orcid=orcid)
    read_by("uketd_dc", record, known)
    _files(record, known)
    degree = (*texts(record, "qualificationlevel", "qualificationname"), *known.types)
    known.coar_type = degree_of(" ".join(degree))
    return known.work()


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


FORMAT = format_of("uketd_dc", read)
