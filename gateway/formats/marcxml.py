"""MARC 21 Bibliographic (Library of Congress) as MARCXML, also without its namespace, and as oai_marc.

Records of all spellings are one list of fields: (tag, indicators, subfields). What is no bibliographic record, such as
an authority or a holding, describes no work. What is written follows the crosswalk of the Library of Congress from
Dublin Core, with the punctuation of the texts (leader/18 is `c`).
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gateway.core.bibliography.dates import year_of
from gateway.core.bibliography.people import (
    agent_of,
    best_role,
    is_author,
    orcid_of,
    organization,
    person,
    without_life,
)
from gateway.core.errors import NotAWork
from gateway.core.model import Agent, DateType, TitleType, Work
from gateway.core.words import any_of, table
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.formats._describing import Describing, first
from gateway.formats._file_links import EXTENSIONS, type_named
from gateway.formats._tables import format_of
from gateway.formats._templates import TABLES
from gateway.formats._writing import Facts

_TABLE = table(__file__, "marc_tables")
_NO_WORKS = frozenset("zuvxy")  # leader/06: authority, holdings (MARC 21 Holdings, Authority)
_ISBD = " /:;=,"  # punctuation at the end of a subfield (ISBD)
_WORDS = {name: any_of(words) for name, words in _TABLE["words"].items()}
_EDITED = re.compile(rf"(?i)\b(?:{_WORDS['edited']})")
_PAGES = re.compile(
    rf"(?i)(?:\b(?:{_WORDS['pages']})\b\.?\s*)([A-Za-z]?\d{{1,6}})(?:\s*[-\u2013/]\s*([A-Za-z]?\d{{1,6}}))?"
)
_VOLUME = re.compile(rf"(?i)\b(?:{_WORDS['volume']})\b\.?\s*(\d{{1,5}})")
_ISSUE = re.compile(rf"(?i)(?:\b(?:{_WORDS['issue']})\b\.?\s*|,\s*(?:{_WORDS['issue_after_comma']})\.\s*)(\d{{1,5}})")
_ABOUT = re.compile(rf"(?i)\b(?:{_WORDS['about']})\b")
_DEGREES = {type_: re.compile(rf"(?i)\b(?:{any_of(words)})") for type_, words in _TABLE["degrees"].items()}
_LONGEST_STATEMENT = 20_000  # characters in which each name is looked for
_BYTES = re.compile(r"(\d{1,15})(?: ?bytes?)?")


class _Field(NamedTuple):
    tag: str
    ind1: str
    ind2: str
    subfields: tuple[tuple[str, str], ...]

    def all(self, codes: str) -> Iterator[str]:
        """Yield the texts of these subfields, in the order of the field."""
        return (text for code, text in self.subfields if code in codes and text)

    def joined(self, codes: str, by: str = " ") -> str:
        return by.join(self.all(codes))

    def first(self, codes: str) -> str:
        return next(self.all(codes), "")


class _Record:
    """A record of any spelling."""

    def __init__(self, root: Element) -> None:
        # In oai_marc, attributes of the record are parts of the leader.
        attributes = ("status", "type", "level") if name_of(root)[1] == "oai_marc" else ()
        self.leader = "".join(root.get(name, " ")[:1] for name in attributes).rjust(8).rstrip()
        self.controls, self.fields = dict[str, str](), list[_Field]()
        for element in children(root):
            name = name_of(element)[1]
            if name == "leader":
                self.leader = element.text or ""
            elif name in ("controlfield", "fixfield"):
                tag, text = element.get("tag") or element.get("id") or "", (element.text or "").strip('"\n')
                self.controls.setdefault(tag, text)
                self.leader = text.replace("-", " ") if tag == "LDR" else self.leader
            elif name in ("datafield", "varfield"):
                self.fields.append(_field(element))

        self.has_isbd = self.leader[18:19] not in ("c", "n")  # else its punctuation is omitted (MARC 21, leader/18)
        self._by_tag: dict[str, list[_Field]] = {}
        for field in self.fields:
            self._by_tag.setdefault(field.tag, []).append(field)

    def all(self, *tags: str) -> Iterator[_Field]:
        """Yield the fields with these tags, tag by tag."""
        return (field for tag in tags for field in self._by_tag.get(tag, ()))


def _field(element: Element) -> _Field:
    subfields = tuple((child.get("code") or child.get("label") or "", text_of(child)) for child in children(element))
    inds = (element.get("ind1") or element.get("i1") or " ", element.get("ind2") or element.get("i2") or " ")
    return _Field(element.get("tag") or element.get("id") or "", *inds, subfields)


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a record, or of the first one of a collection; None if there is none.

    Raise NotAWork for an authority, a holding, or a conference.
    """
    for holder in (root, *root.iter("{*}record", "{*}oai_marc")):
        if any(name_of(child)[1] in ("leader", "datafield", "controlfield", "varfield") for child in children(holder)):
            record = _Record(holder)
            if what := _what_else(record, holder):
                raise NotAWork(what)
            return _work(record)
    return None


