"""Destinations that follow the Change Lists without any overlap miss no version, whatever happens to the publishers.

Eight publishers are killed and stopped, and their clocks stepped. A ninth process compacts all the time, erases, and
makes and drops the own list of the set; it is killed too. Destinations poll the open Change List over HTTP, and
continue exactly where they were. A hasty source beside ours shows what is written at once, as most servers do; its
destination shows that the test can fail.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from hashlib import sha256
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import NamedTuple
from urllib.request import urlopen

import pytest
from flask import Flask
from werkzeug.serving import make_server

from gateway.core.model import Format, Selection, Source
from gateway.core.pieces import identity
from gateway.core.xmltext import utc_datetime
from gateway.publish.descriptions import metadata_of
from gateway.publish.step import EPOCH_FACT
from gateway.resourcesync.addresses import Addresses, ResourceSet
from gateway.resourcesync.keeping import kept_files
from gateway.resourcesync.routes import blueprint
from gateway.resourcesync.site_resources import SiteResources
from gateway.store.store import Store
from harvester.sources.resourcesync.documents import read
from harvester.sources.resourcesync.entries import Entry, Head
from tests.seeds import SEED
from tests.store import publisher
from tests.store.household import HastyStore, Household

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

PUBLISHERS = 8
VERSIONS = int(os.environ.get("OVERLAP_VERSIONS", "600"))
WHOLE = 10_000  # with so many versions, the hasty source has lost some


class Version(NamedTuple):
    """An entry of a Change List: no two versions have the same one."""

    loc: str
    at: str
    change: str
    sha256: str


@contextmanager
def served(folder: Path, store: Store, most_entries: int) -> Iterator[str]:
    """Serve the Change Lists of a store on loopback; yield the address of their folder."""
    apps: list[Flask] = []
    server = make_server("127.0.0.1", 0, lambda *call: apps[0](*call), threaded=True)  # noqa: PLW0108 - made later
    url = f"http://127.0.0.1:{server.server_port}"
    app = Flask("source")
    resources = SiteResources(Addresses(url), lambda _view, _prefix: str, metadata_of, most_entries)
    kept_of = kept_files(folder, resources, store, store.fact(EPOCH_FACT))
    app.register_blueprint(blueprint(store, [ResourceSet("oai_dc")], resources, kept_of))
    apps.append(app)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"{url}/resourcesync/oai_dc/source"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Destination(Thread):
    """Follows the Change Lists by its own position: the list that it reads, and how many entries it has of it."""

    def __init__(self, folder: str, seed: int, over: Event) -> None:
        super().__init__()
        self.versions: list[Version] = []
        self.polls = self.closed_lists = 0
        self._folder, self._over, self._random = folder, over, Random(seed)
        self._closed, self._until, self._taken = "", "", 0

    def run(self) -> None:
        while not self._over.wait(self._random.uniform(0.1, 1.2)):
            self.poll()

    def poll(self) -> None:
        """Take what is new: of the list that was open, of those that were closed since, and of the open one."""
        while True:
            address, head, entries = self._list()
            assert self._until in ("", head.from_), "a list begins where the last one ended"
            self.versions += map(_version, self.fresh(entries))
            self._taken = len(entries)
            if not head.until:
                self.polls += 1
                return
            self.closed_lists += 1
            self._closed, self._until, self._taken = address, head.until, 0

    def fresh(self, entries: list[Entry]) -> list[Entry]:
        """Return the entries of the list that were not there before."""
        return entries[self._taken :]

    def _list(self) -> tuple[str, Head, list[Entry]]:
        """Return the address and the content of the list behind the last one that was closed."""
        while True:
            lists = _read(f"{self._folder}/changelist.xml")[1]
            place = [entry.loc for entry in lists].index(self._closed) + 1 if self._closed else 0
            head, entries = _read(lists[place].loc)
            if head.from_ == lists[place].from_:  # else the open list was closed meanwhile
                return lists[place].loc, head, entries


class ByTime(Destination):
    """Follows the Change Lists by the time of the last entry that it has: only later ones are new."""

    def __init__(self, folder: str, seed: int, over: Event) -> None:
        super().__init__(folder, seed, over)
        self._last = self._before = ""

    def poll(self) -> None:
        self._before = self._last  # a list may end within a second, and the next one go on in it
        super().poll()

    def fresh(self, entries: list[Entry]) -> list[Entry]:
        later = [entry for entry in entries if entry.datetime > self._before]
        self._last = max([self._last, *(entry.datetime for entry in later)])
        return later


def _read(address: str) -> tuple[Head, list[Entry]]:
    with urlopen(address, timeout=240) as answer:
        document = read(answer.read(), address)
    return document.head, list(document)


def _version(entry: Entry) -> Version:
    return Version(entry.loc, entry.datetime, entry.change, dict(entry.digests).get("sha-256", ""))


def _truth(store: Store) -> Counter[Version]:
    with store.view() as view:
        changes = view.resource_changes(Selection("oai_dc", None, None, view.horizon - 1), (0, 0), 10**7)
    return Counter(
        Version(line.identifier, utc_datetime(line.datestamp), line.kind, line.sha256.hex()) for line in changes
    )


def _logged(store: Store) -> int:
    with store.view() as view:
        return view.last_change()


def _has_list(store: Store) -> bool:
    with store.view() as view:
        return bool(view.resource_changes(Selection("oai_dc", None, None, view.horizon - 1), (0, 0), 1))


def _check_lists(store: Store, truth: Counter[Version]) -> None:
    """Check that the lists have the last version of every item once, and that the check of stores is content."""
    last = {version.loc: version.sha256 for version in truth}
    for spec in (None, publisher.SET):
        after, digests = None, Counter[str]()
        while True:
            with store.view() as view:
                page = view.parts(Selection("oai_dc", spec), after, 500, only_headers=False, is_exact=False)
            digests.update(sha256(text).hexdigest() for text in identity(page.parts).splitlines())
            after = page.next
            if after is None:
                break
        assert digests == Counter(last.values())
    assert store.check() == ()


def test_no_destination_without_overlap_misses_a_version(tmp_path, capsys):
    versions, is_whole = VERSIONS, VERSIONS >= WHOLE
    most, most_entries = (150, 2_000) if is_whole else (60, 200)
    over, household = Event(), Household(tmp_path, PUBLISHERS, SEED, most)
    begun = time.monotonic()
    with ExitStack() as stack:
        stack.callback(household.kill_all)
        clock = publisher.clock_of(tmp_path)
        store = stack.enter_context(closing(Store(tmp_path / "store.sqlite", create=True, clock=clock)))
        store.add_source(Source("chaos", "https://chaos.example.org"))
        store.add_format(Format("oai_dc", "dc.xsd", "urn:dc"))
        hasty_store = stack.enter_context(closing(HastyStore(tmp_path / "store.sqlite", clock=clock)))
        ours, hasty = (stack.enter_context(served(tmp_path, one, most_entries)) for one in (store, hasty_store))
        household.tend_until(lambda: _has_list(store))
        strict = [Destination(ours, 1, over), Destination(ours, 2, over), ByTime(ours, 3, over), ByTime(ours, 4, over)]
        careless = Destination(hasty, 5, over)
        try:
            for destination in (*strict, careless):
                destination.start()
            household.tend_until(
                lambda: (
                    _logged(store) >= versions
                    and household.happened.keys() >= {"killed", "killed while it tidied", "stopped"}
                )
            )
        finally:
            household.kill_all()
            over.set()
            for destination in (*strict, careless):
                destination.join()
        household.settle()
        for destination in (*strict, careless):
            destination.poll()
        truth = _truth(store)
        assert truth.total() == _logged(store) >= versions
        assert max(truth.values()) == 1
        _check_lists(store, truth)
        store.compact(is_thorough=True)
        _check_lists(store, truth)
    missed = [(truth - Counter(destination.versions)).total() for destination in (*strict, careless)]
    with capsys.disabled():
        print(
            f"\n{truth.total()} versions in {time.monotonic() - begun:.0f} s under {PUBLISHERS} publishers, "
            f"seed {SEED}, {dict(household.happened)}; missed {missed[:-1]} "
            f"in {[one.polls for one in strict]} polls over {strict[0].closed_lists} closed lists; "
            f"the hasty source lost {missed[-1]}"
        )
    assert missed[:-1] == [0, 0, 0, 0], f"seed {SEED}"
    for destination in strict:
        assert Counter(destination.versions) == truth, f"nothing comes twice; seed {SEED}"
        times = [version.at for version in destination.versions]
        assert times == sorted(times)
        assert destination.closed_lists > 0
    if is_whole:
        assert missed[-1] > 0, "the test can fail"
