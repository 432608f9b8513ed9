"""Publishing everything: the next pages are mapped while these are written, and nothing is other than one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

import pytest

from gateway.errors import IntentExpired, PositionMoved
from gateway.publish import publish_all
from tests.publish.desk import Desk, Sent, dc, mods, pdf


def everything(desk: Desk, mapper=map) -> Counter[str]:
    total: Counter[str] = Counter()
    for counts in publish_all(desk.store, desk.inbox, "laro", desk.facts(), mapper, 1):
        total.update(asdict(counts))
    return total


def test_all_pages_are_published_and_counted(desk: Desk) -> None:
    for page in range(4):
        desk.send(*(Sent(f"{page}/{number}", dc("T", pdf())) for number in range(3)))
    counts = everything(desk)
    assert (counts["pages"], counts["received"], counts["published"], counts["stamped"]) == (4, 12, 12, 24)
    assert everything(desk) == Counter()


def test_the_next_page_is_mapped_before_this_one_is_written(desk: Desk) -> None:
    desk.send(Sent("1"))
    desk.send(Sent("2"))
    begun = []

    def mapper(function, tasks):
        begun.append(([task.upstream for task in tasks], desk.record("1") is None))
        return map(function, tasks)

    everything(desk, mapper)
    assert begun == [(["1"], True), (["2"], True)]


def test_an_item_on_two_pages_in_a_row_is_mapped_from_what_was_written_of_it(desk: Desk) -> None:
    """Its second format arrives while the first is on its way; the oai_dc that came is carried all the same."""
    desk.send(Sent("1", dc("As it came")), Sent("2"))
    desk.send(Sent("1", mods("Richer")), prefix="mods")
    desk.send(Sent("2", None))
    counts = everything(desk)
    assert counts["received"] == counts["published"] == 4
    assert b"As it came" in desk.record("1").content
    assert desk.formats("1") == ["mods", "oai_dc", "oai_didl"]
    assert desk.record("2").is_deleted


@pytest.mark.parametrize("error", [IntentExpired, PositionMoved])
def test_pages_that_were_overtaken_are_looked_at_again(desk: Desk, monkeypatch, error) -> None:
    publish, failures = desk.store.publish, [error("once")]

    def overtaken(intent, publication):
        if failures:
            desk.store.abandon(intent)
            raise failures.pop()
        return publish(intent, publication)

    monkeypatch.setattr(desk.store, "publish", overtaken)
    for number in range(3):
        desk.send(Sent(str(number)))
    assert everything(desk)["published"] == 3
    assert all(desk.record(str(number)) for number in range(3))
