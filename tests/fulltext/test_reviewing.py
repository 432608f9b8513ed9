"""What a person sees of the files that wait, and how one or many of them are decided on."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from gateway.core.model import CopyFilter, CopyOrder, FoundCopy
from gateway.core.settings import place_of_copy
from gateway.store.discovery import Discovery
from harvester.cli import main
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
    assert f"  {COPY}: cosine 0." in harvester("explain", IDENTIFIER, "--compare").stdout
    (compared,) = json.loads(harvester("explain", IDENTIFIER, "--compare", "--json").stdout)["compared"]
    assert (compared["url"], compared["covered"] > 0.5) == (COPY, True)


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
    (decision,) = waiting.discovery.decisions(IDENTIFIER)
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
    (first, *_) = search.discovery.decisions(IDENTIFIER)
    urls = [f"https://more.example.net/{number:04}.pdf" for number in range(count)]
    search.discovery.list_copies((FoundCopy(IDENTIFIER, url, "laro", host="more.example.net") for url in urls), None)
    search.discovery.decide(*(first._replace(url=url) for url in urls))


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
    assert listed(waiting, "review") == [COPY]


def listed(search, verdict: str) -> list[str]:
    """Return the addresses of the copies on which the last decision has a verdict."""
    copies = search.discovery.listed_copies(verdict, CopyFilter(), CopyOrder.IDENTIFIER, None, 1000)
    return [copy.decision.url for copy in copies]


def waiting_items(search, count: int) -> list[str]:
    """Let the file of the work wait for other items too, and return their identifiers."""
    (first, *_) = search.discovery.decisions(IDENTIFIER)
    names = [f"{IDENTIFIER.rpartition('/')[0]}/oai:laro.example.org:{number:04}" for number in range(count)]
    search.discovery.enlist("laro", [(name, name.rpartition("/")[2]) for name in names], 0, 1, "more")
    search.discovery.decide(*(first._replace(identifier=name) for name in names))
    return names


def test_a_killed_command_has_decided_on_whole_batches_and_the_next_one_goes_on(harvester, waiting) -> None:
    waiting_items(waiting, 650)
    line = [sys.executable, "-m", "harvester", "--instance", str(waiting.settings.instance)]
    with subprocess.Popen([*line, "review", "reject", "--all", "--yes"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for text in process.stderr:
            if text.startswith("100 of 651"):
                process.kill()
                break
    rejected = listed(waiting, "reject")
    assert len(rejected) in (*range(100, 700, 100), 651)
    rest = harvester("review", "reject", "--all", "--yes", "--json")
    assert rest.exit_code == 0
    assert len(rest.stdout.splitlines()) == 651 - len(rejected)
    assert not waiting.discovery.unpublished("", 1)


@pytest.mark.parametrize("arguments", [(IDENTIFIER,), ("--all", "--yes")])
def test_of_two_people_who_decide_at_once_one_wins_and_the_other_is_informed(
    harvester, waiting, monkeypatch, arguments
) -> None:
    """Anna rejects a file between the last sight of it and the decision that accepts it."""
    store = Discovery.decide_next

    def decide_next(discovery, *decisions):
        waiting.discovery.decide(decisions[0]._replace(verdict="reject", reason="Another work.", decided_by="anna"))
        return store(discovery, *decisions)

    monkeypatch.setattr(Discovery, "decide_next", decide_next)
    done = harvester("review", "accept", *arguments)
    assert done.exit_code == 3
    assert f"{COPY} is skipped, because there is a new decision on it: reject by anna." in done.stderr
    assert waiting.discovery.decisions(IDENTIFIER)[-1].decided_by == "anna"
    assert f"{IDENTIFIER}: accept" not in done.stderr


def test_the_decisions_of_people_on_many_files_are_undone_after_a_preview(harvester, waiting) -> None:
    more_files(waiting, 30)
    chosen = ("--host", "more.example.net", "--reason-has", "mirror")
    assert harvester("review", "reject", "--host", "more.example.net", "--reason", "A mirror.", "--yes").exit_code == 0
    assert harvester("review", "accept", IDENTIFIER, COPY).exit_code == 0
    assert "To undo: 30 files. 10 of them are not shown" in harvester("review", "undo", *chosen, input="n\n").stderr
    assert "To undo: 31 files." in harvester("review", "undo", "--all", "--dry-run").stderr
    assert len(decisions(waiting)) == 62
    undone = harvester("review", "undo", *chosen, "--yes", "--json")
    rows = [json.loads(line) for line in undone.stdout.splitlines()]
    assert [(row["verdict"], row["is_undoing"]) for row in rows] == [("review", True)] * 30
    assert all(row["reason"].startswith("Undone: reject. ") for row in rows)
    assert len(listed(waiting, "review")) == 30
    assert listed(waiting, "accept") == [COPY]
    assert not waiting.discovery.unpublished("", 1)
