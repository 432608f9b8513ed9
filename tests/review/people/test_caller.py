"""The name of the person who calls a command can be stored, and is never that of the rules."""

import getpass
import os

from gateway.fulltext.log_completion import whoever_calls
from tests.rows import each_row


def test_the_name_is_that_of_the_account(monkeypatch):
    monkeypatch.setenv("LOGNAME", "ada")
    assert whoever_calls() == "ada"


@each_row("name", ["rule", "RULE", "\uff52ule", "a\nb", "\x1b[2J", os.fsdecode(b"\xff"), "a\u202eb"])
def test_a_name_that_cannot_be_stored_or_is_that_of_rules_becomes_a_number(monkeypatch, name):
    monkeypatch.setenv("LOGNAME", name)
    assert whoever_calls() == f"user {os.getuid()}"


def test_an_account_without_a_name_has_its_number(monkeypatch):
    def fail() -> str:
        raise KeyError

    monkeypatch.setattr(getpass, "getuser", fail)
    assert whoever_calls() == f"user {os.getuid()}"
