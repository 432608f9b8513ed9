"""`gateway user` adds, lists and removes the people who may sign in, and shows what they did."""

import getpass
import json
import os
import pty
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing, suppress

import pytest
from click.testing import CliRunner

from gateway.cli.main import main
from gateway.core.model import Deed, LogLine
from gateway.fulltext.log_completion import whoever_calls
from gateway.review.users import is_password
from tests.opening import open_users
from tests.rows import each_row

PASSWORD = "a password of this test"


@pytest.fixture
def user(gateway, folder):
    """Return a function that runs `gateway user` with a password on stdin."""
    gateway("init")

    def run(*words, typed=f"{PASSWORD}\n"):
        return CliRunner().invoke(main, ["--instance", str(folder), "user", *words], input=typed)

    return run


def _lines(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_users_are_added_listed_and_removed(user, folder):
    added = user(
        "add", "B. Ito", "--role", "manager", "--source", "laro", "--source", "laro", "--password-stdin", "--json"
    )
    assert json.loads(added.stdout) == {"name": "B. Ito", "role": "manager", "sources": ["laro"]}
    assert user("add", "Ada", "--password-stdin").stderr == "Ada may sign in as reviewer.\n"
    ada, ito = _lines(user("list", "--json"))
    assert (ada["name"], ada["role"], ada["sources"], ada["signed_in_at"]) == ("Ada", "reviewer", [], None)
    assert (ito["name"], ito["sources"]) == ("B. Ito", ["laro"])
    assert user("list").stdout.splitlines() == [
        "Ada  reviewer  last sign-in: never", "B. Ito  manager of laro  last sign-in: never"
    ]  # fmt: skip
    removed = user("remove", "b. ITO", "--json")
    assert (json.loads(removed.stdout), removed.stderr) == ({"name": "B. Ito"}, "B. Ito was removed.\n")
    assert [facts["name"] for facts in _lines(user("list", "--json"))] == ["Ada"]
    assert stat.S_IMODE((folder / "users.sqlite").stat().st_mode) == 0o600


def test_a_password_is_typed_twice_and_never_shown(user, folder):
    result = user("add", "Ada", typed=f"{PASSWORD}\n{PASSWORD}\n")
    assert result.exit_code == 0
    assert PASSWORD not in result.output
    with closing(open_users(folder)) as users:
        assert is_password(PASSWORD, users.find("Ada").password)
    assert user("add", "Eve", typed=f"{PASSWORD}\nanother password\n").exit_code == 1
    assert "Eve" not in user("list").stdout


def test_a_password_is_no_argument(user):
    for words in (("add", "Ada", PASSWORD), ("add", "Ada", "--password", PASSWORD), ("password", "Ada", PASSWORD)):
        result = user(*words)
        assert result.exit_code == 2
        assert "another password" not in result.stderr


@each_row("typed", ["\n", "", "too short\n", "x" * 1_001 + "\n", "x" * 100_000])
def test_a_password_that_is_too_short_or_too_long_is_refused_in_a_sentence(user, typed):
    result = user("add", "Ada", "--password-stdin", typed=typed)
    assert (result.exit_code, "10 to 1000 characters" in result.stderr) == (2, True)
    assert user("list").stdout == ""


@each_row(
    "name",
    ["", " ", " Ada", "Ada ", "A  da", "A\nda", "A\0da", "Ada\u202e", "A\u200bda", "x" * 65, "rule", "RULE", "\ud800"],
)
def test_a_name_that_people_cannot_read_is_refused(user, name):
    result = user("add", "--password-stdin", "--", name)
    assert (result.exit_code, "cannot be" in result.stderr) == (2, True)
    assert user("list").stdout == ""


def test_a_new_password_ends_all_sessions(user, folder):
    user("add", "Ada", "--password-stdin")
    with closing(open_users(folder)) as users:
        account, line = users.find("Ada"), LogLine(1_800_000_000, "Ada", Deed.SIGNED_IN)
        assert users.begin_session("token", account, line)
        result = user("password", "ada", "--password-stdin", typed="a new password\n")
        assert result.stderr == "Ada has a new password, and must sign in again.\n"
        assert users.of_session("token", line.at) is None
        assert is_password("a new password", users.find("Ada").password)
        assert users.find("Ada").signed_in_at == line.at


def test_the_log_says_who_did_what_the_newest_first(user, folder):
    user("add", "Ada", "--password-stdin")
    user("password", "Ada", "--password-stdin")
    user("remove", "Ada")
    lines = _lines(user("log", "--json"))
    assert [(line["number"], line["deed"], line["about"]) for line in lines] == [
        (3, "user removed", "Ada"), (2, "password set", "Ada"), (1, "user added", "Ada, reviewer")
    ]  # fmt: skip
    assert all(line["by"].endswith("on the command line") for line in lines)
    assert [line["number"] for line in _lines(user("log", "--json", "--limit", "1", "--before", "3"))] == [2]
    assert user("log", "--limit", "1").stdout.endswith("user removed  Ada\n")


def test_a_line_of_the_log_cannot_steer_a_terminal(user, folder):
    user("add", "Ada", "--password-stdin")
    with closing(open_users(folder)) as users:
        users.write(LogLine(1, "Ada", Deed.DECIDED, "accept \x1b[2J https://e.org/?token=abc\u202e"))
    line = user("log", "--limit", "1").stdout
    assert not {"\x1b", "\u202e"} & set(line)


@each_row("words", [("add", "Ada", "--password-stdin"), ("list",), ("log",), ("remove", "Ada")])
def test_without_an_instance_nothing_is_made_and_no_list_seems_to_be_empty(folder, words):
    result = CliRunner().invoke(main, ["--instance", str(folder), "user", *words], input=f"{PASSWORD}\n")
    assert (result.exit_code, "`gateway init` makes one" in result.stderr) == (2, True)
    assert not folder.exists()


def test_check_says_how_many_people_may_sign_in_and_what_keeps_them_from_it(user, gateway):
    assert "sign in" not in gateway("check").stderr
    user("add", "Ada", "--role", "manager", "--source", "laro", "--password-stdin")
    result = gateway("check", GATEWAY_BASE_URL="http://repository.example.org/oai").stderr
    assert "People who may sign in at /review: 1." in result
    assert (
        "Nobody can sign in at http://repository.example.org/review: browsers send the cookie only by https." in result
    )
    assert "The user 'Ada' manages sources that are not here: laro." in result
    for url in ("https://repository.example.org/oai", "http://127.0.0.1:8080/oai", "http://[::1]/oai", ""):
        assert "Nobody can sign in" not in gateway("check", GATEWAY_BASE_URL=url).stderr, url


def test_a_user_whose_adding_was_killed_can_be_added_again(user, folder, gateway, tmp_path):
    (folder / "users.sqlite").touch(0o600)  # an earlier release left it
    assert (user("list").exit_code, user("list").output) == (0, "")
    assert gateway("backup", str(tmp_path / "backup")).exit_code == 0
    assert user("add", "Ada", "--password-stdin").exit_code == 0
    assert "Nobody can sign in as" not in gateway("check").stderr
    with closing(sqlite3.connect(folder / "users.sqlite")) as users, users:
        users.execute("update user set password = 'x'")
    assert "Nobody can sign in as 'Ada'" in gateway("check").stderr


def test_a_backup_has_the_users_and_a_restore_ends_their_sessions(user, gateway, folder, tmp_path):
    user("add", "Ada", "--password-stdin")
    line = LogLine(1_800_000_000, "Ada", Deed.SIGNED_IN)
    with closing(open_users(folder)) as users:
        assert users.begin_session("token", users.find("Ada"), line)
    assert gateway("backup", str(tmp_path / "backup")).exit_code == 0
    (folder / "users.sqlite").unlink()
    lost = gateway("backup", str(tmp_path / "backup"))
    assert (lost.exit_code, "users.sqlite is missing" in lost.stderr) == (1, True)
    restored = gateway("restore", str(tmp_path / "backup"), "--missing")
    assert (restored.exit_code, "Users and passwords are those of the backup." in restored.stderr) == (0, True)
    assert "Users and passwords" not in gateway("restore", str(tmp_path / "backup"), "--missing").stderr
    assert stat.S_IMODE((folder / "users.sqlite").stat().st_mode) == 0o600
    with closing(open_users(folder)) as users:
        assert users.find("Ada") is not None
        assert users.of_session("token", line.at) is None


@pytest.mark.slow
def test_a_terminal_shows_no_character_of_a_password(user, folder):
    """A real terminal: what is typed is not echoed."""
    words = [sys.executable, "-m", "gateway", "--instance", str(folder), "user", "add", "Ada"]
    master, slave = pty.openpty()
    program = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    seen = b""
    for prompts in (1, 2):
        while seen.count(b": ") < prompts:  # what is typed before a prompt is lost
            seen += os.read(master, 1000)
        os.write(master, f"{PASSWORD}\n".encode())
    with suppress(OSError):  # the other end was closed
        while part := os.read(master, 1000):
            seen += part
    os.close(master)
    assert program.wait(240) == 0
    assert b"Ada may sign in as reviewer." in seen
    assert PASSWORD.encode() not in seen


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
