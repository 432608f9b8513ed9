"""Random samples of the files that rules have accepted, and the judgements on them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gateway.model import AcceptRule, Decision, FoundCopy, Judged, Judgement, SampledFile
from gateway.store.opening import open_discovery
from gateway.store.sqlite_discovery import SqliteDiscovery

ITEM = "oai:g.example.org:s/1"
OLD, NEW = "a" * 64, "b" * 64
LICENSE, POLICY = AcceptRule.LICENSE, AcceptRule.POLICY


def address(name: str) -> str:
    return f"https://h.example/{name}.pdf"


def decision(name: str, verdict: str = "accept", reason: str = "The licence cc-by.", by: str = "rule") -> Decision:
    return Decision(ITEM, address(name), OLD, verdict, reason, by, 100)


@pytest.fixture
def desk(tmp_path) -> Iterator[SqliteDiscovery]:
    discovery = open_discovery(tmp_path)
    discovery.enlist("s", [(ITEM, "1")], 1, at=100)
    yield discovery  # type: ignore[misc]
    discovery.close()


def file(name: str) -> SampledFile:
    return SampledFile(ITEM, address(name), OLD)


def searched(desk: SqliteDiscovery, *names: str, sha256: str = OLD) -> None:
    lease = desk.lease(100, 60, identifier=ITEM)
    copies = [FoundCopy(ITEM, address(name), "s", sha256=sha256) for name in names]
    assert lease is not None
    assert desk.done(lease, "success", "{}", 100, copies=copies)


def accepted(desk: SqliteDiscovery, beginning: str = "The licence ") -> list[SampledFile]:
    return sorted(desk.samples.accepted(beginning))


def test_a_file_that_a_person_rejects_later_still_counts(desk):
    """Otherwise, the rules would seem better with each mistake that somebody notices."""
    searched(desk, "a")
    desk.decide(decision("a"), decision("a", "reject", "It is another work.", "ada"))
    desk.decide(decision("a"))
    assert accepted(desk) == [file("a")]


def test_bytes_that_were_replaced_do_not_count(desk):
    searched(desk, "a")
    desk.decide(decision("a"))
    searched(desk, "a", sha256=NEW)
    assert accepted(desk) == []


def test_an_item_that_is_forgotten_leaves_samples_and_judgements(desk):
    desk.samples.keep(LICENSE, "2026-11", [file("a")], 50)
    desk.samples.judge(Judgement(LICENSE, file("a"), Judged.RIGHT, "ada", 10))
    desk.forget([ITEM])
    assert desk.samples.sample(LICENSE, "2026-11") == desk.samples.judgements() == ()
