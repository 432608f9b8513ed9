"""LIDO 1.0 and 1.1 (ICOM CIDOC): the object that a museum describes, read only.

Who made an object, and when, is in the event of its production; it may also have been found, bought, and exhibited.
"""

from gateway.core.bibliography.dates import year_of
from gateway.core.bibliography.people import agent_of, best_role, organization
from gateway.core.model import DateType, Work
from gateway.core.xmlio import Element, text_of
from gateway.formats._describing import Describing
from gateway.formats._paths import attribute_of, find, record_in, text, texts
from gateway.formats._tables import TABLES, format_of, read_by, with_role

_PREVIEWS = tuple(TABLES["words_lido"]["preview"])
_GROUPS = tuple(TABLES["words_lido"]["group"])


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a record, or of the first one in a `lidoWrap`; None if there is none."""
    record = record_in(root, "lido")
    if record is None:
        return None
    known = Describing("lido:linkResource")
    for described in find(record, "descriptiveMetadata"):  # the next ones are the same in other languages
        before = len(known.agents)
        read_by("lido", described, known)
        for event in find(described, "eventWrap/eventSet/event"):
            stated = " ".join(texts(event, "eventType/conceptID", "eventType/term", "eventType/Concept/*")).lower()
            if any(word in stated for word in TABLES["lido"]["made"]):
                _made(event, known, with_agents=not before)
    for about in find(record, "administrativeMetadata"):
        read_by("lido_administered", about, known)
        for resource in find(about, "resourceWrap/resourceSet"):
            _file(resource, known)
    return known.work()


def _made(event: Element, known: Describing, *, with_agents: bool) -> None:
    """Add the makers and the date of an object; another role, such as that of a patron, is one of its own."""
    dates = texts(event, "eventDate/displayDate", "eventDate/date/earliestDate")
    known.date(next(filter(year_of, dates), ""), DateType.CREATED)
    for element in find(event, "eventActor/actorInRole") if with_agents else ():
        names = "actor/nameActorSet/appellationValue"
        name = text(element, f"{names}[pref=preferred]", f"{names}[pref!=alternate]", names)
        kind = next(texts(element, "actor@type"), "").lower()
        role = best_role(texts(element, "roleActor/term", "roleActor/Concept/prefLabel"))
        agent = organization(name) if kind.startswith(_GROUPS) else agent_of(name)
        known.agent(with_role(agent, "cre" if role in ("", "ctb") else role))


def _file(resource: Element, known: Describing) -> None:
    """Add the first representation that is no preview, or the only one."""
    forms = list(find(resource, "resourceRepresentation"))
    best = [form for form in forms if not any(word in attribute_of(form, "type").lower() for word in _PREVIEWS)]
    for link in find(next(iter(best or forms), None), "linkResource"):
        if best or len(forms) == 1:
            known.link(text_of(link), attribute_of(link, "formatResource") or "image/jpeg", may_be_page=False)


FORMAT = format_of("lido", read=read)
