"""Makes addresses of sources legal: URIs according to RFC 3986, DOIs and handles as addresses of their resolvers.

It uses the standard library only. The results are valid wherever a schema has the type anyURI.
"""

import re
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

# The spellings of DOIs and handles: bare, with a scheme, as info URIs, behind every former resolver, and two of these
# at once (`http://dx.doi.org/doi:10.…`). OpenAIRE writes other identifiers of the same work with this prefix.
ALSO_KNOWN_AS = "info:eu-repo/semantics/altIdentifier/"
_DOI = re.compile(
    rf"(?i)^(?:{ALSO_KNOWN_AS}doi/)?(?:doi:?\s*)?"
    r"(?:info:doi/|urn:doi:|(?:https?://)?(?:dx\.|www\.)?doi\.org/(?:doi:\s*)?)?(10\.\d{4,9}(?:\.\d+)*)(?:/|%2F)(\S+)$"
)
_HANDLE = re.compile(
    rf"(?i)^(?:{ALSO_KNOWN_AS}hdl/|hdl:\s*|info:hdl/|https?://hdl\.handle\.net/)"
    r"((?!123456789/)\d[\d.]*/\S+)$"  # 123456789 is the prefix of DSpace before it has one of its own; many keep it
)

_PLACE = re.compile(r"#[A-Za-z]")  # begins the name of a place in the document

_AUTHORITY = r"(?:[^\s/?#@\[\]]*@)?(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#@:\[\]]+)(?::[0-9]{1,5})?"
_ADDRESS = re.compile(rf"(?i)^https?://{_AUTHORITY}(?:[/?#]\S*)?$")
_REFERENCE = re.compile(rf"^(?:[A-Za-z][A-Za-z0-9+.-]*:|(?=[^:/?#]*(?:[/?#]|$)))(?://{_AUTHORITY}(?=[/?#]|$)|(?!//))")

# An address that is legal unchanged, as nearly all are.
_UNRESERVED = r"[A-Za-z0-9\-._~:/?@!$&'()*+,;=]*+"
_WITH_ESCAPES = rf"{_UNRESERVED}(?>(?:%[0-9A-Fa-f]{{2}}{_UNRESERVED})*)"
_PLAIN = re.compile(rf"https?://[A-Za-z0-9.-]+(?::[0-9]{{1,5}})?(?:[/?]{_WITH_ESCAPES})?(?:#{_WITH_ESCAPES})?")

_LEGAL = "-._~:/?#@!$&'()*+,;=%"  # beside letters and digits; brackets are legal around a host only
_UNSAFE = re.compile(r"[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})|#.*#")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_HOST_IN_BRACKETS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\[[0-9A-Fa-f:.]+\]")
_HOST = re.compile(r"(?i)(https?://)([^\s/?#@:\[\]]+)")


def uri_of(text: str) -> str:
    """Return a DOI or handle in any spelling as an https URI of its resolver, or an empty string if it is neither."""
    if "10." in text and (match := _DOI.match(text)):
        place = _PLACE.search(match[2])
        suffix = match[2][: place.start()] if place else match[2].rstrip(".,;")  # the end of a sentence
        return address(f"https://doi.org/{match[1]}/{suffix or match[2]}")
    if "/" in text and (match := _HANDLE.match(text)):
        return "https://hdl.handle.net/" + address(match[1])
    return ""


@lru_cache(maxsize=1024)  # the addresses of one item are used several times
def address(text: str) -> str:
    """Return an address in which characters that RFC 3986 forbids are percent-encoded, with its host in ASCII."""
    if _PLAIN.fullmatch(text):
        return text
    host = _HOST_IN_BRACKETS.match(text) if "[" in text else None
    start = host.end() if host else 0
    if not _UNSAFE.search(text, start):
        return text
    if not text.isascii():
        text = _HOST.sub(_ascii_host, text, count=1) if text[:4].lower() == "http" else text
    quoted = _STRAY_PERCENT.sub("%25", quote(text[start:], safe=_LEGAL, errors="replace"))
    before, mark, fragment = quoted.partition("#")
    return text[:start] + before + mark + fragment.replace("#", "%23")


def _ascii_host(match: re.Match[str]) -> str:
    try:
        return match[1] + match[2].encode("idna").decode("ascii")
    except UnicodeError:  # no name of the DNS; it is percent-encoded then
        return match[0]


@lru_cache(maxsize=1024)
def is_address(text: str) -> bool:
    """Return whether a text is an http or https address with a possible host and port."""
    return _PLAIN.fullmatch(text) is not None or _ADDRESS.match(text) is not None


@lru_cache(maxsize=1024)
def any_uri(text: str) -> str:
    """Return a text as a URI reference (RFC 3986 §4.1); a text that cannot be one is percent-encoded as a whole."""
    if _PLAIN.fullmatch(text):
        return text
    uri = address(text)
    return uri if _REFERENCE.match(uri) else quote(text, safe="-._~", errors="replace")


def site_url(base_url: str, stated: str) -> str:
    """Return the address of `/` without its slash: `stated`, else the baseURL without `/oai`, else its host."""
    if stated:
        return stated.rstrip("/")
    if base_url.endswith("/oai"):
        return base_url.removesuffix("/oai")
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc}"


def is_loopback(url: str) -> bool:
    """Return whether an address leads to this machine only."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:
        return False
