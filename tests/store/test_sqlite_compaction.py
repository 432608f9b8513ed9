"""Compaction on a real store: what it leaves, what it never waits for, and what cannot stop it."""

import random
import sqlite3
from contextlib import closing

import pytest

from gateway.core.errors import StoreError
from gateway.core.model import Compacted, Key, Publication, Selection
from gateway.store import compaction as store_compaction
from gateway.store.sqlite import connector as sqlite_connector
from gateway.store.store import Store
from tests.clocks import Clocks
from tests.rows import each_row
from tests.store.conftest import change

SETS = (("source:laro",), ("source:laro", "source:laro:a"), ("source:laro", "source:laro:b"))


class Model:
    """A store, and what must be in it: the version of each item, and its sets."""

    def __init__(self, store: Store, clocks, seed: int = 1) -> None:
        self.store, self.clocks = store, clocks
        self.random = random.Random(seed)
        self.versions: dict[str, int] = {}
        self.sets: dict[str, tuple[str, ...]] = {}
        self.publications = 0

    def publish(self, *names: int) -> None:
        self.publications += 1
        self.clocks.pass_seconds(1)
        changes = []
        for name in map(str, names):
            self.versions[name], self.sets[name] = self.publications, self.random.choice(SETS)
            changes.append(change(name, self.publications, self.sets[name]))
        self.store.publish(self.store.intend(), Publication("laro", tuple(changes)))

    def verify(self) -> None:
        """Compare every list with the model, and the store with itself."""
        self.clocks.pass_seconds(1)
        for wanted in (None, "source:laro:a", "source:laro:b"):
            names = {name for name in self.versions if wanted is None or wanted in self.sets[name]}
            entries = listed(self.store, wanted)
            assert set(entries) == {(name, self.versions[name]) for name in names}
            assert [version for _, version in entries] == sorted(version for _, version in entries)
        assert self.store.check() == ()
        assert _orphans(self.store) == (0, 0)


def listed(
    store: Store, set_spec: str | None = None, limit: int = 70, after: Key | None = None
) -> list[tuple[str, int]]:
    """Return the names and versions of a list; nothing may come twice."""
    entries = []
    while True:
        with store.view() as view:
            page = view.page(Selection("oai_dc", set_spec), after, limit)
        for record in page.records:
            name, version = record.removesuffix(b"</record>").rpartition(b">")[2].decode().split()
            entries.append((name, int(version)))
        after = page.next
        if after is None:
            break
    assert len(set(entries)) == len(entries)
    return entries


def _orphans(store: Store) -> tuple[int, int]:
    with store._file.reading() as session:
        return session.one("""select
          (select count(*) from body where id not in (select body from block)),
          (select count(*) from member where (prefix, datestamp, number) not in
            (select prefix, datestamp, number from block))""")


def blocks(store: Store, condition: str = "true") -> int:
    with store._file.reading() as session:
        return session.one(f"select count(*) from block where {condition}")[0]


@pytest.fixture
def model(store, clocks) -> Model:
    return Model(store, clocks)


@pytest.mark.slow
def test_small_publications_become_full_blocks(model):
    for first in range(0, 600, 3):
        model.publish(first, first + 1, first + 2)
    model.clocks.pass_seconds(1)
    model.store.compact()  # how far the compactions of the publications came depends on the speed of the machine
    assert blocks(model.store) <= 6 + 16 + 1
    model.verify()


@pytest.mark.slow
def test_updates_leave_no_holes(model):
    model.publish(*range(500))
    for _ in range(40):
        model.publish(*model.random.sample(range(500), 10))
    model.clocks.pass_seconds(1)
    model.store.compact()
    assert blocks(model.store, "holes is not null") == 0
    assert blocks(model.store, "count < 50") <= 16
    model.verify()


def test_a_small_block_between_others_joins_the_next_one(model):
    for first in range(0, 1_000, 100):
        model.publish(*range(first, first + 95))
        model.publish(*range(first + 95, first + 100))
    model.publish(2_000)
    model.clocks.pass_seconds(1)
    model.store.compact()
    assert blocks(model.store, "count < 50") <= 2
    model.verify()


def test_a_thorough_compaction_makes_blocks_smaller(model):
    model.publish(*range(600))
    model.clocks.pass_seconds(1)
    steps = []
    done = model.store.compact(is_thorough=True, progress=lambda *step: steps.append(step))
    assert done.blocks == 6
    assert steps[-1] == (6, 6)
    assert blocks(model.store, "not is_tight") == 0
    model.verify()


def test_compaction_stops_when_it_should_and_goes_on(model):
    model.publish(*range(3_000))
    model.clocks.pass_seconds(1)
    stops = iter((False, True))
    done = model.store.compact(is_thorough=True, is_stopped=lambda: next(stops))
    assert done.blocks == 8
    assert not done.is_complete
    assert model.store.compact(is_thorough=True).blocks == 22
    model.verify()


