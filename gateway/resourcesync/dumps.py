"""Answers with Resource Dumps and Change Dumps, their packages, and copies of their manifests (§11 and §13).

A package of the Resource Dump is a kept file as long as its resources are the same, and else made at the request. A
package of changes is a kept file. What was taken down since it was made is left out of every answer.

`POST /resourcesync/batch` answers with a package, too: of the metadata whose addresses are the lines of the body
(`text/plain`). The standard has no such request; CORE's FastSync has shown that it makes copies ten to a hundred times
faster.
"""

import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import blake2b
from http import HTTPStatus
from typing import IO, Final, TypeAlias
from wsgiref.util import FileWrapper

from flask import Blueprint, Response, abort, request
from werkzeug.exceptions import RequestedRangeNotSatisfiable

from gateway.core.model import Resource, Selection
from gateway.core.xmltext import utc_datetime
from gateway.resourcesync import packages
from gateway.resourcesync.addresses import FOLDER, Addresses, ResourceSet
from gateway.resourcesync.documents import TYPE, Document, Entries, Link, hash_of
from gateway.resourcesync.keeping import package_of_part
from gateway.resourcesync.kept import DAMAGED, KeptList, KeptPackage, KeptPart, entries_of, forbidden_in
from gateway.resourcesync.packages import Packed
from gateway.resourcesync.shared import FRESH_SECONDS, Shared, answer
from gateway.resourcesync.site_resources import selected
from gateway.store.base import Store, View

_ZIP: Final = "application/zip"
_STEP: Final = 1 << 16
Named: TypeAlias = Callable[[View, str], tuple[str, str] | None]

MOST_URLS: Final = 1_000
MOST_BYTES: Final = 50_000_000  # of a package
_MOST_BODY: Final = 4_000_000  # bytes of a request
_MOST_SHOWN: Final = 5  # addresses in a message
_MOST_LETTERS: Final = 200  # of each


class ResourceDumps:
    """The Resource Dumps of all sets of resources."""

    def __init__(self, shared: Shared) -> None:
        self._shared, self._site, self._addresses = shared, shared.site, shared.site.addresses

    def dump(self, prefix: str, spec: str) -> Response:
        """Answer with the Resource Dump (§11): the packages of all resources, each a range of items.

        Those that are kept have their length and hash.
        """
        with self._shared.viewed(prefix, spec) as (resources, view):
            kept = {part.part: part for part in self._shared.kept(view, resources).parts}
            ranges = view.resource_ranges(Selection(*selected(resources)), self._site.most_packed)
            at = utc_datetime(self._site.at(view, resources))
        document = Document("resourcedump", (self._site.up(resources),), {"at": at})
        return answer(document.write(self._entry(document, resources, 1 + number, kept) for number in ranges))

    def _entry(self, document: Document, resources: ResourceSet, part: int, kept: dict[int, KeptPart]) -> str:
        facts: dict[str, str | int] = {}
        if part in kept:
            facts = {"hash": hash_of(kept[part].sha256), "length": kept[part].length}
        contents = Link("contents", self._addresses.of(resources, f"resourcedump-{part}"), TYPE)
        return document.entry(
            self._addresses.of(resources, f"resourcedump-{part}", "zip"), {**facts, "type": _ZIP}, (contents,)
        )

    def manifest(self, prefix: str, spec: str, part: int) -> Response:
        """Answer with a copy of the manifest of a package (§11.2)."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            listed = self._site.in_package(view, resources, part)
            if not listed:
                abort(404)
            kept = self._kept(view, resources, part)
            document = self._site.resource_manifest(resources, self._at(view, resources, kept))
            entries = self._site.entries(view, resources)
            return answer(
                document.write(entries.packed(*packed) for packed in self._site.packed(view, resources, listed))
            )

    def package(self, prefix: str, spec: str, part: int) -> Response:
        """Answer with a package, always the same for the same resources, and in ranges of bytes."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            listed = self._site.in_package(view, resources, part)
            if not listed:
                abort(404)
            kept = self._kept(view, resources, part)
            at = self._at(view, resources, kept)
            tag = kept.sha256 if kept else self._site.tag(view, resources, at, listed)
            if request.if_none_match.contains_weak(tag):
                return _head(tag, 304)
            files = self._shared.kept_of(resources)
            file = files.opened(kept.file) if kept and files.is_intact(kept.file) else None
            if kept and file:
                return _sent(tag, file, kept.length)
            return _sent(tag, *package_of_part(view, self._site, resources, part, at))

    def _kept(self, view: View, resources: ResourceSet, part: int) -> KeptPart | None:
        return next((kept for kept in self._shared.kept(view, resources).parts if kept.part == part), None)

    def _at(self, view: View, resources: ResourceSet, kept: KeptPart | None) -> int:
        """Return the second whose state a package has. Its resources have been the same since."""
        return kept.at if kept else self._site.at(view, resources)


