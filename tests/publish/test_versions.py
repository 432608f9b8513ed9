"""Of several versions of a record in one list the newest is published, in whatever order and batches they come."""

import pytest

from gateway.core.model import Slice
from gateway.publish.publish import publish_pending
from gateway.publish.versions import is_older, stated_datestamp
from tests.publish.harness import START, Harness, Sent, dc
from tests.rows import each_row

OLD, NEW, NEWEST = "2010-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"
FUTURE = "2999-01-01T00:00:00Z"


@each_row(
    "one, other, expected",
    [
        (OLD, NEW, True),
        (NEW, OLD, False),
        (NEW, NEW, False),
        ("", NEW, False),
        (OLD, "", False),
        ("2020-01-01", "2020-01-01T12:00:00Z", False),
        ("2020-01-01T12:00:00Z", "2020-01-02", True),
        ("2020-01-01T01:00:00+03:00", "2020-01-01", True),
        ("2020-01-01T00:00:00.5Z", "2020-01-01T00:00:01Z", True),
        ("2020-01-01T00:00:00", "2020-01-01T00:00:01Z", True),
        ("2020-01-01T25:00:00Z", "2020-01-02T00:00:00.0Z", True),
        ("2020-01-01T25:00:00Z", "2020-01-01T00:00:00.0Z", False),
    ],
)
def test_datestamps_are_compared_as_moments_or_by_their_days(one: str, other: str, expected: bool) -> None:
    assert is_older(one, other) is expected


@each_row(
    "text, is_deleted, expected",
    [
        (f" {NEW} ", False, NEW),
        ("yesterday", False, ""),
        (FUTURE, False, ""),
        ("2023-11-15T10:00:00Z", False, "2023-11-15T10:00:00Z"),  # within a day of START
        ("2023-11-14T22:13:20Z", True, ""),  # START: what we found missing ourselves
        ("2023-11-14T22:13:20Z", False, "2023-11-14T22:13:20Z"),
    ],
)
def test_a_datestamp_counts_when_it_is_the_sources_own_and_not_in_the_future(text, is_deleted, expected) -> None:
    assert stated_datestamp(Slice("1", text, (), is_deleted, 0, 0), START) == expected


def _title(harness: Harness, upstream: str = "1") -> str:
    record = harness.record(upstream)
    return "" if record.is_deleted else record.content.decode().partition("<dc:title>")[2].partition("<")[0]


@pytest.mark.parametrize("is_one_batch", [True, False])
def test_an_older_version_later_in_the_list_does_not_replace_the_newer(harness: Harness, is_one_batch: bool) -> None:
    harness.send(Sent("1", dc("New"), datestamp=NEW), begun=0)
    counts = None if is_one_batch else harness.publish()
    harness.send(Sent("1", dc("Old"), datestamp=OLD), begun=0)
    counts = harness.publish()
    assert (_title(harness), counts.older_versions, counts.gone_back) == ("New", 1, 0)


def test_of_versions_that_cannot_be_told_apart_the_later_one_is_published(harness: Harness) -> None:
    stated = (NEW, "", "unknown", FUTURE, "2020-01-01")
    names = [str(number) for number in range(len(stated))]
    harness.sent(*(Sent(name, dc("First"), datestamp=NEW) for name in names), begun=0)
    later = (Sent(name, dc("Later"), datestamp=datestamp) for name, datestamp in zip(names, stated, strict=True))
    assert harness.sent(*later, begun=0).published == len(stated)
    assert [_title(harness, name) for name in names] == ["Later"] * len(stated)


def test_an_older_version_of_another_list_is_published_and_reported(harness: Harness) -> None:
    """The source was restored from a backup."""
    page = harness.send(Sent("1", dc("New"), datestamp=NEW), Sent("2", dc("Other"), datestamp=NEW), begun=0)
    harness.publish()
    counts = harness.sent(Sent("1", dc("Old"), datestamp=OLD), Sent("2", dc("Other"), datestamp=NEW), begun=page)
    assert (counts.published, counts.unchanged, counts.gone_back, counts.example) == (1, 1, 1, "1")
    assert _title(harness) == "Old"


@pytest.mark.parametrize("is_one_batch", [True, False])
@pytest.mark.parametrize("order", [(OLD, NEW), (NEW, OLD)])
def test_two_lists_that_bring_an_old_and_a_new_version_in_turn_end_with_the_new_one(
    harness, order, is_one_batch
) -> None:
    """Two sets of a source, say, one of which has an old copy of the record."""
    gone_back = []
    for _ in range(5):
        counts = []
        for datestamp in order:
            harness.send(Sent("1", dc(datestamp), datestamp=datestamp), begun=harness.inbox.last_number())
            counts += [] if is_one_batch else [harness.publish()]
        counts += [harness.publish()] if is_one_batch else []
        gone_back.append(sum(count.gone_back for count in counts))
    assert _title(harness) == NEW
    assert sum(gone_back) <= 2  # it may be a backup, once
    assert gone_back[-3:] == [0, 0, 0]


