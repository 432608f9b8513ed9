"""Writers whose documents are templates, `written/<format>.xml`, with values of the work in braces.

A value is a fact of the work, or `it`, one of those for which `each` repeats an element; behind dots are its parts, and
behind colons a function (`FUNCTIONS`) or a table (writer_tables.toml, where `*` stands for all other values, and `=`
for the value itself) that makes another value of it. `a or 'b'` is the first one that is there. With `if`, an element
is written only where a condition holds. Of `group` only the content is written; it may `include` the elements of
another template, `without` a fact.

A text or an attribute is left out if a value in it is not there, and so is an element without content; `always` keeps
it.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeAlias

from gateway.core.addresses import address, any_uri, is_address
from gateway.core.bibliography.dates import iso_of
from gateway.core.bibliography.types import address_of
from gateway.core.model import Agent, Work
from gateway.core.words import table
from gateway.core.xmlio import Element, children, name_of, parse
from gateway.core.xmltext import XML, XSI, clean, escape, escape_attribute
from gateway.formats._describing import first
from gateway.formats._writing import Facts, facts_of

TABLES = table(__file__, "writer_tables")
_Facts: TypeAlias = Mapping[str, Any]
_Value: TypeAlias = Callable[[_Facts, Any], Any]
_Text: TypeAlias = Callable[[_Facts, Any], str]
_LANGUAGE_TAG = re.compile(r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*")  # xs:language
_OURS = ("each", "if", "include", "without", "always")


def legal_tag(language: str) -> str:
    """Return a language that is a legal tag (BCP 47), else an empty string."""
    return language if _LANGUAGE_TAG.fullmatch(language) else ""


def _kind(agent: Agent) -> str:
    return "group" if agent.is_organization else "person" if agent.family and agent.given else ""


FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "any_address": lambda text: any_uri(text) if text else "",
    "coar": lambda label: address_of(label) or TABLES["coar"]["other"],
    "count": len,
    "first": first,
    "four_digits": lambda year: f"{year:04}",
    "funder_scheme": lambda text: next(
        (word for part, word in TABLES["funder_schemes"].items() if part in text), "Other"
    ),
    "iso": iso_of,
    "kind": _kind,
    "tag": legal_tag,
    "web_address": lambda text: address(text) if is_address(text) else "",
}


def writer(name: str, more: Callable[[Facts], _Facts]) -> Callable[[Work], bytes]:
    """Return what writes a work by a template, from its facts and more values."""

    def write(work: Work) -> bytes:
        facts = facts_of(work)
        agents = (*facts.authors, *facts.others)
        known = {**facts._asdict(), "agents": agents, "kinds": facts.kinds, **more(facts)}
        return _document(name)(known, None).encode()

    return write


def schema_of(name: str) -> str:
    """Return the address of the schema that a template states."""
    return _root(name).get(f"{{{XSI}}}schemaLocation", "").split()[1]


@cache
def _root(name: str) -> Element:
    return parse((Path(__file__).parent / "written" / f"{name}.xml").read_bytes())


@cache
def _document(name: str) -> _Text:
    return _part(_root(name), {}, {})


def _part(element: Element, prefixes: Mapping[str, str], above: Mapping[str | None, str]) -> _Text:
    """Return what writes an element of a template; `prefixes` are those of the document, `above` what is declared."""
    holds, items = _condition(element.get("if", "")), _value(element.get("each", "it"))
    write = _group(element, prefixes) if name_of(element)[1] == "group" else _element(element, prefixes, above)
    if "each" in element.keys() and not element.get("if"):  # noqa: SIM118 - an element of lxml, not a dictionary
        return lambda facts, it: "".join([write(facts, one) for one in items(facts, it)])
    if "each" in element.keys():  # noqa: SIM118
        return lambda facts, it: "".join([write(facts, one) for one in items(facts, it) if holds(facts, one)])
    return (lambda facts, it: write(facts, it) if holds(facts, it) else "") if element.get("if") else write


def _group(element: Element, prefixes: Mapping[str, str]) -> _Text:
    name, _, part = element.get("include", "").partition("/")
    if not name:
        return _content(element, prefixes)
    above, without = _root(name), element.get("without", "")
    parts = [_part(one, prefixes, above.nsmap) for one in children(above) if part in ("", name_of(one)[1])]
    hidden = {without: ()} if without else {}
    return lambda facts, it: "".join([one({**facts, **hidden}, it) for one in parts])


def _content(element: Element, prefixes: Mapping[str, str]) -> _Text:
    parts = [_part(child, prefixes, element.nsmap) for child in children(element)]
    return lambda facts, it: "".join([part(facts, it) for part in parts])


def _element(element: Element, prefixes: Mapping[str, str], above: Mapping[str | None, str]) -> _Text:
    uri, local = name_of(element)
    new = {prefix or "": uri for prefix, uri in element.nsmap.items() if uri != above.get(prefix)}
    prefixes = {**prefixes, **{uri: prefix for prefix, uri in new.items()}}
    name = f"{prefixes[uri]}:{local}".lstrip(":")
    declared = "".join(f' xmlns{":" * bool(prefix)}{prefix}="{uri}"' for prefix, uri in new.items())
    stated = [(str(key), str(value)) for key, value in element.items()]
    attributes = [(f' {_qualified(key, prefixes)}="', _text(value)) for key, value in stated if key not in _OURS]
    opening, closing = f"<{name}{declared}", f"</{name}>"
    is_empty, is_kept = not len(element) and not element.text, element.get("always") is not None
    is_text = not len(element)
    inside = _content(element, prefixes) if len(element) else _text(element.text or "")

    def write(facts: _Facts, it: Any) -> str:  # noqa: ANN401 - whatever the template repeats
        content = inside(facts, it)
        if is_text and content:
            content = clean(content)
            content = escape(content) if content.strip() else ""
        if not content and not is_empty and not is_kept:
            return ""
        known = [(key, text) for key, value in attributes if (text := value(facts, it))]
        stated = "".join([f'{key}{escape_attribute(value)}"' for key, text in known if (value := clean(text))])
        return f"{opening}{stated}/>" if is_empty else f"{opening}{stated}>{content}{closing}"

    return write


def _qualified(name: str, prefixes: Mapping[str, str]) -> str:
    uri, _, local = name.rpartition("}")
    return f"{'xml' if uri[1:] == XML else prefixes[uri[1:]]}:{local}" if uri else local


def _text(template: str) -> _Text:
    """Return what fills the values in a text; empty if one of them is not there."""
    parts = re.split(r"\{([^{}]*)\}", template)
    if len(parts) == 1:
        return lambda _facts, _it: template
    before, values = parts[::2], [_value(part) for part in parts[1::2]]
    if before == ["", ""]:
        (only,) = values
        return lambda facts, it: "" if (found := only(facts, it)) is None else str(found)

    def text(facts: _Facts, it: Any) -> str:  # noqa: ANN401
        found = [value(facts, it) for value in values]
        if None in found or "" in found:
            return ""
        return before[0] + "".join([f"{one}{behind}" for one, behind in zip(found, before[1:], strict=True)])

    return text


def _value(expression: str) -> _Value:
    ways = [_way(way) for way in expression.split(" or ")]
    return ways[0] if len(ways) == 1 else lambda facts, it: first(way(facts, it) for way in ways)


def _way(expression: str) -> _Value:
    if expression[0] == "'":
        return lambda _facts, _it: expression.strip("'")
    path, *names = expression.split(":")
    place, _, rest = path.partition(".")
    part: Callable[[Any], Any] = attrgetter(rest) if rest else lambda value: value
    steps = [FUNCTIONS[name] if name in FUNCTIONS else _meant(TABLES[name]) for name in names]
    if not steps:
        return (lambda _facts, it: part(it)) if place == "it" else lambda facts, _it: part(facts[place])

    def value(facts: _Facts, it: Any) -> Any:  # noqa: ANN401
        found = part(it if place == "it" else facts[place])
        for step in steps:
            found = step(found)
        return found

    return value


def _meant(words: Mapping[str, str]) -> Callable[[str], str]:
    other = words.get("*", "")
    return lambda word: words.get(word, word if other == "=" else other)


def _condition(stated: str) -> Callable[[_Facts, Any], bool]:
    """Return whether all parts hold: `value`, `!value`, `value=a|b`, or `value!=a|b`."""
    tests = [_test(test) for test in stated.split(" and ") if test]
    return lambda facts, it: all(test(facts, it) for test in tests)


def _test(stated: str) -> Callable[[_Facts, Any], bool]:
    path, equals, words = stated.partition("=")
    value, wanted, is_not = _value(path.strip("!")), words.split("|"), "!" in path
    if not equals:
        return lambda facts, it: bool(value(facts, it)) is not is_not
    return lambda facts, it: (value(facts, it) in wanted) is not is_not
