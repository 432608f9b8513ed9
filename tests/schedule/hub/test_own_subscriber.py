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
            assert "hub: subscribed 1." in harvester(first, "tend").stderr
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
