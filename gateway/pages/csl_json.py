"""A work as CSL JSON, which Zotero, Mendeley, Pandoc and citeproc read. Pure."""

from __future__ import annotations

import json

from gateway.core.bibliography.dates import date_parts
from gateway.pages.reference import Author, Reference
from gateway.pages.shown import bare

CONTENT_TYPE = "application/vnd.citationstyles.csl+json"


def csl_json(reference: Reference, url: str, identifier: str) -> str:
    """Return a list with one item; `identifier` is its id."""
    issued = [int(part) for part in date_parts(reference.date)] or ([reference.year] if reference.year else [])
    entry = {
        "id": identifier,
        "type": reference.kind.csl,
        "title": bare(reference.title),
        "author": [_name(author) for author in reference.authors],
        "issued": {"date-parts": [issued]} if issued else None,
        "container-title": reference.journal,
        "volume": reference.volume,
        "issue": reference.issue,
        "page": "-".join(filter(None, (reference.first_page, reference.last_page))),
        "publisher": reference.publisher,
        "ISSN": reference.issn,
        "ISBN": reference.isbn,
        "language": reference.language_tag,
        "DOI": reference.doi,
        "URL": url,
        "abstract": bare(reference.abstracts[0].text) if reference.abstracts else "",
    }
    return json.dumps([{name: value for name, value in entry.items() if value}], ensure_ascii=False, indent=1) + "\n"


def _name(author: Author) -> dict[str, str]:
    if author.family:
        suffix = {"suffix": author.suffix} if author.suffix else {}
        return {"family": author.family, "given": author.given, **suffix}
    return {"literal": author.name}
