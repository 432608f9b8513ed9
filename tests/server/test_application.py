"""Between HTTP and WSGI (PEP 3333): environments, and answers that are read as far as they must be."""

from collections.abc import Iterator
from io import BytesIO

from flask import Flask, send_file

from gateway.server.application import Answer, answer, environment, head
from gateway.server.request import Request
from tests.rows import each_row

MEGABYTE = b"a" * (1 << 20)


def request(target: bytes, *headers: tuple[bytes, bytes]) -> Request:
    return Request("GET", target, "HTTP/1.1", headers, BytesIO(), 0, is_last=False)


@each_row(
    "target, path, query",
    [
        (b"/oai?a=%2F?b", "/oai", "a=%2F?b"),
        (b"//x;y/%2e%2E%C3%A9", "//x;y/..Ã©", ""),
        (b"http://evil.example.org/oai?x", "/oai", "x"),
        (b"http://evil.example.org?x=/y", "/", "x=/y"),
        (b"http://evil.example.org", "/", ""),
        (b"*", "*", ""),
    ],
)
def test_target_becomes_path_and_query(target, path, query):
    environ = environment(request(target), "192.0.2.1")
    assert (environ["PATH_INFO"], environ["QUERY_STRING"], environ["REMOTE_ADDR"]) == (path, query, "192.0.2.1")


def test_host_and_ambiguous_headers_never_reach_the_application():
    sent = (
        (b"host", b"evil"),
        (b"script_name", b"evil"),
        (b"transfer-encoding", b"evil"),
        (b"x-a", b"1"),
        (b"x-a", b"2"),
    )
    environ = environment(request(b"/", *sent), "")
    assert "evil" not in map(str, environ.values())
    assert environ["HTTP_X_A"] == "1,2"


class Parts:
    """A body in parts that says how far it was read, and whether it was closed."""

    def __init__(self, parts: list[bytes]) -> None:
        self.parts, self.read, self.is_closed = parts, 0, False

    def __iter__(self) -> Iterator[bytes]:
        for part in self.parts:
            self.read += 1
            yield part

    def close(self) -> None:
        self.is_closed = True


def answered(parts: object) -> Answer:
    def application(_environ, start_response):
        start_response("200 OK", [("Content-Type", "text/plain")])
        return parts

    return answer(application, environment(request(b"/"), ""))


def test_short_answer_is_read_whole_and_closed():
    parts = Parts([b"a", b"b"])
    response = answered(parts)
    assert (response.body, response.rest, parts.is_closed, response.code) == (b"ab", None, True, 200)


def test_long_answer_is_read_only_as_the_client_takes_it():
    parts = Parts([MEGABYTE] * 5)
    response = answered(parts)
    assert (response.body, parts.read, parts.is_closed) == (MEGABYTE, 1, False)
    assert response.rest is not None
    assert next(response.rest) == MEGABYTE
    assert response.close is not None
    response.close()
    assert parts.is_closed


def test_range_of_a_long_file_is_read_from_where_it_begins(tmp_path):
    file = tmp_path / "file"
    with file.open("wb") as stream:
        stream.truncate(50_000_000_000)
        stream.seek(49_000_000_000)
        stream.write(b"found")
    app = Flask(__name__)
    app.route("/")(lambda: send_file(file, conditional=True))
    environ = environment(request(b"/", (b"range", b"bytes=49000000000-49000000004")), "")
    response = answer(app, environ)
    assert (response.status[:3], response.body, response.rest) == ("206", b"found", None)
    whole = answer(app, environment(request(b"/"), ""))
    assert (whole.rest is not None, len(whole.body)) == (True, 1 << 20)
    assert whole.close is not None
    whole.close()


def test_application_that_fails_is_answered_with_500(caplog):
    def application(_environ, _start_response):
        raise RuntimeError("a secret")

    response = answer(application, environment(request(b"/"), ""))
    assert (response.code, b"secret" in response.body) == (500, False)
    assert "answered with HTTP 500" in caplog.text


def test_head_of_an_answer_has_a_date_and_no_server():
    shown = head(Answer("200 OK", [("X", "y"), ("Server", "z"), ("Connection", "z")], b""), "HTTP/1.0", is_last=True)
    lines = shown.decode().split("\r\n")
    shown = [line for line in lines[2:] if not line.startswith(("X-Content", "Content-Security"))]  # type: ignore[assignment]
    assert (lines[0], shown) == ("HTTP/1.0 200 OK", ["X: y", "Connection: close", "", ""])  # type: ignore[comparison-overlap]
    assert lines[1].startswith("Date: ")
    assert lines[1].endswith(" GMT")
