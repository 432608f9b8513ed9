"""xMetaDissPlus 2.2 and xMetaDiss (Deutsche Nationalbibliothek): read only."""

import re
from collections.abc import Mapping

from gateway.core.bibliography.people import organization, relator
from gateway.core.model import Agent
from gateway.core.words import any_of
from gateway.core.xmlio import Element, text_of
from gateway.formats._describing import Describing, first
from gateway.formats._paths import attribute_of, find, text
from gateway.formats._tables import TABLES, add_source, agents_at, degree_of, format_of, with_role

_person = agents_at(
    {
        "prefix": ["name/prefix"],
        "family": ["name/surName"],
        "given": ["name/foreName"],
        "suffix": ["name/suffix"],
        "orcid": ["@ORCID-ID", "@ORCID", "name/identifier", "identifier"],
        "group": ["name/organisation", "name/organization"],
        "name": ["name/personEnteredUnderGivenName", "name"],
    }
)
# `Journal, 2011, Vol. 1, No. 1, pp. 1-4`, and its parts in German.
_SOURCE = re.compile(
    r"(?P<title>[^,;]{2,200}?)[,;] (?:(?:1[5-9]|20)\d\d, )?(?=[A-Z][a-z]{0,8}\. ?\d)(?P<parts>.{1,200})"
)
_NUMBERS = {
    "volume": r"(\d{1,5})",
    "issue": r"(\d{1,5}(?:[-/]\d{1,5})?)",
    "first_page": r"([A-Za-z]?\d{1,6})",
    "last_page": r"[A-Za-z]?\d{1,6} ?[-\u2013] ?([A-Za-z]?\d{1,6})",
}
_PARTS = {
    part: re.compile(rf"\b(?:{any_of(words)})\b\.? ?{_NUMBERS[part]}")
    for part, words in TABLES["words_xmetadissplus"].items()
}


def _more(_record: Element, known: Describing, held: Mapping[str, list[Element]]) -> None:
    for element in held["creator|contributor"]:
        stated = attribute_of(element, "role")
        role = relator(stated) if stated else "ctb" if element.tag.endswith("contributor") else "aut"
        for holder in find(element, "person") or [element]:
            known.agent(with_role(_agent(holder), role))
    for element in held["source"]:
        _source(text_of(element), known)
    for element in held["isPartOf[type=ZS-Ausgabe]"]:
        known.host(**_numbers(text_of(element)))
    if level := first(map(text_of, held["degree/level"])):
        known.coar_type = "thesis" if "habil" in level.lower() else degree_of(level) or known.coar_type
    sizes = [attribute_of(element, "fileSize") for element in held["fileProperties"]]
    if len(known.files) == len(sizes) == 1 and re.fullmatch("[0-9]{1,15}", sizes[0]):
        known.files[0] = known.files[0]._replace(size=int(sizes[0]))


def _agent(holder: Element) -> Agent:
    group = text(holder, "universityOrInstitution/name", "corporate/name")
    return organization(group) if group else _person(holder)


def _numbers(words: str) -> dict[str, str]:
    return {name: match[1] for name, pattern in _PARTS.items() if (match := pattern.search(words))}


def _source(words: str, known: Describing) -> None:
    match = _SOURCE.fullmatch(words)
    if match and (numbers := _numbers(match["parts"])):
        known.host(title=match["title"], text=words, **numbers)
    else:
        add_source(known, None, words)


FORMAT = format_of("xmetadissplus", _more)
