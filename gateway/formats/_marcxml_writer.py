"""Writes MARCXML: a bibliographic record by the Library of Congress's crosswalk from Dublin Core to MARC 21.

Authors are persons and bodies with headings (1XX, 7XX) where their names say so, else uncontrolled names (720). The
leader says that the punctuation of ISBD is omitted, so a full stop belongs to its text.
"""

from collections.abc import Iterator

from gateway.core.addresses import address, is_address
from gateway.core.model import Agent, Text, TitleType, Work
from gateway.formats._writing import TABLES, Facts, around, document, facts_of, tag

MARC = "http://www.loc.gov/MARC21/slim"
SCHEMA = "http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd"
NO_TITLE = "No title"

_KINDS = TABLES["marc_kinds"]
_SOURCES = TABLES["marc_sources"]


def write(work: Work) -> bytes:
    """Return the work in UTF-8 as a record of MARC 21 (MARC 21 Format for Bibliographic Data)."""
    stated = facts_of(work)
    kind = _KINDS.get(stated.known.type, "am")
    parts = (
        f"<leader>     n{kind} a22     7c 4500</leader>",
        tag("controlfield", _fixed(stated), {"tag": "008"}),
        *_identifiers(stated, is_serial=kind[1] == "s"),
        *_names_and_title(stated),
        *_descriptions(stated),
        *_linking(stated),
    )
    return document("record", {"": MARC}, SCHEMA, parts)


def _field(name: str, indicators: str, *subfields: tuple[str, str]) -> str:
    """Return a field with the subfields (code, text) that are not empty; an empty string without any."""
    parts = (tag("subfield", text, {"code": code}) for code, text in subfields)
    return around("datafield", parts, {"tag": name, "ind1": indicators[0], "ind2": indicators[1]})


def _fixed(stated: Facts) -> str:
    """Return field 008: the year of publication; all else is not coded."""
    date = f"s{stated.year:04}" if stated.year else "nuuuu"
    return f"      {date}    xx {'|' * 17}    d"


def _identifiers(stated: Facts, *, is_serial: bool) -> Iterator[str]:
    entries = stated.identifiers
    yield from (_field("020", "  ", ("a", entry.text)) for entry in entries if entry.scheme == "isbn")
    yield from (_field("022", "  ", ("a", entry.text)) for entry in entries if entry.scheme == "issn" and is_serial)
    for scheme, text, *_ in entries:
        if scheme != "isbn" and not (scheme == "issn" and is_serial):
            source = _SOURCES.get(scheme, "" if scheme == "other" else scheme)
            yield _field("024", "7 " if source else "8 ", ("a", text), ("2", source))
    for language in stated.known.languages:
        yield _field("041", " 7", ("a", language), ("2", "rfc5646"))


def _names_and_title(stated: Facts) -> Iterator[str]:
    first, rest = stated.authors[:1], stated.authors[1:]
    has_main = bool(first) and _has_heading(first[0])
    if has_main:
        yield _name("1", first[0])
    yield _field("245", f"{int(has_main)}0", ("a", stated.title.text or NO_TITLE))
    for text, type_, language in stated.titles:
        if type_ is TitleType.TRANSLATED:
            yield _field("242", "00", ("a", text), ("y", language))
        else:
            yield _field("246", "3 ", ("a", text))
    yield _field("264", " 1", *(("b", text) for text in stated.known.publishers), ("c", stated.date))
    for agent in (*(() if has_main else first), *rest, *stated.others):
        yield _name("7", agent)


def _has_heading(agent: Agent) -> bool:
    return agent.is_organization or bool(agent.family and agent.given)


def _name(entry: str, agent: Agent) -> str:
    """Return the field of a name in a main entry (1) or an added one (7)."""
    identifiers = ("1", agent.orcid or agent.ror)
    if agent.is_organization:
        return _field(f"{entry}10", "2 ", ("a", agent.name), identifiers, ("4", agent.role))
    if _has_heading(agent):
        name = f"{agent.family}, {agent.given}"
        return _field(
            f"{entry}00", "1 ", ("a", name), ("c", agent.suffix), *(("u", place) for place in agent.affiliations),
            identifiers, ("4", agent.role),
        )  # fmt: skip
    return _field("720", "  ", ("a", agent.name), ("4", agent.role))


def _descriptions(stated: Facts) -> Iterator[str]:
    known = stated.known
    yield from (_field("300", "  ", ("a", text)) for text in known.formats)
    yield from (_field("500", "  ", ("a", text)) for text, _, type_ in known.descriptions if type_ == "note")
    abstracts: list[Text] = [entry for entry in known.descriptions if entry.type != "note"]
    yield from (_field("520", "3 ", ("a", entry.text)) for entry in abstracts)
    yield from (_field("522", "  ", ("a", text)) for text in known.coverage)
    yield from (_field("536", "  ", ("a", entry.funder), ("c", entry.grant)) for entry in known.funding)
    for text in known.rights:
        yield _field("540", "  ", ("u", address(text)) if is_address(text) else ("a", text))
    yield from (_field("653", "  ", ("a", entry.text)) for entry in known.subjects)
    for word in dict.fromkeys(filter(None, (known.type, *known.types))):
        yield _field("655", " 7", ("a", word), ("2", "coar" if word == known.type else "local"))


def _linking(stated: Facts) -> Iterator[str]:
    host = stated.host
    pages = "-".join(filter(None, (host.first_page, host.last_page)))
    forms = (("vol. {}", host.volume), ("no. {}", host.issue), ("p. {}", pages))
    place = ", ".join(form.format(text) for form, text in forms if text)
    yield _field("773", "0 ", ("t", host.title), ("g", place), ("x", host.issn), ("z", host.isbn))
    yield from (_field("786", "0 ", ("n", text)) for text in stated.known.sources)
    yield from (_field("787", "0 ", ("n", text)) for text in stated.known.relations)
    if stated.page:
        yield _field("856", "40", ("u", stated.page))
    for file in stated.files:
        size = f"{file.size} bytes" if file.size is not None else ""
        yield _field("856", "40", ("u", file.url), ("q", file.mime_type), ("s", size))