class ChangeDumps:
    """The Change Dumps of all sets of resources."""

    def __init__(self, shared: Shared) -> None:
        self._shared, self._site, self._addresses = shared, shared.site, shared.site.addresses

    def dump(self, prefix: str, spec: str) -> Response:
        """Answer with the Change Dump (§13): the packages that are kept, in the order of time. It stays open."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            kept = self._shared.kept(view, resources).packages
            known = [(package, self._facts(view, resources, package)) for package in kept]
        listed = [(package, facts) for package, facts in known if facts is not None]
        if not listed:
            abort(404)
        links = self._site.up(resources), Link("archives", self._addresses.of(resources, "changedump-archive"))
        document = Document("changedump", links, {"from": utc_datetime(listed[0][0].from_)})
        return answer(document.write(self._entry(document, resources, *pair) for pair in listed))

    def dump_of_period(self, prefix: str, spec: str, period: str) -> Response:
        """Answer with the Change Dump of one closed period, which is closed too. The archive lists it."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            kept = self._named(view, resources, period)
            facts = self._facts(view, resources, kept)
        if facts is None:
            abort(404)
        document = Document("changedump", (self._site.up(resources),), times_of(kept))
        return answer(document.write((self._entry(document, resources, kept, facts),)))

    def manifest(self, prefix: str, spec: str, period: str) -> Response:
        """Answer with a copy of the manifest of a package (§13.2)."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            file, _, _ = self._opened(view, resources, self._named(view, resources, period))
        try:
            with closing(file):
                return answer(packages.manifest_of(file))
        except DAMAGED:
            abort(404)

    def package(self, prefix: str, spec: str, period: str) -> Response:
        """Answer with a package, or with a range of its bytes."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            file, length, tag = self._opened(view, resources, self._named(view, resources, period))
        if request.if_none_match.contains_weak(tag):
            file.close()
            return _head(tag, 304)
        return _sent(tag, file, length)

    def _named(self, view: View, resources: ResourceSet, period: str) -> KeptPackage:
        kept = self._shared.kept(view, resources).packages
        return next((package for package in kept if package.name == period), None) or abort(404)

    def _entry(self, document: Document, resources: ResourceSet, kept: KeptPackage, facts: dict[str, str | int]) -> str:
        contents = Link("contents", self._addresses.of(resources, f"changedump-manifest-{kept.name}"), TYPE)
        address = self._addresses.of(resources, f"changedump-{kept.name}", "zip")
        return document.entry(address, {**facts, "type": _ZIP, **times_of(kept)}, (contents,))

    def _facts(self, view: View, resources: ResourceSet, kept: KeptPackage) -> dict[str, str | int] | None:
        """Return hash and length; nothing if something was taken down since the package was written. None: damaged."""
        forbidden = self._forbidden(view, resources, kept)
        if forbidden is None:
            return None
        return {} if forbidden else {"hash": hash_of(kept.sha256), "length": kept.length}

    def _opened(self, view: View, resources: ResourceSet, kept: KeptPackage) -> tuple[IO[bytes], int, str]:
        """Return a package at its beginning, its length and its tag, without what was taken down since it was made."""
        forbidden = self._forbidden(view, resources, kept)
        file = None if forbidden is None else self._shared.kept_of(resources).opened(kept.file)
        if forbidden is None or file is None:
            abort(404)
        if not forbidden:
            return file, kept.length, kept.sha256
        with file:
            tag = blake2b(repr((kept.sha256, sorted(forbidden))).encode(), digest_size=16).hexdigest()
            return *packages.without(file, forbidden), tag

    def _forbidden(self, view: View, resources: ResourceSet, kept: KeptPackage) -> frozenset[int] | None:
        """Return the items that are taken down in a package; None: it cannot be read, so nobody knows."""
        versions = view.withheld_versions(resources.metadata_prefix)
        try:
            return forbidden_in(self._shared.kept_of(resources), kept, versions, self._shared.store.takedowns())
        except DAMAGED:
            return None


