"""Unqualified Dublin Core as a bibliography, and a bibliography as unqualified Dublin Core. Pure.

Repositories have conventions for what DCMES 1.1 leaves open; they are recognized by form. What `statements_of` writes,
`read` reads again: that is how pages know what a richer format stated.
"""

import re
from collections.abc import Iterable, Iterator

from gateway.core.addresses import ALSO_KNOWN_AS
from gateway.core.bibliography.dates import date_of, dublin_core_dates, iso_of
from gateway.core.bibliography.funding import grants_in
from gateway.core.bibliography.hosts import host_of, is_identifier, is_title, serial_in, year_in
from gateway.core.bibliography.identifiers import (
    identifier_of,
    is_citation,
    is_link,
    isbns_in,
    issns_in,
    of_relation,
    own_identifiers,
)
from gateway.core.bibliography.languages import languages_in
from gateway.core.bibliography.people import agents_of, parts_of_list
from gateway.core.bibliography.texts import is_value, one_line, paragraphs, title_of
from gateway.core.bibliography.types import type_of
from gateway.core.model import (
    Bibliography,
    DateType,
    Host,
    Identifier,
    Relation,
    Statement,
    Text,
    Title,
    TitleType,
    WorkDate,
)
from gateway.core.words import any_of, table

# The types of works that are in journals or proceedings, so that a dc:source without numbers is the title of one.
_CONTAINED = frozenset((
    "journal article", "review", "conference paper", "conference object", "conference poster", "book part", "editorial",
    "letter to the editor", "data paper", "corrigendum",
))  # fmt: skip
_EMBARGO = "info:eu-repo/date/embargoEnd/"
# Descriptions that are notes of a repository (DSpace), and not the abstract.
_NOTE = re.compile(rf"(?i)(?:{any_of(table(__file__, 'texts')['notes'])})")
_A_FEW_WORDS, _RUNNING = 40, 400  # characters: at most of a note, at least of a text that is none


def read(statements: Iterable[Statement]) -> Bibliography:
    """Return what statements of unqualified Dublin Core say of a work."""
    raw: dict[str, list[Statement]] = {}
    for statement in statements:
        raw.setdefault(statement.element, []).append(statement)
    texts = {
        element: [Text(text, entry.language) for entry in entries if (text := one_line(entry.text))]
        for element, entries in raw.items()
        if element not in ("description", "title")
    }

    def words(element: str) -> list[str]:
        return [entry.text for entry in texts.get(element, ())]

    types = words("type")
    type_ = type_of(types)
    sources = words("source")
    host = _host(sources, words("identifier"), words("relation"), type_)
    titles = [Title(text, language=entry.language) for entry in raw.get("title", ()) if (text := one_line(entry.text))]
    languages = tuple(dict.fromkeys(tag for text in words("language") for tag in languages_in(text)))
    shown = title_of(titles, languages[0] if languages else "")
    others = tuple(title._replace(type=TitleType.ALTERNATIVE) for title in titles if title is not shown)
    return Bibliography(
        titles=(shown, *others) if titles else (),
        agents=(*agents_of(_names(texts.get("creator", ()))), *agents_of(_names(texts.get("contributor", ())), "ctb")),
        dates=_dates(words("date"), host),
        identifiers=tuple(_identifiers(words("identifier"), words("relation"))),
        host=host,
        type=type_,
        types=tuple(types),
        descriptions=tuple(_descriptions(raw.get("description", ()))),
        subjects=tuple(texts.get("subject", ())),
        publishers=tuple(words("publisher")),
        languages=languages,
        rights=tuple(words("rights")),
        sources=tuple(text for text in sources if not is_link(text)),
        relations=tuple(words("relation")),
        coverage=tuple(words("coverage")),
        formats=tuple(words("format")),
        funding=tuple(grants_in(words("relation"))),
    )


def _dates(texts: list[str], host: Host) -> tuple[WorkDate, ...]:
    """Return the dates; for a record without one, the year in its citation."""
    dates = dublin_core_dates(texts)
    if date_of(dates)[1] or not (year := year_in(host)):
        return dates
    return WorkDate(year), *dates


def _names(entries: Iterable[Text]) -> Iterator[tuple[str, str]]:
    for text, language, _ in entries:
        yield from ((part, language) for part in parts_of_list(text))


def _identifiers(own: Iterable[str], relations: Iterable[str]) -> Iterator[Identifier]:
    yield from own_identifiers((*own, *(text for text in relations if text.startswith(ALSO_KNOWN_AS))))
    for text in relations:
        if not text.startswith(ALSO_KNOWN_AS) and not is_citation(text):
            yield identifier_of(text)._replace(relation=Relation.OTHER)


