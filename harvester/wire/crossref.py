"""Answers of the REST API of Crossref (`/works/{doi}`). Pure."""

from __future__ import annotations

import re

from harvester.wire.copies import VERSIONS, Copy, Description, Related, version_of, without_repetitions
from harvester.wire.http import Fetched
from harvester.wire.json_answers import Node, answered, parts, text, texts, values
from harvester.wire.licenses import license_of
from harvester.wire.page_ranges import number_of_pages
from harvester.wire.retractions import NEW_VERSIONS, UPDATES, by_title, by_update

_MARKUP = re.compile(r"<[^<>]++>")

# For whom links are: what is for checking similarity is by contract for nobody else, and half of all links are.
_NOT_FOR_READERS = frozenset(("similarity-checking",))
_RETRACTION_WATCH = "retraction-watch"
_NOT_A_FILE = frozenset(("text/html", "application/xhtml+xml"))
REGISTERED = "crossref:resource"  # where the DOI resolves to

# What is read of a work, as `select` of a list has it.
SELECTED = (
    "DOI", "type", "title", "subtitle", "original-title", "author", "container-title", "publisher", "issued", "ISSN",
    "abstract", "page", "link", "license", "relation", "update-to", "updated-by", "alternative-id",
    "resource",
)  # fmt: skip


def read(fetched: Fetched) -> Description | None:
    """Return the work of an answer, None when Crossref does not know the DOI. Errors are those of `answered`."""
    document = answered(fetched, "Crossref")
    return _described(next(iter(parts(document, "message")), {})) if document is not None else None


def read_list(fetched: Fetched) -> tuple[Description, ...]:
    """Return the works of a list."""
    return tuple(_described(item) for item in parts(answered(fetched, "Crossref") or {}, "message", "items"))


def _described(work: Node) -> Description:
    return Description(
        doi=text(work, "DOI").lower(),
        title=_plain(text(work, "title")),
        authors=tuple(texts(work, "author", "family") or texts(work, "author", "name")),
        container=text(work, "container-title") or text(work, "institution", "name"),  # a preprint's server
        publisher=text(work, "publisher"),
        year=next((str(each) for each in values(work, "issued", "date-parts")), ""),
        abstract=_plain(text(work, "abstract")),
        issns=tuple(dict.fromkeys(texts(work, "ISSN"))),
        copies=without_repetitions(
            [*_registered(work), *(copy for link in parts(work, "link") for copy in _copies(work, link))]
        ),
        also=tuple(texts(work, "alternative-id")),
        other_titles=_other_titles(work),
        pages=number_of_pages(text(work, "page")),
        kind=text(work, "type"),
        related=_related(work),
        retracted=_retracted(work),
    )


def _registered(work: Node) -> list[Copy]:
    """Return the page that the DOI resolves to, where the answer names it."""
    return [Copy(url, is_page=True, evidence=REGISTERED) for url in texts(work, "resource", "primary", "URL")[:1]]


# By what kind of identifier another version of the work is named.
_SCHEMES = ("doi", "arxiv")


def _related(work: Node) -> tuple[Related, ...]:
    """Return the other versions of a work, and the works of which it is a notice (`update-to:correction`)."""
    versions = [
        Related(relation, scheme, text(each, "id").lower())
        for relation in sorted(VERSIONS)
        for each in parts(work, "relation", relation)
        if (scheme := text(each, "id-type").lower()) in _SCHEMES and text(each, "id")
    ]
    notices = [
        Related(f"update-to:{text(each, 'type')}", "doi", text(each, "DOI").lower())
        for each in parts(work, "update-to")
    ]
    return tuple(dict.fromkeys(versions + notices))


def _other_titles(work: Node) -> tuple[str, ...]:
    """Return the title with each subtitle, the other titles, and the titles in the original language."""
    first, *others = [_plain(each) for each in texts(work, "title")] or [""]
    whole = [f"{first}: {_plain(each)}" for each in texts(work, "subtitle") if first]
    return tuple(dict.fromkeys(filter(None, [*whole, *others, *map(_plain, texts(work, "original-title"))])))


def _copies(work: Node, link: Node) -> list[Copy]:
    """Return the copy that a link leads to; none where it is not for readers."""
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

    Nothing where several are stated that differ, and for text mining, which is none for readers. One that begins some
    days later, nobody says from when on, counts as none.
    """
    stated = [each for each in parts(work, "license") if text(each, "content-version") != "tdm"]
    named = [(license_of(text(each, "URL")), text(each, "content-version"), each) for each in stated]
    fitting = [(name, each) for name, of, each in named if name and of == version]
    fitting = fitting or [(name, each) for name, of, each in named if name and of == "unspecified"]
    if len({name for name, _ in fitting}) != 1:
        return "", "", ""
    name, each = fitting[0]
    start = text(each, "start", "date-time")[:10]
    if not start and any(values(each, "delay-in-days")):
        return "", "", ""
    return name, text(each, "URL"), start


def _is_notice(work: Node) -> bool:
    """Tell whether a work corrects or retracts another one; publishers also name a new version, or the work itself."""
    updates = [(text(each, "type"), text(each, "DOI").lower()) for each in parts(work, "update-to")]
    return any(update not in NEW_VERSIONS and doi != text(work, "DOI").lower() for update, doi in updates)


def _retracted(work: Node) -> str:
    """Return the gravest thing that notices say of a work, else what its title says."""
    found = {text(each, "type").lower().replace("-", "_"): each for each in reversed(parts(work, "updated-by"))}
    update = next((each for each in UPDATES if each in found), "")
    if not update:
        return "" if _is_notice(work) else by_title(_plain(text(work, "title")), "Crossref")
    teller = "Crossref (by Retraction Watch)" if text(found[update], "source") == _RETRACTION_WATCH else "Crossref"
    day = text(found[update], "updated", "date-time")[:10]
    return by_update(update, teller, text(found[update], "DOI").lower(), day)


def _plain(markup: str) -> str:
    return " ".join(_MARKUP.sub(" ", markup).split())
