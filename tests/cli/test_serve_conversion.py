"""After an upgrade, `gateway serve` answers 503 while the store is converted; commands show how far that is."""

import http.client
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

import click
import pytest

from gateway.core import conversion_progress
from gateway.core.program import Program
from gateway.ops.upkeep import make
from tests.live import command, environment, free_port
from tests.rows import each_row
from tests.store.former_store import make_former, without_former_tables


class Answer(NamedTuple):
    status: int
    retry_after: str | None
    text: str


def answer(port: int, path: str) -> Answer:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=240)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        return Answer(response.status, response.headers["Retry-After"], response.read().decode())


@pytest.fixture
def former(folder) -> Path:
    """Make an instance whose store is one of the former release; return the file."""
    make(folder, {"repository_domain": "repo.example.org", "admin_email": "a@repo.example.org"})
    for file in folder.glob("store.sqlite*"):
        file.unlink()
    make_former(folder / "store.sqlite", 60)
    return folder / "store.sqlite"


@contextmanager
def held(store: Path) -> Iterator[sqlite3.Connection]:
    """Hold the write lock of a store, so that a conversion waits."""
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("begin immediate")
        yield connection


@contextmanager
def serving(folder: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    words = command("gateway", folder, "serve", "--port", str(port))
    with subprocess.Popen(words, env=environment({}), text=True, stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=240).close()
    except OSError:
        return False
    return True


def awaited(port: int, path: str, status: int) -> Answer:
    ends = monotonic() + 240
    while True:
        try:
            if (current := answer(port, path)).status == status:
                return current
        except OSError:  # it does not listen yet
            pass
        assert monotonic() < ends
        sleep(0.05)


@pytest.mark.slow
def test_the_server_answers_503_during_the_conversion_and_then_serves(folder, former):
    port = free_port()
    with serving(folder, port) as process:
        with held(former):
            waiting = awaited(port, "/oai?verb=Identify", 503)
            assert waiting == (
                503,
                "60",
                "The repository is being upgraded; 0 % of its records are converted. Try again later.\n",
            )
            assert answer(port, "/") == answer(port, "/readyz") == waiting
            assert answer(port, "/healthz").status == 200
        listed = awaited(port, "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc", 200)
        assert listed.text.count("<identifier>") == 60
        assert answer(port, "/readyz").status == 200
        process.send_signal(signal.SIGTERM)
        _, messages = process.communicate()
    assert process.returncode == 0
    first, *_, last = messages.splitlines()
    assert first == "Requests are answered with 503 until the records of an earlier release are moved into blocks."
    assert last.startswith(f"Serving http://127.0.0.1:{port}/oai")
    assert without_former_tables(former)


@pytest.mark.slow
def test_a_server_that_is_killed_during_the_conversion_is_gone_and_goes_on_later(folder, former):
    port = free_port()
    with serving(folder, port) as process, held(former):
        awaited(port, "/readyz", 503)
        process.kill()
        process.wait(240)
        ends = monotonic() + 240
        while is_listening(port):  # the process that answers ends within a second
            assert monotonic() < ends
            sleep(0.05)
    assert not without_former_tables(former)
    with serving(folder, port):
        awaited(port, "/readyz", 200)
    assert without_former_tables(former)


def damage_one(former: Path) -> None:
    with closing(sqlite3.connect(former)) as connection:
        assert connection.execute("update record set content = x'00' where item = 4 and prefix = 1").rowcount == 1
        connection.commit()


@pytest.mark.slow
def test_a_server_goes_on_although_a_record_was_damaged_and_refuses_its_pages(folder, former):
    """A harvester comes back later, and misses nothing. The log says what to do."""
    damage_one(former)
    port = free_port()
    with serving(folder, port) as process:
        awaited(port, "/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:laro/u5", 200)
        refused = answer(port, "/oai?verb=ListRecords&metadataPrefix=oai_dc")
        assert (refused.status, "upgraded" in refused.text) == (503, False)
        assert refused.retry_after
        process.send_signal(signal.SIGTERM)
        _, messages = process.communicate()
    assert process.returncode == 0
    assert "so many were damaged before: 1." in messages
    assert without_former_tables(former)


@each_row("damaged, status, wanted", [(0, None, 0), (0, 1, 1), (2, None, 3), (2, 0, 3), (2, 1, 1), (2, 6, 6)])
def test_a_command_whose_conversion_meets_damaged_records_ends_with_three(damaged, status, wanted):
    """A worse end of the command itself stays what it is."""

    @click.group(cls=Program)
    def program() -> None:
        """Open a store."""

    @program.command("open")
    @click.pass_context
    def open_(context: click.Context) -> None:
        if damaged:
            conversion_progress.note_damaged(damaged)
        if status is not None:
            context.exit(status)

    with pytest.raises(SystemExit) as end:
        program.main(["open"])
    assert (end.value.code or 0) == wanted
    conversion_progress.note_damaged(1)  # outside of a command, the log alone says it
