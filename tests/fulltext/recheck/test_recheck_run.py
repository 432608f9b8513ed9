"""Published files are looked at again: what has changed is decided on and published, and nothing else is."""

import json
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from click.testing import CliRunner

from gateway.core.addresses import address
from gateway.core.errors import TryLater
from gateway.core.model import Decision, FileRecheck, Outcome
from gateway.fulltext.decisions import words
from gateway.fulltext.stored_files import Copies
from gateway.fulltext.stored_search import candidates_of
from harvester.cli import main
from harvester.commands.file_output import facts_of_recheck, words_of_recheck
from harvester.commands.output import moment
from harvester.fulltext.recheck.one_file import Effect
from harvester.fulltext.recheck.run import Order, Recheck, Result
from harvester.http.messages import Fetched, Request
from harvester.runtime.interrupts import StopAsked
from tests.fulltext.test_releasing import (
    COPY,
    DAY,
    FILE,
    IDENTIFIER,
    ITEM,
    NAMED,
    component,
    dcterms_text,
    decisions,
    pdf,
    stamps,
    unpaywall,
)
from tests.fulltext.web import RecordedWeb, a_pdf, answer, to
from tests.opening import open_discovery

pytestmark = pytest.mark.slow

NAMED_ITEM = IDENTIFIER.replace(ITEM, NAMED)
PERIOD = 90 * DAY
OLD = "Sat, 01 Feb 2020 00:00:00 GMT"


class Server(RecordedWeb):
    """A web whose files have validators, and which counts what it sent."""

    def __call__(self, request: Request) -> Fetched:
        """Answer 304 where the validators of a request are those of the file."""
        fetched = super().__call__(request)
        tag, sent = fetched.header("ETag"), dict(request.headers)
        self.requests = [*getattr(self, "requests", ()), request]
        if tag and sent.get("If-None-Match") == tag:
            return replace(fetched, status=304, body=b"")
        return fetched


class Rechecked:
    """An instance with published files, and their rechecks."""

    def __init__(self, search) -> None:
        self.search, self.web = search, search.web

    def run(self, days: float = 0, *, release: bool = True, **order) -> list[Result]:
        """Let days pass, look at the due files, and publish what was decided."""
        search = self.search
        search.now += int(days * DAY)
        self.web.asked.clear()
        work = Recheck(search.store, search.discovery, self.web, search.settings, clock=lambda: float(search.now))
        every = order.pop("every", {"laro": PERIOD})
        results = list(work.run(Order(every, **order)))
        self.stamped = search.release() if release else None
        return results

    def all(self, days: float = 0, **order) -> dict[str, Effect]:
        """Look at all files after some days; return the effects by address."""
        return {result.file.url: result.effect for result in self.run(days, is_all=True, **order)}

    @property
    def shown(self):
        return component(self.search)

    def verdicts(self) -> list[tuple[str, str]]:
        return decisions(self.search)


@pytest.fixture
def rechecked(searching) -> Rechecked:
    """Return an instance in which the file of one work was rechecked, accepted and published."""
    search = searching(Server(has_recordings=False), discover_named_files=False)
    body = pdf(search)
    search.web.own = {**unpaywall(), COPY: answer(body, Last_Modified=OLD, ETag='"1"')}
    search.run(identifier=IDENTIFIER)
    search.release()
    return Rechecked(search)


@pytest.fixture
def named(searching) -> Rechecked:
    """Return an instance in which a record names a file, whose size and digest are published."""
    search = searching(Server({FILE: answer(b"%PDF-1.4 x", ETag='"n"')}, has_recordings=False))
    search.run(identifier=NAMED_ITEM)
    search.release()
    return Rechecked(search)


def of_item(rechecked: Rechecked, identifier: str = IDENTIFIER):
    (recheck,) = rechecked.search.discovery.rechecks.of_item(identifier)
    return recheck


def test_a_file_is_fetched_once_whole_and_then_only_asked_after(rechecked) -> None:
    before = stamps(rechecked.search)
    effects = [rechecked.all(30)[COPY] for _ in range(8)]
    assert effects == [Effect.UNCHANGED] * 8
    sent = [request for request in rechecked.web.requests if request.url == COPY][-8:]
    is_conditional = ["If-None-Match" in dict(request.headers) for request in sent]
    assert is_conditional == [False, True, True, False, True, True, True, False]  # the first, and every fourth round
    assert (stamps(rechecked.search), rechecked.verdicts()) == (before, [("accept", "rule")])
    recheck, now = of_item(rechecked), rechecked.search.now
    assert (recheck.looked_at, recheck.whole_at, recheck.rounds, recheck.outcome) == (now, now, 8, "success")
    assert (recheck.final_url, recheck.entity_tag, recheck.failures) == (COPY, '"1"', 0)


