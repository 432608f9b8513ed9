"""`gateway rebuild` makes records again when a mapping grew, and `gateway check` says when that is due."""

from contextlib import closing

import pytest

from gateway.core.model import RawPage, Slice, Source
from gateway.core.xmltext import DC, OAI_DC
from gateway.publish.publish import SourceFacts, publish_pending
from gateway.store.opening import open_inbox, open_store

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
