"""What each document of ResourceSync 1.1 carries (Z39.99 §8 to §13, Appendix A; Archives 1.0), and its values. Pure."""

import re
from calendar import timegm
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urljoin

from gateway.core.words import table
from harvester.validate.resourcesync.reading import Attributes
from harvester.validate.signposting.syntax import NOT_IN_A_URI

_SINCE = ("at", "completed")
_WINDOW = ("from", "until")
_REPRESENTATION = ("hash", "length", "type", "encoding")
_CHANGED = ("change", "datetime")


class Kind(NamedTuple):
    """A kind of document.

    `required` and `times` are attributes of its `rs:md`: the time that it must have, and those that it may have.
    `entries` are the attributes of `rs:md` in its entries, and `parts` those in the entries of its index.
    `up` is the capability of the document that its `up` link leads to; empty: it needs none.
    """

    name: str
    section: str
    required: str = ""
    times: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    parts: tuple[str, ...] | None = None  # None: there is no index of such documents
    up: str = "capabilitylist"
    lists: str = ""  # the entries are `documents` or `packages`; else resources
    changes: bool = False
    is_manifest: bool = False


KINDS = {
    name: Kind(**{field: tuple(value) if isinstance(value, list) else value for field, value in row.items()})  # type: ignore[arg-type]  # its file has the types
    for name, row in table(__file__, "kinds").items()
}

# What earlier versions, and programs with errors, wrote, and the sentence about it.
OLDER_CAPABILITIES = {
    "resourcesync": ("description", "ResourceSync 0.9 had this for a Source Description."),
    "capability": ("capabilitylist", "No version has this; a Capability List is a capabilitylist."),
    "changenotification": ("change-notification", "No version has this without a hyphen."),
}
OLDER_RELATIONS = {"resourcesync": "ResourceSync 0.5 and 0.9 had this; since 1.0 the relation is up."}
OLDER_TIMES = {"from": "ResourceSync 0.9 had from and until for every document."}
OLDER_ATTRIBUTES = {"modified": "ResourceSync 0.5 had this for the time of a list; since 0.9 it is at or from."}

MD_ATTRIBUTES = frozenset((*_SINCE, *_WINDOW, *_REPRESENTATION, *_CHANGED, "capability", "path"))
LN_ATTRIBUTES = frozenset((*_REPRESENTATION, "href", "rel", "modified", "path", "pri", "profile"))
TIMES = (*_SINCE, *_WINDOW)


def older(sentence: str, known: str | tuple[str, str] | None) -> str:
    """Return a sentence with what earlier versions had, if they had it."""
    if known is None:
        return sentence
    return f"{sentence} {known if isinstance(known, str) else known[1]}"


# --- the forms of values: times, hashes, addresses, numbers (Z39.99 §7) -----------------------------------------------

HASHES = {"md5": 32, "sha-1": 40, "sha-256": 64}  # hexadecimal digits
_TIME = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d{1,20})?)?(Z|[+-]\d\d:\d\d))?)?)?", re.ASCII
)
_HASH = re.compile(r"(?:md5:[0-9a-fA-F]{32}|sha-1:[0-9a-fA-F]{40}|sha-256:[0-9a-fA-F]{64})")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]+")
NUMBER = re.compile(r"[0-9]{1,18}")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s]")
_HTTP = re.compile(r"(?i)https?://[^/?#\s]+")
MOST_ADDRESS = 2048  # characters; a `loc` is shorter (Sitemaps 0.9)
# Seconds after the first one, by the length of a date; 1 is a time without seconds, and 0 one with them.
_SPANS = {4: 366 * 86_400 - 1, 7: 31 * 86_400 - 1, 10: 86_399, 1: 59, 0: 0}
_STATE_DIGITS = 15
_OF_LENGTH = 4  # the kind of a state
_LATEST_HOUR, _LATEST_MINUTE, _LATEST_SECOND = 23, 59, 60


