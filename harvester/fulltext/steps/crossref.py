"""Crossref: metadata, licences and links from the publisher. It also shows that a DOI belongs to another work."""

import re
from dataclasses import replace

from gateway.core.model import Outcome
from gateway.core.normal_forms import letters
from gateway.fulltext.licenses import license_of
from harvester.fulltext.identifiers import BARE, Identifier, Identifiers
from harvester.fulltext.known_copies import VERSIONS, Copy, Description, Related, version_of, without_repetitions
from harvester.fulltext.page_ranges import number_of_pages
from harvester.fulltext.retractions import NEW_VERSIONS, UPDATES, by_title, by_update, update_of
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import address, described, has_doi
from harvester.fulltext.steps.openrxiv import server_of
from harvester.http.json_answers import Node, answered, parts, text, texts, values
from harvester.http.messages import Fetch, Fetched


def _find(known: Known, fetch: Fetch) -> StepResult:
    url = address("https://api.crossref.org/works/", known.doi, mailto=known.email)
    description = described(url, fetch, read)
    if description.description is None:
        return description
    best = known.identifiers.best("doi")
    if best and not best.is_certain and not _is_of(known, description.description):
        kept = tuple(identifier for identifier in known.identifiers.entries if identifier != best)
        return StepResult(
            Outcome.WRONG_DOCUMENT, identifiers=Identifiers(kept), note=f"{best.value} is another work's DOI."
        )
    more = tuple(Identifier("issn", issn, "crossref") for issn in description.description.issns)
    return replace(description, identifiers=Identifiers(known.identifiers.entries + more))


def _is_of(known: Known, description: Description) -> bool:
    """Return whether a title of the record equals the described one, or one begins with the other."""
    own_title = letters(description.title)
    own = map(letters, known.work.texts("title"))
    return any(title and own_title and (title.startswith(own_title) or own_title.startswith(title)) for title in own)


STEP = Step(
    "crossref",
    10,
    "Asks Crossref for the work: its metadata, ISSNs, licences and links.",
    has_doi,
    _find,
    is_for_files=False,
    is_first=True,
)

# --- Answers of the REST API of Crossref (`/works/{doi}`). Pure -------------------------------------------------------

_MARKUP = re.compile(r"<[^<>]++>")

# Purposes of links: those for similarity checks are by contract for nobody else; they are half of all links.
_NOT_FOR_READERS = frozenset(("similarity-checking",))
_MINING = "text-mining"
_RETRACTION_WATCH = "retraction-watch"
_NOT_A_FILE = frozenset(("text/html", "application/xhtml+xml"))
REGISTERED = "crossref:resource"  # where the DOI resolves to

# The fields that are read, for `select` in a request.
SELECTED = (
    "DOI", "type", "title", "subtitle", "original-title", "author", "container-title", "publisher", "issued", "ISSN",
    "abstract", "page", "link", "license", "relation", "update-to", "updated-by", "alternative-id",
    "resource",
)  # fmt: skip


def read(fetched: Fetched) -> Description | None:
    """Return the work of an answer, None when Crossref does not know the DOI. Errors are those of `answered`."""
    document = answered(fetched, "Crossref", "message", "DOI", is_text=True)
    return _described(next(iter(parts(document, "message")), {})) if document is not None else None


def read_list(fetched: Fetched) -> tuple[Description, ...]:
    """Return the works of a list. Errors are those of `answered`."""
    return tuple(
        _described(item) for item in parts(answered(fetched, "Crossref", "message", "items") or {}, "message", "items")
    )


def _described(work: Node) -> Description:
    people = [part for part in parts(work, "author") if text(part, "family")]
    return Description(
        doi=text(work, "DOI").lower(),
        title=_plain(text(work, "title")),
        authors=tuple([text(person, "family") for person in people] or texts(work, "author", "name")),
        given_names=tuple(text(person, "given") for person in people),
        container=text(work, "container-title") or text(work, "institution", "name"),  # a preprint's server
        publisher=text(work, "publisher"),
        year=next((str(value) for value in values(work, "issued", "date-parts")), ""),
        abstract=_plain(text(work, "abstract")),
        issns=tuple(dict.fromkeys(texts(work, "ISSN"))),
        copies=without_repetitions(
            [*_registered(work), *(copy for link in _links(work) for copy in _copies(work, link))]
        ),
        also=tuple(texts(work, "alternative-id")),
        other_titles=_other_titles(work),
        pages=number_of_pages(text(work, "page")),
        kind=text(work, "type"),
        related=_related(work),
        retracted=_retracted(work),
        subjects=tuple(dict.fromkeys(texts(work, "subject"))),
    )


