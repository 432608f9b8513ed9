"""What a work is, as citations and catalogues state it: read from its Dublin Core statements. Pure.

Nothing is guessed: a part that the statements do not have in a known form stays empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import NamedTuple
from urllib.parse import unquote

from gateway.core.addresses import uri_of
from gateway.core.model import Statement, Work
from gateway.core.work_dates import date_of
from gateway.pages.kinds import WORK, Kind, kind_of
from gateway.pages.languages import language_tag
from gateway.pages.places import Place, is_identifier, is_title, place_of
from gateway.pages.shown import paragraphs, plain

# An ORCID iD: with hyphens of any kind, or behind its label or host also without; `[ORCID]: https://orcid.org/…`.
_HYPHENS = "\u2010-\u2015\u2212-"
_ORCID = re.compile(
    rf"(?i)(?:\borcid(?!\.)(?:[ _-]?id)?[\])]?[\s:=/]*)?(?:https?://)?(?:(?:www\.)?orcid\.org/+)?(?<![0-9{_HYPHENS}])"
    rf"([0-9]{{4}})[{_HYPHENS}]([0-9]{{4}})[{_HYPHENS}]([0-9]{{4}})[{_HYPHENS}]([0-9]{{3}}[0-9X])(?![0-9A-Z{_HYPHENS}])/?"
)
_BARE_ORCID = re.compile(
    r"(?i)(?:\borcid(?!\.)(?:[ _-]?id)?[\])]?[\s:=/]+|(?:https?://)?(?:www\.)?orcid\.org/+)"
    r"([0-9]{4})([0-9]{4})([0-9]{4})([0-9]{3}[0-9X])\b/?"
)
_ARXIV = re.compile(r"(?i)^(?:arxiv:|https?://(?:www\.)?arxiv\.org/abs/)([a-z.-]+/\d{7}|\d{4}\.\d{4,5})(v\d+)?$")
_PMID = re.compile(
    r"(?i)^(?:pmid:?\s*|https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/)(\d{1,9})/?$"
)
_ISSN = re.compile(r"(?i)\b(?:issn:?\s*|urn:issn:)(\d{4}-?\d{3}[\dX])\b")
_ISBN = re.compile(r"(?i)(?:isbn:?\s*|urn:isbn:)([\d-]{9,16}[\dX])")
_BARE_ISSN = re.compile(r"(\d{4})-(\d{3}[\dX])")
# The kinds of work that are in journals or proceedings, so that a dc:source without numbers is the title of one.
_CONTAINED = frozenset({"article", "review", "paper", "poster", "chapter"})
_MOST_AUTHORS = 100_000
_NOBODYS = "0000-0000-"  # ORCID iDs begin at 0000-0001-5000-0007; lower ones are placeholders
_LIFE = re.compile(r",? ?\(?[0-9]{4}\??[-\u2013](?:[0-9]{4}\??)?\)?\.?$")  # as catalogues write the years of a life
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})
# What OJS writes behind a name: `Okafor, Ada; University of Lagos`. Behind a semicolon may also be another person.
_AFFILIATION = re.compile(
    r"\b(?:universi|college|institut|depart|faculty|facultad|faculdade|school|hospital|laborator|cent(?:er|re|ro)\b"
    r"|academ|ministr|clinic|corporation\b|foundation\b)",
    re.IGNORECASE,
)
_COMPANIES = frozenset({"inc", "ltd", "llc", "corp", "gmbh", "ag", "plc", "co", "limited", "incorporated"})


class Author(NamedTuple):
    """An author: the name as the record has it, its parts if it has a comma, and the address of the ORCID.

    `suffix` is a part such as `Jr.`, which stands behind the whole name.
    """

    name: str
    family: str = ""
    given: str = ""
    orcid: str = ""
    language: str = ""
    suffix: str = ""

    @property
    def family_first(self) -> str:
        """The name as `Family, Given, Suffix`, without the years of a life; one without parts as it is."""
        return ", ".join(filter(None, (self.family, self.given, self.suffix))) or self.name


class Identifier(NamedTuple):
    """An identifier of the work: its scheme, its text without the scheme, and the address that resolves it, if any."""

    scheme: str
    text: str
    url: str = ""


class Reference(NamedTuple):
    """The facts about a work. `date` is as the record has it, `year` a number in it; 0 and empty mean: not stated.

    `place` says in the words of the record where the work was published; the journal and its numbers are read from it.
    Between the paragraphs of an abstract is an empty line.
    """

    title: str = ""
    title_language: str = ""
    other_titles: tuple[Statement, ...] = ()
    authors: tuple[Author, ...] = ()
    contributors: tuple[Author, ...] = ()
    kind: Kind = WORK
    types: tuple[str, ...] = ()
    date: str = ""
    year: int = 0
    place: str = ""
    journal: str = ""
    volume: str = ""
    issue: str = ""
    first_page: str = ""
    last_page: str = ""
    sources: tuple[str, ...] = ()
    publisher: str = ""
    language: str = ""
    abstracts: tuple[Statement, ...] = ()
    subjects: tuple[Statement, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    issn: str = ""
    isbn: str = ""
    license: str = ""
    rights: tuple[str, ...] = ()
    coverage: tuple[str, ...] = ()

    @property
    def doi(self) -> str:
        """The DOI without its resolver, or an empty string."""
        return next((entry.text for entry in self.identifiers if entry.scheme == "doi"), "")

    @property
    def doi_url(self) -> str:
        """The address that resolves the DOI, or an empty string."""
        return next((entry.url for entry in self.identifiers if entry.scheme == "doi"), "")

    @property
    def language_tag(self) -> str:
        """The language as BCP 47 has it; one that it does not have as in the record."""
        return language_tag(self.language) or self.language

    @property
    def pages(self) -> str:
        """The first page, or first and last, or an empty string."""
        return "\u2013".join(filter(None, (self.first_page, self.last_page)))


def reference_of(work: Work) -> Reference:
    """Return the facts that the statements of a work have."""
    texts: dict[str, list[Statement]] = {}
    for statement in work.statements:
        is_abstract = statement.element == "description"
        if text := "\n\n".join(paragraphs(statement.text)) if is_abstract else plain(statement.text):
            texts.setdefault(statement.element, []).append(statement._replace(text=text))
    titles = texts.get("title", [])
    types = tuple(entry.text for entry in texts.get("type", []))
    dates = [entry.text for entry in texts.get("date", [])]
    sources = tuple(entry.text for entry in texts.get("source", []) if not _is_link(entry.text))
    date, year = date_of(dates)
    kind = kind_of(types)
    place = _place(sources, kind)
    everything = [entry.text for name in ("identifier", "source", "relation") for entry in texts.get(name, [])]
    return Reference(
        title=titles[0].text if titles else "",
        title_language=titles[0].language if titles else "",
        other_titles=tuple(titles[1:]),
        authors=tuple(_authors(texts.get("creator", []))),
        contributors=tuple(_authors(texts.get("contributor", []))),
        kind=kind,
        types=types,
        date=date or next(iter(dates), ""),
        year=year,
        place=place.text,
        journal=place.journal,
        volume=place.volume,
        issue=place.issue,
        first_page=place.first_page,
        last_page=place.last_page,
        sources=sources,
        publisher=texts["publisher"][0].text if "publisher" in texts else "",
        language=texts["language"][0].text if "language" in texts else "",
        abstracts=tuple(texts.get("description", [])),
        subjects=tuple(texts.get("subject", [])),
        identifiers=tuple(_identifiers(work, (entry.text for entry in texts.get("identifier", [])))),
        issn=next((match[1] for text in everything if (match := _ISSN.search(text))), "")
        or next(filter(_is_issn, sources), ""),
        isbn=next((match[1] for text in everything if (match := _ISBN.search(text))), ""),
        license=work.license,
        rights=tuple(entry.text for entry in texts.get("rights", [])),
        coverage=tuple(entry.text for entry in texts.get("coverage", [])),
    )


def _place(sources: Iterable[str], kind: Kind) -> Place:
    """Return where a work was published: a place with numbers, or for an article the first source that has words."""
    texts = [text for text in sources if not is_identifier(text)]
    placed = next(filter(None, map(place_of, texts)), None)
    if placed or kind.name not in _CONTAINED or not texts:
        return placed or Place()
    title = next(filter(is_title, texts), "")
    return Place(title or texts[0], title)


def _is_issn(text: str) -> bool:
    """Return whether a text is an ISSN by its form and its check digit, and not a pair of years."""
    match = _BARE_ISSN.fullmatch(text)
    if match is None or (text[0] in "12" and text[5] in "12" and text[8].isdigit()):
        return False
    digits = match[1] + match[2]
    return sum((8 - place) * (10 if digit == "X" else int(digit)) for place, digit in enumerate(digits)) % 11 == 0


def author_of(text: str, language: str = "") -> Author:
    """Return an author as a record writes it: `Family, Given`, with or without an ORCID or the years of life beside it.

    The name of an organization has no parts, also if it ends with `, Inc.`; nor have several persons in one text. An
    affiliation behind a semicolon is left out.
    """
    orcid = _ORCID.search(text) or _BARE_ORCID.search(text)
    name = text
    if orcid:
        name = text[: orcid.start()].strip(" ([;,") or text[orcid.end() :].strip(" )];,")
    address = _orcid_address("-".join(orcid.groups()).upper()) if orcid else ""
    head, _, behind = name.partition(";")
    if behind and _AFFILIATION.search(behind) and ";" not in behind:
        name = head.strip()
    elif behind.strip():
        return Author(name, orcid=address, language=language)
    parts = [part.strip() for part in _LIFE.sub("", name).split(",")]
    suffix = parts.pop() if len(parts) == 3 and parts[2].strip(".").lower() in _SUFFIXES else ""  # noqa: PLR2004
    if len(parts) != 2 or not all(parts) or parts[1].strip(".").lower() in _COMPANIES:  # noqa: PLR2004
        return Author(name, orcid=address, language=language)
    family, given = parts
    return Author(name, family, given, address, language, suffix)


def _orcid_address(orcid: str) -> str:
    """Return the address of an ORCID iD; an empty string if it is none, by its check digit or as a placeholder."""
    digits = orcid.replace("-", "")
    total = 0
    for digit in digits[:-1]:  # ISO 7064, MOD 11-2
        total = (total + int(digit)) * 2
    is_right = digits[-1] == "0123456789X"[(12 - total % 11) % 11]
    return f"https://orcid.org/{orcid}" if is_right and not orcid.startswith(_NOBODYS) else ""


def _authors(statements: Iterable[Statement]) -> Iterator[Author]:
    """Yield the authors; a statement that is only an ORCID belongs to the author before it.

    If several of them follow each other, nothing says whose they are. One without a name is its own name.
    """
    authors = [author_of(entry.text, entry.language) for entry in islice(statements, _MOST_AUTHORS)]
    authors = [author for author in authors if author.name or author.orcid]
    if any(not first.name and not second.name for first, second in pairwise(authors)):
        authors = [author for author in authors if author.name]
    last: Author | None = None
    for author in authors:
        if author.name or last is None or last.orcid:
            if last is not None:
                yield last
            last = author if author.name else author._replace(name=author.orcid)
        else:
            last = last._replace(orcid=author.orcid)
    if last is not None:
        yield last


def _identifiers(work: Work, texts: Iterable[str]) -> Iterator[Identifier]:
    known: set[str] = set()
    for text in (*work.identifiers, *texts):
        identifier = identifier_of(text)
        key = (identifier.url or identifier.text).lower()
        if key not in known:
            known.add(key)
            yield identifier


def identifier_of(text: str) -> Identifier:
    """Return an identifier in any spelling with its scheme: doi, handle, arxiv, pmid, url, or other."""
    uri = uri_of(text)
    if uri.startswith("https://doi.org/"):
        return Identifier("doi", unquote(uri.removeprefix("https://doi.org/")), uri)
    if uri:
        return Identifier("handle", uri.removeprefix("https://hdl.handle.net/"), uri)
    if match := _ARXIV.match(text):
        return Identifier("arxiv", match[1] + (match[2] or ""), f"https://arxiv.org/abs/{match[1]}{match[2] or ''}")
    if match := _PMID.match(text):
        return Identifier("pmid", match[1], f"https://pubmed.ncbi.nlm.nih.gov/{match[1]}/")
    if _is_link(text):
        return Identifier("url", text, text)
    return Identifier("other", text)


def _is_link(text: str) -> bool:
    return text[:8].lower().startswith(("http://", "https://")) and not re.search(r"[\s<>\"]", text)
