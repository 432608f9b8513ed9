"""After each of eight rounds the datestamps and the published files are right, whatever the servers do.

RECHECK_FILES says how many files there are (1,000 take half an hour).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from gateway.core.model import Candidate, Decision, FileLink, Outcome, Statement, Work
from gateway.core.settings import load
from gateway.formats import oai_didl
from gateway.fulltext.release import Releaser
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_files import Copies
from gateway.fulltext.stored_search import search_as_json
from gateway.store.opening import open_discovery, open_inbox, open_store
from harvester.fulltext.polite_fetch import polite_anew, settings_for_other_hosts
from harvester.fulltext.recheck.run import Order, Recheck
from harvester.fulltext.run import FullTextSearch
from harvester.http.fetching import Web
from tests.fulltext.recheck.site import GRACE_LOOKS, WHOLE_EVERY, Site, SiteFile, description_of, title_of
from tests.live import called, instance
from tests.mirror.provider import Item, serving
from tests.mirror.rounds import SETTINGS
from tests.seeds import SEED

ROUNDS = 8
FILES = int(os.environ.get("RECHECK_FILES", "20"))
DAY = 86_400
_OPTIONS: dict[str, str | int | float | bool] = {
    "discover_delay_seconds": 0.0, "discover_email": "librarian@library.test", "recheck_whole_every": WHOLE_EVERY,
    "recheck_grace_looks": GRACE_LOOKS,
}  # fmt: skip


def upstream(file: SiteFile) -> str:
    return f"oai:p:{file.number}"


def local(file: SiteFile) -> str:
    return f"oai:live.example.org:p/{upstream(file)}"


class Instance:
    """An opened instance whose source has a record for each file of a site."""

    def __init__(self, folder: Path, site: Site) -> None:
        """Open it."""
        self.folder, self.site = folder, site
        self.store, self.desk, self.inbox = open_store(folder), open_discovery(folder), open_inbox(folder)
        self.settings = load(folder, environ={}, options=_OPTIONS)
        self.now = 1_800_000_000

    def close(self) -> None:
        """Close it."""
        for database in (self.inbox, self.desk, self.store):
            database.close()

    @contextmanager
    def web(self) -> Iterator[Any]:
        """Return a polite Fetch that reaches loopback."""
        with Web(settings_for_other_hosts(self.settings), allow=["127.0.0.0/8"]) as web:
            yield polite_anew(web, self.desk, self.settings, lambda _: None)

    def publish(self) -> None:
        """Publish all files: the named ones after a search, the others as if a search had found them."""
        for file in self.site.files.values():
            if not file.is_named:
                self._find(file)
        with self.web() as fetch:
            search = FullTextSearch(self.store, self.desk, fetch, self.settings, (), lambda: float(self.now))
            search.enlist(("p",))
            assert {str(result.searched.outcome) for result in search.run(("p",))} == {"already-held"}
        self.release()

    def _find(self, file: SiteFile) -> None:
        url, body = self.site.url(file), file.body()
        candidate = Candidate(
            url, "unpaywall", outcome=Outcome.SUCCESS, final_url=url, mime_type="application/pdf", size=len(body),
            sha256=file.sha256, license="cc-by", score=0.9, has_title=True, identified_by=("title",), kind="article",
            has_read_claims=True, at=self.now,
        )  # fmt: skip
        accepted = Decision(local(file), url, file.sha256, "accept", "The licence cc-by was stated.", "rule", self.now)
        Copies(self.folder).keep(body)
        self.desk.enlist("p", [(local(file), upstream(file))], 0, self.now)
        lease = self.desk.lease(self.now, 60, identifier=local(file))
        assert lease is not None
        story = search_as_json(SearchResult(Outcome.SUCCESS, candidates=(candidate,)))
        assert self.desk.done(lease, "success", story, self.now, lambda _: [accepted])

    def release(self) -> None:
        """Publish what was decided."""
        Releaser(self.store, self.inbox, self.desk, self.settings).release()

    def rechecked(self) -> None:
        """Look at all files once, four days later, and publish what follows."""
        self.now += 4 * DAY
        with self.web() as fetch:
            work = Recheck(self.store, self.desk, fetch, self.settings, clock=lambda: float(self.now))
            for _ in work.run(Order({"p": 0})):
                pass
        self.release()

    def stamps(self) -> Counter[str]:
        """Return how often the DIDL of each item got a datestamp."""
        with self.store.view() as view:
            return Counter(
                change.identifier for change in view.changes(0, 1_000_000) if change.metadata_prefix == "oai_didl"
            )

    def published(self, file: SiteFile) -> FileLink | None:
        """Return the file of an item as its DIDL has it."""
        with self.store.view() as view:
            record = view.record(local(file), "oai_didl")
        work = oai_didl.read_apart(
            record.content[record.content.index(b"<didl:DIDL") : record.content.rindex(b"</metadata>")]
        )
        return next((link for link in (work.files if work else ()) if link.url == self.site.url(file)), None)


def item(site: Site, file: SiteFile) -> Item:
    """Return the record of a work, which perhaps names its file."""
    number = file.number
    said = {
        "title": title_of(number),
        "creator": "Rossi, Ada",
        "description": description_of(number),
        "type": "article",
    }
    statements = tuple(Statement(element, text) for element, text in said.items())
    files = (FileLink(site.url(file), "application/pdf"),) if file.is_named else ()
    return Item(document=oai_didl.write(Work(statements, files=files)))


def wrong_datestamps(site: Site, open_: Instance, before: Counter[str], expected: set[int]) -> list[str]:
    """Return which DIDLs got a datestamp without a reason, or none with one, or say something that is not true."""
    after = open_.stamps()
    wrong = [
        f"{file} has {after[local(file)] - before[local(file)]} new datestamps"
        for file in site.files.values()
        if after[local(file)] - before[local(file)] != (file.number in expected)
    ]
    for file in site.files.values():
        link = open_.published(file)
        is_right = link is None and not (file.is_published or file.is_named)
        if link is not None:
            is_same = link.sha256 == file.sha256 or file.has_new_text
            is_right = file.is_published and is_same and bool(link.missing) == file.is_flagged
        wrong += [] if is_right else [f"{file}: {link}"]
    return wrong


@pytest.mark.unmeasured
@pytest.mark.slow
@pytest.mark.allow_hosts(["127.0.0.1", "127.0.0.2", "::1"])
def test_after_each_round_of_looks_the_datestamps_and_the_published_files_are_right(tmp_path) -> None:
    site = Site(FILES, SEED)
    with site.serving(), serving() as provider:
        provider.items = {upstream(file): item(site, file) for file in site.files.values()}
        folder = instance(tmp_path / "a", {"p": (provider.base_url, ("oai_didl",))})
        assert called("harvester", folder, "run", "p", **SETTINGS).returncode == 0  # type: ignore[arg-type]
        with closing(Instance(folder, site)) as open_:
            open_.publish()
            assert wrong_datestamps(site, open_, open_.stamps(), set()) == []
            for number in range(ROUNDS):
                if number:
                    site.change()
                before, expected = open_.stamps(), site.expect()
                open_.rechecked()
                assert wrong_datestamps(site, open_, before, expected) == [], f"round {number}"
