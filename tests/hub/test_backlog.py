"""The metrics know the oldest change that a subscriber did not get, without a search of the same time again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gateway.core.model import Subscriber
from gateway.hub.topics import Backlog, Topics
from gateway.resourcesync.addresses import ResourceSet
from tests.publish.desk import Desk, Sent, make_databases

SITE = "https://gateway.example.org"
LIST = f"{SITE}/resourcesync/oai_dc/source/changelist-open.xml"
SET = f"{SITE}/oai?verb=ListRecords&metadataPrefix=oai_dc&set=source:laro:x"


@pytest.fixture
def desk(tmp_path: Path, ready_made: Callable[..., None]) -> Iterator[Desk]:
    ready_made(tmp_path, make_databases)
    desk = Desk(tmp_path)
    with closing(desk.store), closing(desk.inbox):
        yield desk


def subscriber(topic: str, delivered_until: float) -> Subscriber:
    return Subscriber(1, "https://a.example.net/", topic, "", "", 10**11, int(delivered_until), 0, 0, 0, "")


def oldest(backlog: Backlog, desk: Desk, *subscribers: Subscriber) -> int | None:
    with desk.store.view() as view:
        return backlog.oldest(view, subscribers)


def publish(desk: Desk, name: str, **header: Any) -> int:
    """Publish a record; return its datestamp, which is below the horizon then."""
    desk.sent(Sent(name, **header))
    record = desk.record(name)
    assert record is not None
    desk.now += 2
    return int(record.datestamp)


def test_the_oldest_change_is_that_of_the_subscriber_who_is_furthest_behind(desk):
    backlog = Backlog(Topics(SITE, f"{SITE}/oai", [ResourceSet("oai_dc")]))
    first, second = publish(desk, "1"), publish(desk, "2")
    assert oldest(backlog, desk) is None
    assert oldest(backlog, desk, subscriber(LIST, desk.now)) is None
    assert oldest(backlog, desk, subscriber(LIST, first + 1)) == second
    assert oldest(backlog, desk, subscriber(LIST, first + 1), subscriber(LIST, first)) == first
    assert oldest(backlog, desk, subscriber(f"{SITE}/nothing", 0)) is None
