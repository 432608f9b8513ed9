"""What a server sent of a file when it was asked last, and the validators by which it need not send it again. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from harvester.mirror.components import Component
from harvester.mirror.verifying import Fate
from harvester.wire.dates import http_second
from harvester.wire.http import Fetched


class Sent(NamedTuple):
    """The bytes that an address sent: those that are held (`fate` KEPT), or others, with the reason against them.

    `stated` is the fingerprint of what the document stated then; what contradicted it may fit another statement.
    """

    url: str
    entity_tag: str = ""
    last_modified: str = ""
    fate: Fate = Fate.KEPT
    reason: str = ""
    stated: str = ""

    @property
    def condition(self) -> tuple[tuple[str, str], ...]:
        """The headers that ask for the file only if it has changed."""
        pairs = (("If-None-Match", self.entity_tag), ("If-Modified-Since", self.last_modified))
        return tuple(pair for pair in pairs if pair[1])

    def is_about(self, url: str, component: Component) -> bool:
        """Tell whether it came from this address, and is not judged by another statement."""
        return self.url == url and self.stated in ("", fingerprint(component))


class Refused(NamedTuple):
    """Bytes that came and contradict the document. They may fit what its record states now, which is asked for next."""

    url: str
    file: Path
    answer: Fetched


def settled(last_modified: str, received_at: int) -> str:
    """Return the date of a file, unless it lies after the moment at which it came: then it recognises nothing."""
    second = http_second(last_modified)
    return "" if second is not None and second > received_at else last_modified


def fingerprint(component: Component) -> str:
    """Return what tells whether a document states the same of a file as before."""
    statement = (component.size, sorted(component.digests), component.mime_type)
    return sha256(json.dumps(statement).encode()).hexdigest()


def with_newer(before: Iterable[Sent], newer: Iterable[Sent], addresses: Iterable[str]) -> tuple[Sent, ...]:
    """Return the last answer of each address that can be recognised.

    Other bytes than those that are held, without a validator, do not replace what is known.
    """
    known = {each.url: each for each in before}
    for each in newer:
        if each.condition:
            known[each.url] = each
        elif each.fate is Fate.KEPT:
            known.pop(each.url, None)
    return tuple(known[url] for url in dict.fromkeys(addresses) if url in known)
