"""Every file of an instance is emptied, cut, overwritten, lost or unreadable: check says so before a command fails."""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from gateway import create_app
from gateway.cli.main import main as gateway
from gateway.core import finding, sandbox
from gateway.core.instance_folder import DATABASES, INBOX, STORE
from gateway.core.model import Subscription, SubscriptionState
from gateway.core.settings import place_of_copy
from harvester.cli import main as harvester
from tests.opening import open_discovery, open_store, open_subscriptions
from tests.rows import each_row

COPY = b"%PDF-1.7 of a thesis"
NAME = sha256(COPY).hexdigest()
LINES = "".join(
    json.dumps({"identifier": f"oai:x:{n}", "datestamp": "2020-01-01", "metadata": f"<r><title>{'T' * n}</title></r>"})
    + "\n"
    for n in range(300)
)


def run(folder: Path, *words: str, program=gateway):
    return CliRunner().invoke(program, ["--instance", str(folder), *words], input="a long password\n")


def _unreadable(file: Path) -> None:
    """Put a folder in its place: nobody can read that as a file, not even root."""
    file.unlink()
    file.mkdir()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "emptied": lambda file: file.write_bytes(b""),
    "cut": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "overwritten": lambda file: file.write_bytes(random.Random(file.name).randbytes(file.stat().st_size)),
    "lost": Path.unlink,
    "unreadable": _unreadable,
}


@pytest.fixture(autouse=True)
def quick(monkeypatch) -> None:
    """Start no child process: `harvester check` runs in this one."""
    monkeypatch.setattr(sandbox, "in_force", lambda _: ((), ()))
    monkeypatch.setattr(finding, "of_harvester", lambda _: ())


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """Return a folder with an instance that has everything, and with its backup."""
    place = tmp_path_factory.mktemp("whole")
    folder, lines = place / "instance", place / "lines.jsonl"
    lines.write_text(LINES)
    for program, *words in (
        (gateway, "init", "--domain", "repo.example.org", "--email", "a@repo.example.org"),
        (gateway, "user", "add", "ada", "--role", "administrator", "--password-stdin"),
        (harvester, "source", "add", "laro", str(lines), "--kind", "files", "--every", "never"),
        (harvester, "run", "laro"),
        (harvester, "takedown", "add", "oai:repo.example.org:laro/oai:x:7"),
    ):
        result = run(folder, *words, program=program)
        assert result.exit_code == 0, (words, result.stderr)
    open_discovery(folder).close()
    with closing(open_subscriptions(folder)) as subscriptions:
        ended = SubscriptionState.ENDED
        subscriptions.ask(Subscription("one", "gone", "http://gone/", "http://hub/", "secret", ended, 100))
    with closing(sqlite3.connect(folder / "audits.sqlite")) as audit:
        audit.execute("create table a (b)")
        audit.execute("insert into a values (randomblob(20000))")
        audit.commit()
    (folder / "mirrors.json").write_text("{}")
    (folder / "notified.json").write_text("{}")
    place_of_copy(folder, NAME).parent.mkdir(parents=True)
    place_of_copy(folder, NAME).write_bytes(COPY)
    assert run(folder, "backup", str(place / "backup")).exit_code == 0
    assert run(folder, "check").exit_code == 0
    return place


def sorrows(place: Path) -> list[str]:
    """Return which commands fail on an instance of which `check` says nothing wrong; none if it does."""
    folder = place / "instance"
    if run(folder, "check", program=harvester).exit_code:
        return []
    failing = [
        " ".join(words)
        for program, *words in (
            (gateway, "backup", str(place / "backup")),
            (harvester, "run", "--all"),
            (harvester, "tend"),
            (gateway, "user", "list"),
        )
        if run(folder, *words, program=program).exit_code
    ]
    with closing(create_app(folder).extensions["store"]) as store, store.view() as view:
        return [*failing, *(() if view.formats() else ("serve",))]


def damaged(whole: Path, place: Path, name: str, damage: str) -> list[str]:
    shutil.copytree(whole, place)
    DAMAGES[damage](place / "instance" / name)
    return [f"{name} {damage}: {sorrow}" for sorrow in sorrows(place)]


@each_row("name", DATABASES)
def test_check_is_never_content_with_a_database_that_another_command_cannot_use(whole, tmp_path, name):
    for damage in DAMAGES:
        assert not damaged(whole, tmp_path / name / damage, name, damage)


