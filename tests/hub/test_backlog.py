"""The metrics know the oldest change that a subscriber did not get, without a search of the same time again."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gateway.core.model import Subscriber
from gateway.hub.topics import Backlog, Topics
from gateway.resourcesync.addresses import ResourceSet
from tests.publish.harness import Harness, Sent, make_databases

SITE = "https://gateway.example.org"
LIST = f"{SITE}/resourcesync/oai_dc/source/changelist-open.xml"
SET = f"{SITE}/oai?verb=ListRecords&metadataPrefix=oai_dc&set=source:laro:x"


@pytest.fixture
def harness(tmp_path: Path, ready_made: Callable[..., None]) -> Iterator[Harness]:
    ready_made(tmp_path, make_databases)
    harness = Harness(tmp_path)
    with closing(harness.store), closing(harness.inbox):
        yield harness


def subscriber(topic: str, delivered_until: float) -> Subscriber:
    return Subscriber(1, "https://a.example.net/", topic, "", "", 10**11, int(delivered_until), 0, 0, 0, "")


def oldest(backlog: Backlog, harness: Harness, *subscribers: Subscriber) -> int | None:
    with harness.store.view() as view:
        return backlog.oldest(view, subscribers)


def publish(harness: Harness, name: str, **header: Any) -> int:
    """Publish a record; return its datestamp, which is below the horizon then."""
    harness.sent(Sent(name, **header))
    record = harness.record(name)
    assert record is not None
    harness.now += 2
    return int(record.datestamp)


def test_the_oldest_change_is_that_of_the_subscriber_who_is_furthest_behind(harness):
    backlog = Backlog(Topics(SITE, f"{SITE}/oai", [ResourceSet("oai_dc")]))
    first, second = publish(harness, "1"), publish(harness, "2")
    assert oldest(backlog, harness) is None
    assert oldest(backlog, harness, subscriber(LIST, harness.now)) is None
    assert oldest(backlog, harness, subscriber(LIST, first + 1)) == second
    assert oldest(backlog, harness, subscriber(LIST, first + 1), subscriber(LIST, first)) == first
    assert oldest(backlog, harness, subscriber(f"{SITE}/nothing", 0)) is None
