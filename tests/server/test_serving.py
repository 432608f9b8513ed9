"""`gateway serve` under bad clients: what they wrote reaches neither answers nor logs, and sockets are taken over."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gateway.ops.upkeep import make
from tests import live
from tests.rows import each_row
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

EVIL = b"evil.example.net"


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("instance")
    make(folder, {})
    return folder


@pytest.fixture(scope="module")
def port(instance: Path) -> Iterator[int]:
    with live.served(instance, serve_workers=1, files_serve="true") as server:
        yield urlsplit(server.url).port


def exchange(port: int, sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=240) as connection:
        connection.sendall(sent)
        received = b""
        while part := connection.recv(65_536):
            received += part
    return received


PATHS = rb"/ /oai?verb=Identify /oai// //oai /schemas//x.xsd /schemas/%2e%2e/config.toml /\evil /files//0 /hub/"
PATHS += (
    b" /websub//x //healthz /%00 /\xc3\xa9 /// /.. * oai //evil.example.org/.. http://evil.example.org//schemas//x.xsd"
)


@each_row("method", [b"GET", b"HEAD", b"POST", b"OPTIONS", b"TRACE", b"CONNECT", b"get"])
def test_no_answer_leads_to_another_host_or_lacks_the_headers_of_security(port, method):
    for path in PATHS.split():
        sent = method + b" " + path + b" HTTP/1.1\r\nHost: " + EVIL + b"\r\nX-Forwarded-Host: " + EVIL
        sent += b"\r\nForwarded: host=" + EVIL + b"\r\nX-Forwarded-Prefix: /" + EVIL + b"\r\nConnection: close\r\n\r\n"
        answer = exchange(port, sent)
        assert EVIL not in answer, path
        assert not answer.startswith((b"HTTP/1.1 3", b"HTTP/1.1 500")), path
        head = answer.partition(b"\r\n\r\n")[0].decode("latin-1").lower()
        assert "\nlocation:" not in head, path
        assert "\nx-content-type-options: nosniff" in head, path
        assert head.count("\ncontent-security-policy: default-src 'none'") == 1, path
        assert "\ndate: " in head, path
        assert not re.search("\nserver:|werkzeug|gunicorn|python", head), path


def test_what_a_client_wrote_never_reaches_the_access_log_raw_and_a_log_that_was_moved_is_made_again(
    instance, tmp_path
):
    log, moved = tmp_path / "access.log", tmp_path / "access.log.1"
    wild = "\x9b2J\x85é".encode() + b'\x9b\x1b[2J\xff"'
    sent = (
        b"GET /oai?verb=" + wild + b" HTTP/1.0\r\n\r\n",
        b"GET /" + wild + b" HTTP/1.0\r\n\r\n",
        b'GET /oai?x=%9b%1b%0a HTTP/1.0\r\nUser-Agent: \x9b2J\xc2\x9b"\r\nReferer: \x85\xff\r\n\r\n',
        wild + b"\r\n\r\n",
    )
    with live.served(instance, "--access-log", str(log), serve_workers=1, log_json="true") as server:
        for request in sent:
            exchange(urlsplit(server.url).port, request)
        log.rename(moved)
        exchange(urlsplit(server.url).port, b"GET /second HTTP/1.0\r\n\r\n")
    lines = moved.read_bytes().split(b"\n")
    assert all(0x20 <= byte < 0x7F for line in lines for byte in line)
    assert [json.loads(line)["status"] for line in lines[:-1]] == [200, 400, 200, 400]
    assert "/second" in log.read_text()


# --- sockets of a service manager ---

PASSING = """
import os, socket, sys
listener = socket.socket(socket.AF_UNIX if sys.argv[1].startswith("/") else socket.AF_INET)
listener.bind(sys.argv[1] if sys.argv[1].startswith("/") else ("127.0.0.1", int(sys.argv[1])))
if sys.argv[2] == "listens":
    listener.listen()
