"""Requests read from bytes as they come (RFC 9112): whole, in pieces, too long, and meant to deceive."""

from http import HTTPStatus

import pytest

from gateway.server.request import Limits, Refused, RequestReader, escaped
from tests.rows import each_row

HOST = b"Host: x\r\n"


def read(sent: bytes, piece: int = 0, **limits: int) -> RequestReader:
    reader = RequestReader(Limits(**limits))
    try:
        for start in range(0, len(sent), piece or len(sent)):
            reader.feed(sent[start : start + (piece or len(sent))])
    except Refused:
        reader.close()
        raise
    return reader


@each_row("piece", [0, 1, 7])
def test_request_is_the_same_however_its_bytes_come(piece: int) -> None:
    sent = b"POST /oai?x=%2F HTTP/1.1\r\n" + HOST + b"X: a\r\nX: b\r\nContent-Length: 13\r\n\r\nverb=Identify"
    reader = read(sent, piece)
    request = reader.request()
    assert (request.method, request.target, request.version) == ("POST", b"/oai?x=%2F", "HTTP/1.1")
    assert (request.header(b"x"), request.body.read(), request.length) == (b"a, b", b"verb=Identify", 13)
    assert not request.is_last
    request.body.close()


def test_what_follows_a_request_is_kept() -> None:
    assert read(b"GET /a HTTP/1.1\r\n" + HOST + b"\r\nGET /b HTTP/1.1\r\n").rest == b"GET /b HTTP/1.1\r\n"


def test_empty_line_before_a_request_is_passed_over() -> None:
    assert read(b"\r\nGET /a HTTP/1.1\r\n" + HOST + b"\r\n").is_complete


@each_row(
    "target, kept",
    [
        (b"/a%2Fb", b"/a%2Fb"),
        (b"//a;b=c/../d", b"//a;b=c/../d"),
        (b"http://evil.example.org/oai?x", b"http://evil.example.org/oai?x"),
        (b"/oai?x=a b\xff\x01", b"/oai?x=a%20b%FF%01"),
    ],
)
def test_target_is_kept_as_it_was_sent(target: bytes, kept: bytes) -> None:
    assert read(b"GET " + target + b" HTTP/1.0\r\n\r\n").request().target == kept


def test_chunked_body_is_read_whole() -> None:
    head = b"POST /oai HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
    request = read(head + b"4;x=y\r\nverb\r\n9\r\n=Identify\r\n0\r\n\r\n", 3).request()
    assert (request.body.read(), request.length) == (b"verb=Identify", 13)
    request.body.close()


def test_fields_after_a_chunked_body_are_not_header_fields() -> None:
    head = b"POST /oai HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
    reader = read(head + b"Cookie: session=x\r\n\r\nGET /b", 1)
    request = reader.request()
    assert (request.header(b"cookie"), request.length, reader.rest) == (b"", 1, b"GET /b")
    request.body.close()


@each_row(
    "sent",
    [
        b"GET /a HTTP/1.1\r\n" + HOST + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n",
        b"CONNECT x:80 HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /a HTTP/1.0\r\n\r\n",
        b"GET /a HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n",
    ],
)
def test_request_that_wants_another_protocol_or_the_end_is_the_last(sent: bytes) -> None:
    reader = read(sent + b"GET /b")
    assert (reader.request().is_last, reader.rest) == (True, b"GET /b")


@each_row(
    "sent, status",
    [
        (b"GET /a b HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"GET /\xff HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"GET /a HTTP/1.1\n\n", 400),
        (b"GET /a HTTP/2.0\r\n\r\n", 400),
        (b"get /a HTTP/1.1\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\n" + HOST + HOST + b"\r\n", 400),
        (b"GET /a HTTP/1.0\r\n" + HOST + HOST + b"\r\n", 400),
        (b"GET /a HTTP/1.1\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\nHost : x\r\n\r\n", 400),
        *(
            (b"GET /a HTTP/1.1\r\nHost: " + host + b"\r\n\r\n", 400)
            for host in (b"a b", b"a\tb", b"a/b", b"u@a", b"\xe4", b"a:x", b"a:123456", b"[::1", b"::1", b"a%2")
        ),
        (b"GET /a HTTP/1.1\r\nX: a\x00b\r\n\r\n", 400),
        (b"GET /a HTTP/1.1\r\nX: a\r\n b\r\n\r\n", 400),
        (b"POST /a HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST /a HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
        (b"POST /a HTTP/1.1\r\nContent-Length: +1\r\n\r\n", 400),
        (b"POST /a HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", 400),
        (b"POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST /a HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n", 501),
        (b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        (b"POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n\r\n", 413),
        (b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" + b"a" * 2000, 413),
        (b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;" + b"a" * 2000, 400),
        (b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * 500, 400),
        (b"GET /a HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", 431),
        (b"GET /a HTTP/1.1\r\n" + (b"X: " + b"y" * 6000 + b"\r\n") * 20, 431),
        (b"GET /" + b"a" * 200_000, 414),
    ],
)
def test_request_that_cannot_be_read_is_refused(sent: bytes, status: int) -> None:
    line_bytes = 1000 if status == HTTPStatus.REQUEST_URI_TOO_LONG else 100_000
    for piece in (0, 1000):
        with pytest.raises(Refused, match=r"\.$") as refusal:
            read(sent, piece, line_bytes=line_bytes, body_bytes=1000)
        assert refusal.value.status == status


def test_long_request_line_stays_too_long_and_costs_no_more_than_the_limit() -> None:
    reader = read(b"GET /oai?x=" + b"a" * 100_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 999, line_bytes=1000)
    request = reader.request()
    assert request.version == "HTTP/1.1"
    assert 1000 < len(request.target) < 10_000
    assert reader.held_bytes < 10_000


def test_body_of_single_bytes_is_refused() -> None:
    head = b"POST /oai HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    with pytest.raises(Refused, match="too small"):
        read(head + b"1\r\na\r\n" * 5000)


def test_client_that_waits_for_continue_is_told_from_others() -> None:
    head = b"POST /a HTTP/%s\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n"
    assert read(head % b"1.1").expects_continue
    assert not read(head % b"1.0").expects_continue
    whole = read(head % b"1.1" + b"abc")
    assert not whole.expects_continue
    whole.close()


@each_row(
    "sent, read",
    [
        (b"GET /oai?x=\xc3\xa9 HTTP/1.1", b"GET /oai?x=%C3%A9 HTTP/1.1"),
        (b"GET /oai?x=\x00\x01\t\r\x7f HTTP/1.1", b"GET /oai?x=%00%01%09%0D%7F HTTP/1.1"),
        (b"GET /oai?x=a b  c HTTP/1.0", b"GET /oai?x=a%20b%20%20c HTTP/1.0"),
        (b"GET /oai?x=a?\xff HTTP/1.1", b"GET /oai?x=a?%FF HTTP/1.1"),
    ],
)
def test_what_a_query_may_not_hold_is_percent_encoded(sent, read):
    assert escaped(sent) == read


@each_row(
    "line",
    [
        b'GET /oai?verb=Identify&x=%41"<>\\^`{|} HTTP/1.1', b"GET /oai HTTP/1.1", b"GET /o\xc3\xa9ai HTTP/1.1",
        b"GET /o ai?verb=Identify HTTP/1.1", b"OPTIONS * HTTP/1.1", b"GET /oai?verb=Identify", b"GET", b"",
    ],
)  # fmt: skip
def test_every_other_line_stays_as_it_is(line):
    assert escaped(line) == line