def test_a_database_of_no_bytes_stays_as_it_is_and_check_names_the_command_that_restores_it(whole, tmp_path):
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    folder = tmp_path / "instance"
    for name in DATABASES:
        (folder / name).write_bytes(b"")
        assert f"{name} is empty, although" in run(folder, "check").stderr
    for program, *words in (
        (gateway, "init"),
        (gateway, "user", "add", "bea", "--role", "administrator", "--password-stdin"),
        (harvester, "run", "--all"),
        (harvester, "discover"),
        (gateway, "backup", str(tmp_path / "backup")),
    ):
        assert run(folder, *words, program=program).exit_code == 1, words
    assert {(folder / name).stat().st_size for name in DATABASES} == {0}
    assert run(folder, "restore", "--missing", str(tmp_path / "backup")).exit_code == 0
    assert run(folder, "check").exit_code == 0


def test_another_database_in_the_place_of_one_is_found_and_stays_as_it_is(whole, tmp_path):
    for name in DATABASES:
        shutil.copytree(whole, tmp_path / name)
        file = tmp_path / name / "instance" / name
        other = file.with_name(INBOX if name == STORE else STORE).read_bytes()
        file.write_bytes(other)
        result = run(file.parent, "check", program=harvester)
        assert (result.exit_code, f"{name} is another database. " in result.stderr) == (1, True), name
        assert file.read_bytes() == other


def test_an_entry_that_can_be_read_and_not_be_used_is_a_problem(whole, tmp_path):
    shutil.copytree(whole / "instance", tmp_path, dirs_exist_ok=True)
    entry = '[x]\nurl = "http://x.example.org/oai"\nevery = "never"\n'
    for more, sentence in (
        ('kind = "nope"', "x: There is no kind of source 'nope'."),
        ('ca_bundle = "authorities.pem"', "authorities.pem is missing"),
        ('auth = {kind = "bearer", token_file = "token"}', "token is missing"),
    ):
        (tmp_path / "sources.toml").write_text(entry + more)
        result = run(tmp_path, "check", program=harvester)
        assert (result.exit_code, sentence in result.stderr) == (1, True), more


def test_a_page_of_the_inbox_that_is_overwritten_is_found(whole, tmp_path):
    """A page of zeros may be the sound end of a chain for SQLite: the checksum of what is in the chain tells."""
    before = (whole / "instance" / INBOX).read_bytes()
    size = int.from_bytes(before[16:18], "big")
    shutil.copytree(whole / "instance", tmp_path / "instance")
    for number in range(len(before) // size):
        for content in (bytes(size), random.Random(number).randbytes(size)):
            after = before[: number * size] + content + before[(number + 1) * size :]
            (tmp_path / "instance" / INBOX).write_bytes(after)
            assert after == before or run(tmp_path / "instance", "check").exit_code == 1


def test_a_store_whose_log_is_lost_says_so_until_it_is_made_again(whole, tmp_path):
    folder, lines = tmp_path / "instance", tmp_path / "more.jsonl"
    shutil.copytree(whole / "instance", folder)
    lines.write_text(LINES.replace("oai:x:", "oai:y:"))
    with closing(sqlite3.connect(folder / STORE)) as reader:  # the log stays while a process has the store open
        reader.execute("begin")
        reader.execute("select * from item").fetchone()
        assert run(folder, "source", "add", "more", str(lines), "--kind", "files", program=harvester).exit_code == 0
        assert run(folder, "run", "more", program=harvester).exit_code == 0
        shutil.copytree(folder, tmp_path / "lost")
    (tmp_path / "lost" / f"{STORE}-wal").unlink()
    new = str(tmp_path / "new")
    for program, *words in ((gateway, "check"), (harvester, "run", "--all"), (gateway, "backup", new)):
        result = run(tmp_path / "lost", *words, program=program)
        assert (result.exit_code, "The store lacks its last changes" in result.stderr) == (1, True), words
    assert run(tmp_path / "lost", "rebuild", "--from-inbox").exit_code == 0
    assert run(tmp_path / "lost", "check").exit_code == 0
    with closing(open_store(tmp_path / "lost")) as store:
        assert store.counts("more")["items"] == 300


@pytest.mark.unmeasured
@pytest.mark.slow
def test_check_is_never_content_with_a_file_that_another_command_cannot_use(whole, tmp_path):
    files = [file.relative_to(whole / "instance") for file in (whole / "instance").rglob("*") if file.is_file()]
    assert len(files) > 15
    # The test above damages the databases.
    cases = [(str(name), damage) for name in files if str(name) not in DATABASES for damage in DAMAGES]
    places = (tmp_path / str(number) for number in range(len(cases)))
    assert [sorrow for case, place in zip(cases, places, strict=True) for sorrow in damaged(whole, place, *case)] == []
