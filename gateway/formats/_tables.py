"""Readers whose rules are data (reader_tables.toml): paths in a record (_paths.py), and what of the work stands there.

A rule has a path, what stands there (`TARGETS`), and options. An option `@name` is the value of an attribute; in
`@name words` it is what that value means in the table `words`, which may have `*` for all others.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias

from gateway.core.bibliography.people import agent_of, best_role, is_author, orcid_of, organization, person, ror_of
from gateway.core.model import Agent, DateType, Relation, TitleType, Work
from gateway.core.words import table
from gateway.core.xmlio import Element, text_of
from gateway.formats import MetadataFormat
from gateway.formats._describing import Describing, first
from gateway.formats._paths import Tree, attribute_of, find, found_in, language, marked, record_in, text, texts, tree_of
from gateway.formats._statements import license_in
from gateway.formats._templates import schema_of, writer
from gateway.formats._writing import Facts

TABLES = table(__file__, "reader_tables")
_Adder: TypeAlias = Callable[[Describing, Element, str], object]
_Held: TypeAlias = Mapping[str, list[Element]]


def format_of(
    name: str,
    more: Callable[[Element, Describing, _Held], object] | None = None,
    *,
    read: Callable[[Element, bytes], Work | None] | None = None,
    written: str = "",
    values: Callable[[Facts], Mapping[str, object]] = lambda _facts: {},
) -> MetadataFormat:
    """Return the format with the namespaces, the roots, the rank and the rules of its table.

    `more` adds what rules cannot say: it is called with the record, what is known of the work, and the elements at each
    of the paths that the table holds for it. `read` replaces all of that. A format that is `written` under a prefix, by
    the template of its name with these `values` (_templates.py), is optional.
    """
    table = TABLES[name]

    def read_record(root: Element, _content: bytes) -> Work | None:
        record = record_in(root, *table["records"])
        if record is None or ("needs" in table and not find(record, table["needs"])):
            return None
        known = Describing(table["found_in"])
        known.coar_type = table.get("coar_type", "")
        held = read_by(name, record, known)
        if more is not None:
            more(record, known, held)
        return known.work()

    return MetadataFormat(
        namespaces=tuple(table["namespaces"]),
        rank=table.get("rank", 42),
        read=read or read_record,
        schemas=tuple(table.get("schemas", ())),
        roots=tuple(table.get("roots", ())),
        metadata_prefix=written,
        schema=schema_of(name) if written else "",
        write=writer(name, values) if written else None,
        is_optional=bool(written),
    )


@cache
def _compiled(name: str) -> tuple[Tree, list[tuple[_Adder | None, str]]]:
    """Return the paths of a table, and for each place in them what adds the statement that is found there.

    The second part of each is `else` if it counts only without an author so far; or the path that is held.
    """
    tree, adders = Tree(), list[tuple[_Adder | None, str]]()
    parts = [TABLES[part] for part in (*TABLES[name].get("like", ()), name)]
    for path, target, *options in (rule for part in parts for rule in part.get("rules", ())):
        tree.add(len(adders), path)
        adders.append((_rule(TARGETS[target], options), ""))
    for kind, adder in (("funding", _fund), ("agents", _name)):
        for spec in (spec for part in parts for spec in part.get(kind, ())):
            tree.add(len(adders), spec["path"], is_bare=True)
            adders.append((adder(spec), "else" if "else" in spec else ""))
    for path in TABLES[name].get("held", ()):
        tree.add(len(adders), path, is_bare=True)
        adders.append((None, path))
    return tree, adders


def read_by(name: str, record: Element | None, known: Describing) -> _Held:
    """Add what the rules, the agents and the funding of a table find in a record; return the elements that it holds."""
    tree, adders = _compiled(name)
    admitted = -1
    held: dict[str, list[Element]] = {path: [] for path in TABLES[name].get("held", ())}
    for place, element, words in found_in(record, tree):
        add, option = adders[place]
        if add is None:
            held[option].append(element)
            continue
        if option and place != admitted:
            if any(agent.is_author for agent in known.agents):
                continue
            admitted = place
        add(known, element, words)
    return held


def _rule(target: Callable[..., object], options: list[str]) -> _Adder:
    if not any(option[:1] == "@" for option in options):
        return lambda known, element, words: words and target(known, element, words, *options)
    parts = [option.partition(" ") for option in options]

    def add(known: Describing, element: Element, words: str) -> None:
        values = [
            option if option[:1] != "@" else _meant(attribute_of(element, option[1:]), table)
            for option, _, table in parts
        ]
        target(known, element, words, *values)

    return add


def _meant(value: str, table: str) -> str:
    return TABLES[table].get(value, TABLES[table].get("*", "")) if table else value


def _fund(spec: Mapping[str, Any]) -> Callable[[Describing, Element, str], None]:
    def add(known: Describing, element: Element, _words: str) -> None:
        funder, funder_id = text(element, *spec["funder"]), text(element, *spec.get("id", ()))
        for number in tuple(texts(element, *spec.get("grant", ()))) or ("",):
            known.fund(
                funder.removesuffix(funder_id),
                funder_id,
                number,
                *(text(element, *spec.get(name, ())) for name in ("url", "title")),
            )

    return add


def _name(spec: Mapping[str, Any]) -> Callable[[Describing, Element, str], None]:
    agent_of_element, roles, role = agents_at(spec), spec.get("roles", ()), spec.get("role", "aut")
    bodies = frozenset(spec.get("bodies", ()))

    def add(known: Describing, element: Element, _words: str) -> None:
        agent, stated = agent_of_element(element), list(texts(element, *roles)) if roles else ()
        if not agent.family and not bodies.isdisjoint(stated):
            agent = agent._replace(is_organization=True)
        known.agent(with_role(agent, (best_role(stated) if stated else "") or role))

    return add


def agents_at(spec: Mapping[str, Any]) -> Callable[[Element], Agent]:
    """Return what reads the agent in an element.

    `spec` has the paths of family, given, suffix, prefix, orcid, ror, group, name, affiliations. The first one in it
    counts, of a person and a group.
    """
    fields = [field for field, paths in spec.items() if field in _FIELDS for _ in paths]
    is_group_first = next((field for field in spec if field in ("family", "group")), "") == "group"
    tree = tree_of(*(path for field, paths in spec.items() if field in _FIELDS for path in paths))
    is_whole = any(not attribute for _, attribute in tree.ends)

    def agent_at(element: Element) -> Agent:
        if not (len(element) or element.keys() or is_whole):  # nothing but a name, as nearly all are
            return agent_of(text_of(element))
        stated: dict[str, list[str]] = {}
        is_apart = False  # whether the whole name is in an element of its own, without those of the parts
        for place, found, words in found_in(element, tree):
            if words:
                is_apart = is_apart or (fields[place] == "name" and not len(found))
                stated.setdefault(fields[place], []).append(words)
        family, given, name = (" ".join(stated.get(part, ())[:most]) for part, most in _PARTS)
        orcid = first(map(orcid_of, stated.get("orcid", ())))
        places = tuple(stated.get("affiliations", ()))
        is_person = (family and given) or ((family or given) and not (name and is_apart))
        if is_person and not (is_group_first and "group" in stated):
            whole = f"{first(stated.get('prefix', ()))} {family}".strip()
            suffix = first(stated.get("suffix", ())) or (agent_of(name).suffix if name.count(",") > 1 else "")
            return person(whole, given, suffix=suffix, orcid=orcid, affiliations=places)
        if "group" in stated:
            return organization(stated["group"][0], ror=first(map(ror_of, stated.get("ror", ()))))
        agent = agent_of(name or ("" if len(element) else text_of(element)))
        if places or orcid:
            agent = agent._replace(affiliations=places or agent.affiliations, orcid=orcid or agent.orcid)
        return agent

    return agent_at


_PARTS = (("family", 1), ("given", None), ("name", 1))  # of several of them, how many count
_FIELDS = ("family", "given", "suffix", "prefix", "orcid", "ror", "group", "name", "affiliations")


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


def add_source(known: Describing, _element: object, words: str) -> None:
    """Add a journal with its numbers, an ISSN, or another source."""
    bare = words.lower().removeprefix("urn:").removeprefix("issn").strip(" :")
    if len(bare) == 9 and bare[4] == "-":  # noqa: PLR2004
        known.host(issn=bare)
    else:
        known.source(words)


def _relation(known: Describing, _element: Element, words: str) -> None:
    if words[:4].lower() in ("http", "doi:", "hdl:", "urn:"):
        known.identifier(words, relation=Relation.OTHER)
    else:
        known.more("relations", words)


def _coar(known: Describing, _element: Element, words: str, table: str = "") -> None:
    known.type(words)
    known.coar_type = known.coar_type or TABLES[table].get(words.lower(), "")


TARGETS: Mapping[str, Callable[..., object]] = {
    "title": _title,
    "typed title": lambda known, element, words, type_: known.title(words, TitleType(type_), language(element)),
    "subtitle": _subtitle,
    "date": _date,
    "identifier": lambda known, _, words, scheme="", relation="own": known.identifier(
        words, scheme, Relation(relation)
    ),
    "source": add_source,
    "place": lambda known, _, words: known.source(words, ""),
    "relation": _relation,
    "rights": lambda known, _, words, url="": known.rights(words, url),
    "licence": lambda known, _, words: known.rights(words if "creativecommons.org" in license_in(words) else ""),
    "link": lambda known, _, words, type_="", page="": known.link(words, type_, may_be_page=page == "page"),
    "coar": _coar,
    "host": lambda known, _, words, field: known.host(**{field: words}),
    "description": lambda known, element, _, type_="": known.description(marked(element), type_, language(element)),
    "plain description": lambda known, element, words, type_: known.description(words, type_, language(element)),
    "subject": lambda known, element, words: known.subject(words, language(element)),
    "publisher": lambda known, _, words: known.publisher(words),
    "publisher else": lambda known, _, words: known.publishers or known.publisher(words),
    "language": lambda known, _, words: known.language(words),
    "language else": lambda known, _, words: known.languages or known.language(words),
    "type": lambda known, _, words: known.type(words),
    "more": lambda known, _, words, kind: known.more(kind, words),
    "page": lambda known, _, words: known.page(words),
    "file": lambda known, _, words, type_="": known.file(words, type_),
}