def test_an_older_version_that_was_asked_for_by_itself_does_not_replace_the_newer(harness: Harness) -> None:
    harness.sent(Sent("1", dc("New"), datestamp=NEW), begun=0)
    counts = harness.sent(Sent("1", dc("Old"), datestamp=OLD), verb="GetRecord")
    assert (_title(harness), counts.older_versions, counts.gone_back) == ("New", 1, 0)
    harness.send(Sent("2", dc("New"), datestamp=NEW), begun=0)
    harness.send(Sent("2", dc("Old"), datestamp=OLD), verb="GetRecord")
    harness.publish()
    assert _title(harness, "2") == "New"


def test_a_deleted_record_that_returns_with_an_older_datestamp_is_published(harness: Harness) -> None:
    harness.sent(Sent("1", dc("Here"), datestamp=OLD), begun=0)
    harness.sent(Sent("1", None, datestamp=NEW), begun=0)
    harness.sent(Sent("1", dc("Here"), datestamp=OLD), verb="GetRecord")
    assert _title(harness) == "Here"


@pytest.mark.parametrize("is_one_page", [True, False])
def test_an_older_deletion_behind_a_record_that_came_as_it_is_held_deletes_nothing(
    harness: Harness, is_one_page
) -> None:
    """As in every further harvest of the whole list."""
    here, gone = Sent("1", dc("New"), datestamp=NEW), Sent("1", None, datestamp=OLD)
    page = harness.send(here, gone, begun=0)
    harness.publish()
    for _ in range(2):
        begun = harness.inbox.last_number()
        _ = harness.sent(here, gone, begun=begun) if is_one_page else harness.sent(here, begun=begun)
        counts = harness.sent(gone, begun=begun)
        assert (counts.older_versions, counts.gone_back, _title(harness)) == (1, 0, "New")
    assert page


def test_what_we_deleted_ourselves_returns_without_having_gone_back(harness: Harness) -> None:
    harness.sent(Sent("1", dc("Here"), datestamp=OLD), begun=0)
    page = harness.send(Sent("1", None, datestamp="2023-11-14T22:13:20Z"))
    harness.publish()
    counts = harness.sent(Sent("1", dc("Here"), datestamp=OLD), begun=page)
    assert (_title(harness), counts.gone_back) == ("Here", 0)


@pytest.mark.parametrize("at_once", [1, 2])
def test_an_older_version_of_what_the_list_has_deleted_is_not_published(harness: Harness, at_once: int) -> None:
    """Nothing was held of it when its deletion came."""
    harness.send(Sent("1", None, datestamp=NEW), begun=0)
    harness.send(Sent("1", dc("Old"), datestamp=OLD), begun=0)
    counts = [
        publish_pending(harness.store, harness.inbox, "laro", harness.facts(), limit_pages=at_once) for _ in range(2)
    ]
    assert (harness.state(), sum(count.ignored for count in counts), sum(count.older_versions for count in counts)) == (
        None,
        1,
        1,
    )
    assert harness.sent(Sent("1", dc("Old"), datestamp=OLD), begun=2).published == 1


def test_pages_of_earlier_releases_are_published_as_they_were(harness: Harness) -> None:
    harness.sent(Sent("1", dc("New"), datestamp=NEW))
    assert harness.sent(Sent("1", dc("Old"), datestamp=OLD)).published == 1


def test_a_deletion_that_waits_leaves_the_record_and_is_counted(harness: Harness) -> None:
    harness.sent(Sent("1", dc("Here"), datestamp=OLD), begun=0)
    counts = harness.sent(Sent("1", None, datestamp=NEW, waits=True), begun=1)
    assert (counts.received, counts.held_back, counts.published) == (1, 1, 0)
    assert (_title(harness), harness.store.counts("laro")["waiting"]) == ("Here", 1)


def test_an_older_version_than_a_deletion_that_waits_does_not_end_the_waiting(harness: Harness) -> None:
    harness.sent(Sent("1", dc("Here"), datestamp=OLD), begun=0)
    harness.sent(Sent("1", None, datestamp=NEWEST, waits=True), begun=1)
    assert harness.sent(Sent("1", dc("Between"), datestamp=NEW), begun=1).older_versions == 1
    assert harness.store.counts("laro")["waiting"] == 1
    assert harness.sent(Sent("1", dc("Between"), datestamp=NEW), begun=3).published == 1
    assert (_title(harness), harness.store.counts("laro")["waiting"]) == ("Between", 0)