def _host(sources: list[str], identifiers: list[str], relations: list[str], type_: str) -> Host:
    """Return where a work was published: a place with numbers, or for an article the first source that has words.

    arXiv has the place among the identifiers, and Érudit among the relations.
    """
    texts = [text for text in sources if not is_identifier(text)]
    cited = [text for text in identifiers if is_citation(text)]
    divided = [text for text in relations if ";" in text]
    host = next(filter(None, map(host_of, (*texts, *cited, *divided))), None)
    if host is None:
        # Digital Commons has the name of a series or of a person there.
        is_contained = type_ in _CONTAINED and not any("/viewcontent.cgi" in text for text in identifiers)
        title = next(filter(is_title, texts), "") if is_contained else ""
        host = Host(title, text=title or texts[0]) if texts and is_contained else Host()
    everything = (*identifiers, *sources, *relations)
    labelled = (issn for text in everything for issn in issns_in(text))
    issn = next(labelled, "") or next(filter(None, map(serial_in, sources)), "")
    isbn = next((isbn for text in sources for isbn in isbns_in(text)), "")
    return host._replace(issn=issn, isbn=isbn)


def _descriptions(entries: Iterable[Statement]) -> Iterator[Text]:
    """Yield the abstracts first: running text before short notes of a repository, in the order of the record."""
    texts = [
        Text("\n\n".join(parts), entry.language)
        for entry in entries
        if is_value(entry.text) and (parts := paragraphs(entry.text))
    ]
    yield from sorted(texts, key=lambda entry: _is_note(entry.text, texts))


def _is_note(text: str, texts: list[Text]) -> bool:
    """Return whether a description is a note by its words, or a few words before a running text."""
    if len(text) < _A_FEW_WORDS:
        return _NOTE.match(text) is not None or any(len(other.text) > _RUNNING for other in texts)
    return _NOTE.match(text) is not None


# --- writing ---------------------------------------------------------------------------------------------------------


def statements_of(known: Bibliography, landing_page: str = "") -> tuple[Statement, ...]:
    """Return what a bibliography says as unqualified Dublin Core, so that `read` finds the same in it."""
    titles = (title_of(known.titles, known.languages[0] if known.languages else ""), *known.titles)
    text, year = date_of(known.dates)
    ends = [iso_of(date.text) for date in known.dates if date.type is DateType.EMBARGO_END]
    dates = [iso_of(text) or text, *(f"{_EMBARGO}{end}" for end in ends if end)]
    type_ = known.type if known.type and known.type != type_of(known.types) else ""
    own, others = (map(spelled, of_relation(known.identifiers, whose)) for whose in (Relation.OWN, Relation.OTHER))
    sources = (*_sources(known.host, year), *known.sources) if known.host != _NOWHERE else known.sources
    stated = [Statement("title", title.text, title.language) for title in titles]
    stated += [
        Statement("creator" if agent.is_author else "contributor", agent.family_first, agent.language)
        for agent in known.agents
    ]
    for element, texts in (
        ("publisher", known.publishers), ("date", dates), ("type", (type_, *known.types)),
        ("language", known.languages), ("identifier", (*own, landing_page)), ("source", sources),
    ):  # fmt: skip
        stated += [Statement(element, words) for words in texts]
    for element, entries in (("description", known.descriptions), ("subject", known.subjects)):
        stated += [Statement(element, entry.text, entry.language) for entry in entries]
    for element, texts in (
        ("format", known.formats), ("coverage", known.coverage), ("rights", known.rights),
        ("relation", (*known.relations, *others)),
    ):  # fmt: skip
        stated += [Statement(element, words) for words in texts]
    return tuple(dict.fromkeys([statement for statement in stated if statement.text]))


_NOWHERE = Host()


def spelled(identifier: Identifier) -> str:
    """Return an identifier with its scheme: the address that resolves it, or a URN."""
    if identifier.scheme in ("isbn", "issn"):
        return f"urn:{identifier.scheme}:{identifier.text}"
    return identifier.url or identifier.text


def _sources(host: Host, year: int) -> Iterator[str]:
    parts = (("Vol. {}", host.volume), ("No. {}", host.issue), ("({})", str(year or "")))
    numbers = " ".join(form.format(part) for form, part in parts if part)
    pages = "-".join(filter(None, (host.first_page, host.last_page)))
    if host.text and (stated := host_of(host.text)) and stated[:5] == host[:5]:
        yield host.text  # in the words of the record
    elif host.title and (host.volume or host.issue or pages):
        yield "; ".join(filter(None, (host.title, numbers, pages)))
    else:
        yield host.title or host.text
    yield f"ISSN {host.issn}" if host.issn else ""
    yield f"ISBN {host.isbn}" if host.isbn else ""
