"""An item as schema.org in JSON-LD, which search engines read in its page. Pure.

Characters that could end the element `script` are escaped, so no text of a record can leave it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from gateway.core.bibliography.dates import date_parts
from gateway.pages.item import Item
from gateway.pages.reference import Author
from gateway.pages.shown import bare, shortened

CONTENT_TYPE = "application/ld+json"


class Most(NamedTuple):
    """How many authors, files, and other texts the document has, and how many characters of the abstract."""

    authors: int
    files: int
    texts: int
    abstract: int


WHOLE: Final = Most(100, 50, 100, 20_000)
IN_A_PAGE: Final = Most(20, 5, 10, 1_000)  # search engines show less
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def schema_org(item: Item, most: Most = WHOLE) -> str:
    """Return the JSON-LD of an item; it may stand in an element `script`."""
    reference = item.reference
    identifiers = reference.identifiers[: most.texts]
    journal = {"@type": "Periodical", "name": reference.journal, "issn": reference.issn}
    entry = {
        "@context": "https://schema.org",
        "@type": reference.kind.schema_class,
        "@id": item.url,
        "url": item.url,
        "name": item.title,
        "headline": item.title[:110] if reference.kind.schema_class == "ScholarlyArticle" else "",
        "author": [_person(author) for author in reference.authors[: most.authors]],
        "datePublished": "-".join(date_parts(reference.date)) or (str(reference.year) if reference.year else ""),
        "abstract": shortened(bare(reference.abstracts[0].text), most.abstract) if reference.abstracts else "",
        "identifier": [entry.url or entry.text for entry in identifiers],
        "sameAs": list(dict.fromkeys(filter(None, (item.origin, *(entry.url for entry in identifiers))))),
        "license": item.license.url if item.license else "",
        "isPartOf": _filled(journal) if reference.journal else None,
        "publisher": {"@type": "Organization", "name": reference.publisher} if reference.publisher else None,
        "inLanguage": reference.language_tag,
        "keywords": [bare(subject.text) for subject in reference.subjects[: most.texts]],
        "encoding": [_file(item, place) for place in range(min(len(item.files), most.files))],
        "subjectOf": [
            {"@type": "DataDownload", "contentUrl": url, "encodingFormat": "application/xml", "name": prefix}
            for prefix, url in item.metadata.items()
        ],
    }
    return json.dumps(_filled(entry), ensure_ascii=False).translate(_ESCAPES)


def _person(author: Author) -> dict[str, object]:
    parts = {"@id": author.orcid, "name": author.name, "familyName": author.family, "givenName": author.given}
    return {"@type": "Person", **_filled(parts)}


def _file(item: Item, place: int) -> dict[str, object]:
    file = item.files[place]
    return _filled(
        {
            "@type": "MediaObject",
            "contentUrl": file.copy_url or file.url,
            "encodingFormat": file.mime_type,
            "contentSize": f"{file.size} B" if file.size is not None else "",
            "sha256": file.sha256,
            "license": file.license.url if file.license else "",
        }
    )


def _filled(entry: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in entry.items() if value}
