"""The people who may sign in: users, sessions, failures, and a log to which lines are only added."""

import sqlite3
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from gateway.core.errors import StoreError
from gateway.core.model import Account, Deed, LogLine, Role, User
from gateway.store.users import IDLE_SECONDS, LONGEST_SECONDS, Attempt, Slowing, Users
from tests.opening import open_users
from tests.postgres import only_files
from tests.rows import each_row

ITO, ADA = User("B. Ito", Role.MANAGER, ("laro", "fake")), User("Ada", Role.REVIEWER)
NOW = 1_800_000_000
YEAR = 365 * 86_400
SLOWING = Slowing(free=3, least=10, most=40, memory=100)


def _line(deed: Deed = Deed.ADDED, at: int = NOW, about: str = "", network: str = "192.0.2.7") -> LogLine:
    return LogLine(at, "root", deed, about, network)


@pytest.fixture
def users(tmp_path, server) -> Iterator[Users]:
    with closing(open_users(tmp_path, server)) as users:
        yield users


@pytest.fixture
def account(users) -> Account:
    assert users.add(ITO, "a hash", _line())
    return users.find("B. Ito")


@only_files
def test_a_file_that_was_deleted_or_replaced_lets_nobody_of_before_in(users, account, tmp_path):
    """An administrator who deletes or restores the file while the server runs does not expect the former users."""
    users.begin_session("token", account, _line())
    for file in tmp_path.glob("users.sqlite*"):
        file.unlink()
    assert not users.any()
    assert (users.find("B. Ito"), users.of_session("token", NOW)) == (None, None)
    other = tmp_path / "other"
    other.mkdir()
    with closing(open_users(other)) as restored:
        assert restored.add(ADA, "a hash", _line())
    (other / "users.sqlite").rename(tmp_path / "users.sqlite")
    assert [known.user for known in users.all()] == [ADA]
    assert users.set_password("Ada", "another", _line())


def test_a_folder_that_cannot_be_read_is_an_error_and_not_an_instance_without_users(tmp_path):
    (tmp_path / "file").touch()
    with (
        closing(open_users(tmp_path / "file")) as users,
        pytest.raises(StoreError, match=r"users\.sqlite cannot be read"),
    ):
        users.any()


@only_files
def test_the_file_is_for_its_owner_alone(users, account, tmp_path):
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes.pop("locks") == 0o700
    assert set(modes.values()) == {0o600}
    assert "users.sqlite" in modes


@each_row("name", ["b. ito", "B. ITO", "\uff22. \uff29\uff54\uff4f"])
def test_a_name_is_taken_in_every_spelling(users, account, name):
    assert not users.add(User(name, Role.REVIEWER), "a hash", _line())
    assert users.find(name) == account


def test_a_session_ends_twelve_hours_after_its_last_use_and_after_seven_days(users, account):
    users.begin_session("token", account, _line(at=NOW))
    assert users.of_session("token", NOW + IDLE_SECONDS - 1) == ITO
    assert users.of_session("token", NOW + 2 * IDLE_SECONDS - 2) == ITO
    assert users.of_session("token", NOW + 3 * IDLE_SECONDS) is None
    users.begin_session("other", account, _line(at=NOW))
    for second in range(NOW, NOW + LONGEST_SECONDS, IDLE_SECONDS - 1):
        assert users.of_session("other", second) == ITO
    assert users.of_session("other", NOW + LONGEST_SECONDS) is None


def test_a_session_of_a_clock_that_was_a_year_ahead_is_over(users, account):
    users.begin_session("token", account, _line(at=NOW + YEAR))
    assert users.of_session("token", NOW + YEAR) == ITO
    assert users.of_session("token", NOW) is None


@only_files
def test_a_session_can_be_used_while_it_cannot_be_noted(users, account, tmp_path, monkeypatch):
    """The disk is full, or another process writes: pages can be read, and the session ends no later than before."""
    users.begin_session("token", account, _line())
    monkeypatch.setattr("gateway.store.users._NOTE_SECONDS", 0.01)
    with closing(sqlite3.connect(tmp_path / "users.sqlite", isolation_level=None)) as other:
        other.execute("begin immediate")
        assert users.of_session("token", NOW + 3_600) == ITO
        other.execute("rollback")
    assert users.of_session("token", NOW + IDLE_SECONDS) is None