def _what_else(record: _Record, holder: Element) -> str:
    """Return what a record describes that is not a work; empty for a work."""
    type_ = "" if name_of(holder)[1] == "oai_marc" else holder.get("type")
    if (type_ or "Bibliographic") != "Bibliographic" or record.leader[6:7] in _NO_WORKS:
        return "an authority or a holding"
    if any(record.all("245", "240", "130", "246", "242", "740")):
        return ""
    return "a conference" if any(record.all("111")) else "" if any(record.all("100", "110")) else "no title"


def _work(record: _Record) -> Work | None:
    known = Describing("marc:856")
    _titles(record, known)
    _agents(record, known)
    _dates(record, known)
    _types(record, known)
    _identifiers(record, known)
    _hosts(record, known)
    _texts(record, known)
    _locations(record, known)
    return known.work()


def _titles(record: _Record, known: Describing) -> None:
    for field in record.all("245"):
        known.title(_title(field, record))
    for field in record.all("880"):
        if field.first("6").startswith("245"):
            known.title(_title(field, record), TitleType.ALTERNATIVE)
    for field in record.all("240", "130", "246", "740", "242", "247"):
        type_ = TitleType.TRANSLATED if field.tag == "242" else TitleType.ALTERNATIVE
        main = field.tag in ("130", "240", "246") and not known.titles
        known.title(_title(field, record), TitleType.MAIN if main else type_)


def _title(field: _Field, record: _Record) -> str:
    parts: list[str] = []
    for code, text in field.subfields:
        if not text or code not in "abnp" or not code:
            continue
        bare = text.rstrip(_ISBD) if record.has_isbd else text
        if parts and code == "b":
            parts[-1] = f"{parts[-1]}: {bare}"
        elif parts:
            parts.append(f" {bare}" if parts[-1].endswith(".") else f". {bare}")
        else:
            parts.append(bare)
    text = "".join(parts).strip()
    if not record.has_isbd:
        return text
    return text[:-1] if text.endswith(".") and not text.endswith("..") and not re.search(r"\b\w\.$", text) else text


# --- people ----------------------------------------------------------------------------------------------------------


def _agents(record: _Record, known: Describing) -> None:
    stated = " ".join(field.joined("c") for field in record.all("245"))
    before_editors = _EDITED.split(stated[:_LONGEST_STATEMENT], maxsplit=1)[0].casefold()
    added = (field for field in record.fields if field.tag in ("700", "710", "711", "720"))
    fields = [*record.all("100", "110", "111"), *added]
    for field in fields:
        agent = _agent(field, record)
        role = best_role(field.all("4e")) if field.tag[2] != "1" or field.first("4") else best_role(field.all("4"))
        is_related = field.first("t") or field.ind2 == "2"
        if field.tag[0] == "1":  # the main entry is the creator, whatever its role is called
            known.agent(agent._replace(role=role if is_author(role) else "aut"))
        elif field.tag[0] == "7" and not (is_related and field.tag != "720"):
            if not role:
                is_named = agent.family and agent.family.casefold() in before_editors
                role = "aut" if field.tag == "720" or is_named else "ctb"
            known.agent(agent._replace(role=role, is_author=is_author(role)))


def _agent(field: _Field, record: _Record) -> Agent:
    """Return the agent of a field: $a with the number $b; years, titles, and identifiers are no parts of a name."""
    name = without_life(field.first("a").rstrip(" ,:;/"))
    if not record.has_isbd and field.tag in ("110", "710"):
        return organization(field.first("a"))
    if field.tag in ("110", "710"):
        name = ". ".join(part.rstrip(" .,:;/") for part in (name, *field.all("b")))
        return organization(name)
    if field.tag in ("111", "711"):
        return organization(name.rstrip(" ."))
    if field.tag == "720":
        return organization(name) if field.ind1 == "2" else agent_of(name)
    return _person(field, _without_stop(name) if record.has_isbd else name)


