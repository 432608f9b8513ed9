"""Every way in which the tables of a store can contradict each other is told in a sentence."""

from __future__ import annotations

import pytest

from gateway.model import Publication


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
        ("delete from record where item = 1", "1 members in second"),
        ("delete from membership where item = 1", "There are 1 records and 0 departed ones in second"),
        ("delete from change where id = 1", "The log of changes has 1 lines, but lists of changes have 2."),
        ("delete from dictionary", "The dictionary 1, with which records are compressed, is missing."),
        ("update record set content = x'00'", "cannot be read"),
        ("update dictionary set content = zeroblob(2000)", "cannot be read"),
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


def test_a_sound_store_is_sound_however_much_was_changed(store, clocks, make_change):
    for version in range(5):
        clocks.pass_seconds(1800)
        sets = ("source:laro", f"source:laro:{version % 2}")
        changes = tuple(make_change(f"{number}", version, sets) for number in range(version, version + 5))
        store.publish(store.intend(), Publication("laro", changes))
    assert store.check() == ()
