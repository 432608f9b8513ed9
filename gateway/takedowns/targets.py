"""Read the target of a takedown: an item, a DOI, a file, an address or a host. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from gateway.core.addresses import address, uri_of
from gateway.core.errors import ConfigurationError
from gateway.core.takedowns import Kind, Takedown, doi_of, place_of

_SHA256 = re.compile(r"(?i)(?:sha-?256[:=]?\s*)?([0-9a-f]{64})")
_HOST = re.compile(r"(\*\.)?([^\s/:@?#*]+\.[^\s/:@?#*]+)")
_SLASHES_OF_A_PATH = 3


def recognised(target: str, domain: str, source: str = "") -> Takedown:
    """Return the entry of a target; with `source` it is an identifier of that source (OAI-PMH 2.0 §2.4).

    Raise ConfigurationError for an invalid target.
    """
    text = target.strip()
    if source:
        return Takedown(Kind.UPSTREAM, text, source)
    if text.startswith(f"oai:{domain}:"):
        return Takedown(Kind.IDENTIFIER, text)
    for kind, read in _READERS:
        if value := read(text):
            return Takedown(kind, value)
    raise ConfigurationError(
        f"{target!r} is no identifier of this repository, DOI, URL (with * at its end: all that begin so), host or "
        "SHA-256. For an identifier of a source say --source NAME."
    )


def _digest(text: str) -> str:
    match = _SHA256.fullmatch(text)
    return match[1].lower() if match else ""


def _prefix(text: str) -> str:
    return place_of(text[:-1]) if text.endswith("*") and text.count("/") >= _SLASHES_OF_A_PATH else ""


def _url(text: str) -> str:
    return place_of(uri_of(text) or text)


def _host(text: str) -> str:
    match = None if text.startswith("oai:") else _HOST.fullmatch(text)
    host = place_of(address(f"http://{match[2]}/")).partition("/")[0] if match else ""
    return (match[1] or "") + host if match and host else ""


# The first that reads a target decides: the address of a DOI means the DOI.
_READERS: tuple[tuple[Kind, Callable[[str], str]], ...] = (
    (Kind.SHA256, _digest),
    (Kind.PREFIX, _prefix),
    (Kind.DOI, doi_of),
    (Kind.URL, _url),
    (Kind.HOST, _host),
)
