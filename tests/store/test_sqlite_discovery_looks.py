"""The looks at published files: none is due twice, none is lost, and nobody's decision is overwritten."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gateway.model import Decision, Ending, FileLook, FoundCopy
from gateway.model.looks import NEVER_DUE, SHARES
from gateway.store.base_looks import Findings
from gateway.store.opening import open_discovery
from gateway.store.sqlite_discovery import SqliteDiscovery

A, B = "oai:g.example.org:s/1", "oai:g.example.org:s/2"
URL, HOST = "https://r.example.org/1.pdf", "r.example.org"
DAY = 86_400


def look(identifier: str = A, url: str = URL, **more: object) -> FileLook:
    return FileLook(identifier, url, "s", HOST, "0" * 64, is_named=False, share=SHARES // 2)._replace(**more)  # type: ignore[arg-type]


@pytest.fixture
def desk(tmp_path) -> Iterator[SqliteDiscovery]:
    discovery = open_discovery(tmp_path)
    discovery.enlist("s", [(A, "1"), (B, "2")], 7, at=100)
    yield discovery  # type: ignore[misc]
    discovery.close()


def test_a_published_file_is_known_and_one_that_is_not_published_any_more_is_forgotten(desk) -> None:
    other = look(url="https://r.example.org/2.pdf")
    desk.looks.publish({A: [look(), other], B: [look(B)]})
    assert desk.looks.of_item(A) == (look(), other)
    desk.looks.publish({A: [other]})
    assert (desk.looks.of_item(A), desk.looks.of_item(B)) == ((other,), (look(B),))
    desk.looks.publish({A: []})
    assert desk.looks.of_item(A) == ()
    desk.forget([B])
    assert desk.looks.of_item(B) == ()


def test_a_look_stays_while_the_bytes_do_and_validators_are_forgotten_with_the_bytes(desk) -> None:
    desk.looks.publish({A: [look()]})
    seen = look(looked_at=5, rounds=1, entity_tag='"1"', modified="Tue", text_sha256="t", outcome="success", due=9)
    desk.looks.write([seen], [Ending("s", "recheck", HOST, "success", "2026-11", "copy", 1)])
    desk.looks.publish({A: [look()]})
    assert desk.looks.of_item(A) == (seen,)
    assert [(ending.step, count) for ending, count in desk.endings()] == [("recheck", 1)]
    desk.looks.publish({A: [look(sha256="1" * 64)]})
    assert desk.looks.of_item(A) == (seen._replace(sha256="1" * 64, entity_tag="", modified="", text_sha256=""),)


def test_a_look_at_bytes_that_are_not_published_any_more_is_not_stored(desk) -> None:
    desk.looks.publish({A: [look(sha256="1" * 64)]})
    desk.looks.write([look(looked_at=5)])
    assert desk.looks.of_item(A) == (look(sha256="1" * 64),)


def test_each_file_has_its_place_in_every_period(desk) -> None:
    files = [look(url=f"https://r.example.org/{n}", share=SHARES * n // 10) for n in range(10)]
    desk.looks.publish({A: files})
    desk.looks.schedule("s", 10 * DAY, 100 * DAY + 1)
    due = [one.due for one in desk.looks.of_item(A)]
    assert sorted(due) == [pytest.approx((101 + n) * DAY, abs=20) for n in range(10)]
    assert all(one.next_after(100 * DAY + 1) == one.due for one in desk.looks.of_item(A))
    assert all(one.next_after(one.due) == one.due + 10 * DAY for one in desk.looks.of_item(A))
    desk.looks.schedule("s", 0, 100 * DAY)
    assert desk.looks.next_at("s") == NEVER_DUE == files[0].next_after(1)
    assert desk.looks.next_at("t") is None


def test_files_are_asked_for_once_until_all_of_them_were_looked_at(desk) -> None:
    desk.looks.publish({A: [look()], B: [look(B)]})
    assert desk.looks.ask("s", 10)
    desk.looks.write([look(looked_at=11, due=NEVER_DUE)])
    assert not desk.looks.ask("s", 20)  # the same command continues
    assert [one.identifier for one in desk.looks.due("s", HOST, 30, (-1, "", ""), 5)] == [B]
    desk.looks.write([look(B, looked_at=12, due=NEVER_DUE)])
    assert desk.looks.ask("s", 12)
    assert [one.identifier for one in desk.looks.due("s", HOST, 30, (-1, "", ""), 5)] == [A]
    assert desk.looks.counts("s", 30) == (2, 1, 0, 0, 0)


def test_due_files_come_by_host_in_the_order_of_their_time(desk) -> None:
    urls = [f"https://r.example.org/{n}" for n in range(5)]
    desk.looks.publish({A: [look(url=url, due=50 - n) for n, url in enumerate(urls)], B: [look(B, host="x", due=1)]})
    assert desk.looks.hosts("s", 49) == (HOST, "x")
    assert desk.looks.hosts("s", 1) == ("x",)
    first = desk.looks.due("s", HOST, 49, (-1, "", ""), 2)
    assert [one.url for one in first] == [urls[4], urls[3]]
    last = first[-1]
    rest = desk.looks.due("s", HOST, 49, (last.due, last.identifier, last.url), 9)
    assert [one.url for one in rest] == [urls[2], urls[1]]
    assert desk.looks.counts("s", 49)[:3] == (6, 5, 0)


def test_what_follows_from_a_look_is_written_together(desk) -> None:
    desk.looks.publish({A: [look()]})
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

    assert desk.looks.conclude(seen, number, URL, conclude, "1" * 64)
    assert desk.search(A).search_json == '{"a": 2}'
    assert [decision.reason for decision in desk.decisions(A)] == ["", "new"]
    assert desk.looks.of_item(A) == (seen._replace(sha256="1" * 64),)
    assert [item.identifier for item in desk.unpublished("", 5)] == [A]


def test_a_decision_made_during_a_look_is_not_overwritten(desk) -> None:
    desk.looks.publish({A: [look()]})
    desk.decide(Decision(A, URL, "0" * 64, "reject", "mine", "anna", 1))
    assert not desk.looks.conclude(look(looked_at=2), 0, URL, lambda *_: pytest.fail("it lost"))
    assert desk.looks.of_item(A) == (look(),)
    assert not desk.looks.conclude(look("x"), 0, URL, lambda *_: pytest.fail("there is no search"))


def test_a_search_under_way_does_not_overwrite_what_a_look_has_seen(desk) -> None:
    desk.looks.publish({A: [look()]})
    lease = desk.lease(100, 60, identifier=A)
    assert desk.looks.conclude(look(looked_at=120), 0, URL, lambda *_: Findings((), '{"a": "seen"}'))
    assert not desk.done(lease, "success", '{"a": "older"}', 130)
    state = desk.search(A)
    assert (state.search_json, state.state, state.due, state.tries) == ('{"a": "seen"}', "due", 120, 0)
    again = desk.lease(130, 60, identifier=A)
    assert desk.done(again, "success", '{"a": "newer"}', 140)
    assert desk.looks.conclude(look(looked_at=150), 0, URL, lambda *_: Findings((), '{"a": "last"}'))
    assert (desk.search(A).state, desk.search(A).due) == ("done", 0)
