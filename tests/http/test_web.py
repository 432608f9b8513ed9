"""The seam to the network against real servers on loopback: what is sent, what comes back, what is waited for."""

import gzip
import itertools
import socket
import time
import zlib
from datetime import UTC, datetime
from email.utils import format_datetime
from threading import Event, Thread

import pytest

from gateway.core.errors import (
    AddressRefused,
    AnswerTooLarge,
    AnswerTooSlow,
    ConnectionFailed,
    RemoteRefuses,
    RobotsDenied,
    TryLater,
)
from harvester.http.credentials import Access
from harvester.http.messages import Request
from harvester.http.retrying import Pace
from tests.http.server import PATIENCE_SECONDS, ok, serving, until_gone
from tests.rows import each_row

ONCE = {"fetch_retries": 0}


def test_answer_comes_back_whatever_its_status(server, make):
    url = server.say("/", ok(b"gone", 410, Content_Type="text/plain"))
    answer = make(url).web(Request(url + "?a=b", "x"))
    assert (answer.url, answer.status, answer.body, answer.received_at) == (url + "?a=b", 410, b"gone", 1_700_000_000)
    assert answer.header("content-type") == "text/plain"


def test_request_is_honest_about_who_asks(server, make):
    url = server.say("/", ok())
    make(url, {"admin_email": "me@x.org"}).web(Request(url, "x", (("Accept", "text/xml"),)))
    headers = server.asked[0].headers
    assert headers["User-Agent"].startswith("oai-gateway/")
    assert headers["User-Agent"].endswith("(mailto:me@x.org)")
    assert (headers["From"], headers["Accept"]) == ("me@x.org", "text/xml")
    assert "gzip" in headers["Accept-Encoding"]
    assert "identity" in headers["Accept-Encoding"]
    make(url, {"fetch_user_agent": "mine"}).web(Request(url, "x"))
    assert server.asked[1].headers["User-Agent"] == "mine"


def test_connection_is_kept_alive(server, make):
    url = server.say("/", ok(gzip.compress(b"<a/>"), Content_Encoding="gzip"), ok(b""), ok())
    web = make(url).web
    for _ in range(4):
        web(Request(url, "x"))
    assert len({request.peer for request in server.asked}) == 1


def test_body_and_method_are_sent_as_asked(server, make):
    url = server.say("/", ok())
    web = make(url).web
    web(Request(url, "x", (("Content-Type", "a/b"),), "POST", b"verb=Identify"))
    web(Request(url, "x", method="HEAD"))
    assert [(request.method, request.body) for request in server.asked] == [("POST", b"verb=Identify"), ("HEAD", b"")]


def test_request_with_a_deadline_of_its_own_is_not_repeated_behind_it(server, make):
    url = server.say("/", until_gone)
    made = make(url)
    with pytest.raises(AnswerTooSlow, match=r"longer than 0\.1 seconds"):
        made.web(Request(url, "x", deadline_seconds=0.1))
    assert made.pauses == []


# --- encodings --------------------------------------------------------------------------------------------------

TEXT = b"<a>" + b"x" * 3000 + b"</a>"
RAW = zlib.compressobj(wbits=-15)
RAW_DEFLATED = RAW.compress(TEXT) + RAW.flush()
ZIPPED, DEFLATED = gzip.compress(TEXT, mtime=0), zlib.compress(TEXT)
TWICE = gzip.compress(ZIPPED, mtime=0)
AS_GZIP = "its bytes are encoded as gzip."


@each_row(
    "body, encoding, note",
    [
        (ZIPPED, "gzip", ""),
        (ZIPPED, "x-gzip", ""),
        (ZIPPED, "", f"says nothing; {AS_GZIP}"),
        (TEXT, "gzip", "says gzip; its bytes are not encoded."),
        (TWICE, "gzip", "says gzip; its bytes are encoded as gzip, gzip."),
        (gzip.compress(TEXT[:9], mtime=0) + gzip.compress(TEXT[9:], mtime=0) + b"\0\0", "gzip", ""),
        (DEFLATED, "deflate", ""),
        (RAW_DEFLATED, "deflate", ""),
        (TEXT, "UTF-8", None),  # the character set, called an encoding
        (ZIPPED, "deflate", f"says deflate; {AS_GZIP}"),  # a proxy that names all compression so
        (ZIPPED, "br", AS_GZIP),
        (DEFLATED, "", "encoded as deflate"),
        (TWICE, "deflate, gzip", "encoded as gzip, gzip"),
        (TEXT, "", ""),
    ],
)
def test_content_comes_out_whatever_the_header_claims_and_what_is_otherwise_is_reported(
    server, make, body: bytes, encoding: str, note: str | None
):
    url = server.say("/", (200, {"Content-Encoding": encoding} if encoding else {}, body))
    fetched = make(url).web(Request(url, "x"))
    assert fetched.body == TEXT
    if note is not None:
        assert note in fetched.note
        assert bool(note) == bool(fetched.note)


