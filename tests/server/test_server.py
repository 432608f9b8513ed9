"""The web server over real sockets: HTTP/1.1 as clients use and misuse it, and the end of every slow client."""

import errno
import socket
import struct
import tempfile
import threading
import time

import pytest

from gateway.server.connection import Phase
from tests.rows import each_row
from tests.server.conftest import HELLO, PAGE, application, everything

GET = b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
POST = b"POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
PATIENCE_SECONDS = 240.0  # a busy machine is no defect
# With these no slow client is ever ended: whoever waited for one would get no answer in time (`Served.connect`).
NO_DEADLINES = {"head_seconds": 3600, "body_seconds": 3600, "idle_seconds": 3600, "write_seconds": 3600}


def assert_answers(served) -> None:
    """Assert that a client is answered."""
    assert served.ask(LAST % b"/").endswith(HELLO)


def until(claim) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not claim():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.02)


def phases(served) -> list[Phase]:
    """Return what the connections of a server wait for, in the order of `Phase`."""
    return sorted((connection.phase for connection in list(served.server._connections)), key=list(Phase).index)


def shorten(served, **seconds: float) -> None:
    """Give the connections that are there other deadlines: a client that was slow to begin would be ended too early."""
    for connection in list(served.server._connections):
        connection._limits = connection._limits._replace(**seconds)


# --- HTTP ---


@pytest.mark.slow
def test_pipelined_requests_are_answered_in_their_order(serving):
    with serving() as served:
        sent = POST.replace(b"Connection: close\r\n", b"") + b"Content-Length: 5\r\n\r\nfirst"
        answers = served.ask(sent + GET % b"/slow" + LAST % b"/page")
    assert answers.count(b"HTTP/1.1 200 OK") == 3
    assert answers.index(b"first") < answers.index(HELLO) < answers.index(PAGE[:100])


def test_client_that_ends_its_half_is_answered_all_it_asked(serving):
    with serving() as served, served.connect(GET % b"/slow" + GET % b"/") as connection:
        connection.shutdown(socket.SHUT_WR)
        assert everything(connection).count(HELLO) == 2


