"""A file is written as it comes, and one that breaks off goes on where it stopped."""

import gzip
from http.server import BaseHTTPRequestHandler

import pytest

from gateway.core.errors import AnswerTooLarge, AnswerTooSlow, ConnectionFailed
from harvester.http.downloads import Arriving
from harvester.http.messages import Fetched, Request
from tests.mirror.provider import Item, Provider, serving, tag_of
from tests.rows import each_row

CONTENT = bytes(range(256)) * 5000
TAG = '"1"'


@pytest.fixture
def provider():
    with serving(Provider({"x": Item({"f": CONTENT})})) as provider:
        yield provider


def _head(handler: BaseHTTPRequestHandler, status: int, length: int, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"ETag": TAG, **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(length))
    handler.end_headers()


def _break_off(handler: BaseHTTPRequestHandler, tag: str = TAG) -> bool:
    """Send the beginning, and end the connection."""
    _head(handler, 200, len(CONTENT), ETag=tag)
    handler.wfile.write(CONTENT[:1_100_000])
    handler.close_connection = True
    return True


def _fetched(provider, make, file, most=10_000_000, **settings):
    url = provider.file_url("x/f")
    sink = Arriving(file, url, most)
    made = make(provider.url, {"fetch_backoff_seconds": 0.001, **settings})
    try:
        return made.web(Request(url, "x", sink=sink)), sink
    finally:
        sink.close()


def test_a_file_is_written_and_its_body_is_not_in_the_answer(provider, make, tmp_path):
    answer, sink = _fetched(provider, make, tmp_path / "f")
    assert (answer.status, answer.body, sink.size) == (200, b"", len(CONTENT))
    assert (tmp_path / "f").read_bytes() == CONTENT


def test_what_is_no_file_is_answered_as_ever_and_without_an_end_not_held_in_memory(provider, make, tmp_path):
    provider.faults["x/f"] = lambda handler: handler.send(404, b"gone", {}) or True
    answer, sink = _fetched(provider, make, tmp_path / "f")
    assert (answer.status, answer.body, sink.size) == (404, b"gone", 0)
    provider.faults["x/f"] = lambda handler: handler.send(404, b"x" * 10_000_001, {}) or True
    with pytest.raises(AnswerTooLarge, match="more than 10000000 bytes"):
        _fetched(provider, make, tmp_path / "f")


@pytest.mark.parametrize("is_same", [True, False], ids=["the rest", "another file meanwhile"])
def test_a_file_that_breaks_off_goes_on(provider, make, tmp_path, is_same):
    asked = []

    def broken(handler):
        asked.append((handler.headers.get("Range"), handler.headers.get("If-Range")))
        if len(asked) == 1:
            _break_off(handler)
        elif is_same:
            start = int(asked[1][0][6:-1])
            rest = CONTENT[start:]
            _head(handler, 206, len(rest), Content_Range=f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
            handler.wfile.write(rest)
        else:
            _head(handler, 200, 3)
            handler.wfile.write(b"new")
        return True

    provider.faults["x/f"] = broken
    _, sink = _fetched(provider, make, tmp_path / "f")
    assert asked[0] == (None, None)
    assert (asked[1][0][:6], asked[1][1]) == ("bytes=", TAG)
    assert (tmp_path / "f").read_bytes() == (CONTENT if is_same else b"new")
    assert sink.size == (tmp_path / "f").stat().st_size


def test_another_part_than_was_asked_for_is_not_taken(provider, make, tmp_path):
    count = []

    def confused(handler):
        count.append(handler.headers.get("Range"))
        if len(count) == 1:
            return _break_off(handler)
        if count[-1]:
            _head(handler, 206, 2, Content_Range="bytes 7-8/9")
            handler.wfile.write(b"xx")
            return True
        return False

    provider.faults["x/f"] = confused
    _fetched(provider, make, tmp_path / "f")
    assert [bool(header) for header in count] == [False, True, False]
    assert (tmp_path / "f").read_bytes() == CONTENT


def test_the_next_process_goes_on_too(provider, make, tmp_path):
    def broken(handler):
        return not handler.headers.get("Range") and _break_off(handler, tag_of(CONTENT))

    provider.faults["x/f"] = broken
    with pytest.raises(ConnectionFailed):
        _fetched(provider, make, tmp_path / "f", fetch_retries=0)
    assert 0 < (tmp_path / "f").stat().st_size < len(CONTENT)
    answer, _ = _fetched(provider, make, tmp_path / "f")
    assert answer.status == 206
    assert (tmp_path / "f").read_bytes() == CONTENT


@each_row("note", ["", "{", '{"url": "http://other/", "validator": "x"}', '{"url": "%s"}'])
def test_a_part_of_something_else_is_overwritten(provider, make, tmp_path, note):
    (tmp_path / "f").write_bytes(b"something else")
    (tmp_path / "f.json").write_text(note.replace("%s", provider.file_url("x/f")))
    answer, _ = _fetched(provider, make, tmp_path / "f")
    assert answer.status == 200
    assert (tmp_path / "f").read_bytes() == CONTENT


@each_row(
    "coding, content_type, is_undone",
    [
        ("gzip", "text/plain", True),
        ("gzip", "application/octet-stream", True),
        ("x-gzip", "application/x-gzip", False),
        ("x-gzip", "application/x-tgz", False),
    ],
)
def test_an_encoding_that_was_not_asked_for_is_undone_and_a_compressed_file_left_as_it_is(
    provider, make, tmp_path, coding, content_type, is_undone
):
    body, headers = gzip.compress(CONTENT), {"Content-Encoding": coding, "Content-Type": content_type}
    provider.faults["x/f"] = lambda handler: handler.send(200, body, headers) or True
    _fetched(provider, make, tmp_path / "f")
    assert (tmp_path / "f").read_bytes() == (CONTENT if is_undone else body)


def test_a_file_has_its_own_limits_of_size_and_time(provider, make, tmp_path):
    with pytest.raises(AnswerTooLarge, match="more than 1000 bytes"):
        _fetched(provider, make, tmp_path / "f", most=1000, fetch_max_bytes=10)
    assert not (tmp_path / "f").exists()

    def slow(handler):
        _head(handler, 200, 10)
        handler.wfile.write(b"x")
        handler.wfile.flush()
        handler.rfile.read(1)
        return True

    provider.faults["x/f"] = slow
    with pytest.raises(AnswerTooSlow):
        _fetched(provider, make, tmp_path / "f", fetch_file_deadline_seconds=0.05, fetch_retries=0)


@each_row(
    "modified, goes_on",
    [("Mon, 01 Jan 2024 00:00:00 GMT", True), ("Mon, 01 Jan 2024 00:00:59 GMT", False), ("never", False), ("", False)],
)
def test_a_date_tells_that_a_file_is_the_same_when_it_is_old_enough(tmp_path, modified, goes_on):
    sink = Arriving(tmp_path / "f", "http://x", 100)
    headers = (("Last-Modified", modified), ("ETag", 'W/"weak"'), ("Date", "Mon, 01 Jan 2024 00:01:00 GMT"))
    assert sink.begin(Fetched("http://x", 200, headers, b"", 0))
    sink.write(b"part")
    assert bool(sink.headers()) is goes_on
    sink.close()
