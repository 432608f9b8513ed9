"""From the command to the harvest: a source, its hub and the gateway on loopback."""

import json
import sqlite3
from contextlib import closing
from threading import Thread

import pytest
from click.testing import CliRunner
from werkzeug.serving import make_server

from gateway.ops.upkeep import make
from harvester.cli import main
from tests.applications import application
from tests.schedule import hub_of_source as hubs
from tests.sources.resourcesync.site import SETTINGS, Site, served

pytestmark = pytest.mark.slow

AT = "2013-01-01T00:00:00Z"
CHANNEL = "change/"


@pytest.fixture
def hub():
    with hubs.served(hubs.Hub()) as hub:
        yield hub


@pytest.fixture
def site(hub):
    with served(Site()) as site:
        site.offer("resourcelist", "changelist")
        site.put("resourcelist.xml", "resourcelist", site.metadata("1"), at=AT)
        site.put("changelist.xml", "changelist", from_=AT)
        advertise(site, hub)
        yield site


def advertise(site, hub, *entries):
    """Let the Capability List name a channel at the hub, as in example 7 of ResourceSync Change Notification."""
    lists = (site.url_element(f"{name}.xml", capability=name) for name in ("resourcelist", "changelist"))
    link = f'<rs:ln rel="hub" href="{hub.url}"/>'
    channel = site.url_element(CHANNEL, links=link, capability="change-notification")
    site.put("caps.xml", "capabilitylist", *lists, *(entries or (channel,)))


@pytest.fixture
def folder(tmp_path, site):
    """Make an instance with one source, whose gateway serves; its hubs are at other ports of loopback."""
    folder = tmp_path / "instance"
    make(folder, {})
    with application(folder) as app:
        server = make_server("127.0.0.1", 0, app, threaded=True)
        server.daemon_threads = False  # type: ignore[attr-defined] # who is answered late is waited for before the databases are closed
        thread = Thread(target=server.serve_forever, args=(0.002,))
        thread.start()
        base_url = f'base_url = "http://127.0.0.1:{server.server_port}/oai"\n'
        (folder / "config.toml").write_text(SETTINGS + base_url)
        entry = 'kind = "resourcesync"\nallow = ["127.0.0.1"]\n'
        (folder / "sources.toml").write_text(f'[fake]\nurl = "{site.url}"\n{entry}')
        yield folder
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def command(folder):
    """Return a function that runs `harvester` in this process, and returns (exit status, data, words)."""

    def command(*arguments):
        result = CliRunner().invoke(main, ["--instance", str(folder), *arguments, "--json"])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        facts = [json.loads(line) for line in result.stdout.splitlines()]
        # How much of the store is left to be compacted depends on the machine.
        return result.exit_code, [fact for fact in facts if fact.get("stage") != "compaction"], result.stderr

    return command


def shift(folder, **seconds):
    """Let what was written have happened earlier."""
    with closing(sqlite3.connect(folder / "subscriptions.sqlite")) as connection, connection:
        for name, number in seconds.items():
            connection.execute(f"update subscription set {name} = {name} - ?", (number,))


def subscriptions(command):
    return command("source", "show", "fake")[1][0]["subscriptions"]


def test_a_hub_tells_and_tend_harvests(command, site, hub, folder):
    """What the hub brings marks the source as due; nothing of what it says is believed."""
    assert command("run", "fake")[0] == 0
    status, (row,), words = command("source", "subscribe", "fake")
    assert (status, row["state"], row["topic"], row["hub"]) == (0, "active", f"{site.url}/{CHANNEL}", hub.url)
    hub.wait(1)
    assert hub.answers == [(200, "riddle")]
    secret, token = hub.last["hub.secret"], hub.last["hub.callback"].rpartition("/")[2]
    assert min(len(secret), len(token)) >= 43
    assert [credential for credential in (secret, token) if credential in json.dumps(row) + words] == []
    assert command("tend")[:2] == (0, [])

    site.put("changelist.xml", "changelist", site.metadata("2") and site.entry("2", change="created"), from_=AT)
    assert hub.bring(b"<urlset/>", secret="guess") == 202
    assert command("tend")[:2] == (0, [])
    assert hub.bring(b"<urlset/>", "sha1") == 202
    assert subscriptions(command)[0].get("notified")
    with closing(sqlite3.connect(folder / "inbox.sqlite")) as connection, connection:  # it was harvested a moment ago
        connection.execute("update run set started_at = started_at - 100, ended_at = ended_at - 100")
    status, facts, _ = command("tend")
    assert (status, [(fact["stage"], fact["counts"]["published"]) for fact in facts]) == (0, [("harvest", 1)])
    shift(folder, notified_at=2)  # in the second in which a run begins, nobody knows what came first
    assert command("tend")[:2] == (0, [])


