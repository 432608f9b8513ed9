"""The takedowns in force: which items, files and addresses must not be published. Pure.

An entry names an item (identifier, DOI), a file (SHA-256), an address (URL), or many addresses (prefix, host). It also
carries what it has hit: `items` stay withheld when their source drops the DOI, `files` at every address. `addresses`
are those at which records name these files: a record is published before anybody fetches its files.
No record names them until the takedown ends.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from gateway.core.addresses import address, uri_of
from gateway.core.model import FileLink, Work

UNERASED = (
    "The file of the store may still have what was taken down, in damaged blocks: %d. `gateway rebuild` makes their "
    "records again, and removes these blocks."
)
UNSETTLED = (
    "The files of the store still have what was taken down, because another process reads an old state of it. Nobody "
    "gets it. `harvester tend`, or the next command that publishes, removes it when that process has finished."
)


class Kind(StrEnum):
    """The kind of target of an entry."""

    IDENTIFIER = "identifier"  # the identifier of an item here
    UPSTREAM = "upstream"  # an identifier in the protocol of one source
    DOI = "doi"
    URL = "url"
    PREFIX = "prefix"  # of URLs
    HOST = "host"  # `*.example.org`: with the hosts below it
    SHA256 = "sha256"


class Takedown(NamedTuple):
    """One entry. `value` is in normal form; `items` are the identifiers and `files` the SHA-256 that it has hit.

    `addresses` are those at which records name the files, in normal form; an entry that names items has none.
    `at` and `removed_at` are UTCdatetimes; `by` and `removed_by` are who added and removed the entry, if that is known.
    A removed entry stays on the list without effect: so a list without it is recognized as an older copy.
    """

    kind: Kind
    value: str
    source: str = ""
    reason: str = ""
    at: str = ""
    items: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    removed_at: str = ""
    by: str = ""
    addresses: tuple[str, ...] = ()
    removed_by: str = ""

    @property
    def key(self) -> str:
        """The key of the entry: two entries with the same key are one."""
        return " ".join(filter(None, (self.kind.value, self.source, self.value)))

    def facts(self) -> dict[str, str]:
        """Return what the entry says, as lists for people and programs have it; without what it has hit."""
        return {
            "kind": self.kind.value,
            "value": self.value,
            "source": self.source,
            "reason": self.reason,
            "at": self.at,
            "by": self.by,
        }


# --- normal forms -------------------------------------------------------------------------------------------------

_SESSION = re.compile(r"(?i);jsessionid=[^/?#;]*")
_SLASHES = re.compile(r"/{2,}")
_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
_WEB_PORTS = (None, 80, 443)


@lru_cache(maxsize=4096)
def place_of(url: str) -> str:
    """Return an http or https address in normal form, without its scheme; an empty string for any other text.

    Scheme, case of the host, default port, user, fragment, session, repeated slashes, dot segments and
    percent-encoding make no difference (RFC 3986 §6.2).
    """
    try:
        parts = urlsplit(address(url.strip()))
        host, port = unquote(parts.hostname or "").rstrip(".").lower(), parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host):
        return ""
    path = _without_dots(_SLASHES.sub("/", _SESSION.sub("", unquote(parts.path)))) or "/"
    query = f"?{unquote(parts.query)}" if parts.query else ""
    return f"{host if port in _WEB_PORTS else f'{host}:{port}'}{path}{query}"


def _without_dots(path: str) -> str:
    if "/." not in path:
        return path
    segments: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            segments[1:] = segments[1:-1]
        elif segment != ".":
            segments.append(segment)
    is_folder = path.endswith(("/", "/.", "/.."))
    return "/".join(segments) + "/" * (is_folder and not (segments and segments[-1] == ""))


def doi_of(text: str) -> str:
    """Return a DOI in any spelling as `10.1234/abc` in lower case; an empty string if the text is no DOI."""
    uri = uri_of(text.strip())
    return unquote(uri.removeprefix("https://doi.org/")).lower() if uri.startswith("https://doi.org/") else ""


_DOI = re.compile(r"(?i)10\.\d{4,9}(?:\.\d{1,9}){0,4}(?:/|%2f)[^\s\"'<>|]{1,500}")
_BEHIND_DOI = re.compile(
    r"(?i)(?:/(?:abstract|full(?:text)?(?:/html)?|e?pdf(?:direct)?|html|references|meta|summary))?/?(?:\.pdf)?$"
)
_STOPS = ".,;:)]}*"


def dois_in(text: str) -> Iterator[str]:
    """Yield the possible DOIs in a text, in lower case, with and without text that may follow them."""
    for match in _DOI.finditer(text):
        whole = unquote(match[0]).lower()
        plain = re.split(r"[?#&]", whole, maxsplit=1)[0]
        for spelling in (whole, plain, _BEHIND_DOI.sub("", plain, count=1)):
            yield spelling
            yield spelling.rstrip(_STOPS)


# --- texts --------------------------------------------------------------------------------------------------------

_URL = re.compile(r"(?i)https?://[^\s\"'<>\\^`{|}]{1,4096}")
_STOPS_BEHIND_URL = ".,;:!?)]}'\""
_REFERENCE = re.compile(r"&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_DIGEST = re.compile(r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{64}(?![0-9A-Fa-f])")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{64,}={0,2}")  # a shorter text is no embedded file
_DISGUISES = (b"&#", b"%2e", b"%3a")  # escapes that can hide a host
_MOST_NEEDLES = 64  # with more, it is faster to check all addresses than to search for all hosts
_LAST_CHARACTER = 0x10FFFF


def _plain(content: bytes) -> str:
    """Return a payload as text, with character references of XML and escaped slashes of JSON resolved."""
    text = content.decode("utf-8", "replace")
    return _REFERENCE.sub(_character, text.replace("\\/", "/"))


def _character(match: re.Match[str]) -> str:
    if match[3]:
        return _NAMED[match[3]]
    number = int(match[1], 16) if match[1] else int(match[2])
    return chr(number) if number <= _LAST_CHARACTER else ""


class Takedowns:
    """The list of takedowns, prepared for lookups: `entries` are those in force, `listed` also the removed ones.

    `revision` identifies this state of the list. `is_empty`: nothing is taken down. `digests` are the known SHA-256 of
    all files that are taken down, in lower case; `hit_items` the identifiers of items that were published when a
    takedown hit them.
    """

    def __init__(self, entries: Iterable[Takedown] = (), revision: str = "") -> None:
        self.listed = tuple(entries)
        self.entries = tuple(takedown for takedown in self.listed if not takedown.removed_at)
        self.revision = revision
        of = {kind: [entry for entry in self.entries if entry.kind is kind] for kind in Kind}
        self.is_empty = not self.entries
        self.hit_items = frozenset[str]().union(*(entry.items for entry in self.entries))
        self._items = self.hit_items.union(takedown.value for takedown in of[Kind.IDENTIFIER])
        self._upstreams = {(takedown.source, takedown.value) for takedown in of[Kind.UPSTREAM]}
        self._dois = {takedown.value for takedown in of[Kind.DOI]}
        self._urls = {takedown.value.rstrip("/") for takedown in of[Kind.URL]}
        self._prefixes = tuple(takedown.value for takedown in of[Kind.PREFIX])
        self._hosts = {takedown.value for takedown in of[Kind.HOST]}
        self.digests = frozenset(entry.value for entry in of[Kind.SHA256]).union(
            *(entry.files for entry in self.entries)
        )
        self._registrants = {doi.partition("/")[0] for doi in self._dois}
        noted = (address for entry in self.entries for address in entry.addresses)
        self._file_urls = self._urls.union(address.rstrip("/") for address in noted)
        places = (*self._file_urls, *self._prefixes, *self._hosts)
        self._needles = tuple(
            {place.partition("/")[0].removeprefix("*.").encode() for place in places}
            | {registrant.encode() for registrant in self._registrants}
        )
        self._has_needle = lru_cache(maxsize=16)(self._find_needle)  # it is called several times with one payload
        self._has_idn = any(b"xn--" in needle for needle in self._needles)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Takedowns) and self.listed == other.listed

    def __hash__(self) -> int:
        return hash(self.listed)

    def __reduce__(self) -> tuple[type[Takedowns], tuple[object, ...]]:
        return Takedowns, (self.listed, self.revision)

    # -- items ---------------------------------------------------------------------------------------------------

    def names_item(self, identifier: str, source: str, upstream: str) -> bool:
        """Return whether an item is taken down by its identifier here or at its source, which may be an address."""
        return identifier in self._items or (source, upstream) in self._upstreams or self.targets(upstream)

    def names_work(self, upstream: str, work: Work) -> bool:
        """Return whether a work is taken down by its DOI, or by the URL of its landing page or of an identifier."""
        if self._urls and any(map(self._is_url, (*work.identifiers, work.landing_page))):
            return True
        if not self._dois:
            return False
        identifiers = (text for element, text, _ in work.statements if element == "identifier")
        texts = (
            text
            for text in (*work.identifiers, upstream, *identifiers)
            if any(map(text.__contains__, self._registrants))
        )
        return any(doi in self._dois for text in texts for doi in dois_in(text))

    # -- files and addresses -------------------------------------------------------------------------------------

    def names_file(self, file: FileLink) -> bool:
        """Return whether a file is taken down, by its address or its SHA-256."""
        return self.names_digest(file.sha256) or self.names_address(file.url)

    def names_digest(self, digest: str) -> bool:
        """Return whether the file with this SHA-256 is taken down."""
        return digest.lower() in self.digests

    def names_address(self, url: str) -> bool:
        """Return whether an address is taken down: it must be neither fetched nor published."""
        return self._covers(url, self._file_urls)

    def targets(self, url: str) -> bool:
        """Return whether an entry itself names an address; at one that is only noted, other bytes are no target."""
        return self._covers(url, self._urls)

    def _covers(self, url: str, urls: Collection[str]) -> bool:
        """Return whether an address is one of `urls`, or begins as an entry says, or is at a host of an entry."""
        place = place_of(url) if urls or self._prefixes or self._hosts else ""
        if not place:
            return False
        return place.rstrip("/") in urls or place.startswith(self._prefixes) or self._is_host(place)

    def _is_url(self, text: str) -> bool:
        return place_of(text).rstrip("/") in self._urls if text else False

    def _is_host(self, place: str) -> bool:
        host = place.partition("/")[0]
        host = host if host.endswith("]") else host.partition(":")[0] if host.count(":") == 1 else host
        if host in self._hosts:
            return True
        labels = host.split(".")
        return any(f"*.{'.'.join(labels[place:])}" in self._hosts for place in range(len(labels)))

    # -- texts ---------------------------------------------------------------------------------------------------

    def mentions(self, content: bytes, urls: Collection[str] = ()) -> bool:
        """Return whether a payload contains an address that is taken down, one of `urls`, or such a file in base64."""
        may_have_url = bool(urls) or self._has_needle(content)
        if not (may_have_url or self.digests):
            return False
        text = _plain(content)
        if may_have_url and any(self._is_forbidden(match[0], urls) for match in _URL.finditer(text)):
            return True
        return bool(self.digests) and self._has_file(text)

    def _find_needle(self, content: bytes) -> bool:
        """Return whether a payload may contain an address or a DOI of the list. It is fast: it is called per record."""
        if not self._needles:
            return False
        low = content.lower()
        if len(self._needles) > _MOST_NEEDLES:
            return b"http" in low or b"10." in low or b"&#" in low
        for needle in (*self._needles, *_DISGUISES):
            if needle in low:
                return True
        return self._has_idn and not content.isascii()

    @property
    def needs_scan(self) -> bool:
        """Return whether published records must be read to find the affected ones.

        If all entries have identifiers, not.
        """
        return bool(self._needles or self.digests)

    def may_concern(self, content: bytes) -> bool:
        """Return, fast for most records, whether one may contain an address, a DOI or a file that is taken down."""
        if self._has_needle(content):
            text = _plain(content)
            return self.mentions(content) or any(doi in self._dois for doi in dois_in(text))
        return bool(self.digests) and self._has_file(content.decode("utf-8", "replace"))

    def without(self, text: str, urls: Collection[str] = ()) -> str:
        """Return a text without the addresses that are taken down, and without `urls`."""
        return _URL.sub(lambda match: "" if self._is_forbidden(match[0], urls) else match[0], text).strip()

    def _is_forbidden(self, url: str, urls: Collection[str]) -> bool:
        return any(address in urls or self.names_address(address) for address in {url, url.rstrip(_STOPS_BEHIND_URL)})

    def _has_file(self, text: str) -> bool:
        if any(match[0].lower() in self.digests for match in _DIGEST.finditer(text)):
            return True
        return any(_digest(match[0]) in self.digests for match in _BASE64.finditer(text))


def _digest(encoded: str) -> str:
    """Return the SHA-256 of bytes in base64; an empty string if the text is not base64."""
    try:
        return sha256(b64decode("".join(encoded.split()), validate=True)).hexdigest()
    except (NotBase64, ValueError):
        return ""


def joined(one: Iterable[Takedown], other: Iterable[Takedown]) -> tuple[Takedown, ...]:
    """Return the union of two lists, such as a list and an older copy of it; for each key, the later entry wins."""
    by_key: dict[str, Takedown] = {}
    for takedown in (*one, *other):
        before = by_key.get(takedown.key)
        by_key[takedown.key] = takedown if before is None else _joined(before, takedown)
    return tuple(by_key.values())


def _joined(one: Takedown, other: Takedown) -> Takedown:
    if one.removed_at or other.removed_at:
        return max(one, other, key=lambda takedown: (max(takedown.at, takedown.removed_at), not takedown.removed_at))
    later = max(one, other, key=lambda takedown: takedown.at)
    items, files, addresses = (
        tuple(sorted({*getattr(one, name), *getattr(other, name)})) for name in ("items", "files", "addresses")
    )
    return later._replace(items=items, files=files, addresses=addresses)
