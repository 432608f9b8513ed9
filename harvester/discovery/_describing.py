"""What the steps that ask a service have in common: an address with the asker in it, and what an answer means."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote, urlencode

from gateway.errors import AnswerError
from gateway.model import Outcome
from harvester.discovery import Found, Known
from harvester.wire.copies import Description
from harvester.wire.http import Fetch, Fetched, Request

_JSON = (("Accept", "application/json"),)
_RESTRICTED = (401, 403)
Read = Callable[[Fetched], Description | None]


def address(base: str, doi: str, **arguments: str) -> str:
    """Return the address of a DOI at a service; arguments that are empty are left out."""
    query = urlencode({name: value for name, value in arguments.items() if value})
    return base + quote(doi, safe="/:;()._-") + ("?" + query if query else "")


def phrase(text: str) -> str:
    """Return a text as a phrase of a search engine's language (Lucene, Solr); nothing in it is an operator."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def described(url: str, fetch: Fetch, read: Read, headers: tuple[tuple[str, str], ...] = ()) -> Found:
    """Ask a service for one work; what it does not know is NOT_FOUND."""
    return _found(read(fetch(Request(url, headers=(*_JSON, *headers)))))


def of_repository(url: str, fetch: Fetch, read: Read) -> Found:
    """Ask the interface of a repository for one record.

    FORBIDDEN: the record is restricted. NOT_FOUND, too, where a page is answered: the site has another software.
    """
    fetched = fetch(Request(url, headers=_JSON))
    if fetched.status in _RESTRICTED:
        return Found(Outcome.FORBIDDEN)
    try:
        return _found(read(fetched))
    except AnswerError:
        return Found(Outcome.NOT_FOUND)


def _found(description: Description | None) -> Found:
    if description is None:
        return Found(Outcome.NOT_FOUND)
    files = any(not copy.is_page for copy in description.copies)
    is_closed = description.is_open is False
    outcome = Outcome.SUCCESS if files else Outcome.NOT_OA if is_closed else Outcome.NO_PDF_LINK
    return Found(outcome, description.copies, description)


def has_doi(known: Known) -> bool:
    """Tell whether there is a DOI to ask for."""
    return bool(known.doi)
