"""`gateway rebuild` of many items: child processes map them, and write in turn."""

import json
import os
import signal
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from gateway import formats
from gateway.core.errors import StoreError
from gateway.core.model import RawPage, Selection, Slice, Source
from gateway.core.xmltext import DC, OAI_DC
from gateway.formats import written
from gateway.ops import upkeep
from gateway.publish import batch, mapping, rebuild, source_facts
from gateway.publish.publish import SourceFacts, publish_pending
from gateway.publish.rebuild import BATCH, RebuildProcesses
from tests.opening import open_inbox, open_store

pytestmark = pytest.mark.slow

ITEMS = 2 * BATCH + 7
ALL = Selection("oai_dc")
OLDER = b"<!-- older -->"


@pytest.fixture
def older(gateway, folder, monkeypatch) -> Path:
    """Make an instance with items that an older mapping made, of which one is deleted; return its folder."""
    gateway("init")
    payload = f'<o:dc xmlns:o="{OAI_DC}" xmlns:dc="{DC}"><dc:title>A title</dc:title></o:dc>'.encode()
    with monkeypatch.context() as patched, closing(open_store(folder)) as store, closing(open_inbox(folder)) as inbox:
        known = written()
        now = known["oai_dc"]
        before = replace(now, version=0, write=lambda work: now.write(work) + OLDER)
        for module in (formats, batch, mapping, rebuild, source_facts):
            patched.setattr(module, "written", lambda: {**known, "oai_dc": before})
        store.add_source(Source("laro", "http://laro.example.org/oai"))
        page = RawPage("laro", "ListRecords", "http://laro.example.org/oai", 0, 200, (), payload, "oai_dc")
        slices = [Slice(f"oai:laro:{n}", "2020-01-01", (), False, 0, len(payload)) for n in range(ITEMS)]
        facts = SourceFacts("laro", "http://laro.example.org/oai", "gateway.example.org")
        for several in (slices, [Slice("oai:laro:7", "2020-01-02", (), True, 0, 0)]):
            inbox.receive(page, several, None)
            publish_pending(store, inbox, "laro", facts)
    monkeypatch.setattr(upkeep, "_MANY", ITEMS)
    monkeypatch.setattr(upkeep, "processors", lambda: 2)
    return folder


def _records(folder: Path) -> tuple[bytes, ...]:
    with closing(open_store(folder)) as store, store.view() as view:
        return view.page(ALL, None, 2 * ITEMS).records


def test_every_record_is_made_again_once(gateway, older):
    assert sum(OLDER in record for record in _records(older)) == ITEMS - 1
    result = gateway("rebuild", "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, {"changed_records": ITEMS - 1})
    assert len(_records(older)) == ITEMS
    assert not any(OLDER in record for record in _records(older))
    assert json.loads(gateway("rebuild", "--json").stdout) == {"changed_records": 0}
    assert gateway("check").exit_code == 0


def test_items_that_come_meanwhile_are_made_again_too(older, monkeypatch):
    """The parent process does those behind the last item that there was at the beginning."""
    monkeypatch.setattr(upkeep, "_MANY", 0)
    monkeypatch.setattr("gateway.store.view.View.last_item", lambda _view: BATCH)
    assert upkeep.rebuild(older, None, lambda _seen: None) == ITEMS - 1


def test_a_process_that_dies_is_a_sentence_and_the_next_command_goes_on(gateway, older):
    with closing(RebuildProcesses(older, 2, None)) as processes:
        results = processes.run([(0, BATCH), (BATCH, 2 * BATCH), (2 * BATCH, ITEMS)])
        assert next(results).items == BATCH
        for process in processes._running:
            os.kill(process.process.pid, signal.SIGKILL)
        with pytest.raises(StoreError, match=r"has ended before its work\. Repeat"):
            list(results)
    assert gateway("rebuild").exit_code == 0
    assert not any(OLDER in record for record in _records(older))
