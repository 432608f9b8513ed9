"""Addresses for requests: cleaned, split into origins, and shown without secrets. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

from gateway.core.errors import AddressRefused
from gateway.core.secret_arguments import without_secrets

_DEFAULT_PORTS = {"http": 80, "https": 443}
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")  # with one of them requests quotes all quoted characters again
_SAFE = "%/:?#[]@!$&'()*+,;=~-._"  # what `quote` leaves unchanged


class Origin(NamedTuple):
    """Scheme, host (ASCII, lower case, without a dot at its end) and port (RFC 6454)."""

    scheme: str
    host: str
    port: int

    def covers(self, other: Origin) -> bool:
        """Return whether credentials for this origin may be sent to the other: the same, or its https form."""
        upgraded = Origin("https", self.host, _DEFAULT_PORTS["https"])
        return other == self or (self == Origin("http", self.host, _DEFAULT_PORTS["http"]) and other == upgraded)


def clean(url: str) -> str:
    """Return a URL without user, password and fragment, legally quoted. Raise AddressRefused for an invalid URL."""
    try:
        parts = urlsplit(url.strip())
        _origin_of(parts)
    except ValueError as error:
        raise AddressRefused(f"{shown(url)} is not a valid http or https URL: {error}.") from error
    host = parts.netloc.rpartition("@")[2]
    path, query = (_STRAY_PERCENT.sub("%25", quote(part, safe=_SAFE)) for part in (parts.path, parts.query))
    return urlunsplit((parts.scheme, host, path, query, ""))


def origin_of(url: str) -> Origin:
    """Return the origin of a clean address. Raise ValueError when it is no http or https address with a host."""
    return _origin_of(urlsplit(url))


def _origin_of(parts: SplitResult) -> Origin:
    if parts.scheme not in _DEFAULT_PORTS:
        raise ValueError(f"its scheme is {parts.scheme or 'missing'!r}, not http or https")
    if not parts.hostname:
        raise ValueError("it has no host")
    return Origin(parts.scheme, _ascii(parts.hostname).rstrip("."), parts.port or _DEFAULT_PORTS[parts.scheme])


def _ascii(host: str) -> str:
    if host.isascii():
        return host.lower()
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:  # not a valid name; the look-up will fail
        return host.lower()


def shown(url: str) -> str:
    """Return a URL for messages: without user, password and keys, at most 300 characters."""
    scheme, separator, rest = without_secrets(url).partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"[:300]
