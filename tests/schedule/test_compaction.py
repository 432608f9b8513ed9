"""Rounds of compaction: what they make anew and say, and what never stops `tend`."""

from typing import Any

import pytest

from gateway.core import settings as gateway_settings
from gateway.core.statuses import Status
from gateway.store.store import Store
from harvester.harvest.instance import Instance, sources_file
from harvester.runtime.interrupts import Stop
from harvester.schedule.rounds import CompactionRounds
from tests.clocks import Clocks
from tests.schedule.test_kept_files import Reports
from tests.store.conftest import furnished
from tests.store.test_sqlite_compaction import Model
from tests.store.test_sqlite_shrinking import spread


@pytest.fixture
def model(tmp_path):
    clocks = Clocks()
    model = Model(furnished(Store(tmp_path / "store.sqlite", create=True, clock=clocks.host())), clocks)
    model.publish(*range(300))
    clocks.pass_seconds(1)
    yield model
    model.store.close()


@pytest.fixture
def reports() -> Reports:
    return Reports()


def rounds(model: Model, reports: Reports, stop: Stop | None = None, **more: Any) -> CompactionRounds:
    folder, unused = model.store._file.path.parent, None
    settings = gateway_settings.load(folder, {}, {})
    instance = Instance(settings, model.store, unused, sources_file(folder), unused, unused, unused, unused)
    return CompactionRounds(instance, reports, stop or Stop(), **more)


def test_a_round_makes_blocks_anew_once_and_says_it(model, reports):
    ended = []
    made = rounds(model, reports, ended=ended.append)
    counts = made.run()
    assert counts.keys() == {"blocks", "bytes"}
    assert reports.sentences == [f"compaction: 3 blocks were made anew, {counts['bytes']} bytes freed."]
    assert made.run() == {}
    assert ended == [counts]
    assert made.status is Status.SUCCEEDED
    model.verify()


def test_a_round_makes_the_file_smaller_and_says_it(model, reports):
    spread(model)
    counts = rounds(model, reports).run()
    assert counts["smaller_by"] > 0
    (sentence,) = reports.sentences
    assert sentence.endswith(f"The file is {counts['smaller_by']} bytes smaller.")
    model.verify()


def test_damaged_blocks_need_attention(model, reports):
    with model.store._file.writing() as session:
        session.execute("update body set crc = crc + 1 where id = 2")
    made = rounds(model, reports)
    assert made.run()["damaged"] == 1
    assert made.status is Status.WITH_ERRORS
    assert reports.sentences[0] == "compaction: 1 blocks of the store are damaged; `gateway check` names them."