def test_a_failure_of_compaction_is_none_of_the_publication(open_furnished, clocks):
    failing: list[tuple[str, int]] = []

    def step(at: str) -> None:
        for name, code in failing:
            if at == name:
                error = sqlite3.OperationalError("it failed")
                error.sqlite_errorcode = code
                raise error

    model = Model(open_furnished(step=step), clocks)
    model.publish(*range(200))
    for name in ("blocks removed", "blocks replaced"):
        for code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CORRUPT):
            failing[:] = [(name, code)]
            model.publish(1, 2)
            model.publish(3, 4)
    failing.clear()
    model.verify()


def _damage(store: Store, statement: str) -> None:
    with store._file.writing() as session:
        session.execute(statement)


@pytest.fixture
def seven(model, path) -> tuple[bytes, Clocks]:
    """Return the bytes of a store with seven blocks, and its clocks."""
    model.publish(*range(90))
    for first in range(90, 690, 100):
        model.publish(*range(first, first + 100))
    model.clocks.pass_seconds(1)
    assert model.store.finish_erasure()
    return path.read_bytes(), model.clocks


@each_row(
    "damage, is_thorough",
    [
        ("update body set records = x'ffff' where id = 3", False),
        ("update body set records = x'ffff' where id = 3", True),
        ("update body set records = substr(records, 1, 100) where id = 3", False),
        ("update body set crc = crc + 1 where id = 3", True),
        ("update body set lengths = (select lengths from body where id = 1) where id = 3", False),
        ("update body set items = (select items from body where id = 1) where id = 3", True),
        ("update body set items = x'ff' where id = 3", False),
        ("delete from body where id = 3", False),
        ("delete from body where id = 3", True),
    ],
)
def test_a_damaged_block_stops_nothing_and_is_reported(seven, tmp_path, damage, is_thorough):
    content, clocks = seven
    (tmp_path / "store.sqlite").write_bytes(content)
    with (
        closing(Store(tmp_path / "store.sqlite", clock=clocks.host())) as store,
        pytest.MonkeyPatch.context() as patched,
    ):
        check_damaged(Model(store, clocks), damage, patched, is_thorough=is_thorough)


def check_damaged(model: Model, damage: str, monkeypatch: pytest.MonkeyPatch, *, is_thorough: bool) -> None:
    _damage(model.store, damage)
    monkeypatch.setattr(model.store, "compact", lambda _seconds: None)
    model.publish(*range(0, 690, 10))
    monkeypatch.undo()
    model.clocks.pass_seconds(1)
    done = model.store.compact(is_thorough=is_thorough)
    assert done.damaged == 1
    assert done.is_complete
    assert blocks(model.store, "holes is not null") == 1
    assert any("A block of oai_dc is damaged" in finding for finding in model.store.check()), model.store.check()
    calls = []
    monkeypatch.setattr(store_compaction, "merged", lambda *args: calls.append(args))
    assert model.store.compact() == Compacted(0, 0, 1, True)
    assert calls == [], "it is not tried again"


@pytest.mark.slow
def test_a_reader_with_an_old_snapshot_keeps_the_log_short(model, monkeypatch):
    """Compaction stops until the reader has ended, and goes on then."""
    monkeypatch.setattr(sqlite_connector, "_BYTES_BETWEEN_CHECKPOINTS", 20_000)
    monkeypatch.setattr(sqlite_connector, "_LONGEST_BYTES", 40 * 4_096)
    log = model.store._file.path.with_name("store.sqlite-wal")
    for first in range(0, 6_000, 1_000):
        model.publish(*range(first, first + 1_000))
    model.clocks.pass_seconds(1)
    with model.store.view() as view:
        view.count(Selection("oai_dc"))
        before = log.stat().st_size
        done = model.store.compact(is_thorough=True)
        assert not done.is_complete
        assert 0 < done.blocks < 50
        assert log.stat().st_size - before < 50 * 16_384
        assert model.store.compact(is_thorough=True).blocks <= 8
    done = model.store.compact(is_thorough=True)
    assert done.is_complete
    model.verify()


def test_only_compaction_does_not_wait_for_the_disk(model):
    model.publish(*range(100))
    model.publish(1)
    file = model.store._file
    with file.writing(is_durable=False) as session:
        assert session.one("pragma synchronous") == (1,)
    with pytest.raises(StoreError), file.writing(is_durable=False) as session:
        session.execute("delete from block returning no_such_column")
    with file.writing() as session:
        assert session.one("pragma synchronous") == (2,)
    model.verify()
