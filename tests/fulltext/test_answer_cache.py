"""What is kept of answers for a later search: what was told, and nothing that nobody can read."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.core.model import Outcome, Work
from gateway.fulltext.search_result import SearchResult
from harvester.fulltext.polite_fetch import CachingFetch
from harvester.fulltext.search_outcome import PASSING
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import steps
from harvester.http.messages import Fetched, Request
from harvester.http.urls import host_of
from tests.fulltext.kinds import DOI, PAGE, PUBLISHER, TITLE, crossref
from tests.fulltext.web import SETTINGS, RecordedWeb, answer, work
from tests.opening import open_discovery
from tests.rows import each_row

NOW = 1_700_000_000
SAID = {"creator": "Example, Anna", "date": "2012"}
WORKS = {
    "with a DOI": work(TITLE, doi=DOI, **SAID),
    "without a DOI": work(TITLE, **SAID),
    "of bioRxiv": work(TITLE, doi="10.1101/2020.01.02.123456", **SAID),
    "of OSF": work(TITLE, doi="10.31234/osf.io/abcde", **SAID),
    "of Zenodo": work(TITLE, doi="10.5281/zenodo.123456", **SAID),
}
UNREADABLE = {
    "a page about maintenance": answer("<!DOCTYPE html><html><head><title>Maintenance</title></head></html>"),
    "half an answer": answer('{"message": {"DOI": "10.1234/x", "title": ["Coh'),
    "nothing": answer(b""),
    "null": answer("null"),
    "an error that says that all is well": answer('{"error": "Internal error"}'),
}


class Services:
    """A web in which each service answers the same, and nobody else is there."""

    def __init__(self, same_answer: Fetched) -> None:
        self.same_answer = same_answer
        self.asked: list[str] = []

    def __call__(self, request: Request) -> Fetched:
        """Answer a request."""
        self.asked.append(request.url)
        is_page = host_of(request.url) == "doi.org"
        return replace(answer(status=404) if is_page else self.same_answer, url=request.url)


@pytest.fixture
def remember(tmp_path: Path) -> Iterator[Callable[[Work, Services | RecordedWeb], SearchResult]]:
    """Return a function that searches for a work, and knows what was answered before."""
    discovery = open_discovery(tmp_path)

    def searched(about: Work, web: Services | RecordedWeb) -> SearchResult:
        return search(about, steps(), CachingFetch(web, discovery, lambda: NOW), SETTINGS, at=NOW, most_files=6)

    yield searched
    discovery.close()


@each_row("about", WORKS)
@each_row("name", UNREADABLE)
def test_what_nobody_can_read_is_told_and_asked_for_again(remember, name: str, about: str) -> None:
    """A page about maintenance, with status 200, was a service's answer for thirty days: each repetition got it."""
    web = Services(UNREADABLE[name])
    result = remember(WORKS[about], web)
    services = [trace for trace in result.traces if trace.host not in ("", "doi.org")]
    assert services
    assert {trace.step for trace in services if trace.outcome not in PASSING or not trace.note} == set()
    assert not result.is_over
    asked = set(web.asked) - {url for url in web.asked if host_of(url) == "doi.org"}
    web.asked.clear()
    remember(WORKS[about], web)
    assert set(web.asked) == asked


def test_a_captcha_that_says_that_all_is_well_is_asked_for_again(remember) -> None:
    """It was kept for thirty days, as if it were the page."""
    captcha = answer("<html><head><title>Just a moment...</title></head><body>Checking</body></html>")
    page = answer(f'<html><body><a href="{PUBLISHER}/1.xml">the article</a></body></html>')
    outcomes, requests = [], []
    for response in (captcha, page, page):
        web = RecordedWeb({**crossref(), PAGE: response}, has_recordings=False)
        outcomes.append(remember(WORKS["with a DOI"], web).outcome)
        requests.append(web.asked.count(PAGE))
    assert outcomes[0] is Outcome.BLOCKED_CAPTCHA
    assert requests == [1, 1, 0]
