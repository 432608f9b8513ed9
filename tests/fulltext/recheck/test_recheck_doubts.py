"""Looks that say little or something wrong: servers that are ill, answers of something else, settings that change."""

from __future__ import annotations

import json
import time
from contextlib import closing
from dataclasses import replace

import pytest
from click.testing import CliRunner

from gateway.addresses import address
from gateway.fulltext.published_files import Terms, files_of
from gateway.model import Decision, FileLook, FileOrigin, Outcome
from gateway.store.opening import open_discovery
from harvester.cli import main
from harvester.commands.look_output import facts_of_look, words_of_look
from harvester.commands.output import moment
from harvester.fulltext.recheck.look_at import Effect
from harvester.http.messages import Request
from tests.fulltext.recheck.test_recheck_run import (  # noqa: F401 - the fixtures
    NAMED_ITEM,
    PERIOD,
    Rechecked,
    Server,
    named,
    named_text,
    of_item,
    rechecked,
)
from tests.fulltext.test_releasing import (
    ACCEPTED,
    COPY,
    DAY,
    FILE,
    HELD,
    IDENTIFIER,
    SEEN,
    pdf,
    searched_again,
    unpaywall,
)
from tests.fulltext.web import a_pdf, answer

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

OTHER = a_pdf("Quite another thing", *["lorem ipsum dolor sit amet"] * 40)


def is_conditional(looks: Rechecked, url: str = COPY) -> bool:
    """Return whether the last request for a file was conditional."""
    *_, last = (request for request in looks.web.requests if request.url == url)
    return "If-None-Match" in dict(last.headers)


def test_a_file_that_returns_is_read_whole_because_an_old_backup_has_the_old_validators(rechecked) -> None:  # noqa: F811 - the fixture
    rechecked.all(30)
    rechecked.web.own[COPY] = answer(status=404)
    assert rechecked.all(1) == {COPY: Effect.ABSENT}
    rechecked.web.own[COPY] = answer(pdf(rechecked.search, "Revised"), ETag='"1"')
    assert rechecked.all(1) == {COPY: Effect.CHANGED}
    assert rechecked.verdicts() == [("accept", "rule")] * 2


def test_a_whole_look_that_was_not_possible_is_made_the_next_time(rechecked) -> None:  # noqa: F811 - the fixture
    for _ in range(3):
        rechecked.all(30)
    there = rechecked.web.own[COPY]
    rechecked.web.own[COPY] = answer("<title>Just a moment...</title>", 403)
    assert rechecked.all(30) == {COPY: Effect.UNSEEN}
    rechecked.web.own[COPY] = there
    assert rechecked.all(30) == {COPY: Effect.UNCHANGED}
    assert not is_conditional(rechecked)
    rechecked.all(30)
    assert is_conditional(rechecked)


def test_a_server_that_sends_nothing_but_not_modified_has_no_file(rechecked) -> None:  # noqa: F811 - the fixture
    for _ in range(3):
        rechecked.all(30)
    rechecked.web.own[COPY] = answer(status=304)
    assert [rechecked.all(4)[COPY] for _ in range(3)] == [Effect.ABSENT, Effect.ABSENT, Effect.LOST]


def test_status_names_files_that_nobody_could_look_at_for_longer_than_the_grace(folder) -> None:
    now = int(time.time())
    files = [
        FileLook(IDENTIFIER, f"https://r.example.org/{days}.pdf", "laro", "r.example.org", "0" * 64, True, 1)._replace(
            looked_at=now, outcome="rate-limited", failing_since=now - days * DAY
        )
        for days in (1, 30)
    ]

    def status() -> tuple[str, list[str], dict[str, int]]:
        shown = CliRunner().invoke(main, ["--instance", str(folder), "status"])
        (source,) = map(
            json.loads, CliRunner().invoke(main, ["--instance", str(folder), "status", "--json"]).stdout.splitlines()
        )
        return shown.stderr, source["problems"], source["files"]

    with closing(open_discovery(folder)) as desk:
        desk.looks.publish({IDENTIFIER: files[:1]})
        assert "could not look" not in status()[0]
        desk.looks.publish({IDENTIFIER: files})
    words, problems, counts = status()
    assert "laro: published files that we could not look at: 2." in words
    assert f"The first is {files[1].url}, since " in words
    assert words.strip().endswith(problems[-1])
    assert counts["unseen"] == 2
    assert words_of_look(files[1]).startswith(f"  {files[1].url}: looked at ")
    assert ": rate-limited, no look was possible since " in words_of_look(files[1])
    facts = facts_of_look(files[1])
    assert (facts["missing_since"], facts["unseen_since"]) == (None, moment(now - 30 * DAY))


def test_the_text_of_a_page_in_the_place_of_a_file_does_not_count_as_that_of_the_file(named) -> None:  # noqa: F811 - the fixture
    number = iter(range(100))
    words = "The first edition of it, as it was printed"

    def stamped(_request: Request) -> None:
        body = a_pdf("A title", words, *["of bees and honey"] * 40)
        named.web.own[FILE] = answer(body + f"\n% {next(number)}".encode())

    named.web.before = stamped
    named.all(1)
    named.all(1)  # now it is known to stamp, and its text is known
    before = of_item(named, NAMED_ITEM)
    assert before.text_sha256
    named.web.before = lambda _: None
    named.web.own[FILE] = answer("<p>We have moved")
    assert named.all(1) == {FILE: Effect.CHANGED}
    assert of_item(named, NAMED_ITEM).text_sha256 == before.text_sha256
    named.web.before = stamped
    words = "The second edition, revised and enlarged"
    assert named.all(1) == {FILE: Effect.CHANGED}
    assert of_item(named, NAMED_ITEM).sha256 != before.sha256


