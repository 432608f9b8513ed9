"""Every way in which the tables of a store can contradict each other is told in a sentence."""

from contextlib import closing

import pytest

from gateway.core.model import Publication
from gateway.core.xmltext import utc_datetime
from gateway.store.blocks import pack
from gateway.store.own_lists import today, want
from gateway.store.store import Store
from tests.rows import each_row

ANEW = "Restore the store with `gateway restore`, or make it again with `gateway rebuild --from-inbox --anew`."
REBUILD = "`gateway rebuild` makes the records of damaged blocks again."
WHOLE = "`gateway check --whole` reads every block, and names all their items."
ONE = pack([1]).hex()


@pytest.fixture
def sound(store, make_change, path) -> bytes:
    """Return the bytes of a store with two items."""
    store.publish(store.intend(), Publication("laro", (make_change("a"), make_change("b" * 2000))))
    assert store.check() == ()
    assert store.finish_erasure()
    return path.read_bytes()


@each_row(
    "damage, sentence",
    [
        ("update source set items = 7", "The source laro has 2 items, but 7 were counted."),
        (
            "update tally set records = 9 where span = 86400 and collection = 0",
            "The tallies of days, hours and seconds",
        ),
        ("update tally set records = 9 where collection <> 0", "There are 2 records and 0 departed ones"),
        ("update tally set departed = 9 where collection <> 0", "There are 2 records and 0 departed ones"),
        ("delete from block", "The blocks of oai_dc have 0 records, but 2 items have one."),
        ("delete from place where item = 1", "The blocks of oai_dc have 2 records, but 1 items have one."),
        ("update block set holes = x'01'", "The blocks of oai_dc have 1 records, but 2 items have one."),
        ("update block set holes = x'01'", "There are 1 records and 0 departed ones"),
        ("delete from member", "There are 0 records and 0 departed ones of the set source"),
        ("update member set bits = x'02'", "There are 1 records and 0 departed ones"),
        ("update member set departed = x'01'", "There are 2 records and 1 departed ones of the set source"),
        ("delete from change where id = 1", "The log of changes has 1 lines, but lists of changes have 2."),
        ("update body set crc = crc + 1", "is damaged: It has not the records that it had."),
        ("update body set header_crc = header_crc + 1", "It has not the headers that it had."),
        ("update body set records = x'00'", "is damaged: A piece has not the"),
        ("update body set headers = x'ffffff'", "is damaged: A piece cannot be inflated"),
        (f"update body set lengths = x'{ONE}'", "is damaged: The lengths of its records are not"),
        ("delete from body", "is damaged: The block 1 is missing."),
        (f"update body set items = x'{ONE}'", "is damaged: It has not the 2 records that it should have."),
        ("update place set number = 3 - number", "2 of its records are not those of their items."),
        ("update block set body = 2", "1 blocks are in no list."),
        ("update block set count = 1 << 40", "is damaged: The number of its records is wrong."),
        ("update block set prefix = 0, count = 0", "A block of the unknown list 0 is damaged"),
        ("update block set count = 3", "is damaged: Its keys are not those that it should have."),
        ("update body set records = cast(x'ff' || records as text)", "is damaged: A value of it is not"),
        ("delete from block", "No block of oai_dc has the records of 2 items: oai:laro/a, oai:laro/bbb"),
        ("update place set line = 3 - line", "2 records have not their line of the log of changes."),
        ("update member set number = 9", "1 places of sets lead to no block."),
    ],
)
def test_a_contradiction_is_reported(sound, clocks, tmp_path, damage, sentence):
    path = tmp_path / "store.sqlite"
    path.write_bytes(sound)
    with closing(Store(path, clock=clocks.host())) as store:
        with store._file.writing() as session:
            session.execute(damage)
        contradictions = store.check()
    assert any(sentence in contradiction for contradiction in contradictions), contradictions