def test_each_file_is_due_once_in_each_period_at_its_own_place(rechecked) -> None:
    looked = []
    for day in range(271):
        looked += [day] * len(rechecked.run(1, release=False))
    assert len(looked) == 3
    assert [later - earlier for earlier, later in pairwise(looked)] == [90, 90]


def test_a_file_that_moved_is_read_whole_because_its_validators_are_those_of_the_former_address(rechecked) -> None:
    rechecked.all(30)
    moved = COPY.replace("/7.pdf", "/moved/7.pdf")
    rechecked.web.own = {COPY: to(moved), moved: answer(pdf(rechecked.search, "Revised"), ETag='"1"')}
    assert rechecked.all(1) == {COPY: Effect.CHANGED}
    assert of_item(rechecked).final_url == moved
    assert not any("If-None-Match" in dict(request.headers) for request in rechecked.web.requests[-2:])


def test_an_order_says_which_files_are_looked_at(rechecked) -> None:
    def looked(days: float = 0, **order) -> list[str]:
        return [result.file.url for result in rechecked.run(days, **order)]

    for _ in range(2):  # without a period a file is looked at whenever somebody asks
        rechecked.search.now += 1
        assert [result.effect for result in rechecked.run(every={"laro": 0})] == [Effect.UNCHANGED]
    assert looked(identifier=IDENTIFIER) == [COPY]  # due or not
    assert looked(identifier="oai:g.example.org:laro/x") == []
    assert looked(1, is_all=True, limit=1) == [COPY]
    assert looked(1, is_all=True, limit=0) == []
    assert looked(1, every={"laro": 0, "another": 0}) == [COPY]  # once, though two sources have its host


def test_a_rehearsal_looks_and_stores_nothing(rechecked) -> None:
    rechecked.web.own[COPY] = answer(status=410)
    assert rechecked.all(1, is_dry=True) == {COPY: Effect.LOST}
    assert rechecked.run(0, is_dry=True) == []
    assert rechecked.search.discovery.rechecks.of_item(IDENTIFIER) == ()
    assert rechecked.verdicts() == [("accept", "rule")]


def test_what_a_kill_has_left_unpublished_is_published_later(rechecked) -> None:
    rechecked.web.own[COPY] = answer(status=410)
    rechecked.run(1, is_all=True, release=False)
    assert rechecked.shown is not None
    assert rechecked.search.release() == 2
    assert rechecked.shown is None


def test_a_file_that_was_replaced_by_another_one_of_the_work_is_published_again_with_its_new_facts(rechecked) -> None:
    search, before = rechecked.search, stamps(rechecked.search)
    new = pdf(search, "Revised in the second edition")
    rechecked.web.own[COPY] = answer(new, ETag='"2"')
    (result,) = rechecked.run(1, is_all=True)
    assert (result.effect, result.verdict) == (Effect.CHANGED, "accept")
    assert dcterms_text(search, "extent") == f"{len(new)} bytes"
    assert rechecked.verdicts() == [("accept", "rule")] * 2
    assert stamps(search)[1] == before[1] + 1
    (candidate,) = candidates_of(search.discovery.search(IDENTIFIER))
    assert (candidate.size, candidate.found_by, candidate.outcome) == (len(new), "unpaywall", Outcome.SUCCESS)
    assert search.discovery.first_page(candidate.sha256)  # for people
    last = words(search.discovery.decisions(IDENTIFIER))[COPY]
    assert isinstance(last, Decision)
    assert last.sha256 == candidate.sha256
    assert rechecked.all(1) == {COPY: Effect.UNCHANGED}
    assert rechecked.stamped == 0


@pytest.mark.parametrize(("body", "status"), [
    (a_pdf("Quite another thing", *["of bees and honey in the garden"] * 40), 200), ("Please log in", 403),
])  # fmt: skip
def test_what_is_no_more_the_work_is_withdrawn_and_a_person_decides(rechecked, body, status) -> None:
    rechecked.web.own[COPY] = answer(body, status)
    assert rechecked.all(1) == {COPY: Effect.CHANGED}
    assert rechecked.shown is None
    assert rechecked.verdicts()[-1] == ("review", "rule")
    assert rechecked.all(1) == {}  # it is not published any more


def test_a_file_that_is_gone_is_withdrawn_after_three_rechecks_over_a_week(rechecked) -> None:
    rechecked.web.own[COPY] = answer(status=404)
    assert rechecked.all(1) == {COPY: Effect.ABSENT}
    assert rechecked.all(1) == {COPY: Effect.ABSENT}
    assert rechecked.all(1) == {COPY: Effect.ABSENT}  # three looks, but not over a week
    assert rechecked.shown is not None
    assert rechecked.all(5) == {COPY: Effect.LOST}
    assert rechecked.shown is None
    assert rechecked.verdicts()[-1] == ("reject", "rule")


