"""A Static Repository, asked without a network: at first, again, when it changed, and when it shrank."""

from dataclasses import replace

import pytest

from gateway.core.errors import ConfigurationError, RemoteError
from gateway.core.model import Cursor
from harvester.http.messages import Fetched
from harvester.sources import Held, ListEnd, Options
from harvester.sources.static_repository import SOURCE
from tests.rows import each_row
from tests.sources.static_repository.static import document, record

OPTIONS = Options("small", "http://x.example.org/small.xml")
CURSOR = Cursor("small", "oai_dc")


class Site:
    """One document at an address, with or without ranges and validators."""

    def __init__(self, body, etag='"1"', has_ranges=True):
        self.body, self.etag, self.has_ranges, self.asked = body, etag, has_ranges, []

    def __call__(self, request):
        headers = dict(request.headers)
        self.asked.append(headers)
        given = (("ETag", self.etag),) if self.etag else ()
        if self.etag and headers.get("If-None-Match") == self.etag:
            return Fetched(request.url, 304, given, b"", 1_700_000_000)
        if "Range" in headers and self.has_ranges:
            return Fetched(request.url, 206, given, self.body[: int(headers["Range"].partition("-")[2]) + 1], 0)
        return Fetched(request.url, 200, given, self.body, 1_700_000_000)


class Holding:
    """What is held, as a test says."""

    def __init__(self, *identifiers, deleted=()):
        self.held = [
            *((identifier, False) for identifier in identifiers),
            *((identifier, True) for identifier in deleted),
        ]

    def items(self, _prefix):
        return (Held(identifier, is_deleted, "", b"", (), is_as_received=True) for identifier, is_deleted in self.held)


def _steps(site, cursor=CURSOR, **options):
    return list(SOURCE.changes(replace(OPTIONS, **options), cursor, site))


def _names(steps, *, deleted=False):
    slices = [slice_ for step in steps for slice_ in step.slices]
    return [slice_.identifier.rpartition(":")[2] for slice_ in slices if slice_.is_deleted == deleted]


@each_row("has_ranges", [True, False])
def test_it_says_who_it_is_by_its_beginning(has_ranges):
    site = Site(document(*map(record, range(1000))), has_ranges=has_ranges)
    description = SOURCE.describe(OPTIONS, site)
    assert (description.repository_name, description.granularity, description.deleted_record) == (
        "Small",
        "YYYY-MM-DD",
        "no",
    )
    assert [format_.metadata_prefix for format_ in description.formats] == ["oai_dc"]
    assert [page.verb for page in description.pages] == ["Identify", "ListMetadataFormats"]
    assert len(site.asked) == 1
    assert all(len(page.body) < 2000 for page in description.pages)


def test_one_record_that_breaks_the_rules_leaves_the_others_alone():
    body = document(*map(record, range(4))).replace(b"<oai:header>", b'<oai:header status="deleted">', 1)
    steps = _steps(Site(body.replace(b":metadata>", b":about>", 4).replace(b":about>", b":metadata>", 2)))
    assert (_names(steps), _names(steps, deleted=True), steps[-1].is_complete) == (["1", "2", "3"], ["0"], True)
    assert [bool(slice_.problem) for slice_ in steps[0].slices] == [False, True, False, False]
    assert "are deleted, which is not allowed: oai:small:0 (1)" in steps[0].notes[0]


def test_everything_comes_page_by_page_and_is_shown_to_be_all():
    steps = _steps(Site(document(*map(record, range(1100)))))
    assert [len(step.slices) for step in steps] == [500, 500, 100, 0]
    assert [step.end for step in steps] == [ListEnd.MORE] * 3 + [ListEnd.PROPER]
    assert (steps[-1].is_complete, steps[-1].received, steps[-1].announced) == (True, 1100, (1100, 1100))
    page, first = steps[1].page, steps[1].slices[0]
    assert page.body[first.start : first.stop].startswith(b"<oai_dc:dc")


def test_the_next_time_only_a_document_that_changed_is_read():
    site = Site(document(record(1)))
    cursor = _steps(site)[-1].cursor
    (only,) = _steps(site, cursor)
    assert (only.is_complete, only.slices, only.notes) == (True, (), ("The document has not changed.",))
    assert only.page.status == 304
    site.body, site.etag = document(record(1), record(2)), '"2"'
    assert _names(_steps(site, cursor)) == ["1", "2"]


def test_a_server_without_validators_is_told_by_the_digest():
    site = Site(document(record(1)), etag="")
    cursor = _steps(site)[-1].cursor
    assert _names(_steps(site, cursor)) == ["1"]
    ignoring = Site(site.body)
    cursor = _steps(ignoring)[-1].cursor
    ignoring.etag = '"another"'
    assert _steps(ignoring, cursor)[0].notes == ("The document has not changed.",)


