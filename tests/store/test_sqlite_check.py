"""Every way in which the tables of a store can contradict each other is told in a sentence."""

from __future__ import annotations

import pytest

from gateway.model import Publication
from gateway.store.blocks import pack

ONE = pack([1]).hex()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        ("update source set items = 7", "The source laro has 2 items, but 7 were counted."),
        (
            "update tally set records = 9 where span = 86400 and collection = 0",
            "The tallies of days, hours and seconds",
        ),
        ("update tally set records = 9 where collection = 0", "There are 2 records and 0 departed ones in second"),
        ("update tally set records = 9 where collection <> 0", "There are 2 records and 0 departed ones in second"),
        ("update tally set departed = 9 where collection <> 0", "There are 2 records and 0 departed ones in second"),
        ("delete from block", "The blocks of the format 1 have 0 records, but 2 items have one."),
        ("delete from place where item = 1", "The blocks of the format 1 have 2 records, but 1 items have one."),
        ("update block set holes = x'01'", "The blocks of the format 1 have 1 records, but 2 items have one."),
        ("update block set holes = x'01'", "There are 1 records and 0 departed ones in second"),
        ("delete from member", "There are 0 records and 0 departed ones in second"),
        ("update member set bits = x'02'", "There are 1 records and 0 departed ones in second"),
        ("update member set departed = x'01'", "There are 2 records and 1 departed ones in second"),
        ("delete from change where id = 1", "The log of changes has 1 lines, but lists of changes have 2."),
        ("update body set crc = crc + 1", "has not the records that it had."),
        ("update body set adler = adler + 1", "has not the records that it had."),
        ("update body set header_crc = header_crc + 1", "has not the records that it had."),
        ("update body set records = x'00'", "cannot be read: A piece has not the"),
        ("update body set headers = x'ffffff'", "cannot be read: A piece cannot be inflated"),
        ("update body set length = length - 1", "cannot be read: A piece has not the"),
        (f"update body set lengths = x'{ONE}'", "cannot be read: The lengths of its records are not"),
        ("update body set items = x'ffffff'", "cannot be read: The block 1 is damaged: Numbers cannot be inflated"),
        ("delete from body", "cannot be read: The block 1 is missing."),
        (f"update body set items = x'{ONE}'", "has not the 2 records that it should have."),
        ("update place set number = 3 - number", "2 records in second"),
        ("update block set body = 2", "1 blocks are in no list."),
        ("update member set number = 9", "1 places of sets lead to no block."),
    ],
)
def test_a_contradiction_is_reported(store, make_change, damage, sentence):
    changes = (make_change("a"), make_change("b" * 2000))
    store.publish(store.intend(), Publication("laro", changes))
    assert store.check() == ()
    with store._file.writing() as session:
        session.execute(damage)
    store.close()
    contradictions = store.check()
    assert any(sentence in contradiction for contradiction in contradictions), contradictions


def test_blocks_that_overlap_are_reported(store, clocks, make_change):
    for name in "ab":
        clocks.pass_seconds(1)
        store.publish(store.intend(), Publication("laro", (make_change(name),)))
    assert store.check() == ()
    with store._file.writing() as session:
        session.execute("update block set last_datestamp = last_datestamp + 1, last_number = 7 where number = 1")
    assert store.check() == (f"Two blocks of the format 1 overlap at the second {int(clocks.wall)}.",)


def test_a_sound_store_is_sound_however_much_was_changed(store, clocks, make_change):
    for version in range(5):
        clocks.pass_seconds(1800)
        sets = ("source:laro", f"source:laro:{version % 2}")
        changes = tuple(make_change(f"{number}", version, sets) for number in range(version, version + 5))
        store.publish(store.intend(), Publication("laro", changes))
    assert store.check() == ()
