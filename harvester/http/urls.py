"""URLs of OAI-PMH requests (OAI-PMH 2.0 §3.1.1), and parts of foreign URLs. Pure."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit, urlunsplit

ARGUMENTS = frozenset(("verb", "identifier", "metadataPrefix", "from", "until", "set", "resumptionToken"))

# Second-level names of registries, below which sites are registered.
_REGISTRIES = frozenset(("ac", "co", "com", "edu", "gob", "gov", "gv", "go", "ne", "net", "or", "org"))


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
        if piece and parse_qsl(piece, keep_blank_values=True)[:1] and _name(piece) not in ARGUMENTS
    ]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "&".join(own).strip(), ""))


def _name(piece: str) -> str:
    return parse_qsl(piece, keep_blank_values=True)[0][0]


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
