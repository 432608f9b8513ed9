"""What a person sees of the files that wait, and how one or many of them are decided on."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from gateway.model import Decision, FoundCopy
from gateway.settings import place_of_copy
from gateway.store.opening import open_discovery
from gateway.store.sqlite_discovery import SqliteDiscovery
from harvester.cli import main
from harvester.commands import review
from tests.fulltext.test_releasing import COPY, IDENTIFIER, decisions, pdf, unpaywall
from tests.fulltext.web import answer
from tests.rows import each_row

pytestmark = pytest.mark.slow  # it searches, and reads PDFs


@pytest.fixture
def waiting(searching):
    """Return a search after the file of one work was found without a licence: it waits for a person."""
    search = searching(discover_named_files=False)
    search.web.own = {**unpaywall(None), COPY: answer(pdf(search))}
    search.run(identifier=IDENTIFIER)
    search.release()
    return search


@pytest.fixture
def harvester(waiting):
    folder = str(waiting.settings.instance)
    return lambda *arguments, **more: CliRunner().invoke(main, ["--instance", folder, *arguments], **more)


def test_the_list_and_its_data_say_what_is_known_of_the_file_and_why_no_rule_decided(harvester) -> None:
    lines = harvester("review", "list").stdout.splitlines()
    assert lines[0] == IDENTIFIER
    assert lines[1].startswith("  ")
    assert "(2015)" in lines[2]
    assert lines[3].strip() == COPY
    assert "version accepted" in lines[4]
    assert "licence unknown, host repository.example.net" in lines[4]
    assert lines[5].startswith("  review by rule: ")
    (line,) = harvester("review", "list", "--json").stdout.splitlines()
    file = json.loads(line)
    assert file["title"]
    assert file["authors"]
    assert (file["year"], file["version"], file["license"]) == ("2015", "accepted", "")
    assert (file["host"], file["found_by"], file["source"]) == ("repository.example.net", "unpaywall", "laro")
    assert 0 < file["score"] <= 1
    assert Path(file["copy"]).is_file()


@each_row("line", [("list",), ("accept", "--yes"), ("reject", "--dry-run"), ("undo", "--yes")])
def test_a_source_that_does_not_exist_is_no_empty_list(harvester, line: tuple[str, ...]) -> None:
    """A misspelt name looked as if no file waited."""
    result = harvester("review", *line, "--source", "larro")
    assert result.exit_code == 2
    assert "There is no source 'larro'" in result.stderr
    assert harvester("review", *line, "--source", "laro", "--host", "x.example.org").exit_code == 0


@each_row("options, is_listed", [
    (("--source", "laro"), True), (("--source", "another"), False), (("--host", "Repository.example.net"), True),
    (("--host", "example.net"), False), (("--step", "unpaywall"), True), (("--step", "crossref"), False),
    (("--license", "cc-by"), False), (("--version", "accepted"), True), (("--version", "published"), False),
    (("--version", "unknown"), False), (("--license", "unknown"), True), (("--kind", "unknown"), False),
    (("--kind", "poster"), False), (("--colour", "unknown"), True), (("--colour", "green"), False),
    (("--outcome", "success"), True), (("--outcome", "low-score"), False), (("--decided-by", "rule"), True),
    (("--decided-by", "anna"), False), (("--reason-has", "LICENCE"), True), (("--reason-has", "embargo"), False),
    (("--least-score", "0.1"), True), (("--most-score", "0.1"), False),
])  # fmt: skip
def test_options_describe_files(harvester, options, is_listed) -> None:
    assert bool(harvester("review", "list", *options).stdout) is is_listed


def test_show_puts_the_record_beside_the_first_lines_of_the_file_and_says_where_the_copy_lies(
    harvester, waiting
) -> None:
    narrow = harvester("review", "show", IDENTIFIER, env={"COLUMNS": "80"}).stdout
    wide = harvester("review", "show", IDENTIFIER, env={"COLUMNS": "160"}).stdout
    (decision,) = waiting.desk.decisions(IDENTIFIER)
    place = place_of_copy(waiting.settings.instance, decision.sha256)
    title = json.loads(harvester("review", "list", "--json").stdout)["title"]
    for shown in (narrow, wide):
        assert f"The copy: {place}" in shown
        assert "title: " in shown
        assert title[:40] in shown
    assert "  The record says:\n" in narrow
    assert any("The record says:" in line and "The file begins:" in line for line in wide.splitlines())
    (file,) = json.loads(harvester("review", "show", IDENTIFIER, "--json").stdout)["files"]
    assert 1 <= len(file["lines"]) <= 20
    assert (file["copy"], file["unread"]) == (str(place), "")
    waiting.work.copies.remove(decision.sha256)
    shown = harvester("review", "show", IDENTIFIER).stdout
    assert "No copy is kept." in shown
    assert "files_keep" in shown


def more_files(search, count: int) -> None:
    """Let more copies of the work wait, as if a search had found them."""
    (first, *_) = search.desk.decisions(IDENTIFIER)
    urls = [f"https://more.example.net/{number:04}.pdf" for number in range(count)]
    search.desk.list_copies((FoundCopy(IDENTIFIER, url, "laro", host="more.example.net") for url in urls), None)
    search.desk.decide(*(first._replace(url=url) for url in urls))


def test_many_files_are_decided_on_after_a_preview_that_is_confirmed(harvester, waiting) -> None:
    more_files(waiting, 30)
    refused = harvester("review", "reject", "--host", "more.example.net", input="n\n")
    assert refused.exit_code == 1
    assert "To reject: 30 files. 10 of them are not shown" in refused.stderr
    assert "Reject 30 files?" in refused.stderr
    assert "Reject 30 files?" in harvester("--quiet", "review", "reject", "--host", "more.example.net").stderr
    assert "https://more.example.net/0000.pdf" in refused.stderr
    assert len(decisions(waiting)) == 31
    tried = harvester("review", "accept", "--host", "more.example.net", "--dry-run")
    assert (tried.exit_code, tried.stdout, len(decisions(waiting))) == (0, "", 31)
    tried = harvester("review", "reject", "--host", "more.example.net", "--dry-run", "--json")
    assert tried.stdout == harvester("review", "list", "--host", "more.example.net", "--json").stdout
    assert len(tried.stdout.splitlines()) == 30
    done = harvester("review", "reject", "--host", "more.example.net", "--reason", "A mirror.", "--yes", "--json")
    assert done.exit_code == 0
    rejected = [json.loads(line) for line in done.stdout.splitlines()]
    assert [decision["verdict"] for decision in rejected] == ["reject"] * 30
    assert {decision["reason"] for decision in rejected} == {"A mirror."}
    assert [candidate.url for candidate in waiting.desk.decided("review", ("", ""), 100)] == [COPY]


def waiting_items(search, count: int) -> list[str]:
    """Let the file of the work wait for other items too, and return their identifiers."""
    (first, *_) = search.desk.decisions(IDENTIFIER)
    names = [f"{IDENTIFIER.rpartition('/')[0]}/oai:laro.example.org:{number:04}" for number in range(count)]
    search.desk.enlist("laro", [(name, name.rpartition("/")[2]) for name in names], 0, 1, "more")
    search.desk.decide(*(first._replace(identifier=name) for name in names))
    return names


def test_many_files_are_decided_on_in_batches_that_are_counted(harvester, waiting) -> None:
    """With transactions for each of 1,667 files, the disk was waited for 7,474 times; that took up to 142 seconds."""
    waiting_items(waiting, 250)
    done = harvester("review", "reject", "--all", "--yes", "--json")
    assert len(done.stdout.splitlines()) == 251
    with closing(sqlite3.connect(waiting.settings.instance / "discovery.sqlite")) as file:
        assert [*file.execute("select count(*) from search where changed > published")] == [(0,)]
    assert re.findall("^.* of 251 files[.]$", done.stderr, re.MULTILINE) == [
        f"{count} of 251 files." for count in (100, 200, 251)
    ]


def test_a_killed_command_has_decided_on_whole_batches_and_the_next_one_goes_on(harvester, waiting) -> None:
    waiting_items(waiting, 650)
    line = [sys.executable, "-m", "harvester", "--instance", str(waiting.settings.instance)]
    with subprocess.Popen([*line, "review", "reject", "--all", "--yes"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for text in process.stderr:
            if text.startswith("100 of 651"):
                process.kill()
                break
    rejected = waiting.desk.decided("reject", ("", ""), 1000)
    assert len(rejected) in (*range(100, 700, 100), 651)
    rest = harvester("review", "reject", "--all", "--yes", "--json")
    assert rest.exit_code == 0
    assert len(rest.stdout.splitlines()) == 651 - len(rejected)
    assert not waiting.desk.unpublished("", 1)


def test_what_a_killed_command_has_decided_and_not_published_is_published_by_the_next_one(harvester, waiting) -> None:
    waiting.desk.decide(waiting.desk.decisions(IDENTIFIER)[-1]._replace(verdict="accept", decided_by="anna"))
    assert harvester("review", "accept", "--all", "--dry-run").exit_code == 0
    assert waiting.desk.unpublished("", 1)
    done = harvester("review", "accept", "--all", "--yes")
    assert "To accept: 0 files." in done.stderr
    assert "Earlier decisions are published: 2 records have a new datestamp." in done.stderr
    assert not waiting.desk.unpublished("", 1)


def test_the_counts_of_an_item_of_several_files_are_right_and_no_file_waits_afterwards(harvester, waiting) -> None:
    more_files(waiting, 2)
    done = harvester("review", "accept", "--all", "--yes", "--json")
    assert sum(json.loads(line)["stamped_records"] for line in done.stdout.splitlines()) == 2
    assert "To accept: 0 files." in harvester("review", "accept", "--all", "--yes").stderr


def test_a_file_that_another_person_decides_on_before_the_confirmation_is_skipped(harvester, waiting) -> None:
    """Anna rejects a file while the question is open; the answer to the question accepted it."""
    more_files(waiting, 1)

    class Answer(BytesIO):
        def read1(self, size: int = -1) -> bytes:
            last = waiting.desk.decisions(IDENTIFIER)[0]
            waiting.desk.decide(last._replace(verdict="reject", reason="Another work.", decided_by="anna"))
            return super().read1(size)

    done = harvester("review", "accept", "--all", input=Answer(b"y\n"))
    assert done.exit_code == 3
    assert f"{COPY} is skipped, because there is a new decision on it: reject by anna." in done.stderr
    assert {decision.url: decision.verdict for decision in waiting.desk.decisions(IDENTIFIER)} == {
        COPY: "reject",
        "https://more.example.net/0000.pdf": "accept",
    }


@pytest.mark.parametrize("arguments", [(IDENTIFIER,), ("--all", "--yes")])
def test_of_two_people_who_decide_at_once_one_wins_and_the_other_is_informed(
    harvester, waiting, monkeypatch, arguments
) -> None:
    """Anna rejects a file between the last look at it and the decision that accepts it."""
    store = SqliteDiscovery.decide_next

    def decide_next(desk, *decisions):
        waiting.desk.decide(decisions[0]._replace(verdict="reject", reason="Another work.", decided_by="anna"))
        return store(desk, *decisions)

    monkeypatch.setattr(SqliteDiscovery, "decide_next", decide_next)
    done = harvester("review", "accept", *arguments)
    assert done.exit_code == 3
    assert f"{COPY} is skipped, because there is a new decision on it: reject by anna." in done.stderr
    assert waiting.desk.decisions(IDENTIFIER)[-1].decided_by == "anna"
    assert f"{IDENTIFIER}: accept" not in done.stderr


def test_the_decisions_of_people_on_many_files_are_undone_after_a_preview(harvester, waiting) -> None:
    more_files(waiting, 30)
    chosen = ("--host", "more.example.net", "--reason-has", "mirror")
    assert harvester("review", "reject", "--host", "more.example.net", "--reason", "A mirror.", "--yes").exit_code == 0
    assert harvester("review", "accept", IDENTIFIER, COPY).exit_code == 0
    refused = harvester("review", "undo", *chosen, input="n\n")
    assert refused.exit_code == 1
    assert "To undo: 30 files. 10 of them are not shown" in refused.stderr
    assert "Undo 30 files?" in refused.stderr
    tried = harvester("review", "undo", "--verdict", "reject", "--dry-run", "--json")
    selected = [json.loads(line) for line in tried.stdout.splitlines()]
    assert ([file["verdict"] for file in selected], len(decisions(waiting))) == (["reject"] * 30, 62)
    assert "To undo: 31 files." in harvester("review", "undo", "--all", "--dry-run").stderr
    assert "To undo: 1 file." in harvester("review", "undo", "--verdict", "accept", "--dry-run").stderr
    undone = harvester("review", "undo", *chosen, "--yes", "--json")
    rows = [json.loads(line) for line in undone.stdout.splitlines()]
    assert [(row["verdict"], row["is_undoing"]) for row in rows] == [("review", True)] * 30
    assert all(row["reason"].startswith("Undone: reject. ") for row in rows)
    assert len(waiting.desk.decided("review", ("", ""), 100)) == 30
    assert [decision.url for decision in waiting.desk.decided("accept", ("", ""), 100)] == [COPY]
    assert not waiting.desk.unpublished("", 1)


def test_a_repetition_undoes_no_earlier_decision_and_no_decision_of_a_rule(harvester, waiting) -> None:
    """A killed command is repeated: a file whose decision is undone already is not chosen again."""
    for verdict in ("accept", "reject"):
        assert harvester("review", verdict, IDENTIFIER).exit_code == 0
    assert "To undo: 1 file." in harvester("review", "undo", "--all", "--yes").stderr
    assert "To undo: 0 files." in harvester("review", "undo", "--all", "--yes").stderr
    assert decisions(waiting)[-1][0] == "accept"
    assert harvester("review", "undo", IDENTIFIER).exit_code == 0
    (by_rule, *_) = waiting.desk.decisions(IDENTIFIER)
    waiting.desk.decide(by_rule._replace(verdict="accept"))
    assert "To undo: 0 files." in harvester("review", "undo", "--all", "--yes").stderr


def test_an_item_of_many_files_is_read_once_for_all_of_them(harvester, waiting, monkeypatch) -> None:
    """Undoing 400 decisions on one item took 69 seconds, because the item was read for each of its files."""
    more_files(waiting, 60)
    assert harvester("takedown", "add", "http://elsewhere.example.org/1.pdf").exit_code == 0
    reads: Counter[str] = Counter()

    def counting(name):
        read = getattr(SqliteDiscovery, name)

        def counted(desk, *arguments):
            reads[name] += 1
            return read(desk, *arguments)

        return counted

    for name in ("search", "decisions"):
        monkeypatch.setattr(SqliteDiscovery, name, counting(name))
    for verb in ("reject", "undo"):
        assert harvester("review", verb, "--host", "more.example.net", "--dry-run", "--json").exit_code == 0
        assert "60 of 61" not in harvester("review", verb, "--host", "more.example.net", "--yes").stderr
        assert set(reads) == {"search", "decisions"}
        assert max(reads.values()) < 10, verb
        reads.clear()
    assert len(waiting.desk.decided("review", ("", ""), 100)) == 61


def test_batches_end_where_items_do_unless_an_item_has_many_files(monkeypatch) -> None:
    """A batch is one transaction; an item is published once for a batch."""
    monkeypatch.setattr(review, "BATCH", 2)
    monkeypatch.setattr(review, "_MOST_AT_ONCE", 4)
    chosen = [Decision(name, str(place), "", "accept", "", "", 0) for place, name in enumerate("aaaabbcdddddde")]
    batches = ["".join(decision.identifier for decision in batch) for batch in review._batches(chosen)]
    assert batches == ["aaaa", "bbc", "dddd", "dde"]
    assert list(review._batches([])) == []


def test_a_decision_on_other_bytes_is_skipped_and_the_others_are_undone(harvester, waiting) -> None:
    more_files(waiting, 2)
    assert harvester("review", "reject", "--host", "more.example.net", "--yes").exit_code == 0
    last = next(one for one in waiting.desk.decided("reject", ("", ""), 1))
    waiting.desk.decide(last._replace(sha256="1" * 64, decided_by="anna"))
    undone = harvester("review", "undo", "--host", "more.example.net", "--yes")
    assert f"{IDENTIFIER} is skipped. The decision before, reject, was on other bytes of {last.url}" in undone.stderr
    assert "To undo: 1 file." in undone.stderr
    quiet = harvester("review", "undo", "--host", "none.example.net", "--yes")
    assert "skipped" not in quiet.stderr


@each_row(
    "verb, arguments",
    [
        *(
            ("accept", arguments)
            for arguments in ((), ("--yes",), (IDENTIFIER, "--all"), (IDENTIFIER, "--host", "a.b"))
        ),
        *(("undo", arguments) for arguments in ((), ("--yes",), (IDENTIFIER, "--all"), ("--verdict", "review"))),
        ("undo", (IDENTIFIER, "--verdict", "accept")),
    ],
)
def test_what_is_meant_must_be_plain(harvester, waiting, verb: str, arguments: tuple[str, ...]) -> None:
    assert harvester("review", verb, *arguments).exit_code == 2
    assert len(decisions(waiting)) == 1


def test_a_list_is_never_cut_inside_an_item_and_goes_on_where_it_ended(harvester, waiting) -> None:
    more_files(waiting, 1100)
    another = IDENTIFIER + "-z"
    waiting.desk.decide(Decision(another, COPY, "", "review", "Why.", "rule", 1))
    first = harvester("review", "list", "--json")
    assert len(first.stdout.splitlines()) == 1101
    assert f"--after {IDENTIFIER}" in first.stderr
    (rest,) = harvester("review", "list", "--json", "--after", IDENTIFIER).stdout.splitlines()
    assert json.loads(rest)["identifier"] == another
    assert harvester("review", "list", "--after", IDENTIFIER).stdout.splitlines()[1] == "  The record is deleted."


def test_outcomes_are_counted_by_month_and_a_share_of_a_step_is_that_of_its_searches(harvester, waiting) -> None:
    """A step and its copies were counted together: of one search in which one copy was read, each half was a work."""

    def counted(*arguments: str) -> list[dict]:
        return [json.loads(line) for line in harvester("outcomes", *arguments, "--json").stdout.splitlines()]

    lines = counted("--by", "step", "--by", "month")
    assert {line["month"] for line in lines} == {"2027-01"}
    shares: Counter[tuple[str, str]] = Counter()
    for line in lines:
        shares[line["step"], line["what"]] += line["share"]
    assert all(share == pytest.approx(1, abs=0.001) for share in shares.values())
    assert counted("--month", "2026-12") == []
    assert counted("--month", "2027-01") == counted() != []
    assert harvester("outcomes", "--month", "2027-13").exit_code == 2
    named = {(line["step"], line["what"]): line for line in counted("--by", "step") if line["outcome"] == "success"}
    both = {step for step, what in named if what == "copy"}
    assert both
    for step in both:
        assert named[step, "step"]["share"] == 1
    words = harvester("outcomes", "--by", "step").stdout
    assert "100.0%" in words
    assert all(f"{step}  step  success" in words and f"{step}  copy  success" in words for step in both)


def test_what_an_earlier_release_has_counted_stays_and_has_no_month(tmp_path) -> None:
    open_discovery(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "discovery.sqlite")) as file, file:
        file.execute("drop table ending")
        file.execute("drop table alarm")
        file.execute(
            "create table ending (source text not null, step text not null, host text not null, outcome text not null,"
            " count integer not null, primary key (source, step, host, outcome)) without rowid"
        )
        file.execute("insert into ending values ('laro', 'crossref', 'api.crossref.org', 'success', 7)")
        file.execute("delete from _sqlite_migrations where name in ('0008_months', '0010_what_ended', '0011_alarms')")
    desk = open_discovery(tmp_path)
    assert [(ending.month, ending.what, count) for ending, count in desk.endings()] == [("", "", 7)]
    desk.close()
