"""A source that fails again and again: one notice, and one more when it is well again."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from gateway.cli import main
from gateway.errors import StoreBusy
from gateway.model import RunOutcome
from harvester.harvest.instance import opened
from harvester.schedule.notifications.notify import notify_of_source

pytestmark = pytest.mark.slow  # it asks servers


@pytest.fixture
def configured(instance, mails):
    with (instance / "config.toml").open("a") as file:
        file.write(f'notify_smtp_url = "smtp://127.0.0.1:{mails.port}"\nnotify_to = "me@x.org"\n')


@pytest.mark.usefixtures("configured")
def test_after_some_failures_in_a_row_somebody_is_told_once_and_again_when_it_is_well(command, repository, mails):
    repository.fill(5)
    command("source", "add", "fake", repository.url)
    repository.statuses["Identify"] = (403, b"no", {})
    for _ in range(2):
        command("run", "fake")
    assert mails.mails == []
    for _ in range(3):
        command("run", "fake")
    (mail,) = mails.mails
    assert mail["Subject"].endswith("fake: runs fail")
    assert "403" in mail.get_content()
    repository.statuses.clear()
    for _ in range(2):
        command("run", "fake")
    assert [sent_mail["Subject"].partition("] ")[2] for sent_mail in mails.mails] == [
        "fake: runs fail",
        "fake needs no action any more",
    ]


@pytest.mark.usefixtures("configured")
def test_a_run_that_was_stopped_or_was_of_another_stage_does_not_make_a_source_well(
    command,
    instance,
    repository,
    mails,
):
    repository.fill(5)
    command("source", "add", "fake", repository.url)
    repository.statuses["Identify"] = (403, b"no", {})
    for _ in range(3):
        command("run", "fake")
    with opened(instance) as known:
        for stage, outcome in (("harvest", RunOutcome.STOPPED), ("discovery", RunOutcome.SUCCEEDED)):
            number = known.inbox.start_run("fake", 1, stage)
            known.inbox.end_run(number, 2, outcome, True, {}, ())
        notify_of_source(known, "fake")
    assert [mail["Subject"].partition("] ")[2] for mail in mails.mails] == ["fake: runs fail"]


def test_what_cannot_be_looked_up_does_not_end_the_run(instance, monkeypatch, caplog):
    def busy(*_):
        raise StoreBusy("It is busy.")

    monkeypatch.setenv("GATEWAY_NOTIFY_SMTP_URL", "smtp://127.0.0.1:1")
    monkeypatch.setattr("harvester.schedule.notifications.notify.concerns_of", busy)
    with opened(instance) as known:
        notify_of_source(known, "fake")
    assert "its concerns cannot be read: It is busy." in caplog.text


@pytest.mark.usefixtures("configured")
def test_a_source_that_says_it_is_another_one_needs_a_person(command, repository, mails):
    repository.fill(5)
    command("source", "add", "fake", repository.url)
    command("run", "fake")
    repository.name = "Another name"
    command("run", "fake")
    assert mails.mails[0]["Subject"].endswith("fake: is another repository, or says so")
    assert "accept-identity fake" in mails.mails[0].get_content()


def test_secrets_of_notices_are_never_shown(instance, monkeypatch):
    monkeypatch.setenv("GATEWAY_NOTIFY_SMTP_URL", "smtps://me:s3cret@mail.example.org")
    output = CliRunner().invoke(main, ["--instance", str(instance), "settings", "--json"]).output
    (row,) = [setting for setting in map(json.loads, output.splitlines()) if setting["name"] == "notify_smtp_url"]
    assert row == {"name": "notify_smtp_url", "value": "(given)", "origin": "environment"}
    assert "s3cret" not in output


@pytest.mark.usefixtures("configured")
def test_what_is_due_is_sent_before_tend_ends(command, repository, mails, instance):
    repository.fill(5)
    with (instance / "config.toml").open("a") as file:
        file.write("notify_after_failures = 1\n")
    command("source", "add", "fake", repository.url, "--every", "1d")
    repository.statuses["Identify"] = (403, b"no", {})
    assert command("tend")[0] != 0
    (mail,) = mails.mails
    assert mail["Subject"].endswith("fake: runs fail")