@lru_cache(maxsize=4096)
def moment(text: str) -> float | None:
    """Return a W3C datetime as seconds of Unix time; None for any other text. Parts that are missing are the least."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    numbers = (int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0))
    try:
        date(*numbers[:3])
    except ValueError:
        return None
    if numbers[3] > _LATEST_HOUR or numbers[4] > _LATEST_MINUTE or numbers[5] > _LATEST_SECOND:
        return None
    offset = 0 if zone in (None, "Z") else int(zone[1:3]) * 3600 + int(zone[4:]) * 60
    return timegm((*numbers, 0, 1, 0)) + float(fraction or 0) - (-offset if zone and zone[0] == "-" else offset)


def latest(text: str) -> float | None:
    """Return the last second that a W3C datetime may mean: without a time, it is any of the day. None as `moment`."""
    first = moment(text)
    if first is None:
        return None
    precision = len(text) if "T" not in text else 0 if text.count(":") - ("+" in text or text[-6:-5] == "-") > 1 else 1
    return first + _SPANS[precision]


def relation_of(link: Attributes) -> str:
    """Return the relation of a link in small letters: the names of relations have no case (RFC 8288 §3.3)."""
    return link.get("rel", "").strip().lower()


def state_of(md: Attributes) -> int:
    """Return the first 60 bits of the strongest hash, else the length, with what it is in the last bits; 0: none.

    States of two kinds are not compared.
    """
    if "encoding" in md:
        return 0
    text = md.get("hash", "")
    for kind, name in enumerate(("sha-256:", "sha-1:", "md5:"), 1):
        place = text.find(name)
        if place >= 0:
            digits = text[place + len(name) : place + len(name) + _STATE_DIGITS]
            is_long = len(digits) == _STATE_DIGITS and _HEXADECIMAL.fullmatch(digits)
            return (int(digits, 16) << 3) | kind if is_long else 0
    length = md.get("length", "")
    return (int(length) << 3) | _OF_LENGTH if NUMBER.fullmatch(length) else 0


def is_other_state(one: int, other: int) -> bool:
    """Return whether two states are of one kind and differ."""
    return one != other and bool(one) and one & 7 == other & 7


def is_complete(text: str) -> bool:
    """Return whether a W3C datetime has a time, and is UTC."""
    return text.endswith("Z")


def hash_faults(text: str) -> Iterator[tuple[str, str]]:
    """Yield the rule and a sentence for every fault of a `hash`."""
    if _HASH.fullmatch(text):
        return
    names: set[str] = set()
    parts = text.split()
    if not parts:
        yield "hash.syntax", f"The hash {text!r} is empty."
    for part in parts:
        name, colon, digits = part.partition(":")
        if not colon or not name or not digits:
            yield "hash.syntax", f"The hash {part[:100]!r} is no algorithm, colon and digits."
        elif name not in HASHES:
            yield "hash.algorithm", f"The hash {part[:100]!r} has another algorithm than {', '.join(HASHES)}."
        elif len(digits) != HASHES[name] or not _HEXADECIMAL.fullmatch(digits):
            yield "hash.digits", f"The hash {part[:100]!r} has not {HASHES[name]} hexadecimal digits."
        if colon and name in names:
            yield "hash.once", f"The hash has the algorithm {name[:40]!r} twice."
        names.add(name)


def strange_in(address: str) -> str:
    """Return the first character of an address that no URI has; empty when there is none."""
    match = NOT_IN_A_URI.search(address)
    return match[0] if match else ""


def is_absolute(address: str) -> bool:
    """Return whether an address is absolute: http or https with a host, or another scheme."""
    match = _ABSOLUTE.match(address)
    return match is not None and (address[:4].lower() != "http" or _HTTP.match(address) is not None)


def whole(reference: str, base: str) -> str:
    """Return an address, made absolute if it is relative, so that the check can go on; an invalid one is unchanged."""
    if is_absolute(reference):
        return reference
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def wrong_path(path: str) -> str:
    """Return what is unsafe in the path of a file in a package; empty when nothing is."""
    parts = path.removeprefix("/").split("/")
    if "\\" in path or "\0" in path:
        return "a backslash"
    if ".." in parts or "." in parts:
        return "a relative step"
    return "an empty step" if "" in parts else ""


def other_times(stated: Attributes, own: Attributes) -> Iterator[tuple[str, str, str]]:
    """Yield (name, stated, own) of each time that a list states of a document, and that is another one in it."""
    for name in TIMES:
        one, other = stated.get(name), own.get(name)
        if one and other and moment(one) != moment(other):
            yield name, one, other
