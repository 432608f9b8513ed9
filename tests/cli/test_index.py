"""`gateway index` makes the search index, which other commands treat as something derived; `gateway hub` lists."""

import json
from contextlib import closing

import pytest

from gateway.core.model import HubMode, HubRequest
from gateway.search.base import Query
from gateway.search.following import NAME
from gateway.search.sqlite_reader import open_search
from tests.opening import open_subscribers
from tests.rows import each_row


def names(folder, text: str = "") -> tuple[str, ...]:
    return open_search(folder).search(Query(text)).identifiers


def test_index_is_made_and_made_anew(gateway, folder, publish):
    gateway("init")
    publish(is_indexed=False)
    result = gateway("index", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["items"] == 1
    assert "The search index is complete up to" in result.stderr
    assert names(folder) == ("oai:gateway.example.org:laro/1",)
    assert gateway("index", "--anew").exit_code == 0
    assert names(folder) == ("oai:gateway.example.org:laro/1",)


def test_check_compares_the_index_with_the_store(gateway, folder, publish):
    gateway("init")
    assert "search index" not in gateway("check").stderr
    publish(is_indexed=False)
    assert "The search index is missing" in gateway("check").stderr
    assert "search index" not in gateway("check", GATEWAY_BROWSE_SEARCH="false").stderr
    gateway("index")
    assert "The search index is complete up to" in gateway("check").stderr
    (folder / NAME).write_bytes(b"nothing")
    assert "The search index cannot be read" in gateway("check").stderr


def test_check_says_how_far_the_index_is_behind_or_ahead(gateway, folder, publish):
    gateway("init")
    gateway("index")
    publish(is_indexed=False)
    assert "The search index lacks the last changes: 1." in gateway("check").stderr
    gateway("index")
    for name in ("store.sqlite", "store.sqlite-wal", "store.sqlite-shm"):
        (folder / name).unlink(missing_ok=True)
    gateway("init")
    assert "belongs to another store" in gateway("check").stderr


def test_backup_leaves_the_index_out_and_restore_removes_it(gateway, folder, publish, tmp_path):
    gateway("init")
    publish(is_indexed=False)
    gateway("index")
    assert gateway("backup", str(tmp_path / "backup")).exit_code == 0
    assert not list((tmp_path / "backup").rglob(f"{NAME}*"))
    assert gateway("restore", "--replace", str(tmp_path / "backup")).exit_code == 0
    assert not (folder / NAME).exists()
    gateway("index")
    assert names(folder) == ("oai:gateway.example.org:laro/1",)


def test_backup_leaves_a_loaded_graph_out_and_restore_removes_it(gateway, folder, publish, tmp_path):
    gateway("init")
    publish()
    (folder / "graph").mkdir()
    (folder / "graph" / "graph.lbug").write_bytes(b"")
    assert gateway("backup", str(tmp_path / "backup")).exit_code == 0
    assert not list((tmp_path / "backup").rglob("graph*"))
    assert gateway("restore", "--replace", str(tmp_path / "backup")).exit_code == 0
    assert not (folder / "graph").exists()


CALLBACK = "https://subscriber.example.net/callback"
TOPIC = "https://gateway.example.org/resourcesync/oai_dc/source/changelist-open.xml"


@pytest.fixture
def subscribers(gateway, folder):
    gateway("init")
    with closing(open_subscribers(folder)) as subscribers:
        for secret in ("a secret", ""):
            asked = HubRequest(CALLBACK + secret[:1], TOPIC, HubMode.SUBSCRIBE, secret, 3600, "192.0.2.0/24", 1, 60)
            subscribers.store_request(asked, 10, 10)
        subscribers.confirm_request(1, 3600)
        yield subscribers


def test_subscriptions_are_listed_without_their_secrets(gateway, subscribers):
    result = gateway("hub", "list", "--json")
    assert json.loads(result.stdout) == {
        "number": 1, "callback": f"{CALLBACK}a", "topic": TOPIC, "is_signed": True, "network": "192.0.2.0/24",
        "until": "1970-01-01T01:00:00Z", "delivered_until": "1970-01-01T00:01:00Z",
        "failures": 0, "failing_since": None, "problem": "",
    }  # fmt: skip
    assert result.stderr == "1 subscriptions; 1 requests wait until `harvester tend` verifies them.\n"
    assert "a secret" not in result.output


def test_a_subscription_is_removed_by_its_number(gateway, subscribers):
    result = gateway("hub", "remove", "1", "--json")
    assert (json.loads(result.stdout), result.stderr) == ({"number": 1}, "The subscription 1 was removed.\n")
    assert subscribers.all() == ()
    again = gateway("hub", "remove", "1")
    assert again.exit_code == 2
    assert "There is no subscription 1" in again.stderr


def test_check_says_how_the_hub_is(gateway, subscribers):
    result = gateway("check").stderr
    assert "Our hub has 1 subscriptions; 0 of them do not accept deliveries now." in result
    assert "1 requests to our hub wait since 1970-01-01T00:00:01Z or later. `harvester tend` verifies them" in result
    subscribers.failed(1, 120, 180, "It answers with HTTP status 500.")
    subscribers.postpone_request(2, 100)
    result = gateway("check").stderr
    assert "1 of them do not accept deliveries now." in result
    assert "Subscription 1 of our hub, at subscriber.example.net, has accepted no delivery since" in result
    assert "1970-01-01T00:02:00Z: It answers with HTTP status 500." in result
    assert "/callback" not in result, "the address may be a secret"
    assert "requests to our hub" not in result
    assert "ur hub" not in gateway("check", GATEWAY_HUB="false").stderr


@each_row("allowed", ["127.0.0.1 not*a_host!", "10.0.0.0/99"])
def test_a_wrong_entry_of_hub_allow_is_named_by_check_and_stops_the_start(gateway, allowed):
    gateway("init")
    wrong = f"The setting hub_allow is wrong (environment): '{allowed.split()[-1]}' cannot be allowed."
    for command, status in (("check", 1), ("serve", 2)):
        result = gateway(command, GATEWAY_HUB_ALLOW=allowed)
        assert (result.exit_code, wrong in result.stderr) == (status, True), command
