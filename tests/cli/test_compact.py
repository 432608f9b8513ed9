"""`gateway compact` makes the blocks of the store anew, says what it has done, and can be stopped."""

import json
from contextlib import closing

import pytest

from gateway.core.model import Publication
from gateway.store.sqlite import file as sqlite_file
from gateway.store.sqlite.file import SqliteFile
from gateway.store.store import Store
from tests.clocks import Clocks
from tests.store.conftest import change, furnished
from tests.store.test_sqlite_compaction import Model
from tests.store.test_sqlite_shrinking import spread
from tests.waiting import wait_for_horizon


@pytest.mark.slow
def test_blocks_are_made_anew_once(gateway, folder):
    gateway("init")
    with closing(furnished(Store(folder / "store.sqlite"))) as store:
        changes = tuple(change(str(number)) for number in range(60))
        store.publish(store.intend(), Publication("laro", changes))
    wait_for_horizon(folder)  # what is at the horizon is not touched
    result = gateway("compact", "--json")
    assert result.exit_code == 0, result.stderr
    facts = json.loads(result.stdout)
    sound = {"blocks": 1, "damaged": 0, "is_complete": True, "kept_free": 0}
    assert facts == {**sound, "bytes": facts["bytes"], "smaller_by": facts["smaller_by"]}
    assert f"1 blocks were made anew, which freed {facts['bytes']} bytes." in result.stderr
    again = gateway("compact")
    assert again.exit_code == 0
    assert "0 blocks were made anew, which freed 0 bytes." in again.stderr


def test_a_file_of_an_earlier_release_is_written_anew_if_that_is_wanted(gateway, folder, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(SqliteFile, "_is_new", lambda _: False)
        gateway("init")
    with closing(furnished(Store(folder / "store.sqlite"))) as store:
        spread(Model(store, Clocks()), 1_500)
        store.finish_erasure()
    before = (folder / "store.sqlite").stat().st_size
    first = gateway("compact", "--json")
    assert first.exit_code == 0, first.stderr
    facts = json.loads(first.stdout)
    assert facts["kept_free"] > 0
    assert f"{facts['kept_free']} bytes of the file are free. `gateway compact --anew`" in first.stderr
    assert (folder / "store.sqlite").stat().st_size == before
    second = gateway("compact", "--anew", "--json")
    assert second.exit_code == 0, second.stderr
    facts = json.loads(second.stdout)
    assert facts["kept_free"] == 0
    assert (folder / "store.sqlite").stat().st_size <= before - facts["smaller_by"] < before
    assert "bytes smaller" in second.stderr


def test_a_reader_that_keeps_the_space_of_the_file_is_named(gateway, folder, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(SqliteFile, "_is_new", lambda _: False)
        gateway("init")
    file = folder / "store.sqlite"
    with closing(furnished(Store(file))) as store:
        spread(Model(store, Clocks()), 600)
        store.finish_erasure()
        before = file.stat().st_size
        with store.view() as view, monkeypatch.context() as impatient:
            impatient.setattr(sqlite_file, "_SETTLE_MILLISECONDS", 50)
            view.sets("", 1)
            result = gateway("compact", "--anew", "--json")
            assert file.stat().st_size == before
    assert result.exit_code == 3
    assert json.loads(result.stdout)["is_complete"] is False
    assert "A long reader, such as a backup" in result.stderr
    assert gateway("compact").exit_code == 0
    assert file.stat().st_size < before
