"""The looks at published files: none is due twice, none is lost, and nobody's decision is overwritten."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gateway.core.model import Decision, FileRecheck, FoundCopy
from gateway.core.model.rechecks import SHARES
from gateway.store.base import Findings
from gateway.store.opening import open_discovery
from gateway.store.sqlite_discovery import Discovery

A, B = "oai:g.example.org:s/1", "oai:g.example.org:s/2"
URL, HOST = "https://r.example.org/1.pdf", "r.example.org"


def look(identifier: str = A, url: str = URL, **more: object) -> FileRecheck:
    return FileRecheck(identifier, url, "s", HOST, "0" * 64, is_named=False, share=SHARES // 2)._replace(**more)  # type: ignore[arg-type]


@pytest.fixture
def desk(tmp_path) -> Iterator[Discovery]:
    discovery = open_discovery(tmp_path)
    discovery.enlist("s", [(A, "1"), (B, "2")], 7, at=100)
    yield discovery
    discovery.close()


def test_a_look_at_bytes_that_are_not_published_any_more_is_not_stored(desk) -> None:
    desk.rechecks.publish({A: [look(sha256="1" * 64)]})
    desk.rechecks.write([look(looked_at=5)])
    assert desk.rechecks.of_item(A) == (look(sha256="1" * 64),)


def test_what_follows_from_a_look_is_written_together(desk) -> None:
    desk.rechecks.publish({A: [look()]})
    accepted = Decision(A, URL, "0" * 64, "accept", "", "anna", 1)
    desk.decide(accepted)
    (number,) = (decision.number for decision in desk.decisions(A))
    lease = desk.lease(100, 60, identifier=A)
    desk.done(lease, "success", '{"a": 1}', 101)
    seen = look(looked_at=200, outcome="success")

    def conclude(decisions, story):
        assert [decision.verdict for decision in decisions] == ["accept"]
        assert story == '{"a": 1}'
        copies = (FoundCopy(A, URL, "s", "Title", sha256="1" * 64),)
        return Findings((accepted._replace(sha256="1" * 64, reason="new", at=200),), '{"a": 2}', copies)

    assert desk.rechecks.conclude(seen, number, URL, conclude, "1" * 64)
    assert desk.search(A).search_json == '{"a": 2}'
    assert [decision.reason for decision in desk.decisions(A)] == ["", "new"]
    assert desk.rechecks.of_item(A) == (seen._replace(sha256="1" * 64),)
    assert [item.identifier for item in desk.unpublished("", 5)] == [A]


def test_a_search_under_way_does_not_overwrite_what_a_look_has_seen(desk) -> None:
    desk.rechecks.publish({A: [look()]})
    lease = desk.lease(100, 60, identifier=A)
    assert desk.rechecks.conclude(look(looked_at=120), 0, URL, lambda *_: Findings((), '{"a": "seen"}'))
    assert not desk.done(lease, "success", '{"a": "older"}', 130)
    state = desk.search(A)
    assert (state.search_json, state.state, state.due, state.tries) == ('{"a": "seen"}', "due", 120, 0)
    again = desk.lease(130, 60, identifier=A)
    assert desk.done(again, "success", '{"a": "newer"}', 140)
    assert desk.rechecks.conclude(look(looked_at=150), 0, URL, lambda *_: Findings((), '{"a": "last"}'))
    assert (desk.search(A).state, desk.search(A).due) == ("done", 0)
