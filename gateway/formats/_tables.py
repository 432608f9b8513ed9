"""Readers whose rules are data (reader_tables.toml): paths in a record, and what of the work stands there.

A path has local names, `a/b`, alternatives `a|b`, and `*`; a condition on an attribute, `[type=x|y]`, `!=`, or `~` and
`!~` for a part of it; and at its end the attribute that is read, `@href`. `.` is the record. Namespaces do not count.
The paths of a table are compiled to one tree, so that one walk over a record finds what is at all of them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from operator import itemgetter
from typing import Any

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
_LANGUAGE = f"{{{XML}}}lang"
_CONDITION = re.compile(r"\[([\w-]+)(!?)([=~])([^\]]*)\]")


# --- paths -----------------------------------------------------------------------------------------------------------


class _Tree:
    """Paths below an element: those that end here, by their places, and the steps that begin here, by local names."""

    __slots__ = ("any_", "ends", "steps")

    def __init__(self) -> None:
        self.ends: list[tuple[int, str | None]] = []  # (place, the attribute that is read; None: nothing is)
        self.steps: dict[str, list[tuple[str, _Tree]]] = {}  # each with its conditions
        self.any_: list[tuple[str, _Tree]] = []

    def add(self, place: int, path: str, *, is_bare: bool = False) -> None:
        """Add a path; what is found at it is at this place in the result. `is_bare`: its text is not needed."""
        path, _, attribute = path.partition("@")
        ends = [self]
        for step in () if path in (".", "") else re.split(r"/(?![^\[]*\])", path):
            names, bracket, conditions = step.partition("[")
            ends = [tree._below(name, bracket + conditions) for tree in ends for name in names.split("|")]
        for tree in ends:
            tree.ends.append((place, None if is_bare else attribute))

    def _below(self, name: str, conditions: str) -> "_Tree":
        steps = self.any_ if name == "*" else self.steps.setdefault(name, [])
        tree = dict(steps).get(conditions)
        if tree is None:
            tree = _Tree()
            steps.append((conditions, tree))
        return tree

    def walk(self, element: Element, found: list[tuple[int, Element, str]]) -> None:
        """Add (place, element, text) of everything at the paths of this tree, in the order of the document."""
        if self.ends:
            words = None
            for place, attribute in self.ends:
                if attribute:
                    found.append((place, element, attribute_of(element, attribute)))
                elif attribute is None:
                    found.append((place, element, ""))
                else:
                    words = text_of(element) if words is None else words
                    found.append((place, element, words))
        if self.steps or self.any_:
            for child in element:
                tag = child.tag
                if isinstance(tag, str):
                    for conditions, tree in self.steps.get(tag[tag.rfind("}") + 1 :], self.any_):
                        if not conditions or _fits(child, conditions):
                            tree.walk(child, found)


@cache  # paths and conditions are those of the tables
def _conditions(conditions: str) -> tuple[tuple[str, bool, bool, tuple[str, ...]], ...]:
    return tuple(
        (name, sign == "~", no == "", tuple(words.split("|")))
        for name, no, sign, words in _CONDITION.findall(conditions)
    )


def _fits(element: Element, conditions: str) -> bool:
    for attribute, is_part, wanted, words in _conditions(conditions):
        stated = attribute_of(element, attribute)
        if (any(part in stated for part in words) if is_part else stated in words) is not wanted:
            return False
    return True


_PLACE = itemgetter(0)


def found_in(element: Element | None, tree: _Tree) -> list[tuple[int, Element, str]]:
    """Return (place, element, text or attribute) of what is at the paths of a tree, in the order of the paths."""
    found: list[tuple[int, Element, str]] = []
    if element is not None:
        tree.walk(element, found)
        found.sort(key=_PLACE)
    return found


@cache
def tree_of(*paths: str, is_bare: bool = False) -> _Tree:
    """Return paths as a tree; the place of each is its number."""
    tree = _Tree()
    for place, path in enumerate(paths):
        tree.add(place, path, is_bare=is_bare)
    return tree


def find(holder: Element | None, path: str) -> list[Element]:
    """Return the elements at a path, in the order of the document."""
    return [element for _, element, _ in found_in(holder, tree_of(path, is_bare=True))]


def one(holder: Element | None, path: str) -> Element | None:
    """Return the first element at a path."""
    return next(iter(find(holder, path)), None)


def texts(holder: Element | None, *paths: str) -> Iterator[str]:
    """Yield the texts, or attributes, at some paths that are not empty."""
    return filter(None, [words for _, _, words in found_in(holder, tree_of(*paths))])


def text(holder: Element | None, *paths: str) -> str:
    """Return the first of `texts`, or an empty string."""
    return next(texts(holder, *paths), "")


def attribute_of(element: Element, name: str) -> str:
    """Return an attribute by its local name; of a qualified name such as `dcterms:URI`, the last part."""
    value = element.get(name)
    if value is None:
        value = next((str(text) for key, text in element.items() if str(key).rpartition("}")[2] == name), "")
    return value.rpartition(":")[2] if name == "type" and "/" not in value else value.strip()


def record_in(root: Element, *names: str) -> Element | None:
    """Return the root if it has one of these local names, else the first element below it that has."""
    below = root.iter(*(f"{{*}}{name}" for name in names))
    return root if name_of(root)[1] in names else next(below, None)


def language(element: Element) -> str:
    """Return the language of an element: its xml:lang, else that of the nearest one around it (XML 1.0 §2.12)."""
    if stated := element.get(_LANGUAGE) or element.get("lang"):
        return stated
    holder = element.getparent()
    while holder is not None and not (stated := holder.get(_LANGUAGE)):
        holder = holder.getparent()
    return stated or ""


def marked(element: Element) -> str:
    """Return a text with its paragraphs and indices as tags of HTML, without its heading, its notes and references."""
    return "".join(_marked(element, _HEADINGS)) if len(element) else element.text or ""


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


# --- statements ------------------------------------------------------------------------------------------------------


@cache
def _compiled(name: str) -> tuple[_Tree, list[tuple[Callable[[Describing, Element, str], object], bool]]]:
    """Return the paths of a table as a tree, and for each place in it what adds the statement that is found there.

    The second part of each says whether it counts only if there is no author yet.
    """
    tree, adders = _Tree(), list[tuple[Callable[[Describing, Element, str], object], bool]]()
    for path, target, *options in TABLES[name].get("rules", ()):
        tree.add(len(adders), path)
        adders.append((partial(_add, TARGETS[target], options), False))
    for kind, adder in (("funding", _fund), ("agents", _name)):
        for spec in TABLES[name].get(kind, ()):
            tree.add(len(adders), spec["path"], is_bare=True)
            adders.append((adder(spec), "else" in spec))
    return tree, adders


def read_by(name: str, record: Element | None, known: Describing) -> None:
    """Add what the rules, the agents and the funding of a table find in a record."""
    tree, adders = _compiled(name)
    admitted = -1
    for place, element, words in found_in(record, tree):
        add, is_else = adders[place]
        if is_else and place != admitted:
            if any(agent.is_author for agent in known.agents):
                continue
            admitted = place
        add(known, element, words)


def _add(target: Callable[..., None], options: list[str], known: Describing, element: Element, words: str) -> None:
    if words:
        target(known, element, words, *options)


def _fund(spec: Mapping[str, Any]) -> Callable[[Describing, Element, str], None]:
    def add(known: Describing, element: Element, _words: str) -> None:
        funder, funder_id = text(element, *spec["funder"]), text(element, *spec.get("id", ()))
        for number in tuple(texts(element, *spec.get("grant", ()))) or ("",):
            known.fund(funder.removesuffix(funder_id), funder_id, number)

    return add


def _name(spec: Mapping[str, Any]) -> Callable[[Describing, Element, str], None]:
    agent_of_element, roles, role = agents_at(spec), spec.get("roles", ()), spec.get("role", "aut")

    def add(known: Describing, element: Element, _words: str) -> None:
        stated = best_role(texts(element, *roles)) if roles else ""
        known.agent(with_role(agent_of_element(element), stated or role))

    return add


def agents_at(spec: Mapping[str, Any]) -> Callable[[Element], Agent]:
    """Return what reads the agent in an element.

    `spec` has the paths of family, given, suffix, prefix, orcid, group, name and affiliations.
    """
    fields = [field for field, paths in spec.items() if field in _FIELDS for _ in paths]
    tree = tree_of(*(path for field, paths in spec.items() if field in _FIELDS for path in paths))

    def agent_at(element: Element) -> Agent:
        stated: dict[str, list[str]] = {}
        for place, _, words in found_in(element, tree):
            if words:
                stated.setdefault(fields[place], []).append(words)
        family, given = first(stated.get("family", ())), " ".join(stated.get("given", ()))
        orcid = first(map(orcid_of, stated.get("orcid", ())))
        places = tuple(stated.get("affiliations", ()))
        if family or given:
            whole = f"{first(stated.get('prefix', ()))} {family}".strip()
            return person(whole, given, suffix=first(stated.get("suffix", ())), orcid=orcid, affiliations=places)
        if "group" in stated:
            return organization(stated["group"][0])
        agent = agent_of(first(stated.get("name", ())) or text_of(element))
        return agent._replace(affiliations=places or agent.affiliations, orcid=orcid or agent.orcid)

    return agent_at


_FIELDS = ("family", "given", "suffix", "prefix", "orcid", "group", "name", "affiliations")


def with_role(agent: Agent, role: str) -> Agent:
    """Return an agent with the code of a role of the MARC relators."""
    return agent if agent.role == role else agent._replace(role=role, is_author=is_author(role))


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
    if len(element) and (year := text(element, "year")):
        month, day = text(element, "month"), text(element, "day")
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
