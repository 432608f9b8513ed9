"""The last answer of a server for a file, and its validators for conditional requests (RFC 9110 §8.8). Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from harvester.http.dates import http_second
from harvester.http.messages import Fetched
from harvester.mirror.component import Component
from harvester.mirror.verify import Fate


class LastAnswer(NamedTuple):
    """The last answer of an address: the stored bytes (`fate` KEPT), or others, with the reason against them.

    `stated` is the fingerprint of the statements of the document then; with other statements the bytes may be right.
    """

    url: str
    entity_tag: str = ""
    last_modified: str = ""
    fate: Fate = Fate.KEPT
    reason: str = ""
    stated: str = ""

    @property
    def condition(self) -> tuple[tuple[str, str], ...]:
        """The headers of a conditional request: If-None-Match and If-Modified-Since (RFC 9110 §13.1)."""
        pairs = (("If-None-Match", self.entity_tag), ("If-Modified-Since", self.last_modified))
        return tuple(pair for pair in pairs if pair[1])

    def is_about(self, url: str, component: Component) -> bool:
        """Return whether it came from this address, and was judged by the same statements."""
        return self.url == url and self.stated in ("", fingerprint(component))


class ContradictoryAnswer(NamedTuple):
    """Received bytes that contradict the document. They may agree with its present record, which is requested next."""

    url: str
    file: Path
    answer: Fetched


def settled(last_modified: str, received_at: int) -> str:
    """Return a Last-Modified date, or an empty string when it is later than the answer (seconds since 1970)."""
    second = http_second(last_modified)
    return "" if second is not None and second > received_at else last_modified


def fingerprint(component: Component) -> str:
    """Return a digest of the statements of a document about a file. It changes when they change."""
    statement = (component.size, sorted(component.digests), component.mime_type)
    return sha256(json.dumps(statement).encode()).hexdigest()


def with_newer(
    before: Iterable[LastAnswer], newer: Iterable[LastAnswer], addresses: Iterable[str]
) -> tuple[LastAnswer, ...]:
    """Return the last answer of each address that can be recognised.

    Other bytes than those that are stored, without a validator, do not replace what is known.
    """
    known = {file.url: file for file in before}
    for file in newer:
        if file.condition:
            known[file.url] = file
        elif file.fate is Fate.KEPT:
            known.pop(file.url, None)
    return tuple(known[url] for url in dict.fromkeys(addresses) if url in known)
