"""The documents of our ResourceSync source, over a store that a test publishes into."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask, request
from werkzeug.test import TestResponse

from gateway.core.errors import AddressRefused
from gateway.pages.answers import clean_conditions
from gateway.pages.item_places import Places
from gateway.pages.site import Site, style_sheet
from gateway.publish.descriptions import metadata_of
from gateway.publish.step import EPOCH_FACT
from gateway.resourcesync.addresses import Addresses, ResourceSet, resource_sets
from gateway.resourcesync.keeping import Keep, Keeper, kept_files
from gateway.resourcesync.kept import KeptFiles
from gateway.resourcesync.routes import blueprint
from gateway.resourcesync.site_resources import SiteResources
from harvester.http.messages import Fetch, Fetched, Request
from harvester.sources.resourcesync.documents import Document, read
from harvester.sources.resourcesync.entries import Entry
from tests.page_house import House, house, settings
from tests.publish.harness import Harness, Sent, dc

__all__ = ["house", "settings"]

URL = "https://gateway.example.org"
HUB = f"{URL}/hub"
LISTS = "oai_dc oai_didl oai_dc/source:laro:x oai_dc/nothing"
DAY = 86_400


@dataclass
class Source:
    """The documents of a site: `read` parses one of them, as our own destination does."""

    harness: Harness
    get: Callable[..., TestResponse]
    get_page: Callable[..., TestResponse]
    site: SiteResources

    def house_get(self, address: str) -> TestResponse:
        """Return what the whole application answers."""
        return self.get_page(address.removeprefix(URL), buffered=True)

    def publish(self, *names: str, title: str = "A title", **header: Any) -> None:
        self.harness.send(*(Sent(name, dc(title), **header) for name in names))
        self.harness.publish()

    def delete(self, *names: str) -> None:
        self.harness.send(*(Sent(name, None) for name in names))
        self.harness.publish()

    def read(self, address: str) -> Document:
        answer = self.get(urlsplit(address).path)
        assert answer.status_code == 200, (address, answer.status)
        return read(answer.data, address)

    def kept(self, prefix: str = "oai_dc", spec: str = "source") -> KeptFiles:
        kept_of = kept_files(self.harness.folder, self.site, self.harness.store, self.harness.store.fact(EPOCH_FACT))
        return kept_of(ResourceSet(prefix, spec))

    def tend(self, prefix: str = "oai_dc", spec: str = "source", **keep: int) -> Counter[str]:
        """Bring the kept files of a set of resources up to date."""
        wanted = Keep(**({"change_dump_days": 90, "dump_bytes": 10**9} | keep))
        return Keeper(self.harness.store, self.site, wanted, ResourceSet(prefix, spec), self.kept(prefix, spec)).keep()

    def tend_all(self, sets: str = LISTS, **keep: int) -> None:
        """Do the same for all sets of resources."""
        for resources in resource_sets(sets):
            self.tend(resources.metadata_prefix, resources.set_spec, **keep)

    def document(self, name: str, prefix: str = "oai_dc", spec: str = "source") -> Document:
        return self.read(f"{URL}/resourcesync/{prefix}/{spec}/{name}.xml")

    def resources(self) -> list[Entry]:
        """Return the entries of the Resource List, of all parts."""
        document = self.document("resourcelist")
        return [entry for part in document for entry in self.read(part.loc)] if document.head.is_index else [*document]

    def locations(self, name: str, prefix: str = "oai_dc", spec: str = "source") -> list[str]:
        return [entry.loc for entry in self.document(name, prefix, spec)]


def fetch_by(get: Callable[[str], TestResponse]) -> Fetch:
    """Return a `fetch` that gets the paths of our site, without a network. Other hosts are refused."""

    def fetch(request: Request) -> Fetched:
        if not request.url.startswith(URL):
            raise AddressRefused(request.url)
        answer = get(request.url.removeprefix(URL) or "/")
        fetched = Fetched(request.url, answer.status_code, tuple(answer.headers.items()), b"", 0)
        if request.sink is not None and request.sink.begin(fetched):
            request.sink.write(answer.data)
        return fetched

    return fetch


@pytest.fixture
def source_of(house: House) -> Callable[[int], Source]:
    """Return the function that makes the source with documents of at most so many entries; 0: as many as usual."""

    def made(most_entries: int = 3) -> Source:
        app = Flask("source")
        app.before_request(lambda: clean_conditions(request.environ))
        site = Site("A gateway", URL, f"{URL}/oai", "a@example.org", style_sheet("#1d4f91"))
        urls = Places(site).metadata_urls
        store = house.harness.store
        bounds = (most_entries, most_entries) if most_entries else ()
        resources = SiteResources(Addresses(URL), urls, metadata_of, *bounds)
        kept_of = kept_files(house.harness.folder, resources, store, store.fact(EPOCH_FACT))
        app.register_blueprint(blueprint(store, resource_sets(LISTS), resources, kept_of, hub=HUB))
        return Source(house.harness, partial(app.test_client().get, buffered=True), house.get, resources)

    return made


@pytest.fixture
def source(source_of: Callable[[int], Source]) -> Source:
    return source_of(3)
