"""Passwords are stored as hashes of Argon2id."""

import pytest

from gateway.core.errors import ConfigurationError, StoreBusy
from gateway.review import users
from gateway.review.users import NOBODY, hash_of, is_password
from tests.rows import each_row


def test_a_password_is_known_again_and_no_other_is():
    stored = hash_of("a long password")
    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert is_password("a long password", stored)
    assert not is_password("a long passworD", stored)
    assert stored != hash_of("a long password"), "each hash has a salt of its own"


def test_an_accent_is_the_same_however_a_keyboard_writes_it():
    assert is_password("caf\u00e9 caf\u00e9 1", hash_of("cafe\u0301 cafe\u0301 1"))


@each_row("space", ["\u00a0", "\u3000", "\u2009"])
def test_a_space_is_the_same_whichever_key_writes_it(space):
    assert is_password(f"a long{space}password", hash_of("a long password"))
    assert is_password("a long password", hash_of(f"a long{space}password"))


@each_row("character", ["\0", "\x1b", "\t", "\n", "\x7f", "\ufeff", "\udcff"])
def test_a_password_that_nobody_can_type_on_a_page_is_refused(character):
    with pytest.raises(ConfigurationError, match="control characters"):
        hash_of(f"a long password{character}")


@each_row("stored", ["", "x", "$argon2id$v=19$m=1", NOBODY])
@each_row("password", ["", "x", "\ud800", "\0"])
def test_a_hash_of_nothing_has_no_password(stored, password):
    assert not is_password(password, stored)


def test_nobody_costs_as_much_as_somebody():
    assert NOBODY.split("$")[:4] == hash_of("a long password").split("$")[:4]


def test_too_many_at_once_are_refused_and_use_no_memory(monkeypatch):
    monkeypatch.setattr(users, "_WAIT_SECONDS", 0.001)
    for _ in range(2):
        assert users._AT_ONCE.acquire()
    try:
        with pytest.raises(StoreBusy, match="Try again"):
            is_password("x", NOBODY)
    finally:
        users._AT_ONCE.release(2)
    assert not is_password("x", NOBODY)
