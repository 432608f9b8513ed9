"""Our own harvester subscribes at our own hub, and is woken: two instances, each with its gateway and its `tend`."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing

import pytest

from gateway.upkeep import make
from tests import live
from tests.publish.desk import Desk, Sent, dc
from tests.schedule.hub.conftest import KEY, served
from tests.schedule.hub.subscriber import Subscriber
from tests.schedule.hub.subscriber import served as subscriber_served

pytestmark = pytest.mark.slow


def configured(folder, url, **more):
    lines = {"base_url": f"{url}/oai", "secret": KEY, "hub_allow": "127.0.0.0/8", "fetch_delay_seconds": 0, **more}
    (folder / "config.toml").write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in lines.items()))


def harvester(folder, *words):
    done = live.called("harvester", folder, *words)
    assert done.returncode in (0, 3), done.stderr
    return done


def titles(folder):
    with closing(sqlite3.connect(folder / "store.sqlite")) as connection:
        return {upstream.rpartition("/")[2] for (upstream,) in connection.execute("select upstream from item")}


def test_our_own_harvester_is_woken_by_our_own_hub(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        make(folder, {})
        (folder / "sources.toml").write_text("")
    with (
        served(first, hub_allow="127.0.0.0/8", resourcesync_lists="oai_dc") as (url, _),
        served(second) as (second_url, _),
    ):
        configured(first, url, resourcesync_lists="oai_dc")
        configured(second, second_url)
        desk = Desk(first)
        with closing(desk.store), closing(desk.inbox):
            desk.now = time.time() - 3
            desk.add("laro")
            desk.sent(Sent("1", dc("One")))
            harvester(second, "source", "add", "first", url, "--kind", "resourcesync")
            harvester(second, "run", "first")
            assert titles(second) == {"1"}
            subscribed = harvester(second, "source", "subscribe", "first", "--wait", "0", "--json")
            row = json.loads(subscribed.stdout)
            assert row["topic"] == f"{url}/resourcesync/oai_dc/source/changelist-open.xml"
            assert row["hub"] == f"{url}/hub"
            verified = harvester(first, "tend", "--json")
            assert "hub: subscribed 1." in verified.stderr
            assert json.loads(verified.stdout) == {"stage": "hub", "counts": {"subscribed": 1}}
            assert (
                json.loads(harvester(second, "source", "show", "first", "--json").stdout)["subscriptions"][0]["state"]
                == "active"
            )
            assert harvester(second, "tend", "--json").stdout == "", "nothing is due yet"

            desk.now = time.time() - 1
            desk.sent(Sent("2", dc("Two")))
            time.sleep(1.1)  # the horizon passes the second of the change
            assert "hub: delivered 1." in harvester(first, "tend").stderr
            with closing(sqlite3.connect(second / "inbox.sqlite")) as connection, connection:
                connection.execute("update run set started_at = started_at - 100, ended_at = ended_at - 100")
            done = json.loads(harvester(second, "tend", "--json").stdout)
            assert (done["stage"], titles(second)) == ("harvest", {"1", "2"})

            harvester(second, "source", "unsubscribe", "first", "--wait", "0")
            assert "hub: unsubscribed 1." in harvester(first, "tend").stderr


def test_tend_fails_if_hub_allow_is_wrong(tmp_path):
    make(tmp_path, {})
    result = live.called("harvester", tmp_path, "tend", hub_allow="10.0.0.0/99")
    assert result.returncode == 2
    assert "The setting hub_allow is wrong (environment): '10.0.0.0/99' cannot be allowed." in result.stderr


def test_tend_and_status_say_what_the_hub_did_and_who_fails(tmp_path):
    make(tmp_path, {})
    (tmp_path / "sources.toml").write_text("")
    with subscriber_served(Subscriber()) as subscriber, served(tmp_path, hub_allow="127.0.0.0/8") as (url, app):
        configured(tmp_path, url)
        desk = Desk(tmp_path)
        with closing(desk.store), closing(desk.inbox):
            desk.now = time.time() - 3
            desk.add("laro")
            topic = f"{url}/oai?verb=ListRecords&metadataPrefix=oai_dc"
            desk.sent(Sent("1"))
            for name in "ab":
                form = {"hub.callback": subscriber.callback(name), "hub.mode": "subscribe", "hub.topic": topic}
                assert app.test_client().post("/hub", data=form).status_code == 202
            assert harvester(tmp_path, "status").stderr.count("of our hub") == 0
            subscriber.statuses = [500]
            desk.now = time.time() - 1
            desk.sent(Sent("2"))
            time.sleep(1.1)  # the horizon passes the second of the change
            done = harvester(tmp_path, "tend", "--json")
            assert json.loads(done.stdout) == {
                "stage": "hub",
                "counts": {"subscribed": 2, "delivered": 1, "failed": 1},
            }
            problem = "at 127.0.0.1, has accepted no delivery since"
            assert problem in harvester(tmp_path, "status").stderr
            assert problem not in live.called("harvester", tmp_path, "status", hub="false").stderr
