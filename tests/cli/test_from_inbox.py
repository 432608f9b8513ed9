"""A store that was lost is noticed by every command, and made again from the inbox."""

import sqlite3
from contextlib import closing
from pathlib import Path
from time import time

import pytest

from gateway.core.model import Cursor, RawPage, Slice, Source
from gateway.oaipmh import token
from gateway.ops.upkeep import check_store, make
from gateway.publish.mapping import SourceFacts
from gateway.publish.publish import publish_pending
from gateway.publish.rebuild import remove_source
from gateway.store.base import database_files
from tests.opening import open_inbox, open_store
from tests.publish.harness import dc

IDENTIFY = "/oai?verb=Identify"


def make_filled(folder: Path) -> None:
    """Make an instance with two sources of one record each; one of them was removed."""
    make(folder, {})
    with closing(open_store(folder)) as store, closing(open_inbox(folder)) as inbox:
        for name in ("gone", "laro"):
            store.add_source(Source(name, f"http://{name}.example.org/oai"))
            payload = dc(f"A title of {name}")
            page = RawPage(name, "ListRecords", "http://x.example.org", 1, 200, (), payload, "oai_dc")
            inbox.receive(page, [Slice("1", "2020-01-01", (), False, 0, len(payload))], Cursor(name, "oai_dc"))
            publish_pending(store, inbox, name, SourceFacts(name, "http://x.example.org", "gateway.example.org"))
        remove_source(store, inbox, "gone", 1)


@pytest.fixture
def filled(folder, ready_made) -> None:
    ready_made(folder, make_filled)


@pytest.fixture
def lost(filled, folder) -> None:
    """Lose the store."""
    for file in folder.glob("store.sqlite*"):
        file.unlink()


def test_every_command_says_that_a_new_store_knows_nothing_of_what_the_inbox_holds(gateway, lost):
    assert "lacks gone, laro" in gateway("init").stderr
    for words in (["check"], ["rebuild"], ["rebuild", "--format", "oai_dc"], ["serve", "--port", "0"]):
        result = gateway(*words)
        assert result.exit_code == 1
        assert "lacks gone, laro" in result.stderr
        assert "make it again with `gateway rebuild --from-inbox`" in result.stderr


@pytest.mark.parametrize("has_new_store", [False, True])
def test_the_store_is_made_again_with_every_tombstone(gateway, lost, folder, has_new_store):
    if has_new_store:
        gateway("init")
    result = gateway("rebuild", "--from-inbox")
    assert result.exit_code == 0
    assert "The store is complete" in result.stderr
    assert "Harvesters that continue from their last responseDate" in result.stderr
    assert gateway("check").exit_code == 0
    with closing(open_store(folder)) as store, store.view() as view:
        records_by_name = {
            name: view.record(f"oai:gateway.example.org:{name}/1", "oai_dc") for name in ("gone", "laro")
        }
    assert {name: record.is_deleted for name, record in records_by_name.items()} == {"gone": True, "laro": False}


def test_to_make_a_whole_store_again_changes_nothing(gateway, filled, folder):
    before = (folder / "store.sqlite").read_bytes()
    assert "0 records got a new datestamp" in gateway("rebuild", "--from-inbox").stderr
    assert len(before) == (folder / "store.sqlite").stat().st_size


def test_a_store_that_is_put_aside_is_kept(gateway, filled, folder):
    result = gateway("rebuild", "--from-inbox", "--anew")
    assert result.exit_code == 0
    (aside,) = folder.glob("aside/*/store.sqlite")
    assert str(aside) in result.stderr
    assert "4 records got a new datestamp" in result.stderr


def test_a_damaged_store_is_put_aside_too(gateway, filled, folder):
    (folder / "store.sqlite").write_bytes(b"no database" * 1000)
    result = gateway("rebuild", "--from-inbox", "--anew")
    assert result.exit_code == 0, result.stderr
    assert gateway("check").exit_code == 0


def test_a_store_made_again_goes_on_above_what_the_one_put_aside_may_have_answered(gateway, filled, folder):
    second = int(time()) + 3_000
    with closing(sqlite3.connect(folder / "store.sqlite")) as connection:
        connection.execute("update clock set ceiling = ?", (second,))
        connection.commit()
    (folder / "answered-until").unlink()
    assert gateway("rebuild", "--from-inbox", "--anew").exit_code == 0
    assert database_files.ceiling(folder / "store.sqlite") >= second


def test_an_unfinished_store_is_not_served(filled, folder):
    from gateway import create_app  # noqa: PLC0415
    from gateway.core.errors import StoreError  # noqa: PLC0415
    from gateway.publish.step import UNFINISHED_FACT  # noqa: PLC0415

    with closing(open_store(folder)) as store:
        store.remember(UNFINISHED_FACT, "yes")
    with pytest.raises(StoreError, match="not complete"):
        create_app(folder)


def test_a_token_of_the_store_that_was_lost_begins_no_list_of_the_new_one(gateway, filled, folder):
    from gateway import create_app  # noqa: PLC0415

    def asked(text: str) -> bytes:
        app = create_app(folder)
        answer = app.test_client().get(f"/oai?verb=ListRecords&resumptionToken={text}").data
        app.extensions["store"].close()
        return answer

    text = _token(folder)
    assert b"badResumptionToken" not in asked(text)
    gateway("rebuild", "--from-inbox", "--anew")
    assert b"badResumptionToken" in asked(text)


def _token(folder: Path) -> str:
    from gateway.core.instance import key  # noqa: PLC0415
    from gateway.core.settings import load  # noqa: PLC0415

    state = token.ListState("oai_dc", None, None, 4_000_000_000, None, 0, 0, 1, 2)
    return token.seal("ListRecords", state, 0, key(load(folder), "resumptionToken"))


def test_a_removal_that_is_not_finished_and_pages_that_are_not_published_are_reported(gateway, filled, folder):
    with closing(open_inbox(folder)) as inbox, closing(open_store(folder)) as store:
        inbox.receive(
            RawPage("gone", "ListRecords", "", 1, 200, (), b"x", "oai_dc"), [Slice("1", "", (), True, 0, 0)], None
        )
        inbox.remove_source("laro", store.position("laro"), 1)
    result = gateway("check")
    assert "The source laro was removed, but its records are still published" in result.stderr
    assert "Pages of the source gone that are not published yet: 1." in result.stderr
    assert gateway("rebuild", "--from-inbox").exit_code == 0
    assert gateway("check").exit_code == 0


def test_an_inbox_that_is_an_older_copy_makes_no_store(gateway, filled, folder):
    with closing(open_store(folder)) as store:
        store.advance("laro", store.position("laro"), 99)
    result = gateway("rebuild", "--from-inbox")
    assert result.exit_code == 1
    assert "the inbox lacks pages" in result.stderr.lower()


def test_no_store_is_made_while_a_process_answers_from_the_one_that_was_deleted(gateway, filled, folder):
    """What it answers meanwhile could be later than what the new store publishes."""
    with (folder / "store.sqlite").open("rb"):
        for file in folder.glob("store.sqlite*"):
            file.unlink()
        result = gateway("rebuild", "--from-inbox")
        assert (result.exit_code, "End it first" in result.stderr) == (5, True)
    assert gateway("rebuild", "--from-inbox").exit_code == 0


def test_a_damaged_inbox_is_no_reason_not_to_serve(filled, folder):
    """No StoreDamaged is raised: serving reads the store alone."""
    (folder / "inbox.sqlite").write_bytes(b"no database" * 1000)
    check_store(folder)
