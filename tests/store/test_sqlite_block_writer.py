"""A store whose tables contradict each other refuses to write and to read, in a sentence."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from gateway.core.errors import StoreDamaged
from gateway.core.model import Publication, Selection
from gateway.store.blocks import pack
from gateway.store.store import Store
from gateway.store.view import View
from tests.rows import each_row

DC = Selection("oai_dc")


@pytest.fixture
def published(store, make_change, path) -> bytes:
    """Publish two items in one block, and return the bytes of the store."""
    store.publish(store.intend(), Publication("laro", (make_change("a"), make_change("b"))))
    assert store.finish_erasure()
    return path.read_bytes()


@contextmanager
def damaged(published: bytes, clocks, folder: Path, statement: str) -> Iterator[Store]:
    """Open a copy of the store in which something was changed."""
    (folder / "copy.sqlite").write_bytes(published)
    with closing(Store(folder / "copy.sqlite", clock=clocks.host())) as store:
        with store._file.writing() as session:
            session.execute(statement)
        yield store


@each_row(
    "statement",
    [
        "delete from block",
        "update block set holes = x'03'",
        "update place set number = 9",
        "update place set datestamp = 1",
    ],
)
def test_a_record_that_no_block_has_is_not_superseded(published, clocks, tmp_path, make_change, statement):
    with (
        damaged(published, clocks, tmp_path, statement) as store,
        pytest.raises(StoreDamaged, match="No block has the record"),
    ):
        store.publish(store.intend(), Publication("laro", (make_change("a", 2),)))


def page(view: View) -> object:
    return view.page(DC, None, 9)


def pieces(view: View) -> object:
    return view.parts(DC, None, 200, only_headers=False, is_exact=False)


def headers(view: View) -> object:
    return view.parts(DC, None, 9, only_headers=True, is_exact=True)


def record(view: View) -> object:
    return view.record("oai:laro/a", "oai_dc")


def records(view: View) -> object:
    return list(view.records(["oai:laro/a"], "oai_dc"))


LACKS, UNKNOWN = "The block 1 has not the 3 records that it should have", "No block has the record"
LENGTHS = f"update body set lengths = x'{pack([9]).hex()}'"


@each_row(
    "statement, read, sentence",
    [
        ("update body set records = x'ffffff'", page, "The block 1 is damaged: A piece cannot be inflated"),
        ("update body set records = x'ffffff'", record, "The block 1 is damaged"),
        ("update body set headers = x'ffffff'", headers, "The block 1 is damaged: A piece cannot be inflated"),
        ("update body set lengths = x'ffffff'", page, "The block 1 is damaged: Numbers cannot be inflated"),
        (LENGTHS, page, "The block 1 is damaged: The lengths of its records are not"),
        ("update body set items = x'ffffff'", lambda view: view.entries(DC, 10), "The block 1 is damaged"),
        ("update block set count = 3", page, LACKS),
        ("update block set count = 3", headers, LACKS),
        *(("delete from body", read, "The block 1 is missing") for read in (page, pieces)),
        *(("delete from block", read, UNKNOWN) for read in (record, records)),
        ("update place set number = 9", record, UNKNOWN),
    ],
)
def test_what_cannot_be_read_is_an_error_that_names_the_block(
    published, clocks, tmp_path, statement: str, read: Callable[[View], object], sentence: str
):
    with (
        damaged(published, clocks, tmp_path, statement) as store,
        pytest.raises(StoreDamaged, match=sentence),
        store.view() as view,
    ):
        read(view)
