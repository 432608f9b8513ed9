"""Readers whose rules are data (reader_tables.toml): paths in a record, and what of the work stands there.

A path has local names, `a/b`, alternatives `a|b`, and `*`; a condition on an attribute, `[type=x|y]`, `!=`, or `~` and
`!~` for a part of it; and at its end the attribute that is read, `@href`. `.` is the record. Namespaces do not count.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from gateway.core.bibliography.hosts import host_of
from gateway.core.bibliography.people import agent_of, best_role, is_author, orcid_of, organization, person
from gateway.core.model import Agent, DateType, Relation, TitleType, Work
from gateway.core.words import table
from gateway.core.xmlio import Element, name_of, text_of
from gateway.core.xmltext import XML
from gateway.formats import MetadataFormat
from gateway.formats._describing import Describing, first
from gateway.formats._statements import license_in

TABLES = table(__file__, "reader_tables")
_INLINE = {"italic": "i", "i": "i", "em": "i", "bold": "b", "b": "b", "sub": "sub", "inf": "sub", "sup": "sup"}
_BLOCKS = frozenset(("p", "sec", "title", "list-item", "item", "li", "br", "break", "head", "lb", "ab"))
_NO_TEXT = frozenset(("xref", "fn", "fn-group", "tex-math", "email", "label"))
_HEADINGS = _NO_TEXT | {"title", "head", "num"}  # of a text as a whole
_STEP = re.compile(r"([^\[\]]+)((?:\[[^\]]*\])*)")
_CONDITION = re.compile(r"\[([\w-]+)(!?[=~])([^\]]*)\]")


# --- paths ------------------------------------------------------------------------------------------------------------


class _Step(NamedTuple):
    tags: tuple[str, ...]  # as lxml matches them: `{*}name`
    conditions: tuple[tuple[str, str, tuple[str, ...]], ...]

    def fits(self, element: Element) -> bool:
        for attribute, sign, wanted in self.conditions:
            stated = attribute_of(element, attribute)
            found = any(part in stated for part in wanted) if sign[-1] == "~" else stated in wanted
            if found is (sign[0] == "!"):
                return False
        return True


@lru_cache(maxsize=2048)
def _compiled(path: str) -> tuple[tuple[_Step, ...], str]:
    path, _, attribute = path.partition("@")
    steps = []
    for step in () if path in (".", "") else re.split(r"/(?![^\[]*\])", path):
        match = _STEP.fullmatch(step)
        assert match is not None, path
        conditions = tuple((name, sign, tuple(words.split("|"))) for name, sign, words in _CONDITION.findall(match[2]))
        steps.append(_Step(tuple(f"{{*}}{name}" for name in match[1].split("|")), conditions))
    return tuple(steps), attribute


def attribute_of(element: Element, name: str) -> str:
    """Return an attribute by its local name; of a qualified name such as `dcterms:URI`, the last part."""
    value = element.get(name)
    if value is None:
        value = next((str(text) for key, text in element.items() if str(key).rpartition("}")[2] == name), "")
    return value.rpartition(":")[2] if name == "type" and "/" not in value else value.strip()


def find(holder: Element | None, path: str) -> list[Element]:
    """Return the elements at a path, in the order of the document."""
    found = [] if holder is None else [holder]
    for step in _compiled(path)[0]:
        found = [child for element in found for child in element.iterchildren(*step.tags)]
        if found and step.conditions:
            found = [child for child in found if step.fits(child)]
        if not found:
            break
    return found


def one(holder: Element | None, path: str) -> Element | None:
    """Return the first element at a path."""
    return next(iter(find(holder, path)), None)


def texts(holder: Element | None, *paths: str) -> Iterator[str]:
    """Yield the texts, or attributes, at some paths that are not empty."""
    for path in paths:
        attribute = _compiled(path)[1]
        for element in find(holder, path):
            if text := attribute_of(element, attribute) if attribute else text_of(element):
                yield text


def text(holder: Element | None, *paths: str) -> str:
    """Return the first of `texts`, or an empty string."""
    return next(texts(holder, *paths), "")


def record_in(root: Element, *names: str) -> Element | None:
    """Return the root if it has one of these local names, else the first element below it that has."""
    below = root.iter(*(f"{{*}}{name}" for name in names))
    return root if name_of(root)[1] in names else next(below, None)


def language(element: Element) -> str:
    """Return the language of an element: its xml:lang, else that of the nearest one around it (XML 1.0 §2.12)."""
    key = f"{{{XML}}}lang"
    holders = (element, *element.iterancestors())
    return first(holder.get(key) or (holder.get("lang") if holder is element else "") or "" for holder in holders)


def marked(element: Element) -> str:
    """Return a text with its paragraphs and indices as tags of HTML, without its heading, its notes and references."""
    return "".join(_marked(element, _HEADINGS))


def _marked(element: Element, without: frozenset[str]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        name = name_of(child)[1]
        if name and name not in without:
            tag = _INLINE.get(name) or ("p" if name in _BLOCKS else "")
            yield f"<{tag}>" if tag else ""
            yield from _marked(child, _NO_TEXT)
            yield f"</{tag}>" if tag else ""
        yield child.tail or ""


# --- statements -------------------------------------------------------------------------------------------------------


def read_by(name: str, record: Element | None, known: Describing) -> None:
    """Add what the rules, the agents and the funding of a table find in a record."""
    table = TABLES[name]
    for path, target, *options in table.get("rules", ()):
        for element in find(record, path):
            attribute = _compiled(path)[1]
            words = attribute_of(element, attribute) if attribute else text_of(element)
            if words:
                TARGETS[target](known, element, words, *options)
    for spec in table.get("funding", ()):
        for element in find(record, spec["path"]):
            funder, funder_id = text(element, *spec["funder"]), text(element, *spec.get("id", ()))
            for number in tuple(texts(element, *spec.get("grant", ()))) or ("",):
                known.fund(funder.removesuffix(funder_id), funder_id, number)
    for spec in table.get("agents", ()):
        if not (spec.get("else") and any(agent.is_author for agent in known.agents)):
            for element in find(record, spec["path"]):
                role = best_role(texts(element, *spec.get("roles", ()))) or spec.get("role", "aut")
                known.agent(with_role(agent_at(element, spec), role))


def agent_at(element: Element, spec: Mapping[str, Any]) -> Agent:
    """Return the agent in an element; `spec` has the paths of family, given, suffix, prefix, orcid, group and name."""
    family, prefix = text(element, *spec.get("family", ())), text(element, *spec.get("prefix", ()))
    given = " ".join(texts(element, *spec.get("given", ())))
    orcid = first(orcid_of(stated) for stated in texts(element, *spec.get("orcid", ())))
    places = tuple(texts(element, *spec.get("affiliations", ())))
    if family or given:
        whole = f"{prefix} {family}".strip()
        return person(whole, given, suffix=text(element, *spec.get("suffix", ())), orcid=orcid, affiliations=places)
    if group := text(element, *spec.get("group", ())):
        return organization(group)
    agent = agent_of(text(element, *spec.get("name", ())) or text_of(element))
    return agent._replace(affiliations=places or agent.affiliations, orcid=orcid or agent.orcid)


def with_role(agent: Agent, role: str) -> Agent:
    """Return an agent with the code of a role of the MARC relators."""
    return agent._replace(role=role, is_author=is_author(role))


def degree_of(words: str) -> str:
    """Return the COAR label of a thesis from the words for its degree; empty if they name none."""
    lower = words.lower()
    return next((label for label, parts in TABLES["degrees"].items() if any(part in lower for part in parts)), "")


def _title(known: Describing, element: Element, words: str, type_: str = "alternative") -> None:
    if type_ != "else" or not known.titles:
        kind = TitleType.MAIN if not known.titles else TitleType(type_)
        known.title(marked(element).strip() or words, kind, language(element))


def _subtitle(known: Describing, _element: Element, words: str) -> None:
    if known.titles:
        title = known.titles[0]
        known.titles[0] = title._replace(text=f"{title.text.rstrip(' :')}: {words}")


def _date(known: Describing, element: Element, words: str, type_: str = "issued") -> None:
    """Add a date; one may be divided into year, month and day (JATS, Crossref)."""
    year, month, day = (text(element, part) for part in ("year", "month", "day"))
    if year:
        is_month = month.isdecimal() and len(month) < 3 and 1 <= int(month) <= 12  # noqa: PLR2004
        words = "-".join((year, month.zfill(2), day.zfill(2))[: 1 + is_month + (is_month and day.isdecimal())])
    known.date(words, DateType(type_))


def _identifier(known: Describing, element: Element, words: str, scheme: str = "", relation: str = "own") -> None:
    known.identifier(words, attribute_of(element, scheme[1:]) if scheme[:1] == "@" else scheme, Relation(relation))


def add_source(known: Describing, _element: object, words: str) -> None:
    """Add a journal with its numbers, an ISSN, or another source."""
    bare = words.lower().removeprefix("urn:").removeprefix("issn").strip(" :")
    if len(bare) == 9 and bare[4] == "-":  # noqa: PLR2004
        known.host(issn=bare)
    elif host := host_of(words):
        known.host(**host._asdict())
    else:
        known.more("sources", words)


def _relation(known: Describing, _element: Element, words: str) -> None:
    if words[:4].lower() in ("http", "doi:", "hdl:", "urn:"):
        known.identifier(words, relation=Relation.OTHER)
    else:
        known.more("relations", words)


def _rights(known: Describing, element: Element, words: str, attribute: str = "") -> None:
    url = attribute_of(element, attribute[1:]) if attribute[:1] == "@" else ""
    if attribute != "cc" or "creativecommons.org" in license_in(words):
        known.rights(words, url)


def _link(known: Describing, element: Element, words: str, attribute: str = "", page: str = "") -> None:
    known.link(words, attribute_of(element, attribute) if attribute else "", may_be_page=page == "page")


def _coar(known: Describing, _element: Element, words: str, table: str = "") -> None:
    known.type(words)
    known.coar_type = known.coar_type or TABLES[table].get(words.lower(), "")


TARGETS: Mapping[str, Callable[..., None]] = {
    "title": _title,
    "subtitle": _subtitle,
    "date": _date,
    "identifier": _identifier,
    "source": add_source,
    "relation": _relation,
    "rights": _rights,
    "link": _link,
    "coar": _coar,
    "host": lambda known, _, words, field: known.host(**{field: words}),
    "description": lambda known, element, _, type_="": known.description(marked(element), type_, language(element)),
    "subject": lambda known, element, words: known.subject(words, language(element)),
    "publisher": lambda known, _, words: known.publisher(words),
    "publisher else": lambda known, _, words: known.publishers or known.publisher(words),
    "language": lambda known, _, words: known.language(words),
    "language else": lambda known, _, words: known.languages or known.language(words),
    "type": lambda known, _, words: known.type(words),
    "more": lambda known, _, words, kind: known.more(kind, words),
    "page": lambda known, _, words: known.page(words),
    "file": lambda known, element, words, type_="": known.file(words, attribute_of(element, type_) if type_ else ""),
}


def format_of(name: str, read: Callable[[Element, bytes], Work | None]) -> MetadataFormat:
    """Return the format of a reader with the namespaces, the roots and the rank that its table states."""
    table = TABLES[name]
    return MetadataFormat(
        namespaces=tuple(table["namespaces"]),
        rank=table.get("rank", 42),
        read=read,
        schemas=tuple(table.get("schemas", ())),
        roots=tuple(table.get("roots", ())),
    )