def times_of(kept: KeptPackage) -> dict[str, str]:
    """Return the times of a package, or of the Change Dump of its period."""
    return {"from": utc_datetime(kept.from_), "until": utc_datetime(kept.until)}


def _head(tag: str, status: int = 200) -> Response:
    response = Response(content_type=_ZIP, status=status)
    response.set_etag(tag)
    response.cache_control.public = True
    response.cache_control.max_age = FRESH_SECONDS
    return response


def _sent(tag: str, file: IO[bytes], length: int) -> Response:
    """Return an answer with a package, or with a range of its bytes (RFC 9110 §14); the file is closed behind it."""
    response = _head(tag)
    response.response = FileWrapper(file, _STEP)
    response.content_length = length
    response.call_on_close(file.close)
    try:
        response.make_conditional(request, accept_ranges=True, complete_length=length)
    except RequestedRangeNotSatisfiable:
        file.close()
        raise
    return response


_WHOLE: Final = 0  # the part of an archived list that is one document


class Archives:
    """The archives of all sets of resources."""

    def __init__(self, shared: Shared) -> None:
        self._shared, self._site, self._addresses = shared, shared.site, shared.site.addresses

    def change_lists(self, prefix: str, spec: str) -> Response:
        """Answer with the Change List Archive: all closed Change Lists."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            periods = self._site.periods.of(view, resources)
        listed = {
            self._addresses.of(resources, f"changelist-{period.name}"): {
                "from": utc_datetime(period.from_),
                "until": utc_datetime(period.until),
            }
            for period in periods
            if period.until is not None
        }
        return self._archive(resources, "changelist", listed)

    def change_dumps(self, prefix: str, spec: str) -> Response:
        """Answer with the Change Dump Archive: the Change Dump of each closed period that is kept."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            kept = self._shared.kept(view, resources).packages
        listed = {self._addresses.of(resources, f"changedump-{package.name}"): times_of(package) for package in kept}
        return self._archive(resources, "changedump", listed)

    def resource_lists(self, prefix: str, spec: str) -> Response:
        """Answer with the Resource List Archive: the Resource Lists that were kept."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            kept = self._shared.kept(view, resources).lists
        listed = {
            self._addresses.of(resources, f"archive/{one.name}/resourcelist"): {"at": utc_datetime(one.at)}
            for one in kept
        }
        return self._archive(resources, "resourcelist", listed)

    def _archive(self, resources: ResourceSet, kind: str, listed: Mapping[str, Mapping[str, str]]) -> Response:
        if not listed:
            abort(404)
        document = Document(f"{kind}-archive", (self._site.up(resources),))
        return answer(document.write(document.entry(address, times) for address, times in listed.items()))

    # -- archived Resource Lists ---------------------------------------------------------------------------------

    def resource_list(self, prefix: str, spec: str, name: str) -> Response:
        """Answer with an archived Resource List, or with its index."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            kept = self._named(view, resources, name)
            if kept.parts[0][0] == _WHOLE:
                return self._part(view, resources, kept, _WHOLE)
        document = Document("resourcelist", (self._site.up(resources),), {"at": utc_datetime(kept.at)}, is_index=True)
        addresses = (self._addresses.of(resources, f"archive/{name}/resourcelist-{part}") for part, _ in kept.parts)
        return answer(document.write(document.entry(address, {}) for address in addresses))

    def resource_list_part(self, prefix: str, spec: str, name: str, part: int) -> Response:
        """Answer with a part of an archived Resource List."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            return self._part(view, resources, self._named(view, resources, name), part or -1)

    def _named(self, view: View, resources: ResourceSet, name: str) -> KeptList:
        lists = self._shared.kept(view, resources).lists
        named = next((kept for kept in lists if kept.name == name and kept.parts), None)
        return named or abort(404)

    def _part(self, view: View, resources: ResourceSet, kept: KeptList, part: int) -> Response:
        links = [self._site.up(resources)]
        if part != _WHOLE:
            links.append(Link("index", self._addresses.of(resources, f"archive/{kept.name}/resourcelist")))
        document = Document("resourcelist", tuple(links), {"at": utc_datetime(kept.at)})
        versions = view.withheld_versions(resources.metadata_prefix)
        lines = self._lines(resources, dict(kept.parts).get(part, ""))
        return answer(document.write(entries_of(lines, versions)), FRESH_SECONDS)

    def _lines(self, resources: ResourceSet, name: str) -> Iterable[bytes]:
        file = self._shared.kept_of(resources).opened(name) if name else None
        if file is None:
            abort(404)
        try:
            with file, gzip.open(file) as lines:
                return lines.readlines()
        except DAMAGED:
            abort(404)


def batch_blueprint(store: Store, url: str, named: Named, metadata_of: Callable[[bytes], bytes]) -> Blueprint:
    """Return the Flask blueprint of `POST /resourcesync/batch`. `url` is the address of `/` without the slash.

    `named` returns which metadata an address means, `metadata_of` the metadata in a record.
    """
    blueprint = Blueprint("batch_dump", __name__)
    addresses = Addresses(url)

    @blueprint.post(f"{FOLDER}/batch")
    def batch() -> Response:
        body = request.stream.read(_MOST_BODY + 1)
        urls = body.decode("utf-8", "replace").split()
        if len(body) > _MOST_BODY or len(urls) > MOST_URLS:
            return _refused(
                f"A request may name {MOST_URLS} addresses, one in each line.", HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            )
        if not urls:
            return _refused("The body has no address. Write one address of metadata in each line.")
        with store.view() as view:
            known = {address: named(view, address) for address in dict.fromkeys(urls)}
            unknown = [address for address, place in known.items() if place is None or view.record(*place) is None]
            if unknown:
                return _refused(f"There is no metadata at {_shown(unknown)}.")
            at = {"at": utc_datetime(view.horizon)}
            document = Document("resourcedump-manifest", (Link("up", addresses.description),), at)
            places = {address: place for address, place in known.items() if place is not None}
            entries = Entries(lambda address: address, {})
            file, length = packages.package(document, entries, _packed(view, places, metadata_of), MOST_BYTES)
        response = Response(FileWrapper(file, _STEP), content_type="application/zip")
        response.content_length = length
        response.cache_control.no_store = True
        response.call_on_close(file.close)
        return response

    return blueprint


def _packed(view: View, places: dict[str, tuple[str, str]], metadata_of: Callable[[bytes], bytes]) -> Iterator[Packed]:
    """Yield what was named, by its address, without what was deleted."""
    for number, (address, (identifier, prefix)) in enumerate(places.items(), 1):
        record = view.record(identifier, prefix)
        if record is not None and not record.is_deleted:
            yield Packed(Resource(number, address, record.datestamp, 0, b""), metadata_of(record.content))


def _shown(urls: Sequence[str]) -> str:
    text = ", ".join(repr(url[:_MOST_LETTERS]) for url in urls[:_MOST_SHOWN])
    return text + (f" and {len(urls) - _MOST_SHOWN:,} others" if len(urls) > _MOST_SHOWN else "")


def _refused(sentence: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> Response:
    return Response(f"{sentence}\n", status, content_type="text/plain; charset=UTF-8")
