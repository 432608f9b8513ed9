"""What the event loop of a server survives, one connection at a time."""

import asyncio

from gateway.server.connection import Connection, Phase
from gateway.server.request import Limits
from gateway.server.server import Server


class GoneTransport(asyncio.Transport):
    """The transport of a client that has gone, before the event loop knows it."""

    def __init__(self, failure: type[Exception] = OSError) -> None:
        super().__init__()
        self.failure, self.is_aborted = failure, False

    def set_write_buffer_limits(self, high=None, low=None) -> None:
        pass

    def write(self, data) -> None:
        pass

    def write_eof(self) -> None:
        raise self.failure(107, "Transport endpoint is not connected")

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self.is_aborted

    def is_reading(self) -> bool:
        return True

    def get_extra_info(self, name, default=None):
        return -1 if name == "socket" else default

    def abort(self) -> None:
        self.is_aborted = True


def after_the_deadline(transport: GoneTransport) -> Server:
    """Return a server after it has looked at a connection whose head came too late."""

    async def work() -> Server:
        server = Server(Limits(head_seconds=0), 1, lambda _entry: None)
        connection = Connection(server, lambda _environ, _start: [], lambda _path: False, lambda _environ: False)
        connection.connection_made(transport)
        connection.data_received(b"GET /")
        connection.since -= 1
        server._sweep()
        assert connection.phase is not Phase.HEAD
        server.harvesters.executor.shutdown()
        return server

    return asyncio.run(work())


def test_client_that_has_gone_when_its_deadline_comes_stops_nothing():
    transport = GoneTransport()
    after_the_deadline(transport)
    assert transport.is_aborted


def test_connection_that_fails_in_an_unknown_way_is_closed_and_nothing_else(caplog):
    transport = GoneTransport(RuntimeError)
    server = after_the_deadline(transport)
    assert transport.is_aborted
    assert not server._connections
    assert "could not be checked" in caplog.text
