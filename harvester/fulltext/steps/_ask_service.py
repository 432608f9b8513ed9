"""Shared functions of steps that ask a service: they build the address and interpret the answer."""

from collections.abc import Callable
from urllib.parse import quote, urlencode

from gateway.core.errors import AnswerError, GatewayError
from gateway.core.model import Outcome
from harvester.fulltext.known_copies import Description
from harvester.fulltext.steps import Known, StepResult
from harvester.http.messages import Fetch, Fetched, Request

_JSON = (("Accept", "application/json"),)
_RESTRICTED = (401, 403)
Read = Callable[[Fetched], Description | None]


def address(base: str, doi: str, **arguments: str) -> str:
    """Return the URL of a DOI at a service, without empty arguments."""
    query = urlencode({name: value for name, value in arguments.items() if value})
    return base + quote(doi, safe="/:;()._-") + ("?" + query if query else "")


def phrase(text: str) -> str:
    """Return a text as a quoted phrase for Lucene and Solr, without operators."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def readable(read: Callable[[Fetched], object]) -> Callable[[Fetched], bool]:
    """Return a function that says whether an answer can be read; an unreadable one is not cached."""

    def is_readable(fetched: Fetched) -> bool:
        try:
            read(fetched)
        except GatewayError:
            return False
        return True

    return is_readable


def described(url: str, fetch: Fetch, read: Read, headers: tuple[tuple[str, str], ...] = ()) -> StepResult:
    """Return the result of asking a service for one work; NOT_FOUND for an unknown one. Raise the errors of `read`."""
    return _result(read(fetch(Request(url, headers=(*_JSON, *headers), suits=readable(read)))))


def of_repository(url: str, fetch: Fetch, read: Read, *, is_certain: bool = False) -> StepResult:
    """Return the result of asking the API of a repository for one record.

    FORBIDDEN: the record is restricted. NOT_FOUND also for an unreadable answer, because the site may have another
    software; with `is_certain` that raises AnswerError.
    """
    suits = readable(read) if is_certain else lambda _fetched: True  # any answer may be cached
    fetched = fetch(Request(url, headers=_JSON, suits=suits))
    if fetched.status in _RESTRICTED:
        return StepResult(Outcome.FORBIDDEN)
    try:
        return _result(read(fetched))
    except AnswerError:
        if is_certain:
            raise
        return StepResult(Outcome.NOT_FOUND)


def _result(description: Description | None) -> StepResult:
    if description is None:
        return StepResult(Outcome.NOT_FOUND)
    files = any(not copy.is_page for copy in description.copies)
    is_closed = description.is_open is False
    outcome = Outcome.SUCCESS if files else Outcome.NOT_OA if is_closed else Outcome.NO_PDF_LINK
    return StepResult(outcome, description.copies, description)


def has_doi(known: Known) -> bool:
    """Return whether the work has a DOI."""
    return bool(known.doi)
