"""A Solr index, asked without a network: what it is, its list, what it still has, and what speaks against it."""

from dataclasses import replace
from functools import partial
from urllib.parse import parse_qsl, urlsplit

import pytest

from gateway.core.errors import ConfigurationError, NotSolr, NotXml, RemoteRefuses
from gateway.core.model import Cursor
from harvester.http.messages import Fetched
from harvester.sources import ListEnd, Options
from harvester.sources.solr import SOURCE
from tests.rows import each_row
from tests.sample.solr import Index, laro

OPTIONS = Options("laro", "http://x.example.org/solr/laro", overlap_seconds=60, own={"rows": 10})
CURSOR = Cursor("laro", "oai_dc")


@pytest.fixture
def index():
    return Index(laro(25, 2))


@pytest.fixture
def fetch(index):
    def fetch(request):
        status, body, media_type = index.answer(parse_qsl(urlsplit(request.url).query))
        return Fetched(request.url, status, (("Content-Type", media_type),), body, 1_700_000_000)

    return fetch


@pytest.fixture
def steps(fetch):
    return lambda options=OPTIONS, cursor=CURSOR: list(SOURCE.changes(options, cursor, fetch))


def _names(steps):
    return [slice_.identifier.rpartition("-")[2] for step in steps for slice_ in step.slices]


def _state(steps):
    return steps[-1].cursor


# --- what it is ---------------------------------------------------------------------------------------------------


def test_an_index_says_how_much_it_has_and_since_when(fetch):
    description = SOURCE.describe(OPTIONS, fetch)
    assert description.repository_name == "Solr index laro: 25 documents"
    assert (description.earliest_datestamp, description.deleted_record) == ("2016-01-01T17:00:00Z", "no")
    assert [page.verb for page in description.pages] == ["select", "select"]


@each_row(
    "fields, sentence",
    [
        (
            {"timestamp": "stamp"},
            "by its timestamp, which is configured as the field 'stamp': 400: undefined field stamp",
        ),
        ({"identifier": "key"}, "by its identifier, which is configured as the field 'key': 400: undefined field key"),
        ({"identifier": "doi"}, "by its identifier.*Cursor functionality requires"),
        ({"titel": "t"}, "fields has an unknown name 'titel'. Write one of: identifier, timestamp, title"),
    ],
)
def test_without_an_identifier_or_a_timestamp_it_is_refused(fetch, fields, sentence):
    with pytest.raises(ConfigurationError, match=sentence):
        SOURCE.describe(replace(OPTIONS, own={"fields": fields}), fetch)


def test_an_old_solr_is_refused(index, fetch):
    index.has_cursors = False
    for ask in (SOURCE.describe, lambda options, fetch: list(SOURCE.changes(options, CURSOR, fetch))):
        with pytest.raises(NotSolr, match=r"Solr 4\.7 or newer"):
            ask(OPTIONS, fetch)


def test_an_empty_index_is_no_trouble(index, fetch, steps):
    index.documents.clear()
    assert SOURCE.describe(OPTIONS, fetch).earliest_datestamp == ""
    (only,) = steps()
    assert (only.is_complete, only.received, only.announced) == (True, 0, (0, 0))


# --- its list -----------------------------------------------------------------------------------------------------


@each_row("wt", ["xml", "json"])
def test_the_whole_index_comes_in_the_order_of_its_keys(steps, wt):
    all_steps = steps(replace(OPTIONS, own={"rows": 10, "wt": wt}))
    assert _names(all_steps) == [f"{number:06}" for number in range(25)]
    assert [len(step.slices) for step in all_steps] == [10, 10, 5, 0]
    assert [step.end for step in all_steps] == [ListEnd.MORE] * 3 + [ListEnd.PROPER]
    assert (all_steps[-1].is_complete, all_steps[-1].received, all_steps[-1].announced) == (True, 25, (25, 25))
    first = all_steps[0].slices[0]
    text = all_steps[0].page.repaired or all_steps[0].page.body
    assert text[first.start : first.stop].startswith(b'<doc><str name="recID">info:lanl-repo/lareport/LA-UR-000000<')
    assert (first.identifier, first.datestamp) == ("info:lanl-repo/lareport/LA-UR-000000", "2016-01-01T17:00:00Z")


