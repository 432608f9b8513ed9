"""An item as JSON of our own: what its page shows, for programs. Pure."""

import json

from gateway.core.model import Outcome, Tried
from gateway.core.xmltext import utc_datetime
from gateway.pages.item import Item, ShownFile

CONTENT_TYPE = "application/json"


def item_json(item: Item) -> str:
    """Return the JSON of an item; every name is there, also without a value."""
    reference = item.reference
    entry = {
        "identifier": item.identifier,
        "url": item.url,
        "datestamp": item.datestamp,
        "source": {"name": item.source, "baseURL": item.source_url, "identifier": item.upstream, "page": item.origin},
        "complete": not item.is_too_large,
        "title": item.title,
        "authors": [{"name": author.name, "orcid": author.orcid or None} for author in reference.authors],
        "type": reference.kind.name,
        "year": reference.year or None,
        "date": reference.date or None,
        "journal": reference.journal or None,
        "publisher": reference.publisher or None,
        "language": reference.language or None,
        "abstracts": [{"text": text, "language": language or None} for text, language, _ in reference.abstracts],
        "subjects": [subject.text for subject in reference.subjects],
        "identifiers": [
            {"scheme": entry.scheme, "value": entry.text, "url": entry.url or None} for entry in reference.identifiers
        ],
        "license": item.license.url if item.license else None,
        "files": [_file(file) for file in item.files],
        "search": None if item.files or item.is_too_large else _search(item),
        "provenance": [
            {
                "baseURL": hop.base_url,
                "identifier": hop.identifier,
                "datestamp": hop.datestamp,
                "metadataNamespace": hop.namespace,
                "harvestDate": hop.harvest_date,
                "altered": hop.is_altered,
            }
            for hop in item.hops
        ],
        "sets": [{"setSpec": entry.spec, "setName": entry.name, "records": entry.records} for entry in item.sets],
        "metadata": dict(item.metadata),
        "forms": dict(item.forms),
    }
    return json.dumps(entry, ensure_ascii=False, indent=1) + "\n"


def _file(file: ShownFile) -> dict[str, object]:
    return {
        "url": file.url,
        "copy": file.copy_url or None,
        "mimeType": file.mime_type,
        "version": file.version or None,
        "license": file.license.url if file.license else None,
        "size": file.size,
        "sha256": file.sha256 or None,
        "origin": "discovered" if file.is_found else "upstream",
        "foundIn": file.found_in or None,
        "foundAt": file.found_at or None,
        "modified": file.modified or None,
        "retracted": file.retracted or None,
        "missing": file.missing or None,
    }


def _search(item: Item) -> dict[str, object]:
    """Return how the search for a file of an item without files stands."""
    tried = item.tried or Tried(0, Outcome.FAULT)
    return {
        "state": item.search.facts(),
        "outcome": tried.outcome.value if tried.searched_at else None,
        "searchedAt": utc_datetime(tried.searched_at) if tried.searched_at else None,
        "nextAfter": utc_datetime(tried.next_at) if tried.next_at else None,
        "steps": [{"step": step, "outcome": outcome.value} for step, outcome in tried.steps],
    }