def test_a_lease_is_renewed_before_it_ends_under_the_same_address(command, hub, folder):
    command("source", "subscribe", "fake")
    first = hub.last
    shift(folder, until=3600 - 600, asked_at=3600 - 600)
    status, (fact,), words = command("tend")
    assert (status, fact["stage"]) == (0, "subscription")
    assert f"fake: asked for notifications: {hub.url}." in words
    assert hub.last == first
    assert len(hub.asked) == 2
    assert command("tend")[:2] == (0, [])


def test_a_hub_that_does_not_confirm_is_asked_again(command, hub, folder):
    hub.verifies = False
    status, (row,), words = command("source", "subscribe", "fake", "--wait", "0")
    assert (status, row["state"]) == (3, "asked")
    assert "has not confirmed yet" in words
    assert command("tend")[:2] == (0, [])
    hub.verifies = True
    shift(folder, asked_at=1000)
    assert [fact["stage"] for fact in command("tend")[1]] == ["subscription"]
    hub.wait(1)
    assert subscriptions(command)[0]["state"] == "active"


def test_an_end_is_told_to_the_hub_and_nothing_counts_from_then_on(command, hub, folder):
    command("source", "subscribe", "fake")
    status, (row,), _ = command("source", "unsubscribe", "fake")
    assert (status, row["state"], hub.last["hub.mode"]) == (0, "ended", "unsubscribe")
    hub.wait(2)
    assert hub.answers[-1] == (200, "riddle")
    assert hub.bring(b"<urlset/>") == 410
    assert command("source", "unsubscribe", "fake")[0] == 2
    shift(folder, until=100_000)
    assert command("tend")[:2] == (0, [])


def test_a_hub_that_refuses_is_quoted(command, hub):
    hub.denies = "You are not welcome"
    status, rows, _ = command("source", "subscribe", "fake")
    assert (status, rows[0]["reason"]) == (4, "You are not welcome")
    assert subscriptions(command)[0]["state"] == "denied"
    assert command("tend")[:2] == (0, [])
    assert command("source", "subscribe", "fake")[0] == 4


def test_a_channel_that_is_gone_ends_and_one_that_moved_gets_a_new_address(command, site, hub, folder):
    command("source", "subscribe", "fake")
    first = hub.last["hub.callback"]
    with hubs.served(hubs.Hub()) as other:
        advertise(site, other)
        assert [row["hub"] for row in command("source", "subscribe", "fake")[1]] == [other.url]
        assert other.last["hub.callback"] != first
    link = f'<rs:ln rel="hub" href="{hub.url}"/>'
    advertise(site, hub, site.url_element("new", links=link, capability="change-notification"))
    rows = command("source", "subscribe", "fake")[1]
    assert {row["topic"].rpartition("/")[2]: row["state"] for row in rows} == {"": "ending", "new": "active"}


def test_what_has_no_channel_may_name_a_hub_in_its_headers_or_links(command, site, hub):
    entries = [site.url_element(f"{name}.xml", capability=name) for name in ("resourcelist", "changelist")]
    site.put("caps.xml", "capabilitylist", *entries)
    assert "names no hub" in command("source", "subscribe", "fake")[2]
    link = f'<rs:ln rel="hub" href="{hub.url}"/>'
    site.put("resourcelist.xml", "resourcelist", link, at=AT)
    assert command("source", "subscribe", "fake")[1][0]["topic"] == f"{site.url}/resourcelist.xml"
    listed = site.files["/changelist.xml"]
    site.files["/changelist.xml"] = (200, {"Link": f'<{hub.url}>; rel=hub, </topic>; rel="self"'}, listed)
    assert f"{site.url}/topic" in [row["topic"] for row in command("source", "subscribe", "fake")[1]]


def test_a_channel_without_a_hub_is_asked_for_it(command, site, hub):
    """Its topic must say it in a header, and need not be a document (Change Notification, section 4.1)."""
    advertise(site, hub, site.url_element(CHANNEL, capability="change-notification"))
    site.files[f"/{CHANNEL}"] = (200, {"Link": f'<{hub.url}>; rel="hub"'}, b"")
    assert command("source", "subscribe", "fake")[1][0]["hub"] == hub.url
    site.files["/nowhere"] = (302, {"Location": "http://10.0.0.1/"}, b"")
    advertise(site, hub, site.url_element("nowhere", capability="change-notification"))
    assert command("source", "subscribe", "fake")[0] == 4


def test_what_a_hub_says_does_not_command_the_terminal(command, hub, folder):
    hub.denies = "not\nyou\x1b[31m"
    command("source", "subscribe", "fake")
    words = CliRunner().invoke(main, ["--instance", str(folder), "source", "show", "fake"]).stdout
    assert "reason not you [31m" in words
