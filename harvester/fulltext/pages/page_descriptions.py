"""The descriptions of the work of a page in JSON-LD (schema.org): not those of other works or of the site. Pure.

A work with another name than that of the page is another work, or the site. If no tag names the work of the page, it
is the one with the title or heading of the page, or its DOI.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from gateway.core.bibliography.identifiers import dois_in
from gateway.core.errors import AnswerTooLarge
from harvester.fulltext.pages.page_tree import PageTree, attribute, words
from harvester.http.json_answers import Node, parts, texts, values
from harvester.xml.parsing import refuse_heavy_json

_LEAST_CUT = 12  # letters of a cut title
_LONGEST = 1000  # characters of names that are compared
_MOST_SCRIPTS, _LONGEST_SCRIPT = 20, 500_000

# Types of written works in schema.org, and types of sites, pictures and journals.
_WORKS = frozenset(
    ("Article", "ScholarlyArticle", "MedicalScholarlyArticle", "Thesis", "Book", "Chapter", "Report", "CreativeWork")
)
_SITES = frozenset(("WebSite", "WebPage", "Periodical", "Organization", "ImageObject"))
_NOT_FREE = ("false", "https://schema.org/false", "http://schema.org/false")
_STATES = ("creativeWorkStatus", "conditionsOfAccess", "copyrightNotice")


def descriptions_of(page: PageTree, title: str, doi: str) -> list[Node]:
    """Return the descriptions of the work with this title and DOI (empty: not known); top-level ones only."""
    typed = (tag for tag in page.elements("script") if attribute(tag, "type") == "application/ld+json")
    scripts = islice(typed, _MOST_SCRIPTS)
    works = [node for script in scripts for node in _nodes((script.text or "")[:_LONGEST_SCRIPT]) if _is_work(node)]
    named = [(node, names_of(node)) for node in works]
    if not title and len({_letters(names[0]) for _, names in named if names}) > 1:
        return []
    shown = [] if title else [words(element) for element in page.elements("title", "h1")]
    return [
        node
        for node, names in named
        if (doi and doi in _dois(node))
        or (_may_be_called(title, names) if title or not names else _stands(names, shown))
    ]


def names_of(node: Node) -> list[str]:
    """Return the names of a described work."""
    return [*texts(node, "headline"), *texts(node, "name")]


def licenses_of(node: Node) -> Iterator[str]:
    """Yield the licences of a described work: as texts, addresses, or names."""
    yield from texts(node, "license")
    for name in ("url", "@id", "name"):
        yield from texts(node, "license", name)


def statements_of(node: Node) -> Iterator[str]:
    """Yield what a description states about access: its status, conditions, and days with a label before them."""
    for name in _STATES:
        yield from texts(node, name)
    if any(str(value).lower() in _NOT_FREE for value in values(node, "isAccessibleForFree")):
        yield "isAccessibleForFree: false"
    for name in node:
        if "embargo" in name.lower() or name.lower() in ("dateavailable", "availabilitystarts", "availablefrom"):
            yield from (f"embargo until: {day}" for day in texts(node, name))


def _is_work(node: Node) -> bool:
    kinds = {text.rpartition("/")[2] for text in texts(node, "@type")}
    return bool(kinds & _WORKS) and kinds.isdisjoint(_SITES)


def _may_be_called(title: str, names: Iterable[str]) -> bool:
    """Return whether one of the names may be this title, whole, cut or extended; True if one is not known."""
    spelled, named = _letters(title), [name for name in map(_letters, names) if name]
    return not spelled or not named or any(name in spelled or spelled in name for name in named)


def _stands(names: Iterable[str], shown: Iterable[str]) -> bool:
    """Return whether one of the names, or the beginning of one, is in the shown title of a page."""
    titles = [title for title in map(_letters, shown) if title]
    spelled = [name for name in map(_letters, names) if name]
    return any(
        name in title or (len(title) >= _LEAST_CUT and name.startswith(title)) for name in spelled for title in titles
    )


def _dois(node: Node) -> list[str]:
    """Return the DOIs that a description calls its own."""
    identifiers = [*texts(node, "@id"), *texts(node, "identifier"), *texts(node, "sameAs"), *texts(node, "url")]
    return [
        doi
        for identifier in (*identifiers, *texts(node, "identifier", "value"))
        for doi in dois_in(identifier[:_LONGEST])
    ]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text[:_LONGEST].casefold()))


def _nodes(text: str) -> list[Node]:
    """Return the objects at the top of a JSON-LD document, or of its graph; none of what is no JSON."""
    try:
        refuse_heavy_json(text.encode("utf-8", "replace"))
        document = json.loads(text)
    except (ValueError, RecursionError, AnswerTooLarge):
        return []
    top = document if isinstance(document, list) else [document]
    held = [node for node in top if isinstance(node, Mapping)]
    return [*held, *(inner for node in held for inner in parts(node, "@graph"))]
