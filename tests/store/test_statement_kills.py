"""Processes that change a store are killed before every statement that they send to SQLite: nothing is lost or doubled.

After each kill, the store is as it was before or as it is afterwards, its check finds nothing, and the same work goes
on.
"""

import os
import posix
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gateway.core.model import Publication, Selection
from gateway.core.pieces import identity
from gateway.store.own_lists import own_lists, want
from gateway.store.sqlite import connector as sqlite_connector
from gateway.store.sqlite.conversion import convert
from gateway.store.store import Store
from tests.clocks import Clocks
from tests.killing import kill_before
from tests.seeds import SEED
from tests.store.conftest import change, furnished
from tests.store.former_store import make_former
from tests.store.test_sqlite_compaction import _orphans, blocks
from tests.store.test_sqlite_conversion import SMALL, check_same, opened

pytestmark = [
    pytest.mark.unmeasured,
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning"),
]

SET, OTHER = "source:laro:a", "source:laro:b"
SPECS = (None, "source:laro", SET, OTHER)
EVER = 2**40
STEP = int(os.environ.get("KILLS_STEP", "7"))  # 1: each statement is tried

Work = Callable[[Path, Clocks], None]


def publish(path: Path, clocks: Clocks) -> None:
    """Publish new items, new versions, a tombstone, and an item that changes its sets while its record stays."""
    changes = [change(f"{number}", 9, (OTHER,)) for number in (1, 2, 5, 40, 41)]
    tombstone, content = change("7", 9, (SET,)), b'<record><header status="deleted"></header>7 9</record>'
    record = tombstone.records[0]._replace(is_deleted=True, content=content)
    regrouped = change("8", 1, (SET,))._replace(sets=(OTHER,))
    with closing(Store(path, clock=clocks.host())) as store:
        several = (*changes, tombstone._replace(is_deleted=True, records=(record,)), regrouped)
        store.publish(store.intend(), Publication("laro", several))


def compact(path: Path, clocks: Clocks) -> None:
    """Make all blocks anew, and the file smaller, however few pages that frees."""
    with pytest.MonkeyPatch.context() as patched, closing(Store(path, clock=clocks.host())) as store:
        patched.setattr(sqlite_connector, "_LEAST_BYTES", 0)
        store.compact(is_thorough=True)


def rewrite(path: Path, clocks: Clocks) -> None:
    """Write the file anew."""
    with closing(Store(path, clock=clocks.host())) as store:
        store.vacuum()


def erase(path: Path, clocks: Clocks) -> None:
    with closing(Store(path, clock=clocks.host())) as store:
        store.erase_superseded()


def erase_and_settle(path: Path, clocks: Clocks) -> None:
    with closing(Store(path, clock=clocks.host())) as store:
        store.erase_superseded()
        assert store.finish_erasure()


def upgrade(path: Path, _clocks: Clocks) -> None:
    """Migrate and convert the store of an earlier release."""
    with closing(opened(path)) as file:
        convert(file, lambda _name: None, SMALL)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Clocks]:
    """Return a store with holes, small blocks, a complete own list and one that is only wanted."""
    path, clocks = tmp_path_factory.mktemp("made") / "store.sqlite", Clocks()
    with pytest.MonkeyPatch.context() as patched, closing(Store(path, create=True, clock=clocks.host())) as store:
        furnished(store)
        for version, numbers in ((1, range(20)), (2, range(20, 40)), (3, range(0, 40, 6))):
            clocks.pass_seconds(1)
            changes = tuple(change(f"{number}", version, (SET if number % 2 else OTHER,)) for number in numbers)
            store.publish(store.intend(), Publication("laro", changes))
            if version == 2:
                _want(store, SET)
                clocks.pass_seconds(1)
                store.compact(is_thorough=True)
                _want(store, OTHER)
                patched.setattr(store._compaction, "run", lambda *_, **__: None)
        clocks.pass_seconds(1)
        assert blocks(store, "holes is not null") > 1
        with store._file.reading() as session:
            assert sorted(one.is_ready for one in own_lists(session)) == [False, True]
    return path, clocks


def _want(store: Store, spec: str) -> None:
    with store._file.writing() as session:
        want(session, session.one("select id from collection where spec = ?", (spec,))[0], 1, EVER)


def killed(work: Work, path: Path, clocks: Clocks, last: int) -> bool:
    """Do some work in a process that kills itself before a statement; return False if it came to its end."""
    child = os.fork()
    if child == 0:
        kill_before(last)
        status = 1
        try:
            work(path, clocks)
            status = 0
        finally:
            posix._exit(status)  # that of `os` writes the coverage first: thousands of statements
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL), f"statement {last}"
    return code != 0