def test_the_values_of_some_fields_are_sets(steps):
    first = steps(replace(OPTIONS, own={"set_fields": ["dataset", "publication"]}))[0].slices[0]
    assert first.sets == ("dataset:RASSTI", "publication:Astronomical Review")
    assert steps()[0].slices[0].sets == ()


def test_the_next_harvest_asks_from_the_newest_timestamp_less_the_overlap(index, steps):
    cursor = _state(steps())
    index.asked.clear()
    index.documents["a"] = laro(1)[0] | {"recID": "a", "timestamp": "2016-01-02T00:00:00.5Z"}
    all_steps = steps(replace(OPTIONS, overlap_seconds=4), cursor)
    assert index.asked[1]["fq"] == "timestamp:[2016-01-01T17:00:20Z TO 2016-01-02T00:00:00.5Z]"
    assert _names(all_steps) == ["a", *(f"{number:06}" for number in range(20, 25))]


def test_what_gets_a_new_stamp_while_the_list_is_walked_is_the_next_ones(index, fetch):
    walk = SOURCE.changes(OPTIONS, CURSOR, fetch)
    first = next(walk)
    moved = index.documents["info:lanl-repo/lareport/LA-UR-000024"]
    moved["timestamp"] = "2016-01-05T00:00:00Z"
    all_steps = [first, *walk]
    assert (len(_names(all_steps)), all_steps[-1].announced, all_steps[-1].is_complete) == (24, (25, 24), True)
    assert "000024" in _names(list(SOURCE.changes(OPTIONS, _state(all_steps), fetch)))


def test_an_interrupted_list_goes_on_at_its_mark(index, fetch, steps):
    walk = SOURCE.changes(OPTIONS, CURSOR, fetch)
    cursor = [next(walk), next(walk)][-1].cursor
    index.asked.clear()
    all_steps = steps(cursor=cursor)
    assert _names(all_steps) == [f"{number:06}" for number in range(20, 25)]
    assert (all_steps[-1].received, all_steps[-1].is_complete) == (25, True)
    assert all("cursorMark" in request for request in index.asked[:2])


def test_a_mark_that_is_refused_begins_the_list_anew(fetch, steps):
    cursor = next(SOURCE.changes(OPTIONS, CURSOR, fetch)).cursor
    mark = "QW"  # no base64: what an index of another version may say of an old mark
    broken = replace(cursor, state=cursor.state.replace('"token": "', f'"token": "{mark}'))
    all_steps = steps(cursor=broken)
    assert all_steps[0].notes[0].startswith("The cursorMark was refused (400: Unable to parse 'cursorMark'")
    assert (len(_names(all_steps)), all_steps[-1].is_complete) == (25, True)


ERROR = b"<response><lst name='error'><int name='code'>%d</int><str name='msg'>the mark</str></lst></response>"


def _without(fetch, names, answer):
    """Return a fetch that answers so where whole documents with one of these names are asked for."""

    def asked(request):
        fetched = fetch(request)
        is_hit = "fl=%2A" in request.url and any(f"-{name}<".encode() in fetched.body for name in names)
        return replace(fetched, **answer) if is_hit else fetched

    return asked


@each_row(
    "answer",
    [
        {"status": 500, "body": ERROR % 500},
        {"status": 500, "body": b"<html>ill</html>"},
        {"body": b"<response><result"},
    ],
)
def test_a_document_that_never_comes_is_named_and_the_rest_comes(index, fetch, steps, answer):
    whole = _names(steps())
    bad = whole[3], whole[12], whole[13]
    all_steps = list(SOURCE.changes(OPTIONS, CURSOR, _without(fetch, bad, answer)))
    assert _names(all_steps) == whole
    problems = {
        slice_.identifier.rpartition("-")[2]: slice_.problem
        for step in all_steps
        for slice_ in step.slices
        if slice_.problem
    }
    assert set(problems) == set(bad)
    assert all(problem.startswith("It could not be fetched: ") for problem in problems.values())
    assert all_steps[-1].is_complete
    assert any("fewer are requested" in note for step in all_steps for note in step.notes)


def test_fewer_documents_than_were_found_is_a_doubt_and_no_progress(index, steps):
    index.added = 3
    all_steps = steps()
    assert all_steps[-1].doubts == ("The index announced 28 documents and sent 25.",)
    assert '"complete"' not in _state(all_steps).state


