"""What a repository still has, through a canned `fetch`: whole lists of headers, and single records."""

from dataclasses import dataclass, field
from itertools import count

import pytest

from gateway.core.errors import NotOaiPmh, RemoteError
from gateway.core.model import Cursor, Slice
from gateway.core.xmltext import parse_utc_datetime, utc_datetime
from harvester.http.dates import SECONDS
from harvester.http.messages import Fetched
from harvester.sources import Options
from harvester.sources.budget import Budget, Spender
from harvester.sources.oai_pmh import SOURCE
from harvester.sources.oai_pmh.list_identifiers import Datestamps, Parts
from harvester.sources.oai_pmh.list_state import made_of, text_of
from harvester.sources.oai_pmh.requests import Server
from tests.oai_pages import error, identifiers, page, record
from tests.rows import each_row
from tests.sources.oai_pmh.test_list_records import Canned

CURSOR = Cursor("x", "oai_dc", "a:b")
FIRST, LAST = (parse_utc_datetime(text)[0] for text in ("2024-01-01T00:00:00Z", "2024-03-01T00:00:00Z"))
OPTIONS = Options("x", "http://x.org/oai", granularity=SECONDS)


def _header(number, status=""):
    given = f' status="{status}"' if status else ""
    return f"<header{given}><identifier>oai:x:{number}</identifier><datestamp>2024-01-01</datestamp></header>"


def _page(*numbers, token=None, announced=None):
    size = "" if announced is None else f' completeListSize="{announced}"'
    return page(*map(_header, numbers), token=token, verb="ListIdentifiers", attributes=size)


def _listed(*answers, state=""):
    fetch = Canned(list(answers), {})
    listed_pages = list(SOURCE.listed(OPTIONS, Cursor("x", "oai_dc", "a:b", state), fetch))
    return listed_pages, fetch


