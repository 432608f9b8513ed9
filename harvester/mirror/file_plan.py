"""Plan for each file of an object: keep it, ask whether it has changed (RFC 9110 §13), or fetch it. Pure.

A conditional request has the validators of the last answer of the server (RFC 9110 §8.8).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import NamedTuple
from unicodedata import category, combining, normalize
from urllib.parse import unquote

from gateway.core.digests import WEAK, Digests, is_strong
from gateway.core.xmltext import parse_utc_datetime
from harvester.http.dates import http_second
from harvester.http.messages import Fetched, conditions
from harvester.mirror.component import Component
from harvester.mirror.doubtful_files import DoubtfulFile
from harvester.mirror.object_state import HeldFile, by_location, stated_again, with_names
from harvester.mirror.verify import Fate

_QUERY = re.compile(r"[?#]")
_EXTENSIONS = {"application/pdf": ".pdf", "text/xml": ".xml", "application/xml": ".xml", "text/plain": ".txt"}


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
        """The fields of a conditional request."""
        return conditions(self.entity_tag, self.last_modified)

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


class PlannedFile(NamedTuple):
    """The plan for one file of an object: its Component, its logical path, and the file that was stored before.

    `is_same`: according to the document, the stored file is the present one; no request is needed.
    """

    component: Component
    path: str
    before: HeldFile | None
    is_same: bool
    doubted: DoubtfulFile | None = None  # its doubtful bytes, stored aside
    is_recheck: bool = False  # a request is needed, whatever the document states
    sent: tuple[LastAnswer, ...] = ()  # the last answers of its addresses
    refused: ContradictoryAnswer | None = None  # received bytes that contradicted the earlier record

    @property
    def kept(self) -> HeldFile:
        """The stored file, with the present statements of the document."""
        assert self.before is not None
        return stated_again(self.before, self.component)

    @property
    def arrived(self) -> tuple[LastAnswer, ...]:
        """The answer from which the file came; empty when an earlier state is stored."""
        held = self.before
        if held is None or not held.path or held.is_stale or held.url not in held.locations:
            return ()
        received_at = parse_utc_datetime(held.received_at)[0] if held.received_at else 0
        return (LastAnswer(held.url, held.entity_tag, settled(held.last_modified, received_at)),)

    def rechecked(self, sent: tuple[LastAnswer, ...]) -> PlannedFile:
        """Return the plan for a recheck: a conditional request with the validators of the last answers."""
        return self._replace(is_same=False, is_recheck=True, sent=sent)

    @property
    def whole(self) -> PlannedFile:
        """The plan without validators: an unconditional request."""
        return self._replace(sent=(), doubted=self.doubted and self.doubted.without_validators)

    @property
    def again(self) -> PlannedFile:
        """The plan to fetch the file again, even if it has not changed."""
        forgotten = self.before and self.before._replace(entity_tag="", last_modified="")
        return self._replace(before=forgotten, is_same=False, sent=())


def plan_files(
    components: Iterable[Component],
    before: Iterable[HeldFile],
    earlier_bytes: Callable[[Component], HeldFile | None] = lambda _: None,
    hashed_again: Callable[[HeldFile, Collection[str]], Digests] = lambda _file, _algorithms: (),
    *,
    is_untouched: bool = False,
) -> tuple[PlannedFile, ...]:
    """Return the plan for each Component, given the files that are stored.

    `earlier_bytes` returns a file of any version with the stated digests. `hashed_again` computes further digests of a
    stored file. `is_untouched`: the document and its datestamp have not changed, so each stored file is the present
    one.
    """
    before = tuple(before)
    held = by_location(before)
    used_paths = UsedPaths(component.path for component in held.values() if component.path)
    planned_files: list[PlannedFile] = []
    given: set[str] = set()
    for component, names in with_names(components):
        earlier = next((held[name] for name in names if name in held), None)
        path = earlier.path if earlier and earlier.path else _path(component, used_paths)
        if path in given:  # two Components share a location
            path, earlier = _path(component, used_paths), None
        used_paths.add(path)
        given.add(path)
        if earlier is not None and earlier.is_good and not is_untouched:
            earlier = _proven(component, earlier, hashed_again)
        is_same = earlier is not None and earlier.is_good and (is_untouched or _is_same(component, earlier))
        if not is_same and (returned := _moved(component, before) or earlier_bytes(component)):
            earlier, is_same = returned._replace(path=path), True
        planned_files.append(PlannedFile(component, path, earlier, is_same and component.content is None))
    return tuple(planned_files)


def _proven(
    component: Component, held: HeldFile, hashed_again: Callable[[HeldFile, Collection[str]], Digests]
) -> HeldFile:
    """Return a stored file with the newly stated digests, if its bytes have them.

    A file is not fetched again only because its document now states a digest in another algorithm.
    """
    stated = tuple(pair for pair in component.decisive if pair[0] not in WEAK)
    if not stated or component.digests == held.stated_digests or has_digests(component, held) is not None:
        return held
    digests_ = hashed_again(held, {name for name, _ in stated})
    if set(digests_) != set(stated):
        return held
    verified = tuple(dict.fromkeys((*held.verified, *(name for name, _ in digests_))))
    return held._replace(stated_digests=held.stated_digests + digests_, verified=verified)


def _moved(component: Component, before: Iterable[HeldFile]) -> HeldFile | None:
    """Return a stored file with the stated digests; None when none has. The document now gives it another address."""
    return next((file for file in before if file.is_good and has_digests(component, file)), None)


def _is_same(component: Component, held: HeldFile) -> bool:
    """Return whether the document describes the stored bytes: by their digest, or by the same statements as before.

    A size, a CRC32 or an Adler-32 alone proves nothing: a replaced file may have the same. A date alone counts only
    where the server gave no validator, so that no conditional request is possible.
    """
    proven = has_digests(component, held)
    if proven is not None:
        return proven
    now = (component.size, component.digests, component.modified)
    then = (held.stated_size, held.stated_digests, held.stated_modified)
    can_ask = bool(held.entity_tag or held.last_modified)
    return now == then and bool(is_strong(component.digests) or (component.modified and not can_ask))


def has_digests(component: Component, held: HeldFile) -> bool | None:
    """Return whether stored bytes have the stated digests and size; None when no digest can be compared.

    A CRC32 or an Adler-32 can only disprove.
    """
    if held.size is not None and component.size not in (None, held.size):
        return False
    proven = {name: digest for name, digest in held.stated_digests if name in held.verified}
    ours = {**proven, "sha256": held.sha256, "sha512": held.sha512}
    shared = [(name, digest) for name, digest in component.decisive if name in ours]
    if any(ours[name] != digest for name, digest in shared):
        return False
    return True if is_strong(shared) else None


def path_of(location: str) -> str:
    """Return the unescaped path of an absolute URL; for any other text, the text without query and fragment."""
    _, is_absolute, rest = location.partition("://")
    return unquote(_QUERY.split(rest, maxsplit=1)[0].partition("/")[2] if is_absolute else location)


def _path(component: Component, used_paths: UsedPaths) -> str:
    """Return an unused logical path for a file. Its name is that of the address, with safe characters only."""
    source = next(iter(component.addresses or component.locations), "") or component.identifier
    extension = _EXTENSIONS.get(component.mime_type.partition(";")[0].strip().lower(), "")
    return used_paths.free("files", safe(path_of(source).rstrip("/").rpartition("/")[2]), extension)


# --- File names for any file system: they keep their accents, and never differ by case alone. Pure -------------------

_MOST_CHARACTERS, _MOST_BYTES = 100, 200  # a name has at most 255 bytes on most file systems; a number may be added
_PLAIN = "._-"
_RUNS = re.compile(r"_{2,}")
_KEPT = ("L", "M", "N")  # letters, marks and numbers, by their general category in Unicode
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # names of devices on Windows, whatever follows


class UsedPaths:
    """The used paths of an object. Paths that differ only in case or Unicode form count as the same."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._keys = {_key(path) for path in paths}

    def add(self, path: str) -> None:
        """Add a used path."""
        self._keys.add(_key(path))

    def free(self, folder: str, name: str, extension: str = "") -> str:
        """Return an unused path in a folder; `extension` is added where the name has none."""
        stem, dot, last = name.rpartition(".")
        if not dot:
            stem, dot, last = name, extension[:1], extension[1:]
        paths = (f"{folder}/{stem}{number}{dot}{last}" for number in _numbers())
        return next(path for path in paths if _key(path) not in self._keys)


def _numbers() -> Iterable[str]:
    yield ""
    yield from (f"-{number}" for number in count(2))


def _key(path: str) -> str:
    return normalize("NFKC", normalize("NFKC", path).casefold())


def safe(name: str) -> str:
    """Return a name that is legal on any file system: the last 100 characters or fewer, the others replaced by `_`."""
    composed = normalize("NFC", name)
    plain = "".join(letter if letter in _PLAIN or category(letter)[0] in _KEPT else "_" for letter in composed)
    short = _RUNS.sub("_", plain).strip("._")[-_MOST_CHARACTERS:]
    while len(short.encode()) > _MOST_BYTES or (short and combining(short[0])):
        short = short[1:]
    short = short.lstrip("._") or "file"
    return f"_{short}" if _RESERVED.fullmatch(short) else short
