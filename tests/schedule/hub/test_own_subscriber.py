"""`harvester tend` and `harvester status` say what our hub did, and which subscribers fail."""

from __future__ import annotations

import json
import time
from contextlib import closing

import pytest

from gateway.upkeep import make
from tests import live
from tests.publish.desk import Desk, Sent
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
            facts = {"stage": "hub", "counts": {"subscribed": 2, "delivered": 1, "failed": 1}}
            assert facts in map(json.loads, done.stdout.splitlines())
            problem = "at 127.0.0.1, has accepted no delivery since"
            assert problem in harvester(tmp_path, "status").stderr
            assert problem not in live.called("harvester", tmp_path, "status", hub="false").stderr
