"""A page without a file says what was searched, with which result, and when it is searched again."""

import json
import logging
from contextlib import closing

import pytest

from gateway.core.model import Outcome, Trace
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import search_as_json
from tests.opening import open_discovery
from tests.page_house import parsed, seen

IDENTIFIER = "oai:gateway.example.org:laro/1"
TRACES = (
    Trace("unpaywall", Outcome.NOT_FOUND),
    Trace("landing_page", Outcome.NO_PDF_LINK),
    Trace("another_step", Outcome.ROBOTS_DENIED),
)


def searched(house, outcome=Outcome.NOT_OA, *, traces=TRACES, due=0, content="", identifier=IDENTIFIER):
    """Store the end of a search for one item."""
    with closing(open_discovery(house.harness.folder)) as discovery:
        discovery.enlist("laro", [(identifier, "1")], 1, 1_760_000_000)
        lease = discovery.lease(1_760_000_000, 60)
        result = SearchResult(outcome, traces)
        assert discovery.done(lease, outcome, content or search_as_json(result), 1_760_000_000, due=due)


def test_without_a_search_none_is_shown(house):
    text = seen(house.page(house.add("1")))
    assert "Not searched." in text
    assert "No file was found" not in text


def test_a_search_without_a_find_is_shown_with_its_steps(house):
    path = house.add("1")
    searched(house)
    html = house.page(path)
    text = seen(html)
    assert "No file was found. The search was on 2025-10-09. No open copy is known." in text
    assert "next search" not in text
    pairs = [" ".join(element.itertext()).strip() for element in parsed(html).iterfind(".//details/dl/*")]
    assert pairs[:6] == [
        *("Unpaywall", "It is not known, or not there."),
        *("The page of the work", "No link to a file was found."),
        *("another step", "robots.txt forbids the request."),
    ]


def test_the_search_is_also_data(house):
    path = house.add("1")
    assert json.loads(house.page(f"{path}.json"))["search"]["state"]["name"] == "not-searched"
    searched(house, due=1_800_000_000)
    search = json.loads(house.page(f"{path}.json"))["search"]
    assert search.pop("state")["name"] == "none"
    assert search == {
        "outcome": "not-oa",
        "searchedAt": "2025-10-09T08:53:20Z",
        "nextAfter": "2027-01-15T08:00:00Z",
        "steps": [
            {"step": "unpaywall", "outcome": "not-found"},
            {"step": "landing_page", "outcome": "no-pdf-link"},
            {"step": "another_step", "outcome": "robots-denied"},
        ],
    }


def test_a_page_that_a_search_may_change_has_no_date_of_change(house):
    path = house.add("1")
    house.harness.now += 60
    house.add("2")
    assert house.get(f"{path}.json").last_modified is not None
    searched(house)
    assert house.get(f"{path}.json").last_modified is None
    assert house.get(path, headers={"If-None-Match": house.get(path).headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("content", ["{", "[]", '{"traces": [{}]}', '{"traces": [{"step": "x", "outcome": "y"}]}'])
def test_a_damaged_search_does_not_break_the_page(house, caplog, content):
    path = house.add("1")
    searched(house, content=content)
    with caplog.at_level(logging.WARNING):
        assert "The searches for files cannot be read." in house.page(path)
        assert "The searches for files cannot be read." in house.page(path)
    assert len([line for line in caplog.messages if "searches" in line]) == 1


def test_a_damaged_database_does_not_break_the_page(house, caplog):
    path = house.add("1")
    (house.harness.folder / "discovery.sqlite").write_bytes(b"no database" * 1000)
    assert "The searches for files cannot be read." in house.page(path)
    assert "cannot be read" in caplog.text