@each_row(
    "body, content_type",
    [
        (b"x\x9c" + b"no zlib at all", "application/pdf"),
        (b"%PDF-1.7 x", "application/pdf"),
        (ZIPPED, "application/gzip; a=b"),
    ],
)
def test_what_only_looks_like_a_compressed_form_or_is_one_itself_stays_as_it_is(server, make, body, content_type):
    url = server.say("/", ok(body, Content_Type=content_type))
    assert make(url).web(Request(url, "x")).body == body


def test_compressed_form_that_is_always_damaged_is_asked_for_three_times(server, make):
    """Repeating does not mend it; it took 62 seconds for each request."""
    url = server.say("/", ok(gzip.compress(TEXT)[:-30], Content_Encoding="gzip"))
    made = make(url)
    with pytest.raises(ConnectionFailed, match="is truncated"):
        made.web(Request(url, "x"))
    assert made.pauses == [2.0, 4.0]


@each_row(
    "body, encoding",
    [
        (ZIPPED[:-30], "gzip"),
        (b"\x00\xff" * 9, "deflate"),
    ],
)
def test_damaged_encoding_is_asked_for_again_without(server, make, body: bytes, encoding: str):
    url = server.say("/", ok(body, Content_Encoding=encoding), ok(TEXT))
    made = make(url)
    assert made.web(Request(url, "x")).body == TEXT
    assert server.asked[-1].headers["Accept-Encoding"] == "identity"
    assert made.pauses == [2.0]


def test_answer_longer_than_the_limit_is_refused_by_its_announcement_while_it_comes_or_while_it_grows(server, make):
    def announce(handler):
        handler.close_connection = True
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n")
        until_gone(handler)

    bomb = ok(gzip.compress(b"0" * 3_000_000), Content_Encoding="gzip")
    for said, most, sentence in (
        (announce, 1000, "has more than 1000 bytes: 5000000000"),
        (ok(b"0" * 2000), 1000, "more than 1000 bytes"),
        (bomb, 100_000, "more than 100000 bytes, decompressed"),
    ):
        url, before = server.say("/", said), len(server.asked)
        made = make(url, {"fetch_max_bytes": most})
        with pytest.raises(AnswerTooLarge, match=sentence):
            made.web(Request(url, "x"))
        assert (len(server.asked) - before, made.pauses) == (1, [])


_HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
_CONTINUE, _PROCESSING = b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 102 Processing\r\n\r\n"
_FINAL = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 4\r\n\r\n<a/>"


def _raw(answer: bytes):
    """Return what writes an answer of these bytes and keeps the connection."""
    return lambda handler: handler.wfile.write(answer)


@each_row("before", [_CONTINUE + _PROCESSING + _HINTS, _HINTS * 19])
def test_informational_answers_are_skipped_and_the_connection_goes_on(server, make, before: bytes):
    """RFC 9110 §15.2, RFC 8297."""
    url = server.say("/", _raw(before + _FINAL))
    web = make(url).web
    for _ in range(2):
        fetched = web(Request(url, "x"))
        assert (fetched.status, fetched.body, fetched.header("Link")) == (200, b"<a/>", "")
    assert len({request.peer for request in server.asked[-2:]}) == 1


