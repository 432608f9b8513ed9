"""Find out whether an address is that of an OAI-PMH repository: it answers Identify.

Its page for browsers does not matter.
"""

from __future__ import annotations

from gateway.errors import AnswerError
from harvester.http.messages import Fetch, Fetched, Request
from harvester.http.urls import base_url, request_url
from harvester.sources import Recognised
from harvester.sources.oai_pmh.answers import parse_identify


def recognise(fetched: Fetched, fetch: Fetch) -> Recognised | None:
    """Ask the address who it is, without the arguments that were copied with it."""
    base = base_url(fetched.url)
    if not base.startswith(("http://", "https://")):
        return None
    answer = fetch(Request(request_url(base, "Identify")))
    try:
        identify = parse_identify(answer.body, answer.header("Content-Type"))
    except AnswerError:
        return None
    version = f"version {identify.protocol_version}" if identify.protocol_version else "no version"
    return Recognised(
        f"An OAI-PMH repository ({version}): {identify.repository_name or 'without a name'}.", {"url": base}
    )