def test_blocks_that_overlap_are_reported(store, clocks, make_change):
    for name in "ab":
        clocks.pass_seconds(1)
        store.publish(store.intend(), Publication("laro", (make_change(name),)))
    assert store.check() == ()
    with store._file.writing() as session:
        session.execute("update block set last_datestamp = last_datestamp + 1, last_number = 7 where number = 1")
    damage, overlap, advice = store.check()
    assert overlap == f"Two blocks of oai_dc overlap at {utc_datetime(int(clocks.wall))}."
    assert damage.startswith("A block of oai_dc is damaged: Its keys are not those that it should have.")
    assert advice == ANEW


@pytest.fixture
def damaged(store, clocks, make_change) -> str:
    """Publish a hundred items, damage their block, and return the sentence about it, without the names."""
    changes = tuple(make_change(f"{number:02}") for number in range(100))
    store.publish(store.intend(), Publication("laro", changes))
    with store._file.writing() as session:
        session.execute("update body set crc = crc + 1")
    second = utc_datetime(int(clocks.wall))
    clocks.pass_seconds(10)
    what = "A block of oai_dc is damaged: It has not the records that it had."
    return f"{what} Number of its items: 100; from {second} to {second}: "


def test_a_damaged_block_is_named_once_with_some_items_and_what_to_do(store, damaged):
    sentence = f"{damaged}oai:laro/00, oai:laro/01, oai:laro/02 and 97 more."
    assert store.check() == (sentence, f"{REBUILD} {WHOLE}")
    assert store.compact(is_thorough=True).damaged == 1
    assert store.check() == (sentence, f"{REBUILD} {WHOLE}"), "also when compaction has noted it"


def test_a_check_of_all_names_every_item(store, damaged, monkeypatch):
    monkeypatch.setattr("gateway.store.check._SAMPLE", 0)
    assert store.check() == (), "a sample may miss it"
    names = ", ".join(f"oai:laro/{number:02}" for number in range(100))
    assert store.check(is_whole=True) == (f"{damaged}{names}.", REBUILD)


def test_a_damaged_copy_of_a_sparse_set_is_named_and_emptied(store, make_change):
    changes = tuple(make_change(f"{number:02}", sets=("source:laro", f"x{number % 2}")) for number in range(100))
    store.publish(store.intend(), Publication("laro", changes))
    with store._file.writing() as session:
        for (number,) in session.execute(
            "select id from collection where spec in ('x0', 'x1') order by spec"
        ).fetchall():
            want(session, number, 1, today())
    store.compact()
    assert store.check() == ()
    with store._file.writing() as session:
        ((number,),) = session.execute("select number from own_list where collection = :x", {"x": number}).fetchall()
        session.execute(
            "update body set crc = crc + 1 where id in (select body from block where prefix = ?)", (number,)
        )
    damage = "A block of the list of the set x1 in oai_dc is damaged: It has not the records that it had."
    assert store.check(is_whole=True) == (damage, REBUILD)
    assert store.give_up_damaged() == 0
    assert store.check(is_whole=True) == ()
    assert store.give_up_damaged() == 0
    with store._file.reading() as session:
        states = session.execute("select is_ready from own_list where number = ?", (number,)).fetchall()
        others = session.execute("select is_ready from own_list where number <> ?", (number,)).fetchall()
    assert (states, others) == ([(0,)], [(1,)]), "one is empty, and the other one stays"
    store.compact()
    assert store.check(is_whole=True) == ()


def test_a_copy_of_a_sparse_set_that_lacks_records_is_reported(store, make_change):
    store.publish(store.intend(), Publication("laro", (make_change("a", sets=("x",)),)))
    with store._file.writing() as session:
        ((number,),) = session.execute("select id from collection where spec = 'x'").fetchall()
        want(session, number, 1, today())
    store.compact()
    with store._file.writing() as session:
        session.execute("delete from block where prefix < 0")
    assert store.check()[0] == "There are 0 records in the list of the set x in oai_dc, but the set has 1."


def test_what_was_found_before_the_file_cannot_be_read_is_reported_too(store, make_change):
    store.publish(store.intend(), Publication("laro", (make_change("a"),)))
    with store._file.writing() as session:
        session.execute("update source set items = 7")
        session.execute("drop table member")
    problems = store.check()
    assert problems[0] == "The source laro has 1 items, but 7 were counted."
    assert "no such table" in problems[-1]