def test_informational_answers_without_end_are_an_error_and_a_switch_of_protocols_is_the_answer(server, make):
    url = server.say("/", _raw(_HINTS * 20 + _FINAL))
    with pytest.raises(ConnectionFailed, match="informational"):
        make(url, ONCE).web(Request(url, "x"))
    server.say("/", _raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"))
    assert make(url).web(Request(url, "x")).status == 101


# --- patience ---------------------------------------------------------------------------------------------------


def _in_seconds(seconds: int, zone: str = "GMT") -> str:
    return format_datetime(datetime.fromtimestamp(1_700_000_000 + seconds, UTC), usegmt=True).replace("GMT", zone)


@each_row(
    "status, headers, pause",
    [
        (503, {"Retry-After": "7"}, 7.0),
        (503, {"Retry-After": "-5"}, 1.0),
        (503, {"Retry-After": _in_seconds(30), "Date": _in_seconds(0)}, 30.0),
        (503, {"Retry-After": _in_seconds(30), "Date": _in_seconds(10)}, 20.0),
        (503, {"Retry-After": _in_seconds(-30), "Date": _in_seconds(0)}, 1.0),
        (500, {"Retry-After": "soon"}, 2.0),
        (500, {}, 2.0),
        (503, {"Retry-After": "nan"}, 60.0),
        (503, {}, 60.0),
        (429, {}, 60.0),
    ],
)
def test_pause_is_what_the_server_asks_for_or_what_is_polite(server, make, status, headers, pause):
    url = server.say("/", (status, headers, b"later"), ok())
    made = make(url)
    assert made.web(Request(url, "x")).status == 200
    assert made.pauses == [pause]


def test_pauses_double_and_end_and_long_ones_are_reported(server, make, caplog):
    url = server.say("/", ok(b"ill", 500))
    made = make(url, {"fetch_retries": 3})
    assert made.web(Request(url, "x")).status == 500
    assert made.pauses == [2.0, 4.0, 8.0]
    sentence = f"{url}: the server answers 500. The next try is in 8 seconds."
    assert [record.getMessage() for record in caplog.records if record.name == "harvester"] == [sentence]


@each_row(
    "status, headers, sentence, pauses",
    [
        (503, {"Retry-After": "1"}, "still answers 503", [1.0] * 5),
        # One, two and four minutes, as long as fallback steps may take; the next eight would be more than ten in all.
        (503, {}, "limit of 600 seconds", [60.0, 120.0, 240.0]),
        (503, {"Retry-After": "1500"}, "1500 seconds", [1500.0, 1500.0]),
        (
            429,
            {"Retry-After": "86400"},
            r"The server answers 429\. The next try would be in 86400 seconds.* after 2",
            [],
        ),
    ],
)
def test_busy_for_ever_or_for_too_long_is_try_later(server, make, status, headers, sentence, pauses):
    url, before = server.say("/", (status, headers, b"")), len(server.asked)
    made = make(url)
    with pytest.raises(TryLater, match=sentence):
        made.web(Request(url, "x"))
    assert (made.pauses, len(server.asked) - before) == (pauses, len(pauses) + 1)


@each_row("status", [401, 404, 422, 501])
def test_final_refusals_are_not_asked_again(server, make, status: int):
    url, before = server.say("/", ok(b"no", status)), len(server.asked)
    assert make(url).web(Request(url, "x")).status == status
    assert len(server.asked) == before + 1


def test_error_that_holds_an_answer_is_an_answer(server, make):
    url = server.say("/", ok(b"<OAI-PMH><error/></OAI-PMH>", 500))
    made = make(url)
    assert made.web(Request(url, "x", mark=b"<OAI-PMH")).status == 500
    assert made.pauses == []


def test_repetition_is_paused_before(server, make):
    url = server.say("/", ok())
    made = make(url)
    made.web(Request(url, "x", repetition=1))
    made.web(Request(url, "x", repetition=3))
    assert made.pauses == [2.0, 8.0]


def test_hosts_are_asked_at_their_pace(server, make):
    url = server.say("/", ok())
    # Of each request, when its turn is asked for, when it begins and when it has been answered.
    moments = iter([10.0, 10.1, 10.4, 10.5, 10.6, 10.9, 11.0, 11.1, 11.4])
    made = make(Access(url, delay_seconds=3.0), monotonic=lambda: next(moments))
    answers = [made.web(Request(url, "x")) for _ in range(3)]
    assert made.pauses == [2.5, 5.0]
    assert [round(answer.seconds, 3) for answer in answers] == [0.3, 0.3, 0.3]


def test_pace_of_all_sources_is_a_setting_and_that_of_a_host_is_shared(server, make):
    url, pace = server.say("/", ok()), Pace()
    first, second = (make(url, {"fetch_delay_seconds": 3.0}, monotonic=lambda: 0.0, pace=pace) for _ in range(2))
    for made in (first, second, second):
        made.web(Request(url, "x"))
    assert (first.pauses, second.pauses) == ([], [3.0, 6.0])


# --- what is broken off ------------------------------------------------------------------------------------------


def test_what_is_broken_off_ends_at_once_and_nothing_begins(server, make):
    is_asked, is_over = Event(), Event()

    def answer(_):
        is_asked.set()
        is_over.wait(PATIENCE_SECONDS)

    def break_off():
        assert is_asked.wait(PATIENCE_SECONDS)
        web.break_off()

    url = server.say("/", answer)
    web = make(url, ONCE).web
    breaking = Thread(target=break_off)
    breaking.start()
    for _ in range(2):
        with pytest.raises(ConnectionFailed):
            web(Request(url, "x"))
    assert not is_over.is_set()
    is_over.set()
    breaking.join()
    assert len(server.asked) == 1


# --- what breaks ------------------------------------------------------------------------------------------------


def _hang_up(handler) -> None:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def _writing(beginning: bytes):
    """Return what writes this and closes the connection."""

    def write(handler) -> None:
        handler.close_connection = True
        handler.wfile.write(beginning)

    return write


_short = _writing(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<a>")
_chunk_cut = _writing(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n<a>")
_nonsense = _writing(b"nonsense\r\n\r\n")


@each_row("broken", [_hang_up, _short, _chunk_cut, _nonsense])
def test_broken_answer_is_asked_for_again(server, make, broken):
    url = server.say("/", broken, ok())
    made = make(url)
    assert made.web(Request(url, "x")).body == b"<a/>"
    assert made.pauses == [2.0]


def test_answer_that_always_breaks_is_an_error_that_says_where(server, make):
    url = server.say("/", _short)
    with pytest.raises(ConnectionFailed, match="broke before the answer was whole") as caught:
        make(url, {"fetch_retries": 1}).web(Request(url, "x"))
    assert url in str(caught.value)
    assert caught.value.__cause__ is not None


def test_kept_connection_that_was_closed_is_opened_again_at_once(server, make):
    url = server.say("/", ok(), _hang_up, ok())
    made = make(url)
    for _ in range(2):
        assert made.web(Request(url, "x")).status == 200
    assert (made.pauses, len(server.asked)) == ([], 3)


def _fails(made, url: str, sentence: str = "Connection refused") -> list[float]:
    """Return the pauses of a request that nobody answers."""
    with pytest.raises(ConnectionFailed, match=sentence):
        made.web(Request(url, "x"))
    return made.pauses


def test_a_port_that_refuses_from_the_first_is_reported_at_once_though_others_of_its_host_answer(make, server):
    """With the default settings it took 67 seconds."""
    with socket.socket() as taken:  # nobody listens, and nobody else can begin to
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        assert _fails(make(url), url) == []
        made = make(server.say("/", ok()), allow=["127.0.0.1"])
        assert made.web(Request(server.url(), "x")).status == 200
        assert _fails(made, url) == []


def test_a_host_that_is_gone_in_the_middle_of_a_harvest_is_asked_twice_more_and_then_reported_at_once(make):
    """It may be restarting. What is asked after that, Identify for one, fails without a pause."""
    pace = Pace()
    with serving() as server:
        url = server.say("/", ok())
        assert make(url, pace=pace).web(Request(url, "x")).status == 200
    made = make(url, pace=pace)
    for _ in range(2):
        assert _fails(made, url) == [2.0, 4.0]


@each_row(
    "error, sentence, pauses",
    [
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"), "Temporary failure", [2.0]),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "Name or service not known", []),
    ],
)
def test_a_name_server_that_does_not_answer_is_asked_once_more_and_an_unknown_name_is_final(
    make, error, sentence, pauses
):
    def failing(*_, **__):
        raise error

    assert _fails(make(resolve=failing), "http://nowhere.example/", sentence) == pauses


def test_silence_before_an_answer_or_in_the_middle_of_one_is_too_slow(server, make):
    def pause(handler):
        _short(handler)
        until_gone(handler)

    for silent in (until_gone, pause):
        url = server.say("/", silent)
        with pytest.raises(AnswerTooSlow, match="silent for too long"):
            make(url, {"fetch_read_timeout_seconds": 0.1} | ONCE).web(Request(url, "x"))


@pytest.mark.slow
@each_row("beginning", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"])
def test_trickle_ends_at_the_deadline(server, make, beginning: bytes):
    """A server that sends a byte now and then is never silent, in the headers or in the body."""

    def trickle(handler):
        _writing(beginning)(handler)
        while True:
            time.sleep(0.02)
            try:
                handler.wfile.write(b"x")
            except OSError:
                return

    url = server.say("/", trickle)
    with pytest.raises(AnswerTooSlow, match=r"took longer than 0\.2 seconds"):
        make(url, {"fetch_deadline_seconds": 0.2} | ONCE).web(Request(url, "x"))


def test_a_body_that_trickles_ends_before_its_deadline(server, make):
    """What a stranger sends at less than a kilobyte a second is not waited for, nor asked for again."""

    def trickle(handler):
        handler.close_connection = True
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")
        for _ in range(40):
            try:
                handler.wfile.write(b"x" * 100)
            except OSError:
                return

    url = server.say("/", trickle)
    clock = {"monotonic": itertools.count(0, 20).__next__}  # each look at it is twenty seconds later
    slow = {"fetch_min_bytes_per_second": 1024, "fetch_retries": 3}
    with pytest.raises(AnswerTooSlow, match="sends less than 1024 bytes per second"):
        make(url, slow, **clock).web(Request(url, "x"))
    assert len(server.asked) == 1
    made = make(url, {"fetch_deadline_seconds": 1e6} | ONCE, **clock)
    assert _fails(made, url, "broke before the answer was whole") == []


def test_a_key_goes_to_who_was_asked_and_not_to_whom_a_redirect_leads(start, make):
    asked, other = start(), start()
    url = asked.say("/", ok(b"", 302, Location=other.say("/", ok())))
    web = make(None, allow=["127.0.0.1"]).web
    web(Request(url, headers=(("x-api-key", "secret"), ("Accept", "a/b"))))
    assert asked.asked[0].headers["x-api-key"] == "secret"
    assert "x-api-key" not in other.asked[0].headers
    assert other.asked[0].headers["Accept"] == "a/b"


def test_a_key_in_an_address_is_in_no_error(server, make):
    url = server.say("/", ok(b"", 429, Retry_After="99999"))
    with pytest.raises(TryLater) as raised:
        make(url, ONCE).web(Request(f"{url}?a=b&api_key=secret&ak=secret#x", "x"))
    assert "a=b&api_key=...&ak=..." in str(raised.value)
    assert "secret" not in str(raised.value)


# --- redirects --------------------------------------------------------------------------------------------------


@each_row("status, method", [(301, "POST"), (303, "GET"), (308, "POST")])
def test_redirects_are_followed_with_their_arguments_and_the_last_address_reported(
    server, make, status: int, method: str
):
    url = server.say("/old", ok(b"", status, Location="new?a=b#c"))
    server.say("/new", ok())
    answer = make(url).web(Request(url, "x"))
    assert (answer.url, answer.status) == (server.url("/new?a=b"), 200)
    make(url).web(Request(url, "x", (), "POST", b"verb=Identify"))
    last = server.asked[-1]
    assert (last.method, last.body) == (method, b"" if method == "GET" else b"verb=Identify")


def test_every_address_that_redirects_lead_to_is_permitted_first(server, make):
    url = server.say("/old", ok(b"", 302, Location="/new"))
    permitted = []

    def permits(at):
        permitted.append(at)
        if at.endswith("/new"):
            raise RobotsDenied("Stay away.")

    with pytest.raises(RobotsDenied):
        make(url).web(Request(url, "x", permits=permits))
    assert permitted == [url, server.url("/new")]
    assert [request.path for request in server.asked] == ["/old"]


def test_redirects_in_a_circle_end(server, make):
    url = server.say("/", ok(b"", 302, Location="/"))
    with pytest.raises(RemoteRefuses, match="more than 10 times"):
        make(url).web(Request(url, "x"))
    assert len(server.asked) == 11


def test_a_stray_percent_sign_leaves_what_is_quoted_alone(server, make):
    """`100%_a%20b.pdf` was asked for as `100%25_a%2520b.pdf`, which is not there."""
    url = server.say("/100%25_a%20b.pdf", ok())
    make(url).web(Request(server.url("/100%_a%20b.pdf?c=%2F&d=%,"), "x"))
    assert server.asked[-1].path == "/100%25_a%20b.pdf?c=%2F&d=%25,"


@each_row("location", ["http://[::1", "ftp://x.org/", "http://", "javascript:x", "http://x.org:99999/"])
def test_redirect_to_what_is_no_address_is_refused(server, make, location: str):
    url = server.say("/", ok(b"", 302, Location=location))
    with pytest.raises((RemoteRefuses, AddressRefused)):
        make(url).web(Request(url, "x"))


@each_row("url", ["file:///etc/passwd", "gopher://x/", "//x", "x", "http:///a"])
def test_addresses_of_other_schemes_are_refused(make, url: str):
    with pytest.raises(AddressRefused, match="not a valid http or https URL"):
        make().web(Request(url))
