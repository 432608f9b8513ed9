"""A mail server on loopback that keeps what it is sent; with a TLS context it offers STARTTLS, or begins with TLS."""

import base64
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from email.policy import default
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread


@dataclass
class MailServer:
    """What came: the mails, and (user, password) of who said it. `refusal` is the answer to every mail."""

    tls: ssl.SSLContext | None = None
    is_tls_at_once: bool = False
    refusal: bytes = b""
    mails: list[Message] = field(default_factory=list)
    users: list[tuple[str, str]] = field(default_factory=list)
    clear_lines: list[bytes] = field(default_factory=list)  # in the clear
    port: int = 0


class _Server(ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, mails: MailServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.mails = mails
        mails.port = self.server_address[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore it: a client that does not trust us hangs up."""


class _Handler(StreamRequestHandler):
    server: _Server
    wbufsize = 0

    def handle(self) -> None:
        mails = self.server.mails
        self.is_secure = False
        if mails.is_tls_at_once:
            self._secure()
        self._say(b"220 here")
        while line := self.rfile.readline().strip():
            if not self.is_secure:
                mails.clear_lines.append(line)
            verb = line.split(b" ")[0].upper()
            {b"EHLO": self._greet, b"STARTTLS": self._start, b"AUTH": self._know, b"MAIL": self._begin}.get(
                verb, {b"DATA": self._take}.get(verb, self._agree)
            )(line)

    def finish(self) -> None:
        super().finish()
        self.connection.close()

    def _secure(self) -> None:
        tls = self.server.mails.tls
        assert tls is not None
        self.rfile.close()
        self.connection = tls.wrap_socket(self.connection, server_side=True, do_handshake_on_connect=False)
        self.connection.do_handshake()
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.is_secure = True

    def _say(self, text: bytes) -> None:
        self.wfile.write(text + b"\r\n")

    def _greet(self, _line: bytes) -> None:
        has_more = self.server.mails.tls and not self.is_secure
        self._say(b"250-here\r\n250-SMTPUTF8\r\n250 " + (b"STARTTLS" if has_more else b"AUTH PLAIN"))

    def _start(self, _line: bytes) -> None:
        self._say(b"220 go on")
        self._secure()

    def _know(self, line: bytes) -> None:
        _, user, password = base64.b64decode(line.split(b" ")[-1]).split(b"\0")
        self.server.mails.users.append((user.decode(), password.decode()))
        self._say(b"235 welcome")

    def _begin(self, _line: bytes) -> None:
        self._say(self.server.mails.refusal or b"250 fine")

    def _take(self, _line: bytes) -> None:
        self._say(b"354 go on")
        lines = iter(self.rfile.readline, b".\r\n")
        self.server.mails.mails.append(message_from_bytes(b"".join(lines), policy=default))
        self._say(b"250 taken")

    def _agree(self, line: bytes) -> None:
        self._say(b"221 bye" if line.upper() == b"QUIT" else b"250 fine")


@contextmanager
def served(mails: MailServer) -> Iterator[MailServer]:
    """Serve until the block ends."""
    with _Server(mails) as server:
        thread = Thread(target=server.serve_forever, args=(0.002,))
        thread.start()
        try:
            yield mails
        finally:
            server.shutdown()
            thread.join()
