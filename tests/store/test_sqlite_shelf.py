"""A store whose tables contradict each other refuses to write and to read, in a sentence."""

from __future__ import annotations

import pytest

from gateway.errors import StoreDamaged
from gateway.model import Key, Publication, Selection
from gateway.store.blocks import pack
from gateway.store.sqlite_shelf import Shelf

DC = Selection("oai_dc")


@pytest.fixture
def published(store, make_change):
    """Publish two items in one block, and return the store."""
    store.publish(store.intend(), Publication("laro", (make_change("a"), make_change("b"))))
    return store


def damage(store, statement: str) -> None:
    with store._file.writing() as session:
        session.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "delete from block",
        "update block set holes = x'03'",
        "update place set number = 9",
        "update place set datestamp = 1",
    ],
)
def test_a_record_that_no_block_has_is_not_superseded(published, make_change, statement):
    damage(published, statement)
    with pytest.raises(StoreDamaged, match="No block has the record"):
        published.publish(published.intend(), Publication("laro", (make_change("a", 2),)))


@pytest.mark.parametrize("key", [Key(1, 1), Key(2**40, 9)])
def test_a_record_that_no_block_has_changes_no_set(published, key):
    with published._file.writing() as session, pytest.raises(StoreDamaged, match="No block has the record"):
        Shelf(session).regroup(1, key, frozenset({1}), frozenset())


@pytest.mark.parametrize("statement", ["delete from block", "update place set number = 9"])
def test_a_record_that_no_block_has_cannot_be_read(published, statement):
    damage(published, statement)
    with pytest.raises(StoreDamaged, match="No block has the record"), published.view() as view:
        view.record("oai:laro/a", "oai_dc")


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("update body set records = x'ffffff'", "The block 1 is damaged: A piece cannot be inflated"),
        ("update body set lengths = x'ffffff'", "The block 1 is damaged: Numbers cannot be inflated"),
        (
            f"update body set lengths = x'{pack([9]).hex()}'",
            "The block 1 is damaged: The lengths of its records are not",
        ),
        ("update block set count = 3", "The block 1 has not the 3 records that it should have"),
        ("delete from body", "The block 1 is missing"),
    ],
)
def test_a_block_that_cannot_be_read_is_named(published, statement, sentence):
    damage(published, statement)
    with pytest.raises(StoreDamaged, match=sentence), published.view() as view:
        view.page(DC, None, 9)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("update body set headers = x'ffffff'", "The block 1 is damaged: A piece cannot be inflated"),
        ("update block set count = 3", "The block 1 has not the 3 records that it should have"),
    ],
)
def test_headers_that_cannot_be_read_are_those_of_a_named_block(published, statement, sentence):
    damage(published, statement)
    with pytest.raises(StoreDamaged, match=sentence), published.view() as view:
        view.parts(DC, None, 9, only_headers=True, is_exact=True)