def _person(field: _Field, name: str) -> Agent:
    orcid = first(orcid_of(text) for text in field.all("01"))
    if field.ind1 == "0":
        return Agent(" ".join(filter(None, (name, field.first("b").rstrip(" ,.")))), orcid=orcid)
    family, comma, given = name.partition(",")
    if not comma or not given.strip():
        return Agent(name.rstrip(" ,"), orcid=orcid)
    family, given = family.strip(), given.strip()
    if "," in given:  # `Family, Given, Jr.`, `Family, Given, 1900-`
        given, _, suffix = given.partition(",")
        return person(family, given, suffix=suffix.strip(), orcid=orcid)
    suffix = agent_of(f"{name}, {field.first('c')}").suffix  # of the titles and words in $c, only `Jr.`
    return person(family, given, suffix=suffix, orcid=orcid, affiliations=tuple(field.all("u")))


def _without_stop(name: str) -> str:
    """Return a name without a full stop at its end, unless it ends with an initial."""
    is_initial = re.search(r"(?:^|[\s.-])\w{1,2}\.$", name)
    return name if is_initial else name.rstrip(".")


# --- dates -----------------------------------------------------------------------------------------------------------


def _dates(record: _Record, known: Describing) -> None:
    for field in (
        *(field for field in record.all("264") if field.ind2 == "1"), *record.all("260"),
    ):  # fmt: skip
        known.date(field.first("c").strip(" .,;"))
    control = record.controls.get("008", "")
    first_year, second_year, kind = control[7:11], control[11:15], control[6:7]
    if kind in "strcdmeiknpqu" and year_of(first_year):
        known.date(first_year)
    elif kind and year_of(second_year) and second_year != "9999":
        known.date(second_year)
    for field in record.all("264"):
        if field.ind2 in "4023 " and field.ind2 != "1":
            known.date(field.first("c").strip(" .,;"), DateType.COPYRIGHTED if field.ind2 == "4" else DateType.CREATED)
    for field in record.all("046", "773", "502", "909", "362"):
        codes = {"046": "k", "773": "y", "502": "d", "909": "y", "362": "a"}
        known.date(field.first(codes[field.tag]), DateType.CREATED)
    if not any(year_of(date.text) for date in known.dates):
        for field in record.all("773", "245"):
            known.date(field.joined("gd" if field.tag == "773" else "fg"), DateType.CREATED)


# --- others ----------------------------------------------------------------------------------------------------------


def _types(record: _Record, known: Describing) -> None:
    for field in record.all("502"):
        known.type(_degree(field.joined("ab")), "thesis")
    if record.controls.get("008", "")[24:28].count("m") and record.leader[6:7] in "at":
        known.type("thesis")
    for field in record.all("655", "980"):
        known.type(field.first("a").rstrip(" .") if field.tag == "655" else "")
    type_, level = record.leader[6:7], record.leader[7:8]
    is_made = record.leader[5:8] == "njm" and record.leader[:5] == "00925"  # DSpace states it for everything
    if type_ == "m" and record.controls.get("008", "")[26:27] == "a":
        known.type("dataset")
    elif not is_made and level not in "dcp" and record.leader[:3] != "coc":
        known.type(_TABLE["types"].get(type_ + level) or _TABLE["types"].get(type_, ""))


def _degree(text: str) -> str:
    return next((type_ for type_, pattern in _DEGREES.items() if pattern.search(text)), "")


def _identifiers(record: _Record, known: Describing) -> None:
    is_serial = record.leader[7:8] in "bis"
    for field in record.all("024"):
        known.identifier(field.first("a"), field.first("2") or {"2": "ismn", "8": ""}.get(field.ind1, ""))
    for field in record.all("020"):
        known.identifier(field.first("a"), "isbn")
    for field in record.all("022"):
        if is_serial:
            known.identifier(field.first("a"), "issn")
        else:
            known.host(issn=field.first("a"))
    for field in record.all("037", "088"):
        known.identifier(field.first("a"))