@pytest.mark.parametrize("ending", ["remove", "set_password", "end_session", "end_sessions"])
def test_a_session_ends_when_it_should(users, account, ending):
    users.begin_session("token", account, _line())
    if ending == "remove":
        assert users.remove("B. Ito", _line())
        users.add(ITO, "a hash", _line())
    elif ending == "set_password":
        assert users.set_password("B. Ito", "another", _line())
        assert users.find("B. Ito").password == "another"
    elif ending == "end_session":
        assert users.end_session("token", _line())
        assert not users.end_session("token", _line())
    else:
        users.end_sessions()
    assert users.of_session("token", NOW) is None


def test_a_password_that_was_changed_while_it_was_checked_begins_no_session(users, account):
    assert users.set_password("B. Ito", "another", _line())
    assert not users.begin_session("token", account, _line())
    assert users.remove("B. Ito", _line())
    assert not users.begin_session("token", account, _line())
    assert users.of_session("token", NOW) is None


@each_row("statement", ["delete from log", "update log set by = 'nobody'"])
def test_lines_of_the_log_are_never_changed_or_deleted(users, account, statement):
    with pytest.raises(StoreError, match="never"), users._file.writing() as session:
        session.execute(statement)
    assert [line.deed for line in users.log(10**9, 9)] == [Deed.ADDED]


@only_files
def test_lines_of_the_log_are_never_replaced(users, account):
    with pytest.raises(StoreError, match="never"), users._file.writing() as session:
        session.execute("insert or replace into log select * from log")


def test_failures_are_free_then_the_wait_doubles_up_to_a_bound(users, account):
    now, waits = NOW, []
    for _ in range(7):
        assert users.attempt(("name", "network"), now, SLOWING).wait == 0
        wait = users.attempt(("name",), now, SLOWING).wait if len(waits) >= 2 else 0
        waits.append(wait)
        now += wait
    assert waits == [0, 0, 10, 20, 40, 40, 40]


def test_an_attempt_that_must_wait_is_not_counted(users, account):
    """Otherwise an attacker could make the wait longer by trying on."""
    for _ in range(3):
        users.attempt(("name",), NOW, SLOWING)
    assert {users.attempt(("name",), NOW + 4, SLOWING).wait for _ in range(50)} == {6}
    assert users.attempt(("name",), NOW + 10, SLOWING) == Attempt()


def test_many_attempts_at_once_are_as_many_failures(users, account):
    with ThreadPoolExecutor(8) as pool:
        attempts = list(pool.map(lambda _: users.attempt(("name",), NOW, SLOWING), range(24)))
    assert sum(attempt.wait == 0 for attempt in attempts) == 3


def test_the_failures_of_ten_thousand_names_are_kept_and_the_last_ones_stay(users, account, monkeypatch):
    monkeypatch.setattr("gateway.store.users._MOST_FAILURES", 20)
    for number in range(50):
        users.attempt((f"name {number}", "network"), NOW + number, Slowing(free=1000))
    keys = [key for (key,) in users._file.rows("select key from failure order by failed_at")]
    assert len(keys) == 20
    assert {"network", "name 49"} <= set(keys)


def test_a_network_is_known_for_ninety_days_after_signing_in_there(users, account):
    assert not users.knows_network(1, "192.0.2.7", NOW)
    users.begin_session("token", account, _line())
    assert users.knows_network(1, "192.0.2.7", NOW + 90 * 86_400 - 1)
    assert not users.knows_network(1, "192.0.2.7", NOW + 90 * 86_400)
    assert not users.knows_network(2, "192.0.2.7", NOW)
    for number in range(25):
        users.begin_session(f"token {number}", account, _line(network=f"network {number}", at=NOW + 1))
    assert not users.knows_network(1, "192.0.2.7", NOW)
    users.set_password("B. Ito", "another", _line())
    assert not users.knows_network(1, "network 24", NOW)


def test_refusals_are_written_a_thousand_times_an_hour_at_most(users, account, monkeypatch):
    monkeypatch.setattr("gateway.store.users._MOST_REFUSALS", 3)
    for _ in range(9):
        users.write_refusal(_line(Deed.REFUSED))
    users.write_refusal(_line(Deed.REFUSED, NOW + 3_601))
    assert [line.at for line in users.log(10**9, 99) if line.deed is Deed.REFUSED] == [NOW + 3_601, NOW, NOW, NOW]