os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), LISTEN_FDNAMES="gateway.socket")
os.execv(sys.argv[3], sys.argv[3:])
"""


def activated(
    instance: Path, place: object, *words: str, listens: bool = True, **settings: str
) -> subprocess.Popen[str]:
    line = live.command("gateway", instance, "serve", *words)
    passing = [sys.executable, "-c", PASSING, str(place), "listens" if listens else "does not"]
    return subprocess.Popen([*passing, *line], env=live.environment(settings), text=True, stderr=subprocess.PIPE)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    process.send_signal(signal.SIGTERM)
    output = process.communicate(timeout=240)[1]
    return process.returncode, output


def test_socket_activation_works_with_the_same_port(instance):
    port = live.free_port()
    with activated(instance, port, "--port", str(port)) as process:
        assert process.stderr.readline() == f"Serving http://127.0.0.1:{port}/oai (Ctrl-C ends it)\n"
        assert b"<Identify>" in exchange(port, b"GET /oai?verb=Identify HTTP/1.0\r\n\r\n")
        assert ended(process) == (0, "")


def test_unix_socket_of_a_service_manager_is_served_and_not_removed(instance, tmp_path):
    place = tmp_path / "gateway.socket"
    with activated(instance, place, base_url="https://repo.example.org/oai") as process:
        process.stderr.readline()
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(place))
            connection.sendall(b"GET /oai?verb=Identify HTTP/1.0\r\n\r\n")
            assert connection.recv(65_536).startswith(b"HTTP/1.0 200 ")
        assert ended(process) == (0, "")
    assert place.exists()


@pytest.mark.parametrize(
    ("place", "listens", "sentence"),
    [("unix", True, "has no address that harvesters could use"), ("port", False, "does not listen")],
)
def test_socket_that_cannot_be_served_is_refused(instance, tmp_path, place, listens, sentence):
    where = tmp_path / "gateway.socket" if place == "unix" else live.free_port()
    with activated(instance, where, listens=listens) as process:
        error = process.communicate(timeout=240)[1]
    assert sentence in error
    assert "Traceback" not in error


# --- processes ---


def test_worker_that_dies_is_replaced_and_the_configuration_is_read_again_after_hup(tmp_path):
    make(tmp_path, {})
    with live.served(tmp_path, serve_workers=1) as server:
        workers = Path(f"/proc/{server.process}/task/{server.process}/children")
        wait_until(workers.read_text)
        os.kill(int(workers.read_text().split()[0]), signal.SIGKILL)
        wait_until(lambda: b"<Identify>" in identified(urlsplit(server.url).port))
        file = tmp_path / "config.toml"
        file.write_text(re.sub(r"(?m)^#? ?repository_name = .*", 'repository_name = "Renamed"', file.read_text()))
        os.kill(server.process, signal.SIGHUP)
        wait_until(lambda: b"Renamed" in identified(urlsplit(server.url).port))


def identified(port: int) -> bytes:
    """Return the answer to Identify; nothing where a worker ended before it had read the request."""
    with suppress(ConnectionError):
        return exchange(port, b"GET /oai?verb=Identify HTTP/1.0\r\n\r\n")
    return b""


def test_limit_of_open_files_that_is_too_small_is_reported_and_sockets_of_another_process_are_not_taken(instance):
    line = ["bash", "-c", 'ulimit -n 512; exec "$@"', "-", *live.command("gateway", instance, "serve", "--port", "0")]
    surroundings = os.environ | {"LISTEN_FDS": "1", "LISTEN_PID": "1"}
    with subprocess.Popen(line, env=surroundings, text=True, stderr=subprocess.PIPE) as process:
        sentence = (
            "serve_connections is 1000, but this process may open only 512 files, so each worker has 156 connections"
        )
        assert sentence in process.stderr.readline()
        assert process.stderr.readline().startswith("Serving ")
        assert ended(process) == (0, "")
