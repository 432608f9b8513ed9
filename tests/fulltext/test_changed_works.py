"""What has changed since it was searched for is searched for again, where that matters, and nothing else is."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gateway.core.errors import RobotsDenied
from gateway.core.model import FileLink, FileOrigin
from gateway.core.settings import load
from gateway.fulltext.release import Releaser
from gateway.publish.publish_files import file_all
from harvester.fulltext.run import FullTextSearch
from harvester.fulltext.step_order import step_of
from harvester.fulltext.works import found_of
from tests.fulltext.web import RecordedWeb, a_pdf, answer
from tests.opening import open_discovery
from tests.publish.harness import Harness, Sent, dc, make_databases, pdf

A_DOI = "<dc:identifier>https://doi.org/10.5555/a</dc:identifier>"
FOUND = "https://repository.example.net/1.pdf"


class SearchResult:
    """A repository with its searches, without steps: a file that a record names is fetched, and all else not found."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.harness, self.searches = Harness(folder), open_discovery(folder)
        self.web = RecordedWeb({"http://laro.example.org/1.pdf": answer(a_pdf("x"))}, has_recordings=False)
        all_options = {"discover_threads": 1, "discover_email": "librarian@library.test", **options}
        self.settings = load(folder, environ={}, options=all_options)
        self.work = FullTextSearch(
            self.harness.store, self.searches, self.web, self.settings, (), lambda: self.harness.now
        )

    def sent(self, *more: str, identifier: str = "1", title: str = "A title") -> None:
        self.harness.sent(Sent(identifier, dc(title, *more)))

    def identifier(self) -> str:
        return "oai:gateway.example.org:laro/1"

    def published(self) -> list[str]:
        """Publish what is decided, and return the files of the first work that were found for it."""
        Releaser(self.harness.store, self.harness.inbox, self.searches, self.settings).release()
        return sorted(found_of(self.harness.store, "laro", "1"))

    def enlisted(self) -> int:
        return self.work.enlist(("laro",))

    def run(self) -> dict[str, str]:
        """Search for all that is due, and return how it ended."""
        self.enlisted()
        return {result.identifier.rpartition("/")[2]: str(result.searched.outcome) for result in self.work.run()}


@pytest.fixture
def searched(tmp_path: Path, quick_reader: None) -> Iterator[Callable[..., SearchResult]]:
    begun: list[SearchResult] = []

    def begin(**options: Any) -> SearchResult:
        make_databases(tmp_path)
        begun.append(SearchResult(tmp_path, **options))
        begun[0].sent()
        begun[0].sent(identifier="2")
        assert set(begun[0].run()) == {"1", "2"}
        return begun[0]

    yield begin
    for search in begun:
        search.searches.close()
        search.harness.store.close()
        search.harness.inbox.close()


@pytest.mark.parametrize("more", [(A_DOI,), (pdf(),), ("<dc:title>Another title</dc:title>",)])
def test_what_has_another_name_or_file_is_searched_for_again_and_once(searched, more: tuple[str, ...]) -> None:
    search = searched()
    search.sent(*more)
    assert search.run() == {"1": "already-held" if more == (pdf(),) else "no-doi"}
    assert search.web.asked == ["http://laro.example.org/1.pdf"] * (more == (pdf(),))
    assert search.run() == {}


def test_what_says_the_same_of_the_work_or_was_found_for_it_changes_nothing(searched) -> None:
    search = searched()
    search.sent("<dc:description>More of it</dc:description>")
    assert search.run() == {}
    file = FileLink(FOUND, "application/pdf", FileOrigin.DISCOVERED, "unpaywall", 9, "ab" * 32)
    search.harness.now += 1
    assert file_all(search.harness.store, search.harness.inbox, "laro", ("1",), lambda _state: (file,)).total()
    assert search.run() == {}
    search.harness.sent(Sent("1", None))
    assert search.run() == {}
    search.sent()
    assert search.run() == {}


def test_what_lost_the_file_that_it_named_is_searched_for(searched) -> None:
    search = searched(discover_named_files=False)
    search.sent(pdf("3"), identifier="3")
    assert search.run() == {}
    search.sent(identifier="3", title="It was withdrawn")
    assert set(search.run()) == {"3"}


WORDS = "Boundary layers over rough walls in a small laboratory tunnel"
OTHER = "How quantum dots glow when cold matter is near to them"
FOUND_AT = "https://api.unpaywall.org/v2/10.5555/a?email=librarian@library.test"
PLACE = {"url_for_pdf": FOUND, "license": "cc-by", "version": "publishedVersion"}


@pytest.fixture
def accepted(searched) -> SearchResult:
    """Return a search after the file of a work was found, accepted and published."""
    search = searched()
    search.web.own = {
        FOUND_AT: answer(json.dumps({"doi": "10.5555/a", "is_oa": True, "oa_locations": [PLACE]})),
        FOUND: answer(a_pdf(WORDS, *[WORDS] * 30)),
    }
    search.work.steps = (step_of("unpaywall"),)
    search.sent(A_DOI, title=WORDS)
    assert search.run() == {"1": "success"}
    assert search.published() == [FOUND]
    return search


@pytest.mark.parametrize(
    ("more", "title", "verdict"),
    [
        ((A_DOI.replace("/a", "/b"),), OTHER, "review"),
        ((A_DOI,), OTHER, "review"),
        ((A_DOI.replace("/a", "/b"), pdf()), OTHER, "review"),
        ((A_DOI.replace("/a", "/b"),), WORDS, "accept"),  # it is the same work, under a DOI that was mended
        ((A_DOI,), f"{WORDS}: an experiment", "accept"),
        ((pdf(),), WORDS, "accept"),
    ],
)
def test_a_file_accepted_for_another_work_is_reviewed_again(accepted, more, title: str, verdict: str) -> None:
    accepted.sent(*more, title=title)
    accepted.run()
    last = accepted.searches.decisions(accepted.identifier())[-1]
    assert last.verdict == verdict
    assert ("It was accepted for another work" in last.reason) is (verdict == "review")
    assert accepted.published() == [FOUND] * (verdict == "accept")


@pytest.mark.parametrize("end", [answer(status=403), RobotsDenied("x"), None])
def test_a_file_of_another_work_that_nobody_may_look_at_is_not_published_on(accepted, end) -> None:
    if end is not None:
        accepted.web.own = {FOUND: end}
    else:  # the record was deleted meanwhile
        accepted.harness.sent(Sent("1", None))
        accepted.run()
        accepted.searches.renew(accepted.harness.now + 1, (), accepted.harness.now)
        assert accepted.run()["1"] == "gone"
    accepted.sent(A_DOI.replace("/a", "/b"), title=OTHER)
    accepted.run()
    assert accepted.published() == []
