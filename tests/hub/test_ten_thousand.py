"""Ten thousand subscriptions of one network: it gets its share, the others are served, in bounded time and memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import Any
from urllib.parse import urlencode

import pytest

from gateway.settings import SETTINGS
from tests.page_house import House, opened
from tests.publish.desk import make_databases

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

TOPIC = "https://gateway.example.org/oai?verb=ListRecords&metadataPrefix=oai_dc"
COUNT = 10_000
MOST_SECONDS = 60.0  # of the processor, for all requests; they take some fifteen
MOST_MIB = 64


@pytest.fixture
def opened_by(tmp_path: Path, ready_made: Callable[..., None]) -> Iterator[Callable[..., House]]:
    ready_made(tmp_path, make_databases)
    with ExitStack() as stack:

        def made(**settings: Any) -> House:
            house = stack.enter_context(opened(tmp_path, hub=True, **settings))
            house.add("1")
            house.desk.now += 5
            return house

        yield made


def ask(house: House, number: int, address: str) -> int:
    form = {"hub.callback": f"https://{number}.example.net/", "hub.mode": "subscribe", "hub.topic": TOPIC}
    return (
        house.app.test_client()
        .post(
            "/hub",
            data=urlencode(form),
            content_type="application/x-www-form-urlencoded",
            environ_base={"REMOTE_ADDR": address},
        )
        .status_code
    )


def asked(house: House) -> list[int]:
    """Ask ten thousand times from addresses of one network; return the statuses. Check time and memory."""
    ask(house, COUNT, "198.51.100.1")
    begun, memory = process_time(), getrusage(RUSAGE_SELF).ru_maxrss
    statuses = [ask(house, number, f"192.0.2.{number % 250}") for number in range(COUNT)]
    assert process_time() - begun < MOST_SECONDS
    assert (getrusage(RUSAGE_SELF).ru_maxrss - memory) / 1024 < MOST_MIB
    return statuses


def test_a_network_gets_its_share_and_no_more(opened_by):
    house = opened_by()
    limit = next(int(setting.default) for setting in SETTINGS if setting.name == "hub_subscriptions_of_network")
    assert asked(house) == [202] * limit + [429] * (COUNT - limit)
    assert ask(house, COUNT + 1, "203.0.113.1") == 202, "others are served"
    assert ask(house, 0, "192.0.2.1") == 202, "it may renew what it has"
    assert len(house.app.extensions["subscribers"].requests(10**11, 2 * COUNT)) == limit + 2


def test_as_many_as_are_allowed_are_stored(opened_by):
    house = opened_by(hub_subscriptions=COUNT + 10, hub_subscriptions_of_network=COUNT)
    assert asked(house) == [202] * COUNT
    assert ask(house, COUNT + 1, "192.0.2.1") == 429
    assert ask(house, COUNT + 1, "203.0.113.1") == 202
