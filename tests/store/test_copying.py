"""A repository is copied from files to a PostgreSQL database and back. Nobody can write to the former afterwards."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gateway.cli.main import main as gateway
from gateway.core.clock import HostClock
from gateway.core.errors import ConfigurationError, StoreDamaged, StoreMissing, StoreUnwritable
from gateway.core.model import Key, Selection
from gateway.core.settings import Settings
from gateway.store import copying
from gateway.store.base import Databases
from gateway.store.copying import CopiedTable, copy
from tests.json_contract import OBJECTS
from tests.opening import settings_of
from tests.publish.harness import Harness, Sent, make_databases
from tests.review_house import add_user

LIST = Selection("oai_didl", None, None, 2**40)


def _nothing(_url: str) -> None:
    """Leave a database empty."""


@pytest.fixture
def here(tmp_path: Path) -> Settings:
    """Return the settings of a repository on files, with a deleted item and a user."""
    make_databases(tmp_path)
    house = Harness(tmp_path)
    house.sent(*(Sent(str(number)) for number in range(1, 30)))
    house.sent(Sent("3", None))
    house.store.close()
    house.inbox.close()
    add_user(tmp_path)
    return settings_of(tmp_path, clock_max_jump_seconds=0)


@pytest.fixture
def there(tmp_path: Path, postgres: Callable[..., str]) -> Settings:
    return settings_of(tmp_path, postgres(_nothing), clock_max_jump_seconds=0)


def _state(settings: Settings) -> Any:
    """Return what a repository has, and the numbers that the next page and the next item get."""
    with (
        closing(Databases(settings).store()) as store,
        closing(Databases(settings).inbox()) as inbox,
        store.view() as view,
    ):
        with closing(Databases(settings).users()) as users:
            people = users.all()
        page = view.page(LIST, Key(0, 0), 1_000)
        return page, view.changes(0, 1_000), inbox.last_number(), inbox.cursors("laro"), people, view.sources()


def _copied(origin: Settings, target: Settings, *, is_rehearsal: bool = False) -> list[CopiedTable]:
    return list(copy(origin, target, is_rehearsal=is_rehearsal))


def test_a_copy_there_and_back_is_the_same(here: Settings, there: Settings, tmp_path: Path) -> None:
    before = _state(here)
    assert len(before[0].records) == 29
    first = _copied(here, there)
    assert _state(there) == before
    for file in tmp_path.glob("*.sqlite*"):
        file.unlink()
    known = {(one.database, one.table): one.digest for one in first}
    second = {(one.database, one.table): one.digest for one in _copied(there, here)}
    changed = {name for name in known if known[name] != second[name]}
    assert changed == {("store", "fact")}, "the database has noted the secret of the repository"
    assert _state(here) == before


def _is_only_read(settings: Settings) -> None:
    """Check that a repository can be read, that its horizon stands still, and that nothing writes to it."""
    horizons = []
    for later in (0, 86_400):
        clock = HostClock(partial(float, time.time() + later), time.monotonic, lambda: "boot")
        with closing(Databases(settings).store(clock=clock)) as store:
            with store.view() as view:
                horizons.append(view.horizon)
                assert view.page(LIST, None, 1).records
            with pytest.raises(StoreUnwritable, match="was copied by `gateway store copy`"):
                store.intend()
    assert horizons[0] == horizons[1]
    with closing(Databases(settings).inbox()) as inbox, pytest.raises(StoreUnwritable, match="Set the setting store"):
        inbox.start_run("laro", 0)


def test_the_origin_is_only_read_afterwards(here: Settings, there: Settings) -> None:
    """A harvester that asks the former server last misses nothing of the copy."""
    _copied(here, there)
    _is_only_read(here)
    with closing(Databases(here).store()) as store, store.view() as view, closing(Databases(there).store()) as copied:
        assert copied.intend().datestamp >= view.horizon
    for file in here.instance.glob("*.sqlite*"):
        file.unlink()
    _copied(there, here)
    _is_only_read(there)


def test_no_number_is_given_twice_after_a_copy(here: Settings, there: Settings) -> None:
    with closing(Databases(here).store()) as store:
        number = store.intend().number
    _copied(here, there)
    with closing(Databases(there).store()) as store:
        assert store.intend().number > number


@pytest.mark.parametrize("database", ["inbox", "store"])
def test_a_copy_that_was_stopped_is_not_used_and_begins_again(
    here: Settings, there: Settings, monkeypatch: pytest.MonkeyPatch, database: str
) -> None:
    before, whole, calls = _state(here), copying._summed, count()
    names = [done.database for done in _copied(here, there, is_rehearsal=True)]
    last = 2 * names.index(database) + 3  # in its second table

    def stopped(*arguments: Any) -> tuple[int, str]:
        if next(calls) == last or not isinstance(arguments[0], Iterator):
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(copying, "_summed", stopped)
    with pytest.raises(KeyboardInterrupt):
        _copied(here, there)
    with pytest.raises(StoreMissing, match=r"is missing|is not complete"):
        Databases(there).store()
    monkeypatch.setattr(copying, "_complete", stopped)  # after the origin refuses writers
    with pytest.raises(KeyboardInterrupt):
        _copied(here, there)
    with pytest.raises(StoreMissing, match="is not complete"):
        Databases(there).store()
    monkeypatch.undo()
    _copied(here, there)
    assert _state(there) == before
    with closing(Databases(there).store()) as store:
        store.abandon(store.intend())
    with pytest.raises(ConfigurationError, match="a repository at the target"):
        _copied(here, there)


def test_a_copy_that_differs_is_refused(here: Settings, there: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    sums = iter(range(10_000))
    monkeypatch.setattr(copying, "_summed", lambda *_: (next(sums), ""))
    with pytest.raises(StoreDamaged, match="differs"):
        _copied(here, there)
    with closing(Databases(here).store()) as store:
        store.abandon(store.intend())


def test_the_command_writes_the_objects_that_are_documented(here: Settings, there: Settings) -> None:
    (fields,) = OBJECTS["gateway store copy"].values()
    for options in (["--dry-run"], []):
        words = ["--instance", str(here.instance), "store", "copy", "files", there.text("store"), "--json", *options]
        done = CliRunner().invoke(gateway, words)
        assert done.exit_code == 0, done.output
        objects = [json.loads(line) for line in done.stdout.splitlines()]
        assert {tuple(one) for one in objects} == {tuple(field.name for field in fields)}
        assert all(bool(one["digest"]) != bool(options) for one in objects)