@each_row(
    "sent, first, stays",
    [
        (b"GET / HTTP/1.0\r\n\r\n", b"HTTP/1.0 200", False),
        (b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", b"HTTP/1.0 200", True),
        (GET % b"/", b"HTTP/1.1 200", True),
        (GET % b"/unknown", b"HTTP/1.1 200", False),
        (LAST % b"/", b"HTTP/1.1 200", False),
        (b"\x16\x03\x01\x02\x00\x01", b"HTTP/1.1 400", False),
    ],
)
def test_connection_stays_as_the_client_wants_and_the_answer_allows(serving, sent, first, stays):
    with serving() as served, served.connect(sent) as connection:
        if sent.startswith(b"\x16"):
            connection.sendall(b"\r\n")
        answer = connection.recv(65_536)
        assert answer.startswith(first)
        assert (b"Connection: keep-alive" in answer) == stays


def test_head_has_no_body_even_of_a_stream(serving):
    with serving() as served:
        answer = served.ask(b"HEAD /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert b"Content-Length: 64000000" in answer
    assert answer.endswith(b"\r\n\r\n")


def test_client_that_waits_for_continue_gets_it(serving):
    with serving() as served:
        with served.connect(POST + b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n") as connection:
            assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
            connection.sendall(b"abc")
            assert everything(connection).endswith(b"\r\n\r\nabc")
        refused = served.ask(POST + b"Expect: 100-continue\r\nContent-Length: 99999999999\r\n\r\n")
        assert refused.startswith(b"HTTP/1.1 413 ")


def test_refusal_arrives_though_the_client_still_writes(serving):
    with serving(body_bytes=1000) as served, served.connect(POST + b"Content-Length: 9000000\r\n\r\n") as connection:
        for _ in range(9):
            connection.sendall(b"a" * 1_000_000)
        answer = everything(connection)
    assert answer.startswith(b"HTTP/1.1 413 ")
    for header in (b"X-Content-Type-Options: nosniff", b"Content-Security-Policy: ", b"Date: "):
        assert header in answer
    assert b"Server:" not in answer


@pytest.mark.slow
def test_stream_is_whole_for_a_client_that_reads_it(serving):
    with serving() as served:
        answer = served.ask(LAST % b"/stream")
    assert len(answer.partition(b"\r\n\r\n")[2]) == 64_000_000


@pytest.mark.slow
def test_answer_that_breaks_off_ends_the_connection_and_nothing_else(serving, caplog):
    def broken(_environ, start_response):
        def parts():
            yield b"a" * 2_000_000
            raise OSError("the disk")

        start_response("200 OK", [("Content-Length", "4000000")])
        return parts()

    def short(_environ, start_response):
        start_response("200 OK", [("Content-Length", "4000000")])
        return iter([b"a" * 2_000_000])

    for failing in (broken, short):
        with serving(app=failing) as served:
            assert len(served.ask(GET % b"/")) < 4_000_000
            assert len(served.ask(GET % b"/")) < 4_000_000
    assert "failed before its end" in caplog.text


def test_every_request_is_logged_with_what_was_sent(serving):
    with serving() as served:
        served.ask(LAST % b"/page")
        served.ask(b"BAD\r\n\r\n")
        until(lambda: len(served.entries) == 2)
    assert [(entry.code, entry.client) for entry in served.entries] == [(200, "127.0.0.1"), (400, "127.0.0.1")]
    assert served.entries[0].sent_bytes == len(PAGE)
    assert served.entries[1].request_line == b"BAD"


@pytest.mark.slow
def test_thousands_of_pipelined_requests_are_all_answered(serving):
    with serving() as served, served.connect() as connection:
        threading.Thread(target=connection.sendall, args=(GET % b"/" * 5000 + LAST % b"/",)).start()
        assert everything(connection).count(HELLO) == 5001


@pytest.mark.slow
def test_body_that_cannot_be_kept_is_refused_and_the_server_goes_on(serving, monkeypatch, caplog, tmp_path):
    with serving(**NO_DEADLINES) as served:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
        answer = served.ask(POST + b"Content-Length: 200000\r\n\r\n" + b"a" * 200_000)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert_answers(served)
    assert "cannot be written to a temporary file" in caplog.text


@pytest.mark.slow
def test_server_that_has_no_more_descriptors_accepts_again_later(serving, caplog):
    class Exhausted:
        """A listening socket that cannot accept the first connection (accept(2))."""

        def __init__(self, listener: socket.socket) -> None:
            self.listener, self.is_exhausted = listener, True

        def __getattr__(self, name: str) -> object:
            return getattr(self.listener, name)

        def accept(self) -> tuple[socket.socket, object]:
            if self.is_exhausted:
                self.is_exhausted = False
                raise OSError(errno.EMFILE, "Too many open files")
            return self.listener.accept()

    with serving(wrapped=Exhausted) as served:
        assert_answers(served)
    assert "No connection can be accepted: Too many open files." in caplog.text


# --- slow clients ---


HALF, STALLED = b"GET / HTTP/1.1\r\nHost: ", POST + b"Content-Length: 100\r\n\r\nverb"
SLOW = [(30, HALF), (10, STALLED), (100, b""), (100, GET % b"/"), (10, GET % b"/page"), (40, GET % b"/stream")]


@pytest.mark.slow
@each_row("count, sent", SLOW)
def test_slow_clients_stop_nobody_else(serving, count, sent):
    with serving(**NO_DEADLINES) as served:
        slow = [served.connect(sent, 4096) for _ in range(count)]
        until(lambda: len(served.server._connections) == count)
        for _ in range(5):
            assert_answers(served)
        assert len(served.server._connections) >= count
        for connection in slow:
            connection.close()


@pytest.mark.slow
@each_row(
    "sent, phase, has_begun, limit, answer",
    [
        (b"", Phase.HEAD, False, "head_seconds", b""),
        (b"GET / HT", Phase.HEAD, True, "head_seconds", b"HTTP/1.1 408 "),
        (POST + b"Content-Length: 100\r\n\r\nverb", Phase.BODY, True, "body_seconds", b"HTTP/1.1 408 "),
        (GET % b"/", Phase.IDLE, False, "idle_seconds", b"HTTP/1.1 200 "),
    ],
)
def test_client_that_sends_nothing_more_is_ended_by_a_deadline(serving, sent, phase, has_begun, limit, answer):
    with serving(**NO_DEADLINES) as served, served.connect(sent) as connection:
        until(lambda: phases(served) == [phase])
        until(lambda: all(connection._reader.has_begun == has_begun for connection in list(served.server._connections)))
        shorten(served, **{limit: 0.5})
        assert everything(connection)[: len(answer)] == answer


@pytest.mark.slow
def test_trickling_request_is_ended_by_a_deadline(serving):
    with serving(**NO_DEADLINES) as served, served.connect(b"G") as connection:
        until(lambda: [connection._reader.has_begun for connection in list(served.server._connections)] == [True])
        shorten(served, head_seconds=1)
        connection.settimeout(0.05)
        end = time.monotonic() + PATIENCE_SECONDS
        for byte in (GET % (b"/" + b"a" * 10_000))[1:]:
            connection.sendall(bytes([byte]))
            try:
                assert connection.recv(100).startswith(b"HTTP/1.1 408 ")
                break
            except TimeoutError:
                assert time.monotonic() < end, "the server waits"


@pytest.mark.slow
@each_row("path, reads", [(b"/page", 0), (b"/stream", 100)])
def test_client_that_reads_nothing_or_a_trickle_is_ended_by_a_deadline(serving, path, reads):
    with serving(write_seconds=1) as served, served.connect(GET % path, 4096) as connection:
        end = time.monotonic() + PATIENCE_SECONDS
        while not served.entries:
            assert time.monotonic() < end, "the server waits"
            if reads:
                connection.recv(reads)
            time.sleep(0.1)
    assert served.entries[0].code == 200


@pytest.mark.slow
def test_client_that_reads_slowly_but_steadily_gets_everything(serving):
    """An hour after the last look, it has read 2 MB more. It must read 0.9 MB."""
    slow_allowed = NO_DEADLINES | {"write_bytes_per_second": 250}
    with serving(**slow_allowed) as served, served.connect(LAST % b"/page", 65_536) as connection:
        until(lambda: phases(served) == [Phase.WRITING])
        (slow,) = served.server._connections
        size = rechecks = 0
        while part := connection.recv(200_000):
            size += len(part)
            if size // 2_000_000 > rechecks:
                since, rechecks = slow.since, rechecks + 1
                served.call(slow.check, since + 3601)
                until(lambda: slow.since != since)  # noqa: B023 - it is called here
    assert (size > len(PAGE), rechecks) == (True, 4)


def test_one_connection_too_many_ends_the_one_that_waited_longest(serving):
    with serving(connections=10, **NO_DEADLINES) as served:
        waiting = [served.connect(b"GET /") for _ in range(10)]
        until(lambda: len(served.server._connections) == 10)
        assert_answers(served)
        assert waiting[0].recv(1) == b""
        waiting[-1].sendall(b" HTTP/1.0\r\n\r\n")
        assert waiting[-1].recv(100).startswith(b"HTTP/1.0 200")
        for connection in waiting:
            connection.close()


@pytest.mark.slow
def test_answers_that_nobody_reads_occupy_no_more_than_the_limit(serving):
    with serving(memory_bytes=30_000_000, **NO_DEADLINES) as served:
        slow = [served.connect(GET % b"/page", 4096) for _ in range(20)]
        until(lambda: len(served.entries) >= 10)
        assert served.server._held_bytes < 50_000_000
        assert_answers(served)
        for connection in slow:
            connection.close()


@pytest.mark.slow
def test_requests_that_are_never_complete_occupy_no_more_than_the_limit(serving):
    with serving(memory_bytes=10_000_000, **NO_DEADLINES) as served:
        slow = []
        for _ in range(20):
            try:
                slow.append(served.connect(b"GET /?" + b"a" * 1_000_000))
            except OSError:
                continue
        until(lambda: 0 < len(served.server._connections) < 20)  # they were read, and some ended for it
        assert served.server._held_bytes <= 11_000_000
        assert_answers(served)
        for connection in slow:
            connection.close()


@pytest.mark.slow
def test_clients_that_reset_their_connections_leave_nothing_behind(serving):
    with serving() as served:
        for path in (b"/", b"/page", b"/stream", b"/slow"):
            connection = served.connect(GET % path)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        until(lambda: not served.server._connections and served.server._held_bytes == 0)
        assert_answers(served)


@pytest.mark.slow
def test_application_is_not_asked_for_clients_that_have_gone(serving):
    begun, may_answer = [], threading.Event()

    def waiting(environ, start_response):
        if environ["PATH_INFO"] == "/slow":
            begun.append(environ)
            assert may_answer.wait(PATIENCE_SECONDS)
        return application(environ, start_response)

    with serving(threads=1, app=waiting) as served:
        for _ in range(30):
            connection = served.connect(GET % b"/slow")
            until(lambda: begun)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        until(lambda: not served.server._connections)
        may_answer.set()
        assert_answers(served)
    assert len(begun) == 1


# --- the end ---


def test_requests_on_their_way_are_answered_when_the_server_ends(serving):
    may_answer = threading.Event()

    def waiting(environ, start_response):
        assert environ["PATH_INFO"] != "/slow" or may_answer.wait(PATIENCE_SECONDS)
        return application(environ, start_response)

    with (
        serving(app=waiting) as served,
        served.connect(GET % b"/") as idle,
        served.connect(GET % b"/slow") as working,
        served.connect(POST + b"Content-Length: 4\r\n\r\nab") as half,
    ):
        assert idle.recv(65_536).endswith(HELLO)
        until(lambda: phases(served) == [Phase.IDLE, Phase.BODY, Phase.ANSWERING])
        served.call(served.server.end)
        assert idle.recv(1) == b""
        may_answer.set()
        half.sendall(b"cd")
        assert everything(half).endswith(b"abcd")
        answer = everything(working)
        assert answer.endswith(HELLO)
        assert b"Connection: close" in answer


@pytest.mark.slow
def test_clients_that_go_on_being_slow_are_cut_off_when_grace_is_over(serving):
    with serving(grace_seconds=0.5) as served, served.connect(GET % b"/page", 4096) as connection:
        until(lambda: phases(served) == [Phase.WRITING])
        served.call(served.server.end)
        until(lambda: served.entries)
        assert connection.recv(10)