def kills(work: Work, made: tuple[Path, Clocks], folder: Path, step: int) -> Iterator[Path]:
    """Yield a copy of a store after each kill, until the work comes to its end; every so many statements are tried."""
    original, clocks = made
    first = 1 + SEED % min(step, 7)  # every work has some more statements
    for last in range(first, 100_000, step):
        path = folder / str(last) / original.name
        shutil.copytree(original.parent, path.parent)
        if not killed(work, path, clocks, last):
            assert last > first, "nothing was killed"
            return
        yield path
        shutil.rmtree(path.parent)


def state(path: Path, clocks: Clocks) -> dict[str, Any]:
    """Return all that a store shows, and the findings of the check."""
    shown: dict[str, Any] = {}
    with closing(Store(path, clock=clocks.host())) as store, store.view() as view:
        for spec in SPECS:
            selection = Selection("oai_dc", spec)
            page = view.parts(selection, None, 1_000, only_headers=False, is_exact=True)
            names = [content.rpartition(b">")[0] for content in view.page(selection, None, 1_000).records]
            shown[f"list {spec}"] = identity(page.parts).splitlines(), len(names), view.count(selection)
            shown[f"resources {spec}"] = view.resources(selection, 0, 1_000, 1_000)
        shown["changes"] = view.changes(0, 1_000)
        shown["items"] = store.items("laro", 0, 1_000), store.counts("laro")
        shown["findings"], shown["orphans"] = (*store.check(), *filter(None, [store.changes_lost()])), _orphans(store)
    return shown


def _after(work: Work, made: tuple[Path, Clocks], folder: Path) -> dict[str, Any]:
    original, clocks = made
    shutil.copytree(original.parent, folder / "after")
    work(folder / "after" / original.name, clocks)
    return state(folder / "after" / original.name, clocks)


WORKS = (publish, compact, erase)
FEW = {erase: 11, rewrite: 7}  # they have few statements


def each_step(few: int) -> pytest.MarkDecorator:
    """Try a kill before one of so many statements, and in a slow test before one of STEP."""
    return pytest.mark.parametrize("step", [few, pytest.param(STEP, marks=pytest.mark.slow)])


@each_step(67)
@pytest.mark.parametrize("work", [*WORKS, rewrite])
def test_a_kill_before_any_statement_loses_nothing(made, tmp_path, work, step):
    """The store is as before or as afterwards, and the work can be repeated."""
    clocks, before, after = made[1], state(*made), _after(work, made, tmp_path)
    assert (before["findings"], before["orphans"]) == (after["findings"], after["orphans"]) == ((), (0, 0))
    assert (before == after) is (work is not publish)
    seen = 0
    for path in kills(work, made, tmp_path, min(step, FEW.get(work, step))):
        seen += 1
        assert state(path, clocks) in (before, after), (path, SEED)
        work(path, clocks)
        assert state(path, clocks) == after, (path, SEED)
    assert seen > 0


def _superseded(path: Path) -> list[bytes]:
    """Return the ends of the blocks that have superseded records."""
    with closing(sqlite3.connect(path)) as connection:
        query = "select records from body where id in (select body from block where holes is not null)"
        return [records[-40:] for (records,) in connection.execute(query)]


@each_step(37)
def test_after_a_kill_of_an_erasure_something_says_that_the_files_have_what_was_superseded(made, tmp_path, step):
    """Either the blocks still have holes, and the takedown is not completed, or the erasure is open."""
    clocks, secrets, seen = made[1], _superseded(made[0]), 0
    assert len(secrets) > 1
    for path in kills(erase_and_settle, made, tmp_path, step):
        seen += 1
        files = b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))
        if any(secret in files for secret in secrets):
            with closing(Store(path, clock=clocks.host())) as store:
                assert _superseded(path) or store.has_open_erasure(), (path, SEED)
        erase_and_settle(path, clocks)
        with closing(Store(path, clock=clocks.host())) as store:
            assert not store.has_open_erasure()
        files = b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))
        assert not any(secret in files for secret in secrets), (path, SEED)
    assert seen > 0


def test_a_kill_before_a_statement_of_an_upgrade_loses_nothing(tmp_path):
    former = tmp_path / "made" / "store.sqlite"
    former.parent.mkdir()
    records = make_former(former, 60)
    seen = 0
    for path in kills(upgrade, (former, Clocks()), tmp_path, 151):
        seen += 1
        check_same(path, records)
    assert seen > 0
