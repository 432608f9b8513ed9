"""No secret of an address is published, kept in the log of runs or shown."""

import json
from contextlib import closing

from gateway.core.model import RunOutcome
from harvester.harvest.run_lifecycle import RunLog
from harvester.runtime.progress import Progress
from tests.opening import open_inbox, open_store
from tests.rows import each_row

URL = "http://127.0.0.1:9/oai?apikey=HUSH"


@each_row(
    "arguments",
    [
        ("source", "add", "x", URL, "--no-check"),
        ("source", "check", URL, "--add", "x"),
        ("dump", URL, "-"),
        ("mirror", URL, "folder"),
    ],
)
def test_a_command_refuses_an_address_with_a_secret(command, instance, arguments, tmp_path, monkeypatch):
    """It published the secret in friends and in each provenance."""
    monkeypatch.chdir(tmp_path)
    status, out, err = command(*arguments)
    assert (status, "The argument apikey of the address looks like a secret" in err) == (2, True), err
    assert "HUSH" not in out + err
    assert not (instance / "sources.toml").exists()


def test_an_entry_with_a_secret_stops_every_command_and_is_named(command, instance):
    (instance / "sources.toml").write_text(f'[x]\nurl = "{URL}"\n')
    for arguments in (("run", "--all"), ("status",), ("tend",)):
        status, out, err = command(*arguments)
        assert (status, "sources.toml, source 'x': The argument apikey" in err) == (2, True)
        assert "HUSH" not in out + err


def test_what_the_log_of_a_run_keeps_has_no_secrets(instance):
    messages = []

    class Heard(Progress):
        def say(self, text):
            messages.append(text)

    with closing(open_inbox(instance)) as inbox:
        log = RunLog(inbox, "x", Heard())
        for tell in (log.note, log.fail, lambda text: log.add_warnings([text])):
            tell(f"{URL} answers with HTTP status 500")
        log.end(RunOutcome.FAILED, is_complete=False)
        (run,) = inbox.runs("x", 1)
        kept = json.dumps([run.reasons, [event.text for event in inbox.events(run.number)], messages])
    assert "apikey=... answers" in kept
    assert "HUSH" not in kept


def test_a_source_with_credentials_is_no_friend_unless_its_entry_says_so(command, instance):
    added = ("--no-check", "--auth", "bearer", "--secret-env", "TOKEN")
    command("source", "add", "open", "http://127.0.0.1:9/a", "--no-check")
    command("source", "add", "closed", "http://127.0.0.1:9/b", *added)
    command("source", "add", "told", "http://127.0.0.1:9/c", *added, "--friend")
    command("source", "add", "shy", "http://127.0.0.1:9/d", "--no-check", "--no-friend")
    with closing(open_store(instance)) as store, store.view() as view:
        assert {source.name: source.is_friend for source in view.sources()} == {
            "closed": False,
            "open": True,
            "shy": False,
            "told": True,
        }