def _registered(work: Node) -> list[Copy]:
    """Return the page that the DOI resolves to, if the answer names it, or if it follows from the DOI of a preprint.

    Crossref names it in all answers of 2022 and later, and in none of 2020 and earlier.
    """
    pages = texts(work, "resource", "primary", "URL")[:1]
    doi = text(work, "DOI").lower()
    if not pages and (server := server_of(doi, (text(work, "institution", "name"),))):
        pages = [f"https://www.{server}.org/lookup/doi/{doi}"]
    return [Copy(url, is_page=True, evidence=REGISTERED) for url in pages]


def _related(work: Node) -> tuple[Related, ...]:
    """Return the other versions of a work, and the works of which it is a notice (`update-to:correction`)."""
    versions = [
        Related(relation, scheme, value)
        for relation in sorted(VERSIONS)
        for part in parts(work, "relation", relation)
        if (scheme := text(part, "id-type").lower()) in BARE and (value := BARE[scheme](text(part, "id")))
    ]
    notices = [
        Related(f"update-to:{text(part, 'type')}", "doi", text(part, "DOI").lower())
        for part in parts(work, "update-to")
    ]
    return tuple(dict.fromkeys(versions + notices))


def _other_titles(work: Node) -> tuple[str, ...]:
    """Return the title with each subtitle, the other titles, and the titles in the original language."""
    first, *others = [_plain(text) for text in texts(work, "title")] or [""]
    whole = [f"{first}: {_plain(text)}" for text in texts(work, "subtitle") if first]
    return tuple(dict.fromkeys(filter(None, [*whole, *others, *map(_plain, texts(work, "original-title"))])))


def _links(work: Node) -> list[Node]:
    """Return the links of a work, those for text mining last: an address with another purpose too is not one."""
    return sorted(parts(work, "link"), key=lambda link: text(link, "intended-application") == _MINING)


def _copies(work: Node, link: Node) -> list[Copy]:
    """Return the copy of a link; none if it is not for readers."""
    if text(link, "intended-application") in _NOT_FOR_READERS:
        return []
    word = text(link, "content-version")
    mime_type = text(link, "content-type").replace("unspecified", "")
    name, address, start = _license(work, word)
    purpose = text(link, "intended-application")
    return [
        Copy(
            text(link, "URL"),
            mime_type in _NOT_A_FILE,
            mime_type,
            version_of(word),
            name,
            address,
            "publisher",
            f"crossref:link[{purpose}]",
            start,
        )
    ]


def _license(work: Node, version: str) -> tuple[str, str, str]:
    """Return (name, address, start) of the licence stated for a version; one stated for none is of every version.

    Return empty texts if several differ, and for text mining, which is not for readers. One that begins some days later
    without a date counts as none.
    """
    stated = [part for part in parts(work, "license") if text(part, "content-version") != "tdm"]
    named = [(license_of(text(part, "URL")), text(part, "content-version"), part) for part in stated]
    fitting = [(name, license_) for name, of, license_ in named if name and of == version]
    fitting = fitting or [(name, license_) for name, of, license_ in named if name and of == "unspecified"]
    if len({name for name, _ in fitting}) != 1:
        return "", "", ""
    name, license_ = fitting[0]
    start = text(license_, "start", "date-time")[:10]
    if not start and any(values(license_, "delay-in-days")):
        return "", "", ""
    return name, text(license_, "URL"), start


def _retracted(work: Node) -> str:
    """Return the sentence for the most serious notice about a work, else for its title."""
    updates = {
        update_of(text(part, "type") or text(part, "label")): part for part in reversed(parts(work, "updated-by"))
    }
    update = next((update for update in UPDATES if update in updates), "")
    if not update:  # a notice corrects or retracts another work; publishers also name a new version, or the work itself
        others = [part for part in parts(work, "update-to") if text(part, "DOI").lower() != text(work, "DOI").lower()]
        is_notice = any(text(part, "type") not in NEW_VERSIONS for part in others)
        return "" if is_notice else by_title(_plain(text(work, "title")), "Crossref")
    teller = "Crossref (by Retraction Watch)" if text(updates[update], "source") == _RETRACTION_WATCH else "Crossref"
    day = text(updates[update], "updated", "date-time")[:10]
    return by_update(update, teller, text(updates[update], "DOI").lower(), day)


def _plain(markup: str) -> str:
    return " ".join(_MARKUP.sub(" ", markup).split())
