"""The validator against right providers of several kinds, unwilling ones, and within its limits."""

import json
from contextlib import nullcontext
from dataclasses import replace

import pytest
from click.testing import CliRunner

from gateway.core.errors import ConfigurationError, ConnectionFailed
from harvester.cli import main
from harvester.validate.run import CHECKS, Limits, Verdict, validate
from tests.rows import each_row
from tests.validate.provider import BASE, Provider
from tests.validate.strikes import asks, broken, changed, sent


def _skipped(report):
    return {result.check: result.reason for result in report.results if result.verdict is Verdict.SKIPPED}


def _faulty_checks(report):
    return [result.check for result in report.results if result.verdict in (Verdict.FAIL, Verdict.WARNING)]


# --- right providers -------------------------------------------------------------------------------------------


def test_a_right_provider_passes_every_check(check):
    report = check(Provider())
    assert _skipped(report) == {"dates.seconds-refused": "The repository's granularity is the second."}
    assert (_faulty_checks(report), report.exit_code) == ([], 0)


@each_row(
    "settings, reasons",
    [
        ({"is_day": True}, {}),
        (
            {"page_size": 100, "sets_page_size": 100},
            {
                "tokens.idempotent": "Every list came in one answer.",
                "http.post-token": "ListIdentifiers came in one answer.",
            },
        ),
        ({"page_size": 6, "sets_page_size": 100}, {"tokens.earlier": "No list was followed for 3 answers."}),
        (
            {"sets": {}},
            {"sets.spec": "The repository has no sets.", "sets.belongs": "No received record is in a set."},
        ),
        ({"life": None}, {"tokens.expiration-life": "No token has an expirationDate."}),
    ],
)
def test_a_provider_passes_and_what_it_does_not_have_is_skipped(check, settings, reasons):
    report = check(Provider(**settings))
    assert _faulty_checks(report) == []
    assert reasons.items() <= _skipped(report).items()
    assert reasons or _skipped(report) == {}


def test_a_provider_without_records_is_faulted_for_that_alone(check):
    """That nothing matched a `from` before its earliestDatestamp was called a refusal."""
    report = check(Provider(items=[]))
    assert _faulty_checks(report) == ["list-records.works", "list-identifiers.works"]
    assert "noRecordsMatch" in _skipped(report)["dates.from-before-earliest"]


def test_a_record_that_changed_meanwhile_is_no_fault(check):
    """item/0 gets another datestamp after the list was read: it may be missing where it was."""
    provider = Provider()
    moved = provider.items[0]._replace(second=provider.items[0].second + 86_400)

    def move(asked, text):
        if asked.verb == "ListSets":
            provider.items = [moved, *provider.items[1:]]
        return text

    provider.edit = move
    assert "dates.exact" not in _faulty_checks(check(provider))
    assert "dates.day" not in _faulty_checks(check(provider))


# --- within limits ---------------------------------------------------------------------------------------------


def test_long_lists_are_sampled(check):
    report = check(Provider(page_size=1, sets_page_size=1), least_page=1, pages=3)
    assert _faulty_checks(report) == []
    assert _skipped(report)["sets.listed"] == "Not all sets were listed."


def test_the_number_of_requests_is_bounded(check):
    report = check(Provider(), requests=20)
    assert report.requests == 20
    assert "The limit of 20 requests was reached." in _skipped(report).values()
    assert _faulty_checks(report) == []


def test_the_time_is_bounded():
    ticks = iter(range(10_000))
    report = validate(BASE, Provider(), limits=Limits(seconds=50, least_page=4), clock=lambda: float(next(ticks)))
    assert report.requests < 50
    assert "The limit of 50 seconds was reached." in _skipped(report).values()


# --- unwilling providers ---------------------------------------------------------------------------------------


@each_row("url", ["ftp://a.example.org/oai", "http://a.example.org/oai?x=1", "http://a.example.org/#x"])
def test_what_cannot_be_a_base_url_is_refused(url):
    with pytest.raises(ConfigurationError, match="is not a base URL"):
        validate(url, Provider())


def test_a_provider_that_gives_no_answer_at_all_raises_why():
    with pytest.raises(ConnectionFailed):
        validate(BASE, Provider(send=broken(lambda _: True)))


def test_a_site_that_answers_in_html_does_not_conform(check):
    def send(_, fetched):
        html = (("Content-Type", "text/html"),)
        return replace(fetched, headers=html, body=b"<html><p>Hello<br></html>")

    report = check(Provider(send=send))
    assert _faulty_checks(report) == ["identify.works", "answer.media-type", "answer.charset", "answer.well-formed"]
    assert report.exit_code == 1


# --- the report ------------------------------------------------------------------------------------------------


def test_the_report_for_people_names_every_check_and_shows_the_evidence(check):
    report = check(Provider(send=sent(asks("junk", method="GET"), status=422)))
    lines = list(report.lines())
    assert sum(line[:4] in ("ok  ", "FAIL", "warn", "skip") for line in lines) == len(CHECKS)
    place = next(number for number, line in enumerate(lines) if line.startswith("FAIL"))
    assert lines[place : place + 4] == [
        f"FAIL  {'answer.status':32} OAI-PMH answers and errors come with HTTP status 200. (OAI-PMH 2.0 §3.1.2.2)",
        "      The HTTP status is 422.",
        "        asked http://repo.example.org/oai?verb=junk",
        "        came  HTTP 422, text/xml; charset=UTF-8: badVerb There is not one legal verb.",
    ]
    assert lines[-1].startswith("http://repo.example.org/oai does not conform: 161 passed, 1 failed")


def test_the_command_reports_in_words_and_json_and_its_status_is_that_of_the_worst_verdict(tmp_path, monkeypatch):
    provider = Provider()
    monkeypatch.setattr("harvester.commands.checking.fetcher", lambda *_: nullcontext(provider))
    words = ["--instance", str(tmp_path), "validate", BASE]
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, f"{BASE} conforms: " in done.stdout) == (3, True), done.output  # its pages are small
    provider.edit = changed("<protocolVersion>2.0", "<protocolVersion>1.1")
    done = CliRunner().invoke(main, [*words, "--json", "--max-requests", "9"])
    report = json.loads(done.stdout)
    assert (done.exit_code, report["base_url"], report["requests"]) == (1, BASE, 9)
    assert report["results"][0]["evidence"][0]["asked"] == f"{BASE}?verb=Identify"
