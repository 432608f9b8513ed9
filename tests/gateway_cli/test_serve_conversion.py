"""After an upgrade, `gateway serve` answers 503 while the store is converted, and then serves by itself."""

from __future__ import annotations

import http.client
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from mmap import mmap
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

import pytest

from gateway.serve_conversion import _COUNTS, application
from gateway.upkeep import make
from tests.live import called, command, environment, free_port
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


@each_row("done, total, percent", [(0, 0, 0), (0, 7, 0), (1_999_999, 2_000_000, 99), (2_000_000, 2_000_000, 100)])
def test_every_address_says_how_far_the_conversion_is(done, total, percent):
    counts, begun = mmap(-1, _COUNTS.size), []
    _COUNTS.pack_into(counts, 0, done, total)
    body = application(counts)({"PATH_INFO": "/oai"}, lambda *arguments: begun.append(arguments))
    ((status, headers),) = begun
    sentence = f"The repository is being upgraded; {percent} % of its records are converted. Try again later.\n"
    assert b"".join(body).decode() == sentence
    assert status == "503 Service Unavailable"
    assert dict(headers) == {
        "Content-Type": "text/plain; charset=UTF-8",
        "Cache-Control": "no-store",
        "Retry-After": "60",
        "Content-Length": str(len(sentence)),
    }


def test_the_process_is_alive():
    begun = []
    body = application(mmap(-1, _COUNTS.size))({"PATH_INFO": "/healthz"}, lambda *arguments: begun.append(arguments))
    ((status, headers),) = begun
    assert (status, b"".join(body)) == ("200 OK", b"This process answers.\n")
    assert "Retry-After" not in dict(headers)


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
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_is_stopped_during_the_conversion_is_gone_and_goes_on_later(folder, former, number):
    port = free_port()
    with serving(folder, port) as process, held(former):
        awaited(port, "/readyz", 503)
        process.send_signal(number)
        process.wait(240)
        ends = monotonic() + 240
        while is_listening(port):  # the process that answers ends within a second
            assert monotonic() < ends
            sleep(0.05)
    assert not without_former_tables(former)
    with serving(folder, port):
        awaited(port, "/readyz", 200)
    assert without_former_tables(former)


@pytest.mark.slow
def test_a_conversion_that_fails_is_one_sentence(folder, former):
    with closing(sqlite3.connect(former)) as connection:
        connection.execute("update item set sets = '[1' where id = 3")
        connection.commit()
    with serving(folder, free_port()) as process:
        _, messages = process.communicate(timeout=240)
    assert process.returncode == 1
    assert "The sets of the item 3 are damaged." in messages.splitlines()[-1]


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


@pytest.mark.slow
@pytest.mark.parametrize("words", [("gateway", "clock"), ("gateway", "compact"), ("harvester", "status")])
def test_the_command_that_finds_damaged_records_says_so_and_ends_with_three(folder, former, words):
    """The next one does what it always does; `gateway check` names them."""
    program, name = words
    damage_one(former)
    (folder / "sources.toml").touch()
    first = called(program, folder, name, is_measured=False)
    assert first.returncode == 3, first.stderr
    assert "so many were damaged before: 1." in first.stderr
    second = called(program, folder, name, is_measured=False)
    assert (second.returncode, "damaged before" in second.stderr) == (3 if name == "compact" else 0, False)
    check = called("gateway", folder, "check", is_measured=False)
    assert check.returncode == 1
    assert "oai:laro/u4." in check.stderr
