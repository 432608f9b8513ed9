"""A Fetch for one look at a file: conditional (RFC 9110 §13), so that an unchanged file is not sent again. Pure."""

from __future__ import annotations

from dataclasses import replace

from gateway.model import FileLook
from harvester.http.messages import Fetch, Fetched, Request, settled_date

NOT_MODIFIED = 304
_LONGEST = 1000  # characters of a validator


class ConditionalFetch:
    """A Fetch over another one. It sends the validators of a file to the address that they came from."""

    def __init__(self, fetch: Fetch, file: FileLook) -> None:
        """Take a Fetch, and the last look at the file."""
        pairs = (("If-None-Match", file.entity_tag), ("If-Modified-Since", file.modified))
        self._fetch, self._url = fetch, file.final_url
        self._condition = tuple(pair for pair in pairs if pair[1])

    def __call__(self, request: Request) -> Fetched:
        """Return the answer. Raise the errors of `fetch`."""
        if request.url != self._url:
            return self._fetch(request)
        return self._fetch(replace(request, headers=request.headers + self._condition))


def with_validators(file: FileLook, answer: Fetched, url: str) -> FileLook:
    """Return a file with the validators of its last answer, which came from `url`."""
    tag = answer.header("ETag").strip()
    return file._replace(
        final_url=url,
        entity_tag=tag if len(tag) <= _LONGEST and tag.isascii() and tag.isprintable() else "",
        modified=settled_date(answer),
    )
