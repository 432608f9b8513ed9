"""Results of a search for programs: JSON, CSV, and an Atom feed (RFC 4287). Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from gateway import spreadsheets
from gateway.browse.search import Hit
from gateway.search.query import Results
from gateway.xmltext import clean, escape, escape_attribute, utc_datetime

ATOM_TYPE = "application/atom+xml; charset=UTF-8"
_COLUMNS = ("identifier", "url", "title", "authors", "year", "type", "source", "doi", "files", "licenses")
_MOST_AUTHORS = 100


def as_json(hits: Sequence[Hit], results: Results, url: str, following: str) -> str:
    """Return a page of results as JSON; `following` is the address of the next page, or empty."""
    document = {
        "total": results.total,
        "isExact": results.is_exact,
        "reached": utc_datetime(results.reached),
        "next": following or None,
        "facets": {
            name: [{"value": value, "records": count} for value, count in values]
            for name, values in results.facets.items()
        },
        "results": [_facts(hit, url) for hit in hits],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def as_csv(hits: Sequence[Hit], url: str) -> str:
    """Return a page of results as CSV (RFC 4180); no cell is a formula."""
    return spreadsheets.as_csv(_COLUMNS, (_facts(hit, url) for hit in hits))


def as_atom(hits: Sequence[Hit], results: Results, *, title: str, own: str, url: str, dates: Mapping[str, str]) -> str:
    """Return a page of results as an Atom feed; `own` is its address, `dates` are our datestamps by identifier."""
    entries = "".join(_entry(hit, url, dates[hit.identifier]) for hit in hits)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<title>{_text(title)}</title><id>{_text(own)}</id>"
        f'<link rel="self" href="{escape_attribute(own)}"/>'
        f"<updated>{max(dates.values(), default=utc_datetime(results.reached))}</updated>\n{entries}</feed>\n"
    )


def _entry(hit: Hit, url: str, date: str) -> str:
    authors = (
        "".join(
            f"<author><name>{_text(author.name)}</name></author>" for author in hit.reference.authors[:_MOST_AUTHORS]
        )
        or f"<author><name>{_text(hit.source)}</name></author>"
    )
    address = url + hit.path
    return (
        f"<entry><title>{_text(hit.title)}</title><id>{_text(address)}</id><updated>{date}</updated>"
        f'<link href="{escape_attribute(address)}"/>{authors}</entry>\n'
    )


def _facts(hit: Hit, url: str) -> dict[str, object]:
    reference = hit.reference
    return {
        "identifier": hit.identifier,
        "url": url + hit.path,
        "title": hit.title,
        "authors": [author.name for author in reference.authors[:_MOST_AUTHORS]],
        "year": reference.year or None,
        "type": reference.kind.name,
        "source": hit.source,
        "doi": reference.doi or None,
        "files": [file.copy_url or file.url for file in hit.files[:_MOST_AUTHORS]],
        "licenses": sorted({file.license.url or file.license.name for file in hit.files if file.license}),
    }


def _text(text: str) -> str:
    return escape(clean(text))
