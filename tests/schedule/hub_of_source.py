"""A hub of WebSub on loopback: it verifies who subscribes, signs what it brings, and does what a test tells it."""

import hashlib
import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Thread
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode
from urllib.request import Request, urlopen


@dataclass
class Hub:
    """`asked` are the forms that it got, `answers` what each callback answered: (status, text)."""

    url: str = ""
    asked: list[dict[str, str]] = field(default_factory=list)
    answers: list[tuple[int, str]] = field(default_factory=list)
    verifies: bool = True
    denies: str = ""
    _has_answered: Condition = field(default_factory=Condition)

    @property
    def last(self) -> dict[str, str]:
        """The last form."""
        return self.asked[-1]

    def verify(self, form: dict[str, str]) -> None:
        """Ask the subscriber whether it was meant, or tell that it is denied."""
        query = {"hub.mode": form["hub.mode"], "hub.topic": form["hub.topic"], "hub.challenge": "riddle"}
        if self.denies:
            query = {"hub.mode": "denied", "hub.topic": form["hub.topic"], "hub.reason": self.denies}
        elif form["hub.mode"] == "subscribe":
            query["hub.lease_seconds"] = "3600"
        self._call(Request(f"{form['hub.callback']}?{urlencode(query)}"))

    def wait(self, count: int) -> None:
        """Return when so many callbacks have answered."""
        with self._has_answered:
            assert self._has_answered.wait_for(lambda: len(self.answers) >= count, 240)

    def bring(self, body: bytes, method: str = "sha256", secret: str = "") -> int:
        """Bring something to the last subscriber, signed with its secret or another; return what it answers."""
        key = secret or next(request["hub.secret"] for request in reversed(self.asked) if "hub.secret" in request)
        signature = hmac.new(key.encode(), body, getattr(hashlib, method)).hexdigest()
        headers = {"Content-Type": "application/xml", "X-Hub-Signature": f"{method}={signature}"}
        return self._call(Request(self.last["hub.callback"], body, headers))

    def _call(self, request: Request) -> int:
        try:
            with urlopen(request, timeout=240) as response:
                answer = response.status, response.read().decode()
        except HTTPError as error:
            answer = error.code, ""
            error.close()
        with self._has_answered:
            self.answers.append(answer)
            self._has_answered.notify_all()
        return answer[0]


@contextmanager
def served(hub: Hub) -> Iterator[Hub]:
    """Serve a hub on loopback as long as the context lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            form = dict(parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
            hub.asked.append(form)
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()
            if hub.verifies:
                hub.verify(form)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_port}/"
    thread = Thread(target=server.serve_forever, args=(0.002,))
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
