"""What Crossref lists is walked whole, goes on where it was stopped, and what does not come or is too large is told."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from gateway.core.errors import AnswerError, AnswerTooLarge, ConfigurationError, ConnectionFailed
from harvester.audit import crossref as crossref_works
from harvester.audit.crossref import Deposited, read_agency, read_names, read_works
from harvester.audit.crossref_list import scope_of
from harvester.http.messages import Fetched
from tests.audit.conftest import record
from tests.audit.crossref import ELECTRONIC, ISSN, deposited
from tests.fulltext.web import DATA, exchanges
from tests.rows import each_row

NOW = 1_790_000_000  # in 2026


def _filters(crossref):
    return [parse_qs(urlsplit(url).query)["filter"][0] for url in crossref.asked]


def _walk(listing, checks=lambda: None):
    listing.begin(NOW)
    listing.walk(checks)


def _dois(ledger):
    return [row.doi for row in ledger.rows()]


def test_a_list_is_walked_to_its_end_politely(crossref, ledger, listing):
    crossref.works = [deposited(f"10.5555/{n}", "A title") for n in range(25)]
    _walk(listing(rows=10))
    assert len(_dois(ledger)) == 25
    assert list(ledger.short()) == []
    assert all("mailto=a%40b.test" in url for url in crossref.asked)
    assert set(_filters(crossref)) == {f"issn:{ISSN}"}
    assert [parse_qs(urlsplit(url).query).get("cursor") for url in crossref.asked] == [None, ["*"], ["0-10"], ["0-20"]]


def test_a_long_list_is_walked_by_the_years_in_which_its_dois_were_made(crossref, ledger, listing):
    crossref.works = [deposited(f"10.5555/{n}", "A title", 2002 + n % 20) for n in range(30)]
    _walk(listing(rows=1))
    assert len(_dois(ledger)) == 30
    asked = _filters(crossref)
    assert asked[1] == f"issn:{ISSN},from-created-date:2000-01-01,until-created-date:2002-12-31"
    assert asked[-1] == f"issn:{ISSN},from-created-date:2026-01-01,until-created-date:2026-12-31"


def test_it_goes_on_where_it_was_stopped(crossref, ledger, listing):
    crossref.works = [deposited(f"10.5555/{n}", "A title") for n in range(30)]

    def broken(_url):
        if len(crossref.asked) == 4:
            raise ConnectionFailed("broke")

    crossref.before = broken
    with pytest.raises(ConnectionFailed):
        _walk(listing(rows=10))
    assert len(_dois(ledger)) == 20
    listing(rows=10).walk(lambda: None)
    assert len(_dois(ledger)) == 30
    assert [parse_qs(urlsplit(url).query).get("cursor") for url in crossref.asked[4:]] == [["0-20"], ["0-30"]]


def test_a_cursor_that_was_forgotten_costs_its_window(crossref, ledger, listing):
    crossref.works = [deposited(f"10.5555/{n}", "A title") for n in range(15)]

    def stop():
        if len(crossref.asked) == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        _walk(listing(rows=10), stop)
    crossref.epoch = 1
    listing(rows=10).walk(lambda: None)
    assert len(_dois(ledger)) == 15
    assert list(ledger.short()) == []


def test_works_that_do_not_come_are_reported(crossref, ledger, listing):
    crossref.works, crossref.lost = [deposited("10.5555/1", "A title")], 2
    _walk(listing())
    assert list(ledger.short()) == ["Crossref announced 3 and sent 1."]


def test_who_registered_a_doi_may_stay_unknown(crossref, ledger, listing):
    crossref.agencies = {"10.5555/b": "DataCite"}
    strays = record(issn=f"ISSN {ISSN}")._replace(dois=("10.5555/a", "10.5555/b"))
    ledger.hold([(strays, None, ())])
    assert ledger.strays() == ["10.5555/a", "10.5555/b"]
    assert listing().ask_agencies(lambda: None) == []
    assert [difference.theirs for difference in next(ledger.rows()).differences] == [
        "not registered",
        "registered with DataCite, not listed",
    ]
    ledger.hold([(record(doi="10.5555/c"), None, ())])
    crossref.answer = lambda _url: (503, b"")
    assert listing().ask_agencies(lambda: None) == [
        "The registration agencies of DOIs that Crossref does not list are unknown: doi.org answers 503."
    ]
    assert next(ledger.rows()).differences[0].theirs == "nobody could say who registered it"
    crossref.before = lambda _url: (_ for _ in ()).throw(ConfigurationError("bad"))
    crossref.answer = type(crossref).answer.__get__(crossref)
    with pytest.raises(ConfigurationError, match="bad"):
        listing().ask_agencies(lambda: None)


def test_what_crossref_does_not_know_is_not_audited(listing):
    with pytest.raises(ConfigurationError, match="Crossref knows no issn 2049-3630"):
        listing(("2049-3630",)).known()


@each_row(
    "given, sentence",
    [
        (((), (), ()), "The audit needs one kind of scope"),
        ((("1234-5678",), (), ()), "1234-5678 is not a valid ISSN"),
        (((), (), ("5555",)), "5555 is not a valid DOI prefix"),
    ],
)
def test_what_is_no_scope_is_refused(given, sentence):
    with pytest.raises(ConfigurationError, match=sentence):
        scope_of(*given, "")  # type: ignore[call-arg]


# --- answers ------------------------------------------------------------------------------------------------------


def _answer(document, status=200):
    return Fetched("https://api.crossref.org/", status, (), json.dumps(document).encode(), 0)


def test_a_work_is_read_with_all_its_dates_and_names():
    work = {
        **deposited("10.5555/A", "A  title", 2019, subtitle=["and more"]),
        "published-online": {"date-parts": [[2018, 12]]},
        "published-print": {"date-parts": [[2019]]},
    }
    nameless = {**deposited("", "No DOI"), "issued": {"date-parts": [[None]]}}
    journal = deposited("10.5555/j", "The journal", type="journal")
    part = read_works(
        _answer({"message": {"total-results": 3, "items": [work, nameless, journal], "next-cursor": "c"}})
    )
    assert part == (3, 3, (part.works[0],), "c")
    assert part.works[0] == Deposited(  # type: ignore[attr-defined]
        "10.5555/a",
        "A title: and more",
        "Journal of Proofs",
        (ISSN, ELECTRONIC),
        ("2019-03", "2019", "2018-12"),
        "journal-article",
    )


@each_row("body", [b"[]", b"<html>"])
def test_who_registered_a_doi_is_told_or_an_error(body):
    with pytest.raises(AnswerError):
        read_agency(Fetched("https://doi.org/ra/10.1", 200, (), body, 0))


@pytest.mark.needs("../shared")
def test_every_recorded_list_journal_and_agency_is_read():
    works = {}
    for exchange in exchanges("crossref/http", "*api.crossref.org_*"):
        if '"work-list"' in exchange.body.decode("utf-8", "replace")[:200] and exchange.status == 200:
            works[exchange.url] = read_works(exchange)
    assert len(works) > 8
    assert sum(len(part.works) for part in works.values()) > 80
    assert max(part.total for part in works.values()) > 10**6
    widget = next(part for url, part in works.items() if "widget" in url)
    assert (widget.total, widget.received, bool(widget.cursor)) == (454, 20, True)
    journals = {
        exchange.url[-9:]: read_names(exchange, "ISSN")
        for exchange in exchanges("crossref/http", "*journals_????_????*")
    }
    assert journals["1803-2427"] == ("1803-2427", "1805-4196")
    assert journals["4444-4444"] is None
    agencies = {
        exchange.url.rpartition("/")[2]: read_agency(exchange)
        for exchange in exchanges("crossref/http", "*doi.org_ra_*")
    }
    assert agencies["10.99999"] == ""
    assert {"Crossref", "DataCite", "mEDRA", "JaLC"} <= set(agencies.values())
    assert DATA.is_dir()


HEAVY = b"[" + b"[]," * 5_000_000 + b"[]]"


def test_answer_about_an_agency_that_would_fill_the_memory_is_refused():
    with pytest.raises(AnswerTooLarge, match="MiB of memory"):
        crossref_works.read_agency(Fetched("https://doi.org/ra/10.1", 200, (), HEAVY, 0))
