"""The nodes and relationships of one publication: from its record, its last search and its files. Pure.

An author is a person if the record states an ORCID iD. Any other author is a name in this publication alone.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha1
from typing import Any, NamedTuple

from gateway.core.addresses import address
from gateway.core.bibliography.identifiers import is_issn
from gateway.core.model import Candidate, Content, DocumentKind, FileLink, SearchState, Work
from gateway.core.names import source_of
from gateway.core.normal_forms import normalized
from gateway.core.xmltext import clean, utc_datetime
from gateway.fulltext.policies import Policy
from gateway.fulltext.stored_search import candidates_in, policy_in
from gateway.pages.reference import Reference, reference_of
from gateway.pages.shown import plain
from harvester.graph.model import (
    Author,
    Edge,
    File,
    HasFile,
    HasSubject,
    Node,
    Publication,
    PublishedBy,
    Publisher,
    Subject,
    Wrote,
)
from harvester.http.urls import host_of

# The namespace of our identifiers. It was drawn once; another one would change every identifier.
_NAMESPACE = sha1(bytes.fromhex("0601a3a106cc532bb493463fcb836ae8"), usedforsecurity=False)
_VARIANTS = "89ab" * 4
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MARKS = re.compile(r"(?:[\s,]|(?<=\w)\.)+")
# The Dublin Core elements that say something about the graph.
_READ = frozenset(
    ("title", "creator", "subject", "publisher", "date", "type", "language", "identifier", "source", "relation")
)
_ISSN = re.compile(r"[0-9]{7}[0-9X]")
_NO_ISSN = "00000000"
_MONTHS = 12
_LAST_YEAR = 9999


class Item(NamedTuple):
    """What is known of one item: the work in its record, its last search, the verdicts in force by address, its files.

    `contents` are the files that its DIDL names, `held` the facts about those of them that a search found.
    """

    identifier: str
    datestamp: int
    work: Work
    state: SearchState | None = None
    search: Mapping[str, Any] = {}
    verdicts: Mapping[str, str] = {}
    contents: Sequence[Content] = ()
    held: Sequence[FileLink] = ()


class Shared(NamedTuple):
    """What one publication shares with others: persons, subjects, its publisher, and (name, author) of its authors.

    `searched_at` says when the policy of the publisher was asked for.
    """

    persons: tuple[Author, ...] = ()
    subjects: tuple[Subject, ...] = ()
    publisher: Publisher | None = None
    searched_at: str = ""
    namesakes: tuple[tuple[str, str], ...] = ()


class Facts(NamedTuple):
    """The nodes that only one publication has, with their labels, its relationships, and what it shares."""

    nodes: tuple[tuple[str, Node], ...]
    edges: tuple[tuple[str, Edge], ...]
    shared: Shared


def facts_of(item: Item) -> Facts:
    """Return the facts about an item."""
    statements = tuple(statement for statement in item.work.statements if statement.element in _READ)
    reference = reference_of(item.work._replace(statements=statements))
    search = dict(item.search)
    policy = policy_in(search)
    authors = _authors(item.identifier, reference)
    publisher = _publisher(reference, policy)
    files = tuple(_files(item, candidates_in(search)))
    subjects = dict.fromkeys(_subjects(reference, search))
    nodes: list[tuple[str, Node]] = [("Publication", _publication(item, reference, search))]
    nodes += [("Author", author) for author in authors if not author.orcid]
    nodes += [("File", file) for file in files]
    edges: list[tuple[str, Edge]] = [
        ("WROTE", Wrote(author.id, item.identifier, place)) for place, author in enumerate(authors, 1)
    ]
    if publisher:
        edges.append(("PUBLISHED_BY", _published_by(item.identifier, publisher, policy, reference, search)))
    edges += [("HAS_SUBJECT", HasSubject(item.identifier, subject.id, stated_by)) for subject, stated_by in subjects]
    edges += [("HAS_FILE", HasFile(item.identifier, file.id)) for file in files]
    shared = Shared(
        persons=tuple(author for author in authors if author.orcid),
        subjects=tuple(subject for subject, _ in subjects),
        publisher=publisher,
        searched_at=_moment(item.state) if policy else "",
        namesakes=tuple((key, author.id) for author in authors if (key := _key(author.name))),
    )
    return Facts(tuple(nodes), tuple(edges), shared)


def _publication(item: Item, reference: Reference, search: dict[str, Any]) -> Publication:
    return Publication(
        item.identifier,
        title=_legal(reference.title),
        year=reference.year or None,
        type=reference.kind.name,
        language=_legal(reference.language_tag),
        doi=_legal(reference.doi),
        journal=_legal(reference.journal),
        source=source_of(item.identifier),
        datestamp=utc_datetime(item.datestamp),
        has_file=not all(content.is_supplement for content in item.contents),
        search_outcome=item.state.outcome if item.state and item.state.searched_at else "",
        searched_at=_moment(item.state),
        open_from=_date(search.get("open_from")),
    )


def _moment(state: SearchState | None) -> str:
    return utc_datetime(state.searched_at) if state and state.searched_at else ""


def _date(text: object) -> str:
    return str(text) if text and _DAY.fullmatch(str(text)) else ""


def _made(*parts: str) -> str:
    """Return the identifier of what has these parts: the same in every export."""
    digest = _NAMESPACE.copy()
    digest.update("\n".join(parts).encode("utf-8", "replace"))
    name = digest.hexdigest()
    # RFC 9562 §5.5: the version is 5, the variant 0b10.
    return f"{name[:8]}-{name[8:12]}-5{name[13:16]}-{_VARIANTS[int(name[16], 16)]}{name[17:20]}-{name[20:32]}"


def _legal(text: str) -> str:
    """Return a text without what XML forbids, which no printable text has."""
    return text if text.isprintable() else clean(text)


def _key(text: str) -> str:
    """Return a name or a subject as it is compared: without case, commas, and full stops behind words."""
    text = normalized("NFC", text)
    return _MARKS.sub(" ", text).strip().casefold()


# --- people -------------------------------------------------------------------------------------------------------


def _authors(identifier: str, reference: Reference) -> tuple[Author, ...]:
    """Return the authors in their order, each once. A name without an ORCID may be that of one author with one."""
    stated = [(_legal(author.family_first), author.orcid) for author in reference.authors]
    orcids: dict[str, set[str]] = {}
    for name, orcid in stated:
        if orcid:
            orcids.setdefault(_key(name), set()).add(orcid)
    authors: dict[str, Author] = {}
    for name, stated_orcid in stated:
        same = orcids.get(_key(name), set())
        orcid = stated_orcid or (next(iter(same)) if len(same) == 1 else "")
        author = Author(orcid or _made("author", identifier, _key(name)), name, orcid)
        authors.setdefault(author.id, author)
    return tuple(authors.values())


# --- publishers ---------------------------------------------------------------------------------------------------


def _publisher(reference: Reference, policy: Policy | None) -> Publisher | None:
    names = policy.publishers if policy else ()
    name = _legal(names[0] if len(names) == 1 else reference.publisher)
    issn = min(filter(None, map(_issn, policy.issns if policy else ())), default="") or _issn(reference.issn)
    if not issn and not _key(name):
        return None
    return Publisher(
        f"urn:issn:{issn}" if issn else _made("publisher", _key(name)),
        name=name,
        issn=issn,
        journal=_legal(policy.title if policy and policy.title else reference.journal) if issn else "",
        colour=str(policy.colour) if policy else "",
        policy_url=_legal(policy.address) if policy else "",
        submitted_embargo_months=_embargo(policy, "submitted"),
        accepted_embargo_months=_embargo(policy, "accepted"),
        published_embargo_months=_embargo(policy, "published"),
    )


def _issn(text: str) -> str:
    """Return an ISSN in its usual form; an empty string if it is none, by its check digit or as a placeholder."""
    digits = text.replace("-", "").upper()
    is_right = _ISSN.fullmatch(digits) and digits != _NO_ISSN and is_issn(digits)
    return f"{digits[:4]}-{digits[4:]}" if is_right else ""


def _embargo(policy: Policy | None, version: str) -> int | None:
    permissions = policy.for_version(version) if policy else ()
    return permissions[0].embargo_months if permissions else None


def _published_by(
    identifier: str, publisher: Publisher, policy: Policy | None, reference: Reference, search: dict[str, Any]
) -> PublishedBy:
    stated = str(search.get("published", ""))
    year = int(stated) if stated.isdecimal() else reference.year
    return PublishedBy(
        identifier,
        publisher.id,
        _last_day(year, _embargo(policy, "accepted")),
        _last_day(year, _embargo(policy, "published")),
    )


def _last_day(year: int, months: int | None) -> str:
    """Return the last day of an embargo, which begins at the end of the year of publication; empty: there is none."""
    if not months or not year:
        return ""
    years, month = divmod(_MONTHS - 1 + months, _MONTHS)
    last = year + years
    return f"{last:04}-{month + 1:02}-{monthrange(last, month + 1)[1]:02}" if 0 < last <= _LAST_YEAR else ""


# --- subjects and files -------------------------------------------------------------------------------------------


def _subjects(reference: Reference, search: dict[str, Any]) -> Iterator[tuple[Subject, str]]:
    """Yield each subject with who states it: once per spelling that counts."""
    texts = [(statement.text, "record") for statement in reference.subjects]
    texts += [(plain(text), "crossref") for text in search.get("subjects", ())]
    seen: set[tuple[str, str]] = set()
    for text, stated_by in texts:
        name = _legal(text).strip()
        pair = (_key(name), stated_by)
        if pair[0] and pair not in seen:
            seen.add(pair)
            yield Subject(_made("subject", pair[0]), name), stated_by


def _files(item: Item, candidates: Iterable[Candidate]) -> Iterator[File]:
    published = {content.url: content for content in item.contents}
    checked = {address(candidate.url): candidate for candidate in candidates}
    held = {file.url: file for file in item.held}
    for url in dict.fromkeys((*checked, *published)):
        identifier = _made("file", item.identifier, url)
        verdict = item.verdicts.get(url, "")
        if url in checked:
            yield _checked(identifier, url, checked[url], verdict, is_published=url in published)
        else:
            yield _named(identifier, published[url], held.get(url), verdict)


def _checked(identifier: str, url: str, candidate: Candidate, verdict: str, *, is_published: bool) -> File:
    return File(
        identifier,
        _legal(url),
        score=candidate.likeness if candidate.has_likeness else None,
        outcome=str(candidate.outcome),
        verdict=verdict,
        is_published=is_published,
        version=_legal(candidate.version or candidate.text_version),
        license=_legal(candidate.license or candidate.license_url),
        media_type=_legal(candidate.mime_type),
        size=candidate.size or None,
        sha256=candidate.sha256,
        kind=_legal(candidate.kind),
        found_by=_legal(candidate.found_by),
        host=_legal(host_of(url)),
        open_from=_date(candidate.open_from),
    )


def _named(identifier: str, content: Content, held: FileLink | None, verdict: str) -> File:
    return File(
        identifier,
        _legal(content.url),
        verdict=verdict,
        is_published=True,
        version=_legal(held.version) if held else "",
        license=_legal(held.license) if held else "",
        media_type=_legal(content.mime_type),
        size=content.size,
        sha256=content.sha256,
        kind=str(DocumentKind.SUPPLEMENT) if content.is_supplement else "",
        found_by=_legal(held.found_in.partition(" ")[0]) if held else "record",
        host=_legal(host_of(content.url)),
    )
