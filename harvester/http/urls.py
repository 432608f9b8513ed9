"""URLs: parts and origins, clean for requests, without secrets for messages, and those of OAI-PMH (§3.1.1). Pure."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit, urlunsplit

from gateway.core.errors import AddressRefused
from gateway.core.secret_arguments import without_secrets

ARGUMENTS = frozenset(("verb", "identifier", "metadataPrefix", "from", "until", "set", "resumptionToken"))

# Second-level names of registries, below which sites are registered.
_REGISTRIES = frozenset(("ac", "co", "com", "edu", "gob", "gov", "gv", "go", "ne", "net", "or", "org"))
_DEFAULT_PORTS = {"http": 80, "https": 443}
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")  # with one of them requests quotes all quoted characters again
_SAFE = "%/:?#[]@!$&'()*+,;=~-._"  # what `quote` leaves unchanged


def split(url: str) -> SplitResult:
    """Return the parts of a foreign URL; empty parts for an invalid one (`http://[`)."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


def host_of(url: str) -> str:
    """Return the host of a foreign URL in lower case, without a last dot, in ASCII (IDNA); empty when it has none."""
    host = (split(url).hostname or "").lower().rstrip(".")
    if not host.isascii():
        with suppress(UnicodeError):  # no name of the DNS
            return host.encode("idna").decode("ascii")
    return host


def site_of(url: str) -> str:
    """Return the registered name of a site, approximately: its last two labels, or three below a registry."""
    labels = host_of(url).split(".")
    is_below_registry = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _REGISTRIES  # noqa: PLR2004
    return ".".join(labels[-3:] if is_below_registry else labels[-2:])


def without_scheme(url: str) -> str:
    """Return a URL without its scheme, its fragment and a last slash, and its host in lower case.

    With http and https it is the same place.
    """
    host, slash, path = url.partition("://")[2].partition("#")[0].partition("/")
    return f"{host.lower()}{slash}{path}".rstrip("/")


def base_url(address: str) -> str:
    """Return the base URL in a URL that a person copied: arguments of OAI-PMH are removed, others stay."""
    parts = urlsplit(address.strip())
    own = [
        piece
        for piece in map(str.strip, parts.query.split("&"))
        if any(name not in ARGUMENTS for name, _ in parse_qsl(piece, keep_blank_values=True)[:1])
    ]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "&".join(own).strip(), ""))


def request_url(
    base: str, verb: str, *arguments: tuple[str, str], is_verbatim: bool = False, is_verb_first: bool = False
) -> str:
    """Return the URL of a request: the arguments in the base URL, the verb, and the arguments that are not empty.

    Values are percent-encoded. `is_verbatim` leaves them as they are: some servers do not decode their own tokens.
    `is_verb_first` puts the arguments of the base URL after all others.
    """
    parts = urlsplit(base)
    pairs = [("verb", verb), *((name, value) for name, value in arguments if value)]
    query = "&".join(f"{name}={value if is_verbatim else quote(value, safe='')}" for name, value in pairs)
    both = (query, parts.query) if is_verb_first else (parts.query, query)
    return urlunsplit(parts._replace(query="&".join(filter(None, both))))


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