def test_a_whole_list_is_named_page_by_page():
    listed_pages, fetch = _listed(_page(1, 2, token="t 1", announced=3), _page(3, token="", announced=3))
    assert [
        (identifiers(part.slices), part.received, part.announced, part.is_last, part.doubts) for part in listed_pages
    ] == [(["1", "2"], 2, 3, False, ()), (["3"], 3, 3, True, ())]
    assert fetch.arguments == [
        {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc", "set": "a:b"},
        {"verb": "ListIdentifiers", "resumptionToken": "t 1"},
    ]
    (only,), _ = _listed(error("noRecordsMatch"))
    assert (only.slices, only.is_last, only.doubts) == ((), True, ())


def test_fewer_than_announced_is_a_doubt():
    listed_pages, _ = _listed(_page(1, 2, token="t", announced=9), _page(3, token=""))
    assert listed_pages[-1].doubts == ("ListIdentifiers announced 9 records and named 3.",)


@each_row(
    "first, rest, count",
    [
        (_page(1, token="t"), [_page(2, token="t")], 2),  # a token that came before
        (_page(1, token="t"), [_page(token=f"t{number}") for number in range(30)], 11),  # empty pages
        # The last page again and again: OpenSKOS#8: 172,515 announced, 274,000 read.
        (_page(1, token="t"), [_page(1, token=f"t{number}") for number in range(30)], 11),
    ],
)
def test_pages_that_go_on_without_end_are_a_doubt(first, rest, count):
    listed_pages, _ = _listed(first, *rest)
    assert (listed_pages[-1].is_last, "loops" in listed_pages[-1].doubts[0], len(listed_pages)) == (True, True, count)


def test_pages_that_go_on_where_all_that_was_announced_has_come_are_none():
    listed_pages, _ = _listed(_page(1, 2, token="t", announced=2), *(_page(1, token=f"t{n}") for n in range(30)))
    assert (len(listed_pages), listed_pages[-1].is_last, listed_pages[-1].doubts) == (2, True, ())


def test_the_token_behind_the_last_may_be_refused():
    pages = _page(1, 2, token="t", announced=3), _page(3, token="u", announced=3)
    listed_pages, _ = _listed(*pages, error("badResumptionToken"))
    assert (listed_pages[-1].is_last, listed_pages[-1].doubts) == (True, ())


@each_row("last", [error("noRecordsMatch"), _page(), _page(token=""), _page(3), _page(3, token=" ")])
def test_list_that_breaks_off_is_asked_for_from_its_last_date_on(last):
    listed_pages, fetch = _listed(_page(1, 2, token="t"), last, _page(2))
    assert fetch.arguments[2]["from"] == "2024-01-01T00:00:00Z"
    assert (listed_pages[-1].is_last, listed_pages[-1].doubts) == (True, ())


@each_row("rest", [error("noRecordsMatch"), error("badArgument"), _page(3, 4), _page(1, 2)])
def test_list_that_breaks_off_is_in_doubt_where_its_last_date_shows_nothing(rest):
    """The rest names none of the records, is refused, or is one full answer."""
    listed_pages, _ = _listed(_page(1, 2, token="t"), error("noRecordsMatch"), rest)
    assert (listed_pages[-1].is_last, len(listed_pages[-1].doubts)) == (True, 1)


@each_row("is_verbatim", [False, True])
def test_a_token_that_is_refused_is_written_in_the_other_way(is_verbatim):
    state = text_of(made_of(is_verbatim=is_verbatim))
    listed_pages, fetch = _listed(_page(1, token="a/b"), error("badResumptionToken"), _page(2, token=""), state=state)
    assert identifiers(listed_pages[-2].slices) == ["2"]
    ways = ["a%2Fb", "a/b"]
    assert [request.url.rpartition("=")[2] for request in fetch.asked[1:3]] == (ways[::-1] if is_verbatim else ways)


def test_a_header_without_an_identifier_is_a_doubt():
    listed_pages, _ = _listed(page("<header><datestamp>2024-01-01</datestamp></header>", verb="ListIdentifiers"))
    assert listed_pages[0].doubts[0].startswith("A header cannot be read:")


def _single(answer, identifier="oai:x:1"):
    return SOURCE.single(OPTIONS, CURSOR, identifier, Canned([answer], {}))


def test_a_single_record_comes_as_it_is():
    raw_page, slices = _single(page(record(1), verb="GetRecord"))
    assert (raw_page.verb, raw_page.metadata_prefix, identifiers(slices)) == ("GetRecord", "oai_dc", ["1"])
    assert b"Work 1" in raw_page.body[slices[0].start : slices[0].stop]


@each_row("code", ["idDoesNotExist", "cannotDisseminateFormat"])
def test_a_record_that_is_gone_has_no_slice(code):
    assert _single(error(code))[1] == ()


def test_other_errors_and_other_records_are_no_answer():
    with pytest.raises(RemoteError, match="badArgument"):
        _single(error("badArgument"))
    with pytest.raises(NotOaiPmh, match=r"asked for oai:x:2 and sent oai:x:1\."):
        _single(page(record(1), verb="GetRecord"), "oai:x:2")


def test_one_of_the_first_generation_is_asked_without_a_format():
    body = '<ListIdentifiers xmlns="http://www.openarchives.org/OAI/1.1/OAI_ListIdentifiers">{}</ListIdentifiers>'
    body = body.format('<identifier>oai:x:1</identifier><identifier status="deleted">oai:x:2</identifier>')
    listed_pages, fetch = _listed(body, state=text_of(made_of(is_first_generation=True)))
    assert [(slice_.identifier, slice_.is_deleted) for page in listed_pages for slice_ in page.slices] == [
        ("oai:x:1", False),
        ("oai:x:2", True),
    ]
    assert fetch.arguments == [{"verb": "ListIdentifiers", "set": "a:b"}]


@dataclass
class Inexhaustible(Canned):
    """A `fetch` that names ten other records whenever a window is longer than a second, and one in a single second."""

    answers: list = field(default_factory=list)
    numbers: count = field(default_factory=count)

    def __call__(self, request):
        self.asked.append(request)
        wanted = self.arguments[-1]
        from_, until = wanted.get("from", utc_datetime(FIRST)), wanted.get("until")
        names = (next(self.numbers) for _ in range(1 if from_ == until else 10))
        headers = (
            f"<header><identifier>oai:x:{name}</identifier><datestamp>{from_}</datestamp></header>" for name in names
        )
        text = page(*headers, token=None, verb="ListIdentifiers")
        return Fetched(request.url, 200, (("Content-Type", "text/xml"),), text.encode(), LAST)


@pytest.mark.slow
def test_parts_that_never_stand_still_are_given_up():
    dated = Datestamps()
    moments = range(FIRST, LAST, (LAST - FIRST) // 10)
    dated.add(tuple(Slice(f"oai:x:{moment}", utc_datetime(moment), (), False, 0, 0) for moment in moments))
    fetch = Inexhaustible()
    options = Options("x", "http://x.org/oai", granularity=SECONDS, from_=utc_datetime(FIRST))
    state = made_of(first=LAST, granularity=SECONDS)
    spender = Spender(fetch, Budget())
    parts = Parts(Server(options, Cursor("x", "oai_dc"), spender), spender, state, dated, lambda _: None)
    with pytest.raises(NotOaiPmh, match="no end of it"):
        parts.read()
    assert len(fetch.asked) < 1000
