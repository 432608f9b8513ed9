"""`gateway rebuild` makes records again when a mapping grew, `gateway compact` makes blocks again."""

import json
from contextlib import closing

import pytest

from gateway.core.model import Publication, RawPage, Slice, Source
from gateway.core.xmltext import DC, OAI_DC
from gateway.publish.publish import SourceFacts, publish_pending
from gateway.store.sqlite import file as sqlite_file
from gateway.store.sqlite.file import SqliteFile
from gateway.store.store import Store
from tests.clocks import Clocks
from tests.opening import open_inbox, open_store
from tests.store.conftest import change, furnished
from tests.store.test_sqlite_compaction import Model
from tests.store.test_sqlite_shrinking import spread
from tests.waiting import wait_for_horizon

PAYLOAD = f'<o:dc xmlns:o="{OAI_DC}" xmlns:dc="{DC}"><dc:title>A title</dc:title></o:dc>'.encode()


@pytest.fixture
def harvested(gateway, folder) -> None:
    """Make an instance with one work, published as every format of ours."""
    gateway("init")
    store, inbox = open_store(folder), open_inbox(folder)
    store.add_source(Source("laro", "http://laro.example.org/oai"))
    page = RawPage("laro", "ListRecords", "http://laro.example.org/oai", 0, 200, (), PAYLOAD, "oai_dc")
    inbox.receive(page, (Slice("oai:laro:1", "2020-01-01", (), False, 0, len(PAYLOAD)),), None)
    publish_pending(store, inbox, "laro", SourceFacts("laro", "http://laro.example.org/oai", "gateway.example.org"))
    store.close()
    inbox.close()


def test_a_mapping_that_grew_is_told_until_its_records_are_made_again(gateway, folder, harvested):
    store = open_store(folder)
    store.remember("mapping oai_dc", "0")
    store.close()
    assert "Records in oai_dc were made by an older mapping" in gateway("check").stderr
    assert gateway("rebuild", "--format", "oai_dc").exit_code == 0
    assert "older mapping" not in gateway("check").stderr


def test_a_change_of_formats_made_is_reported_until_a_rebuild_carries_it_out(gateway, folder, harvested):
    sentence = "formats_made has changed: oai_datacite. `gateway rebuild` carries it out."
    (folder / "config.toml").write_text('formats_made = "oai_datacite"')
    assert sentence in gateway("check").stderr
    result = gateway("rebuild", "--format", "oai_datacite")
    assert "Records in oai_datacite are made, because formats_made names them." in result.stderr
    assert "1 records changed" in result.stderr
    assert sentence not in gateway("check").stderr
    (folder / "config.toml").write_text("")
    assert sentence in gateway("check").stderr
    assert gateway("rebuild", "--from-inbox", "--anew").exit_code == 0
    assert "older value of formats_made" in gateway("check").stderr
    assert "1 records changed" in gateway("rebuild").stderr
    with closing(open_store(folder)) as store, store.view() as view:
        assert view.record("oai:gateway.example.org:laro/oai:laro:1", "oai_datacite").is_deleted
    (folder / "config.toml").write_text('formats_made = "oai_datacite"')
    assert gateway("rebuild").exit_code == 0
    (folder / "config.toml").write_text("")
    assert "Records in oai_datacite become tombstones" in gateway("rebuild").stderr
    (folder / "config.toml").write_text('formats_made = "marc"')
    assert gateway("rebuild").exit_code == 2


def test_a_new_instance_makes_the_formats_of_its_setting_from_the_first_record_on(gateway, folder, monkeypatch):
    monkeypatch.setenv("GATEWAY_FORMATS_MADE", "mods mets")
    gateway("init")
    with closing(open_store(folder)) as store, store.view() as view:
        assert {format_.metadata_prefix for format_ in view.formats()} == {"mets", "mods", "oai_dc", "oai_didl"}
    assert "formats_made" not in gateway("check").stderr.replace(str(folder), "")


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
