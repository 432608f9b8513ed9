"""`arXiv` and `arXivRaw`, the formats of arXiv's own provider (info.arxiv.org/help/oa): read only."""

import re
import unicodedata
from collections.abc import Iterator, Mapping

from gateway.core.bibliography.identifiers import dois_in
from gateway.core.bibliography.people import agent_of, is_organization, organization, person
from gateway.core.model import Agent
from gateway.core.words import any_of
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.formats._describing import Describing
from gateway.formats._paths import texts
from gateway.formats._tables import TABLES, format_of

_ID = re.compile(r"\d{4}\.\d{4,5}|[a-z-]{1,20}(?:\.[A-Z]{2})?/\d{7}")
_MARKS, _LETTERS = TABLES["marks_arxiv"], TABLES["letters_arxiv"]
_LETTER = re.compile(r"\\(ss|ae|AE|oe|OE|aa|AA|[oOlLij])(?![A-Za-z])\s?")
_ACCENT = re.compile(r"\\(?:(['`^\"~=.])\s?|([uvHckrd])(?:\s|(?=\{)))\{?\s?([A-Za-zøØłŁæÆ])\}?")
_WORDS = {name: any_of(words) for name, words in TABLES["words_arxiv"].items()}
_GROUP = re.compile(rf"(?i)\b(?:{_WORDS['group']})\b")
# `Given van Family Jr`, as arXiv itself divides the names of its authors.
_NAME = re.compile(
    r"(?P<given>\S+(?: \S+)*?) (?P<family>"
    rf"(?:(?:{_WORDS['particles']}) ){{0,4}}"
    r"\S+)(?:,? (?P<suffix>Jr\.?|Sr\.?|I{2,3}|IV))?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r",? and | ?, ?(?!(?:Jr|Sr|I{2,3}|IV)\b)| ?; ?")


def _more(_record: Element, known: Describing, held: Mapping[str, list[Element]]) -> None:
    authors = held["authors/author"]
    # `Keck Array, BICEP2 Collaborations, :, Ade, P.`
    groups = next((place for place, author in enumerate(authors[:4]) if text_of(author) == ":"), 0)
    for place, author in enumerate(authors):
        known.agent(_agent(author, is_group=place < groups))
    stated = {name: next(filter(None, map(text_of, held[name])), "") for name in ("authors", "doi", "id", "categories")}
    for name in () if authors else _names(stated["authors"]):
        known.agent(_named(name))
    for doi in dois_in(stated["doi"]):
        known.identifier(doi, "doi")
    if match := _ID.search(stated["id"]):
        known.identifier(f"arXiv:{match[0]}")
        known.identifier(f"10.48550/arXiv.{match[0]}", "doi")
        known.page(f"https://arxiv.org/abs/{match[0]}")
        known.file(f"https://arxiv.org/pdf/{match[0]}", "application/pdf")
    for word in stated["categories"].split():
        known.subject(word)


def _agent(author: Element, *, is_group: bool) -> Agent:
    parts = {name_of(part)[1]: _plain(text_of(part)) for part in reversed(list(children(author)))}
    family, given = parts.get("keyname", ""), parts.get("forenames", "")
    if given.strip(": ") and not is_group and not _GROUP.search(family):
        places = tuple(texts(author, "affiliation")) if "affiliation" in parts else ()
        return person(family, given, suffix=parts.get("suffix", ""), affiliations=places)
    return _named(" ".join(filter(None, (given.strip(": "), family.strip(": ")))), is_group=is_group or given == ":")


def _named(name: str, *, is_group: bool = False) -> Agent:
    if is_group or _GROUP.search(name) or is_organization(name):
        return organization(name)
    match = _NAME.fullmatch(name)
    return person(match["family"], match["given"], suffix=match["suffix"] or "") if match else agent_of(name)


def _names(authors: str) -> Iterator[str]:
    """Yield the names in `A, B and C (place)`; what is in brackets are places."""
    depth, kept = 0, []
    for sign in authors:
        depth += (sign == "(") - (sign == ")" and depth > 0)
        kept += [sign] if not depth and sign != ")" else []
    for part in _BETWEEN.split(_plain("".join(kept))):
        if (name := " ".join(part.split()).strip(" :,")) and not name.startswith("for the "):
            yield name


def _plain(name: str) -> str:
    """Return a name without the commands of TeX."""
    if "\\" not in name and "{" not in name:
        return name
    name = _LETTER.sub(lambda match: _LETTERS.get(match[1], match[1]), name)
    name = _ACCENT.sub(lambda match: match[3] + _MARKS[match[1] or match[2]], name)
    return unicodedata.normalize("NFC", name.replace("{", "").replace("}", "").replace("\\ ", " "))


FORMAT = format_of("arxiv", _more)
