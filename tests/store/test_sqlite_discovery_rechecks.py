"""The rechecks of published files: none is due twice, none is lost, and nobody's decision is overwritten."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.core.model import Decision, FileRecheck, FoundCopy
from gateway.core.model.published import SHARES
from gateway.store.base import Findings
from gateway.store.discovery import Discovery
from tests.opening import open_discovery

A, B = "oai:g.example.org:s/1", "oai:g.example.org:s/2"
URL, HOST = "https://r.example.org/1.pdf", "r.example.org"


def look(identifier: str = A, url: str = URL, **more: object) -> FileRecheck:
    return FileRecheck(identifier, url, "s", HOST, "0" * 64, is_named=False, share=SHARES // 2)._replace(**more)  # type: ignore[arg-type]


@pytest.fixture
def discovery(tmp_path: Path, server: str) -> Iterator[Discovery]:
    discovery = open_discovery(tmp_path, url=server)
    discovery.enlist("s", [(A, "1"), (B, "2")], 7, at=100)
    yield discovery
    discovery.close()


def test_a_recheck_of_bytes_that_are_not_published_any_more_is_not_stored(discovery) -> None:
    discovery.rechecks.publish({A: [look(sha256="1" * 64)]})
    discovery.rechecks.write([look(looked_at=5)])
    assert discovery.rechecks.of_item(A) == (look(sha256="1" * 64),)


def test_what_follows_from_a_recheck_is_written_together(discovery) -> None:
    discovery.rechecks.publish({A: [look()]})
    accepted = Decision(A, URL, "0" * 64, "accept", "", "anna", 1)
    discovery.decide(accepted)
    (number,) = (decision.number for decision in discovery.decisions(A))
    lease = discovery.lease(100, 60, identifier=A)
    discovery.done(lease, "success", '{"a": 1}', 101)
    seen = look(looked_at=200, outcome="success")

    def conclude(decisions, story):
        assert [decision.verdict for decision in decisions] == ["accept"]
        assert story == '{"a": 1}'
        copies = (FoundCopy(A, URL, "s", "Title", sha256="1" * 64),)
        return Findings((accepted._replace(sha256="1" * 64, reason="new", at=200),), '{"a": 2}', copies)

    assert discovery.rechecks.conclude(seen, number, URL, conclude, "1" * 64)
    assert discovery.search(A).search_json == '{"a": 2}'
    assert [decision.reason for decision in discovery.decisions(A)] == ["", "new"]
    assert discovery.rechecks.of_item(A) == (seen._replace(sha256="1" * 64),)
    assert [item.identifier for item in discovery.unpublished("", 5)] == [A]


def test_a_search_under_way_does_not_overwrite_what_a_recheck_has_seen(discovery) -> None:
    discovery.rechecks.publish({A: [look()]})
    lease = discovery.lease(100, 60, identifier=A)
    assert discovery.rechecks.conclude(look(looked_at=120), 0, URL, lambda *_: Findings((), '{"a": "seen"}'))
    assert not discovery.done(lease, "success", '{"a": "older"}', 130)
    state = discovery.search(A)
    assert (state.search_json, state.state, state.due, state.tries) == ('{"a": "seen"}', "due", 120, 0)
    again = discovery.lease(130, 60, identifier=A)
    assert discovery.done(again, "success", '{"a": "newer"}', 140)
    assert discovery.rechecks.conclude(look(looked_at=150), 0, URL, lambda *_: Findings((), '{"a": "last"}'))
    assert (discovery.search(A).state, discovery.search(A).due) == ("done", 0)