def test_a_named_file_that_was_readable_and_is_cut_off_now_is_flagged_and_its_bytes_are_not_published(
    searching,
) -> None:
    whole = a_pdf("A title", *["of bees and honey"] * 40)
    search = searching(Server({FILE: answer(whole, ETag='"n"')}, has_recordings=False))
    search.run(identifier=NAMED_ITEM)
    search.release()
    looks = Rechecked(search)
    assert looks.all(1) == {FILE: Effect.UNCHANGED}
    search.web.own[FILE] = answer(whole[: len(whole) // 3])
    (result,) = looks.run(1, is_all=True)
    assert (result.effect, result.look.outcome, result.is_flagged) == (Effect.CHANGED, "broken-pdf", True)
    assert (named_text(looks, "provenance") or "").endswith("(broken-pdf)")
    assert named_text(looks, "extent") == f"{len(whole)} bytes"
    search.web.own[FILE] = answer(whole)
    assert looks.all(1) == {FILE: Effect.RETURNED}
    assert "; missing: since" not in (named_text(looks, "provenance") or "")


def test_the_bytes_that_a_look_has_seen_are_judged_also_if_the_address_was_written_in_another_way(searching) -> None:
    raw = "https://repository.example.net/7 {a}.pdf"
    published = address(raw)
    search = searching(Server(has_recordings=False), discover_named_files=False)
    stated = {url: replace(end, body=end.body.replace(COPY.encode(), raw.encode())) for url, end in unpaywall().items()}
    search.web.own = {**stated, raw: answer(pdf(search)), published: answer(pdf(search))}
    search.run(identifier=IDENTIFIER)
    search.release()
    looks = Rechecked(search)
    search.web.own = {published: answer(pdf(search, "Revised"))}
    assert looks.all(1) == {published: Effect.CHANGED}
    assert raw not in search.web.asked
    assert looks.verdicts() == [("accept", "rule")] * 2
    assert {decision.url for decision in search.desk.decisions(IDENTIFIER)} == {raw}
    assert looks.all(1) == {published: Effect.UNCHANGED}


def test_another_document_in_the_place_of_a_file_waits_for_a_person_also_after_a_search(rechecked) -> None:  # noqa: F811  # noqa: F811 - the fixture
    rechecked.web.own[COPY] = answer(OTHER)
    assert rechecked.all(1) == {COPY: Effect.CHANGED}
    assert (rechecked.shown, rechecked.verdicts()) == (None, [("accept", "rule"), ("review", "rule")])
    searched_again(rechecked.search)
    assert rechecked.verdicts()[-1] == ("review", "rule")


def test_a_named_file_that_a_person_has_rejected_as_found_loses_its_flag_when_it_returns(named) -> None:  # noqa: F811 - the fixture
    """A search of an earlier release found it too."""
    named.search.desk.decide(Decision(NAMED_ITEM, FILE, "0" * 64, "reject", "mine", "anna", 1))
    there = named.web.own[FILE]
    named.web.own[FILE] = answer(status=410)
    assert named.all(1) == {FILE: Effect.LOST}
    assert "; missing: since" in (named_text(named, "provenance") or "")
    named.web.own[FILE] = there
    (result,) = named.run(1, is_all=True)
    assert (result.effect, result.is_overtaken) == (Effect.RETURNED, False)
    assert "; missing: since" not in (named_text(named, "provenance") or "")
    assert of_item(named, NAMED_ITEM).due > 0  # it is not asked for any more


def test_a_withdrawn_file_that_the_record_names_too_is_published_as_that_of_the_record() -> None:
    rejected = ACCEPTED._replace(verdict="reject")
    named_too = SEEN._replace(found_by="record", license="")
    (file,) = files_of((SEEN, named_too), (ACCEPTED, rejected), (HELD,), Terms())
    assert (file.origin, file.sha256, file.found_in) == (FileOrigin.UPSTREAM, HELD.sha256, "")
    gone = named_too._replace(outcome=Outcome.GONE)
    (file,) = files_of((SEEN, gone), (ACCEPTED, rejected), (HELD,), Terms())
    assert (file.origin, file.found_in, file.missing) == (FileOrigin.UPSTREAM, "", "since 1970-01-01 (gone)")
    assert files_of((gone._replace(sha256=""),), (ACCEPTED, rejected), (HELD,), Terms()) == (file,)


def test_named_files_are_looked_at_as_long_as_the_setting_says_so(named, searching) -> None:  # noqa: F811 - the fixture
    assert named.all(1) == {FILE: Effect.UNCHANGED}
    named.search.desk.enlist("laro", (), 4_000_000_000, 0, "laro published")  # no record has changed since then
    without = Rechecked(searching(named.web, discover_named_files=False))
    assert without.all(2) == {}
    assert Rechecked(searching(named.web)).all(3) == {FILE: Effect.UNCHANGED}


def test_a_missing_file_keeps_its_next_look_when_the_period_changes(rechecked) -> None:  # noqa: F811 - the fixture
    rechecked.web.own[COPY] = answer(status=404)
    rechecked.all(1)
    due = of_item(rechecked).due
    rechecked.run(every={"laro": 2 * PERIOD})
    assert of_item(rechecked).due == due