def test_a_file_that_nobody_may_look_at_stays(rechecked) -> None:
    rechecked.web.own[COPY] = answer("<title>Just a moment...</title>", 403)
    for _ in range(4):
        assert rechecked.all(5) == {COPY: Effect.UNSEEN}
    assert rechecked.shown is not None
    assert of_item(rechecked).due <= rechecked.search.now + DAY
    since = rechecked.search.now - 15 * DAY
    assert (of_item(rechecked).failures, of_item(rechecked).failing_since) == (0, since)
    assert rechecked.search.discovery.rechecks.longest_unseen("laro") == of_item(rechecked)


def test_the_grace_of_a_missing_file_begins_when_it_is_missing_and_not_when_nobody_may_look(rechecked) -> None:
    rechecked.web.own[COPY] = TryLater("x")
    rechecked.all(5)
    rechecked.web.own[COPY] = answer(status=404)
    assert [rechecked.all(3)[COPY] for _ in range(3)] == [Effect.ABSENT] * 3
    assert rechecked.all(1) == {COPY: Effect.LOST}
    assert rechecked.search.discovery.rechecks.longest_unseen("laro") is None


def test_a_decision_made_between_the_judgement_and_its_storage_wins(rechecked, monkeypatch) -> None:
    rechecks = rechecked.search.discovery.rechecks
    conclude = rechecks.conclude

    def overtaken(*arguments):
        last = rechecked.search.discovery.decisions(IDENTIFIER)[-1]
        rechecked.search.discovery.decide(last._replace(verdict="reject", reason="mine", decided_by="anna"))
        return conclude(*arguments)

    monkeypatch.setattr(rechecks, "conclude", overtaken)
    rechecked.web.own[COPY] = answer(pdf(rechecked.search, "Revised"))
    (result,) = rechecked.run(1, is_all=True)
    assert (result.is_overtaken, result.verdict) == (True, "reject")
    assert rechecked.verdicts() == [("accept", "rule"), ("reject", "anna")]


def test_new_bytes_of_a_file_that_a_person_accepted_are_accepted_in_her_name(rechecked) -> None:
    last = rechecked.search.discovery.decisions(IDENTIFIER)[-1]
    rechecked.search.discovery.decide(last._replace(decided_by="anna", reason="good"))
    rechecked.web.own[COPY] = answer(pdf(rechecked.search, "Revised"))
    rechecked.all(1)
    assert rechecked.verdicts()[-1] == ("accept", "anna")
    rechecked.web.own[COPY] = answer(a_pdf("Quite another thing", *["of bees and honey"] * 40))
    rechecked.all(1)
    assert rechecked.verdicts()[-1] == ("review", "rule")


def test_a_fault_of_this_program_is_one_of_one_file_and_it_is_tried_again_the_next_day(rechecked, caplog) -> None:
    def before(_request: Request) -> None:
        raise RuntimeError

    rechecked.web.before = before
    assert rechecked.all(1) == {COPY: Effect.FAULT}
    assert (of_item(rechecked).outcome, of_item(rechecked).due) == ("fault", rechecked.search.now + DAY)
    assert "A fault of this program" in caplog.text


def test_a_recheck_that_was_stopped_is_none(rechecked) -> None:
    def stopped(_request: Request) -> None:
        raise StopAsked("It was asked to stop.")

    rechecked.web.before = stopped
    with pytest.raises(StopAsked):
        rechecked.all(1)
    assert (of_item(rechecked).rounds, of_item(rechecked).due) == (0, 0)


def test_a_file_without_a_search_is_searched_for_anew(rechecked, monkeypatch) -> None:
    """The database of searches was lost: the file is published, and nobody has decided on it."""
    rechecked.all(1)
    with closing(sqlite3.connect(rechecked.search.settings.instance / "discovery.sqlite")) as connection, connection:
        connection.execute("delete from search")
        connection.execute("delete from decision")
    rechecked.web.own[COPY] = answer(status=410)
    (result,) = rechecked.run(1, is_all=True)
    assert (result.effect, result.is_overtaken) == (Effect.LOST, True)
    assert rechecked.search.discovery.search(IDENTIFIER).state == "due"
    assert of_item(rechecked).outcome == "gone"


def test_our_copy_is_stored_again_at_a_whole_recheck(rechecked) -> None:
    copies = Copies(rechecked.search.settings.instance)
    rechecked.all(1)
    digest = of_item(rechecked).sha256
    assert copies.remove(digest)
    effects = [rechecked.all(1)[COPY] for _ in range(3)]
    assert (effects, copies.has(digest)) == ([Effect.UNCHANGED] * 3, True)


