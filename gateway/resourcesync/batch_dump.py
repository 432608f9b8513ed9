"""`POST /resourcesync/batch`: a package of the metadata that a client names, instead of one request for each.

The standard has no such request; CORE's FastSync has shown that it makes copies ten to a hundred times faster. The body
has one address of metadata in each line (`text/plain`). The answer is a package as in a Resource Dump.
"""

from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from typing import Final, TypeAlias
from wsgiref.util import FileWrapper

from flask import Blueprint, Response, request

from gateway.core.model import Resource
from gateway.core.xmltext import utc_datetime
from gateway.resourcesync import packages
from gateway.resourcesync.addresses import FOLDER, Addresses
from gateway.resourcesync.documents import Document, Entries, Link
from gateway.resourcesync.packages import Packed
from gateway.store.base import Store, View

# Returns the identifier and the prefix of the metadata at an address, or None.
Named: TypeAlias = Callable[[View, str], tuple[str, str] | None]

MOST_URLS: Final = 1_000
MOST_BYTES: Final = 50_000_000  # of a package
_MOST_BODY: Final = 4_000_000  # bytes of a request
_MOST_SHOWN: Final = 5  # addresses in a message
_MOST_LETTERS: Final = 200  # of each
_STEP: Final = 1 << 16


def blueprint(store: Store, url: str, named: Named, metadata_of: Callable[[bytes], bytes]) -> Blueprint:
    """Return the Flask blueprint. `url` is the address of `/` without the slash.

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
            document = Document("resourcedump-manifest", (Link("up", addresses.description),), _at(view))
            places = {address: place for address, place in known.items() if place is not None}
            entries = Entries(lambda address: address, {})
            file, length = packages.package(document, entries, _packed(view, places, metadata_of), MOST_BYTES)
        response = Response(FileWrapper(file, _STEP), content_type="application/zip")
        response.content_length = length
        response.cache_control.no_store = True
        response.call_on_close(file.close)
        return response

    return blueprint


def _at(view: View) -> dict[str, str]:
    return {"at": utc_datetime(view.horizon)}


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
