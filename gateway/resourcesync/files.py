"""Files as resources: a Resource List of the files to which items refer, with `describedby` links to their metadata.

The files are where their addresses say, at other hosts or here. Size, hash and date are those that are known; nothing
is requested. A part has the files of a range of items; if these are too many, it is divided. A file of several items is
in the part of the first one, and leads to the metadata of all.
"""

import re
from collections.abc import Callable, Iterator
from itertools import groupby, islice
from typing import Final, TypeAlias

from flask import Blueprint, Response, abort

from gateway.core.errors import StoreError
from gateway.core.model import Content
from gateway.core.typed_links import SUPPLEMENT_FILE
from gateway.core.xmltext import clean, escape, escape_attribute, is_legal, utc_datetime
from gateway.resourcesync.addresses import FOLDER, Addresses
from gateway.resourcesync.documents import MOST_ADDRESS, Document, Link, hash_of, link, md
from gateway.resourcesync.shared import answer, unavailable
from gateway.store.base import Store, View

# Returns the addresses of the metadata of an item that describe its files.
DescribedBy: TypeAlias = Callable[[View, str], tuple[str, ...]]

MOST_ENTRIES: Final = 10_000
ITEMS: Final = 5_000  # of a part
_MOST_LINKS: Final = 1_000  # to the metadata of a file
_PART: Final = re.compile(r"([1-9]\d{0,8})(?:\.([1-9]\d{0,5}))?")
_UTC: Final = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?")


def blueprint(
    store: Store, url: str, described_by: DescribedBy, *, most_entries: int = MOST_ENTRIES, items: int = ITEMS
) -> Blueprint:
    """Return the Flask blueprint of the lists of files; `url` is the address of `/` without the slash.

    A list has at most `most_entries` files, and those of at most so many `items`.
    """
    blueprint = Blueprint("resourcesync_files", __name__)
    addresses = Addresses(url)
    up = (Link("up", addresses.description), Link("describedby", f"{url}/"))
    whole, listed = addresses.of_files("resourcelist"), Link("up", addresses.of_files("capabilitylist"))

    @blueprint.route(f"{FOLDER}/files/capabilitylist.xml")
    def capability_list() -> Response:
        document = Document("capabilitylist", up)
        return answer(document.write([document.entry(whole, {"capability": "resourcelist"})]))

    @blueprint.route(f"{FOLDER}/files/resourcelist.xml")
    def resource_list() -> Response:
        with store.view() as view:
            document = Document("resourcelist", (listed,), _at(view), is_index=True)
            names = [name for number, count in view.file_counts(items) for name in _names(number, count)]
        return answer(document.write(document.entry(addresses.of_files(f"resourcelist-{name}"), {}) for name in names))

    def _names(number: int, count: int) -> Iterator[str]:
        yield str(number + 1)
        for part in range(1, -(-count // most_entries)):
            yield f"{number + 1}.{part + 1}"

    @blueprint.route(f"{FOLDER}/files/resourcelist-<part>.xml")
    def resource_list_part(part: str) -> Response:
        match = _PART.fullmatch(part)
        if match is None:
            abort(404)
        after = (int(match[1]) - 1) * items
        offset = (int(match[2] or 1) - 1) * most_entries
        with store.view() as view:
            contents = list(view.files(after, after + items, most_entries, offset))
            if not contents:
                abort(404)
            document = Document("resourcelist", (listed, Link("index", whole)), _at(view))
            return answer(document.write(_entries(view, contents, described_by)))

    blueprint.register_error_handler(StoreError, unavailable)
    return blueprint


def _at(view: View) -> dict[str, str]:
    return {"at": utc_datetime(view.changed_until("oai_didl", view.horizon - 1))}


def _entries(view: View, contents: list[tuple[int, Content]], described_by: DescribedBy) -> Iterator[str]:
    """Yield an entry for each file; one that several items refer to has a link to the metadata of each."""
    identifiers = view.identifiers_of({item for item, _ in contents})
    for url, given in groupby(contents, lambda pair: pair[1].url):
        by_item: dict[int, Content] = {}
        for item, content in given:
            by_item.setdefault(item, content)
        if len(url) > MOST_ADDRESS or not is_legal(url):
            continue
        best = max(by_item.values(), key=lambda content: (bool(content.sha256), bool(content.size)))
        addresses = (address for item in by_item for address in described_by(view, identifiers[item]))
        links = [link(Link("describedby", address, "application/xml")) for address in islice(addresses, _MOST_LINKS)]
        links += [link(Link("duplicate", best.copy_url, clean(best.mime_type)))] if best.copy_url else []
        links += [link(Link("type", SUPPLEMENT_FILE))] * all(content.is_supplement for content in by_item.values())
        changed = f"<lastmod>{best.modified}</lastmod>" if _UTC.fullmatch(best.modified) else ""
        yield f"<url><loc>{escape(url)}</loc>{changed}{_facts(best)}{''.join(links)}</url>\n"


def _facts(content: Content) -> str:
    length = "" if content.size is None else content.size
    return md({"hash": hash_of(content.sha256), "length": length, "type": escape_attribute(clean(content.mime_type))})