def test_no_datestamp_moves_for_a_file_whose_host_stamps_each_download(rechecked) -> None:
    before, count = stamps(rechecked.search), iter(range(1000))

    def stamp(_request: Request) -> None:
        number = next(count)
        body = pdf(rechecked.search, f"Downloaded from the repository for reader {number}")
        rechecked.web.own[COPY] = answer(body + f"\n% {number}".encode(), ETag=f'"{number}"')

    rechecked.web.before = stamp
    assert [rechecked.all(30)[COPY] for _ in range(4)] == [Effect.UNCHANGED] * 4
    assert rechecked.search.discovery.rechecks.stamping_hosts() == {"repository.example.net"}
    assert (stamps(rechecked.search), rechecked.verdicts()) == (before, [("accept", "rule")])
    rechecked.all(30)
    assert rechecked.web.asked.count(COPY) == 1  # it is known to stamp


def test_an_answer_that_nothing_has_changed_counts_only_if_it_was_asked_for(rechecked) -> None:
    rechecked.web.own[COPY] = answer(status=304)
    assert rechecked.all(1) == {COPY: Effect.ABSENT}


def named_text(named: Rechecked, term: str) -> str | None:
    return dcterms_text(named.search, term, url=FILE, item=NAMED)


@pytest.mark.parametrize(("end", "outcome"), [(answer(status=410), "gone"), (answer("<p>Moved"), "not-pdf")])
def test_a_file_that_the_record_names_is_flagged_and_never_removed(named, end, outcome) -> None:
    there = named.web.own[FILE]
    named.web.own[FILE] = end
    assert [result.is_flagged for result in named.run(1, is_all=True)] == [True]
    flag = f"; missing: since 2027-01-16 ({outcome})"
    assert (named_text(named, "provenance") or "").endswith(flag)
    assert (named_text(named, "extent"), named.stamped) == ("10 bytes", 1)
    assert [result.is_flagged for result in named.run(1, is_all=True)] == [False]  # it is reported once
    assert ((named_text(named, "provenance") or "").endswith(flag), named.stamped) == (True, 0)
    named.web.own[FILE] = there
    assert named.all(1) == {FILE: Effect.RETURNED}
    assert ("missing" in (named_text(named, "provenance") or ""), named.stamped) == (False, 1)
    assert named.search.discovery.decisions(NAMED_ITEM) == ()


def test_a_file_that_returns_is_read_whole_because_an_old_backup_has_the_old_validators(rechecked) -> None:
    rechecked.all(30)
    rechecked.web.own[COPY] = answer(status=404)
    assert rechecked.all(1) == {COPY: Effect.ABSENT}
    rechecked.web.own[COPY] = answer(pdf(rechecked.search, "Revised"), ETag='"1"')
    assert rechecked.all(1) == {COPY: Effect.CHANGED}
    assert rechecked.verdicts() == [("accept", "rule")] * 2


def test_status_names_files_that_nobody_could_look_at_for_longer_than_the_grace(folder) -> None:
    now = int(time.time())
    recent, long = (
        FileRecheck(
            IDENTIFIER, f"https://r.example.org/{days}.pdf", "laro", "r.example.org", "0" * 64, True, 1
        )._replace(looked_at=now, outcome="rate-limited", failing_since=now - days * DAY)
        for days in (1, 30)
    )

    def status(*options: str) -> Any:
        return CliRunner().invoke(main, ["--instance", str(folder), "status", *options])

    with closing(open_discovery(folder)) as discovery:
        discovery.rechecks.publish({IDENTIFIER: [recent]})
        assert "could not look" not in status().stderr
        discovery.rechecks.publish({IDENTIFIER: [recent, long]})
    assert "laro: published files that could not be rechecked: 2." in status().stderr
    assert f"The first is {long.url}, since " in status().stderr
    assert json.loads(status("--json").stdout)["files"]["unseen"] == 2
    assert ": rate-limited, no recheck was possible since " in words_of_recheck(long)
    assert facts_of_recheck(long)["unseen_since"] == moment(now - 30 * DAY)


def test_the_bytes_that_a_recheck_has_seen_are_judged_also_if_the_address_was_written_in_another_way(searching) -> None:
    raw = "https://repository.example.net/7 {a}.pdf"
    published = address(raw)
    search = searching(Server(has_recordings=False), discover_named_files=False)
    stated = {url: replace(end, body=end.body.replace(COPY.encode(), raw.encode())) for url, end in unpaywall().items()}
    search.web.own = {**stated, raw: answer(pdf(search)), published: answer(pdf(search))}
    search.run(identifier=IDENTIFIER)
    search.release()
    rechecks = Rechecked(search)
    search.web.own = {published: answer(pdf(search, "Revised"))}
    assert rechecks.all(1) == {published: Effect.CHANGED}
    assert raw not in search.web.asked
    assert rechecks.verdicts() == [("accept", "rule")] * 2
    assert {decision.url for decision in search.discovery.decisions(IDENTIFIER)} == {raw}
    assert rechecks.all(1) == {published: Effect.UNCHANGED}
