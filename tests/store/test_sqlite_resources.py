"""Length and SHA-256 of a record are stored once, in the log of changes; those of an earlier release stay in place."""

from __future__ import annotations

from hashlib import sha256

from gateway.model import Publication, Selection
from gateway.store.blocks import opened
from gateway.store.sqlite import SqliteStore

LATER = 9


def publish(store: SqliteStore, clocks, *changes) -> None:
    clocks.pass_seconds(1)
    store.publish(store.intend(), Publication("laro", changes))


def facts(store: SqliteStore) -> list[tuple[int, int, bytes]]:
    """Return item, length and SHA-256 of the living records."""
    with store.view() as view:
        return [(one.item, one.length, one.sha256) for one in view.resources(Selection("oai_dc"), 0, 100, 100)]


def wanted(make_change, number: int, name: str, version: int = 1) -> tuple[int, int, bytes]:
    (record,) = make_change(name, version).records
    return number, record.length, record.sha256


def test_only_what_has_no_facts_is_read_again(store, clocks, make_change):
    publish(store, clocks, make_change("a"), make_change("b"))
    with store._file.writing() as session:
        session.execute("update place set line = null where item = 2")
    store.remember("resources_lack_until", "2")
    read = []

    def metadata(_prefix, record):
        read.append(record)
        return b"metadata", None

    assert store.fill_resources(LATER, metadata) == 0
    assert len(read) == 1
    assert facts(store) == [wanted(make_change, 1, "a"), (2, len(b"metadata"), sha256(b"metadata").digest())]


def test_records_that_are_read_one_after_another_inflate_their_block_once(store, clocks, make_change, monkeypatch):
    """Dumps and exports read millions of records by their names."""
    store.publish(store.intend(), Publication("laro", tuple(make_change(f"{number}") for number in range(300))))
    clocks.pass_seconds(1)
    inflated: list[int] = []

    def noted(piece, lengths):
        inflated.append(piece.length)
        return opened(piece, lengths)

    monkeypatch.setattr("gateway.store.sqlite_blocks.opened", noted)
    with store.view() as view:
        wanted = [resource.identifier for resource in view.resources(Selection("oai_dc"), 0, 300, 300)]
        contents = [view.record(identifier, "oai_dc").content for identifier in wanted]
        assert len(inflated) == 3
        assert contents == list(view.page(Selection("oai_dc"), None, 300).records)
