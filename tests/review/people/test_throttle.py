"""Who fails to sign in is slowed down, and keeps nobody else out."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from gateway.core.model import Account, Deed, LogLine, Role, User
from gateway.review.throttle import Throttle, network_of
from gateway.store.base import Users
from tests.opening import open_users
from tests.rows import each_row

NOW = 1_800_000_000
HOME, ELSEWHERE = "192.0.2.7", "198.51.100.1"


@pytest.fixture
def users(tmp_path) -> Iterator[Users]:
    with closing(open_users(tmp_path)) as users:
        users.add(User("B. Ito", Role.REVIEWER), "a hash", LogLine(NOW, "", Deed.ADDED))
        yield users


@pytest.fixture
def account(users) -> Account:
    return users.find("B. Ito")


@pytest.fixture
def throttle(users) -> Throttle:
    return Throttle(users, b"a key of this test")


def _wait(throttle: Throttle, account: Account | None, network: str, name: str = "B. Ito", now: int = NOW) -> int:
    return throttle.attempt(name, account, network, now).wait


@each_row("is_known", [True, False])
def test_the_sixth_attempt_of_a_name_waits_from_wherever_it_comes(throttle, account, is_known):
    known = account if is_known else None
    name = "B. Ito" if is_known else "nobody"
    waits = [_wait(throttle, known, f"198.51.100.{number}", name) for number in range(6)]
    assert waits == [0, 0, 0, 0, 0, 30]


def test_spelling_a_name_differently_does_not_help(throttle, account):
    names = ("B. Ito", "b. ito", "B. ITO", "\uff22. Ito", "b. Ito", "B. itO")
    assert [_wait(throttle, account, str(place), name) for place, name in enumerate(names)][-1] == 30


def test_the_sixth_attempt_of_a_network_waits_whatever_the_name(throttle):
    assert [_wait(throttle, None, ELSEWHERE, f"name {number}") for number in range(6)] == [0, 0, 0, 0, 0, 30]


def test_failures_elsewhere_do_not_keep_a_user_out_at_home(throttle, users, account):
    users.begin_session("token", account, LogLine(NOW, "B. Ito", Deed.SIGNED_IN, network=HOME))
    for hour in range(5):
        for number in range(9):
            _wait(throttle, account, f"198.51.100.{number}", now=NOW + 60 * hour)
        attempt = throttle.attempt("B. Ito", account, HOME, NOW + 60 * hour)
        assert attempt.wait == 0
        throttle.succeeded(attempt)
    assert _wait(throttle, account, "203.0.113.1", now=NOW + 60 * 4) > 0


def test_a_user_who_fails_at_home_is_slowed_down_there(throttle, users, account):
    users.begin_session("token", account, LogLine(NOW, "B. Ito", Deed.SIGNED_IN, network=HOME))
    assert [_wait(throttle, account, HOME) for _ in range(6)][-1] == 30


def test_signing_in_does_not_make_a_network_free_for_guesses(throttle, account):
    for number in range(4):
        assert _wait(throttle, None, ELSEWHERE, f"name {number}") == 0
        attempt = throttle.attempt("B. Ito", account, ELSEWHERE, NOW)
        assert attempt.wait == 0
        throttle.succeeded(attempt)
    assert _wait(throttle, None, ELSEWHERE, "name 5") == 0
    assert _wait(throttle, None, ELSEWHERE, "name 6") == 30


def test_a_password_that_could_not_be_checked_is_no_failure(throttle, account):
    for _ in range(20):
        attempt = throttle.attempt("B. Ito", account, ELSEWHERE, NOW)
        assert attempt.wait == 0
        throttle.forgive(attempt)


def test_a_new_password_forgets_the_failures_of_the_name(throttle, account):
    for number in range(6):
        _wait(throttle, account, str(number))
    throttle.forget("b. ito")
    assert _wait(throttle, account, ELSEWHERE) == 0


def test_names_are_stored_as_hashes(throttle, users, tmp_path):
    _wait(throttle, None, ELSEWHERE, "my secret password")
    users.close()
    assert b"secret" not in (tmp_path / "users.sqlite").read_bytes()


@each_row(
    "address, network",
    [
        ("192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"), ("fe80::1%eth0", "fe80::/64"), ("::ffff:192.0.2.7", "192.0.2.7"),
        ("", ""), ("unix:", ""),
    ],
)  # fmt: skip
def test_networks(address, network):
    assert network_of(address) == network