def _hosts(record: _Record, known: Describing) -> None:
    for field in record.all("773"):
        parts = field.joined("g")
        pages = _PAGES.search(parts)
        volume, issue = _VOLUME.search(parts), _ISSUE.search(parts)
        in_q = re.fullmatch(r"(\d{1,5})(?::(\d{1,5})[^<]*)?(?:<(\w{1,8}))?", field.first("q"))
        ranged = re.fullmatch(
            r"([A-Za-z]?\d{1,6})(?:[-\u2013]([A-Za-z]?\d{1,6}))?", field.first("c") if field.first("v") else ""
        )
        known.host(
            title=(field.first("t") or field.first("p") or field.first("s")).rstrip(" .,:;/"),
            issn=field.first("x"),
            isbn=field.first("z"),
            volume=(field.first("v") if ranged or field.first("n") else "")
            or (volume[1] if volume else in_q[1] if in_q else ""),
            issue=field.first("n") or (issue[1] if issue else (in_q[2] or "") if in_q else ""),
            first_page=ranged[1] if ranged else pages[1] if pages else (in_q[3] or "") if in_q else "",
            last_page=(ranged[2] or "") if ranged else (pages[2] or "") if pages else "",
            text=field.joined("tg").rstrip(" .,:;/"),
        )
        break


def _texts(record: _Record, known: Describing) -> None:
    _languages_and_publishers(record, known)
    for field in record.all("520"):
        known.description(field.joined("ab"), "abstract" if field.ind1 in " 3" else "")
    for field in record.all("500"):
        known.description(field.first("a"), "note")
    for field in record.fields:
        if codes := _TABLE["subjects"].get(field.tag):
            known.subject(" -- ".join(part.rstrip(" .,;") for part in field.all(codes)))
        if entry := _TABLE["texts"].get(field.tag):
            known.more(entry[0], field.joined(entry[1]).rstrip(_ISBD))
    for field in record.all("536"):
        if number := field.first("c") or field.first("b") or field.first("f"):
            known.fund(field.first("a"), grant=number)
    for field in record.all("540", "542"):
        known.rights(field.first("af"), field.first("u"))
    for field in record.all("506"):
        known.rights(field.joined("af"))


def _languages_and_publishers(record: _Record, known: Describing) -> None:
    for field in record.all("260", "264"):
        if field.tag == "260" or field.ind2 in "1 ":
            for text in field.all("b"):
                known.publisher(text.strip("[]<> ,:;/"))
    for field in record.all("041"):
        for text in field.all("a"):
            known.language(text)
    if not known.languages:
        known.language(record.controls.get("008", "")[35:38])


def _locations(record: _Record, known: Describing) -> None:
    """Add the files and the landing page in field 856; addresses of related resources and of covers are neither."""
    for field in record.all("856"):
        about = field.joined("3yzxq")
        if field.ind2 == "2" or _ABOUT.search(about):
            continue
        stated = first(type_named(text) for text in field.all("q")) or first(
            EXTENSIONS.get(text.lower(), "") for text in field.all("3")
        )
        size = _BYTES.fullmatch(field.first("s"))
        for url in field.all("u"):
            identifier = url.lower().startswith("urn:")
            if identifier:
                known.identifier(url, "urn")
                continue
            before = len(known.files)
            known.link(url, stated)
            if size and len(known.files) > before:
                known.files[-1] = known.files[-1]._replace(size=int(size[1]))


def _values(facts: Facts) -> Mapping[str, object]:
    """Return what the template has besides the facts of a work.

    The first author has a main entry if a name with a heading is stated, else all have added ones.
    """
    serial = [entry for entry in facts.identifiers if entry.scheme == "issn"]
    serial = serial if TABLES["marc_kinds"].get(facts.known.type) == "as" else []
    has_main = any(agent.is_organization or (agent.family and agent.given) for agent in facts.authors[:1])
    host = facts.known.host
    pages = "-".join(filter(None, (host.first_page, host.last_page)))
    forms = (("vol. {}", host.volume), ("no. {}", host.issue), ("p. {}", pages))
    return {
        "serial_numbers": serial,
        "other_numbers": [entry for entry in facts.identifiers if entry.scheme != "isbn" and entry not in serial],
        "main": facts.authors[:has_main],
        "added": (*facts.authors[has_main:], *facts.others),
        "place": ", ".join(form.format(text) for form, text in forms if text),
    }


FORMAT = format_of("marcxml", read=read, written="marcxml", values=_values)