def test_what_vanished_is_deleted():
    site = Site(document(record(1), record(2)))
    steps = _steps(site, holdings=Holding("oai:small:1", "oai:small:9", deleted=("oai:small:8",)))
    assert (_names(steps), _names(steps, deleted=True)) == (["1", "2"], ["9"])
    assert (steps[-1].is_complete, steps[-1].slices[0].datestamp) == (True, "2023-11-14T22:13:20Z")


def test_nothing_is_deleted_where_most_of_it_vanished():
    held = Holding(*(f"oai:small:{number}" for number in range(23)))
    assert len(_names(_steps(Site(document(*map(record, range(12)))), holdings=held), deleted=True)) == 11
    steps = _steps(Site(document(*map(record, range(11)))), holdings=held)
    assert (_names(steps, deleted=True), steps[-1].is_complete) == ([], False)
    assert "lacks 12 of the 23 stored records, which may be an error" in steps[-1].doubts[0]


def test_nothing_has_vanished_while_a_record_does_not_say_which_one_it_is():
    """What lost its identifier by a slip was deleted."""
    nameless = record(2).replace("oai:small:2", "")
    site = Site(document(record(1), nameless))
    holdings = Holding("oai:small:1", "oai:small:2")
    steps = _steps(site, holdings=holdings)
    assert (_names(steps, deleted=True), steps[-1].is_complete) == ([], False)
    assert "has no identifier" in steps[-1].doubts[0]
    (named,) = SOURCE.listed(OPTIONS, CURSOR, site)
    assert named.doubts == steps[-1].doubts
    assert _steps(site, holdings=Holding("oai:small:1"))[-1].is_complete
    site.body, site.etag = document(record(1)), '"2"'
    assert _names(_steps(site, steps[-1].cursor, holdings=holdings), deleted=True) == ["2"]


def test_an_interrupted_document_goes_on_behind_its_last_page():
    site = Site(document(*map(record, range(600))))
    cursor = next(iter(SOURCE.changes(OPTIONS, CURSOR, site))).cursor
    assert _names(_steps(site, cursor)) == [str(number) for number in range(500, 600)]
    site.body += b"<!-- another -->"
    assert len(_names(_steps(site, cursor))) == 600


@each_row("state", ["{", "[]", '{"version": 2}', '{"brought": "all"}', '{"other": 1}'])
def test_a_state_that_cannot_be_read_means_from_the_start(state):
    assert _names(_steps(Site(document(record(1))), replace(CURSOR, state=state))) == ["1"]


def test_dates_choose_records_and_a_window_leaves_the_harvest_where_it_was():
    site = Site(document(record(1, datestamp="2001-01-01"), record(2, datestamp="2002-02-02")))
    assert _names(_steps(site, from_="2002-01-01")) == ["2"]
    assert _names(_steps(site, until="2001-06-01")) == ["1"]
    cursor = _steps(site)[-1].cursor
    steps = _steps(site, cursor, window=("2002-01-01", ""), holdings=Holding("oai:small:9"))
    assert (_names(steps), _names(steps, deleted=True), steps[-1].cursor) == (["2"], [], cursor)
    with pytest.raises(ConfigurationError, match="dates to harvest"):
        _steps(site, from_="yesterday")


def test_a_format_that_it_does_not_have_is_refused():
    with pytest.raises(RemoteError, match="cannotDisseminateFormat: The document has no records in mods"):
        _steps(Site(document(record(1))), replace(CURSOR, metadata_prefix="mods"))


def test_every_record_is_named_and_a_single_one_comes_or_is_gone():
    site = Site(document(record(1), record(2)))
    (only,) = SOURCE.listed(OPTIONS, CURSOR, site)
    assert (len(only.slices), only.received, only.announced, only.is_last) == (2, 2, 2, True)
    page, (second,) = SOURCE.single(OPTIONS, CURSOR, "oai:small:2", site)
    assert b"A title" in page.body[second.start : second.stop]
    assert SOURCE.single(OPTIONS, CURSOR, "oai:small:3", site)[1] == ()


def test_it_is_recognised_by_what_it_says():
    site = Site(document(record(1)))
    recognised = SOURCE.recognise(Fetched(OPTIONS.url, 200, (), site.body, 0), site)
    assert recognised.sentence == "A Static Repository: Small, 1 records in oai_dc."
    assert recognised.table == {"url": OPTIONS.url, "formats": ["oai_dc"]}
    assert SOURCE.recognise(Fetched(OPTIONS.url, 200, (), b"<html/>", 0), site) is None
