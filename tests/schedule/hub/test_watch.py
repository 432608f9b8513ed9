"""`harvester tend --watch` runs the hub beside everything else, and ends when it is asked to."""

import re
import signal
import subprocess
import time
from contextlib import closing

import pytest

from gateway.core.statuses import Status
from gateway.ops.upkeep import make
from tests import live
from tests.publish.harness import Harness, Sent
from tests.schedule.hub.conftest import KEY, served
from tests.waiting import wait_for_horizon, wait_until

pytestmark = pytest.mark.slow


def test_a_continuous_tend_verifies_and_delivers(tmp_path, subscriber):
    folder = tmp_path / "instance"
    make(folder, {})
    (folder / "sources.toml").write_text("")
    with served(folder, hub_allow="127.0.0.0/8") as (url, app):
        topic = f"{url}/oai?verb=ListRecords&metadataPrefix=oai_dc"
        settings = {"base_url": f"{url}/oai", "secret": KEY, "hub_allow": "127.0.0.0/8"}
        line = live.command("harvester", folder, "tend", "--watch")
        harness = Harness(folder)
        with closing(harness.store), closing(harness.inbox):
            harness.now = time.time() - 5
            harness.add("laro")
            harness.sent(Sent("1"))
            wait_for_horizon(folder)
            form = {"hub.callback": subscriber.callback(), "hub.mode": "subscribe", "hub.topic": topic}
            assert app.test_client().post("/hub", data=form).status_code == 202
            with subprocess.Popen(line, env=live.environment(settings), stderr=subprocess.PIPE, text=True) as process:
                wait_until(lambda: subscriber.verifications)
                harness.now = time.time() - 1
                harness.sent(Sent("2"))
                wait_until(lambda: subscriber.deliveries)
                process.send_signal(signal.SIGTERM)
                _, words = process.communicate(timeout=240)
        assert b"laro/2</identifier>" in subscriber.deliveries[0].body
        for done in ("subscribed 1", "delivered 1"):  # perhaps both in one round
            assert re.search(rf"hub: (?:.*, )?{done}[,.]", words), words
        assert process.returncode == Status.STOPPED, words