@each_row(
    "marks, documents, end, why",
    [
        ("abcabc", '{"recID": "1"}', ListEnd.TOKEN_REPEATED, "would never end"),
        (range(99), "", ListEnd.EMPTY_PAGES, ""),
    ],
)
def test_marks_that_go_in_rings_or_bring_nothing_end_the_list_as_not_whole(marks, documents, end, why):
    given = iter(marks)

    def fetch(request):
        mark = next(given) if "cursorMark" in request.url else ""
        body = f'{{"response": {{"numFound": 1, "docs": [{documents}]}}, "nextCursorMark": "{mark}"}}'
        return Fetched(request.url, 200, (), body.encode(), 0)

    last = list(SOURCE.changes(OPTIONS, CURSOR, fetch))[-1]
    assert last.end is end
    assert why in last.doubts[0]


def test_dates_of_the_entry_bound_every_harvest(index, steps):
    all_steps = steps(replace(OPTIONS, from_="2016-01-01T17:00:05Z", until="2016-01-01T17:00:07Z"))
    assert _names(all_steps) == ["000005", "000006", "000007"]
    assert index.asked[1]["fq"] == "timestamp:[2016-01-01T17:00:05Z TO 2016-01-01T17:00:07.373Z]"


def test_a_window_leaves_the_harvest_where_it_was(index, fetch, steps):
    begun = next(SOURCE.changes(OPTIONS, CURSOR, fetch)).cursor
    window = replace(OPTIONS, window=("2016-01-01T17:00:05Z", ""))
    paused = next(SOURCE.changes(window, begun, fetch)).cursor
    all_steps = steps(window, paused)
    assert _names(all_steps) == [f"{number:06}" for number in range(15, 25)]
    assert (all_steps[-1].received, _state(all_steps)) == (20, begun)
    assert _names(steps(cursor=paused))[0] == "000010"
    assert len(_names(steps(window, _state(steps())))) == 20


def test_what_is_no_answer_of_solr_is_asked_again_and_reported():
    asked = []

    def fetch(request):
        asked.append(request.repetition)
        return Fetched(request.url, 200, (), b"<html>Sorry", 0)

    with pytest.raises(NotXml, match="was asked 4 times"):
        SOURCE.describe(OPTIONS, fetch)
    assert asked == [0, 1, 2, 3]
    with pytest.raises(RemoteRefuses, match="404"):
        SOURCE.describe(OPTIONS, lambda request: Fetched(request.url, 404, (), b"<html/>", 0))


# --- what it still has --------------------------------------------------------------------------------------------


def test_every_identifier_is_named_and_fewer_than_announced_are_a_doubt(index, fetch):
    listed_pages = list(SOURCE.listed(OPTIONS, CURSOR, fetch))
    last = listed_pages[-1]
    assert sum(len(listed_page.slices) for listed_page in listed_pages) == 25
    assert (last.is_last, last.received, last.announced, last.doubts) == (True, 25, 25, ())
    index.added = 1
    doubt = "The index announced 26 documents and listed 25."
    assert list(SOURCE.listed(OPTIONS, CURSOR, fetch))[-1].doubts == (doubt,)


def test_a_single_document_comes_or_is_gone(fetch):
    page, (only,) = SOURCE.single(OPTIONS, CURSOR, "info:lanl-repo/lareport/LA-UR-000003", fetch)
    assert b"LA-UR-000003" in page.body[only.start : only.stop]
    assert SOURCE.single(OPTIONS, CURSOR, 'info:"none\\', fetch)[1] == ()


# --- whether an address is one ------------------------------------------------------------------------------------


def _recognised(fetch, url=OPTIONS.url):
    return SOURCE.recognise(Fetched(url, 404, (), b"<html/>", 0), fetch)


def test_an_index_is_recognised_with_its_own_fields_wherever_it_is_and_though_it_is_empty(index, fetch):
    table = {"url": "http://x.example.org/solr/laro/select"}
    assert _recognised(fetch)[:2] == ("A Solr index with 25 documents.", table)
    fetched = fetch(partial(replace, Fetched("", 0, (), b"", 0))(url="http://x.example.org/find?q=*:*"))
    assert SOURCE.recognise(fetched, fetch).table == {"url": "http://x.example.org/find"}
    index.documents.clear()
    assert _recognised(fetch).sentence == "A Solr index with 0 documents."
