"""The access log: one line per request, whatever the client wrote, with its address as trusted proxies say it."""

import json
import logging
import time
from collections.abc import Iterator
from contextlib import suppress
from shutil import rmtree

import pytest

from gateway.core.errors import ConfigurationError
from gateway.core.web import Proxies, client, proxies
from gateway.server.access_log import Entry, json_line, line
from gateway.server.serve import _access_log
from tests.rows import each_row

NOW = 1_700_000_000


@pytest.fixture
def time_of_nepal() -> Iterator[None]:
    """Set the clock of this process to a zone that is a quarter of an hour off."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "<+0545>-5:45")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("time_of_nepal")
def test_line_is_in_the_combined_log_format_with_the_time_of_its_place():
    entry = Entry("192.0.2.1", b"GET /oai?verb=Identify HTTP/1.1", 200, 1274, 0.0021, b"http://x/", b"sickle")
    assert line(entry, NOW) == (
        '192.0.2.1 - - [15/Nov/2023:03:58:20 +0545] "GET /oai?verb=Identify HTTP/1.1" 200 1274 "http://x/" "sickle"'
    )


@each_row(
    "wild",
    [
        bytes(range(256)),
        "\x1b]0;x\x07 \x9b2J é \u202e".encode(),
        b'" 200 0 "-" "-"\r\n127.0.0.1 - - [',
        b"\xc2\x9b\xff",
    ],
)
def test_control_characters_and_quotes_never_reach_the_access_log_raw(wild):
    entry = Entry("", wild, 400, 0, 0.0, wild, wild)
    shown = line(entry, NOW)
    assert all(" " <= character <= "~" for character in shown)
    assert shown.count('"') == 6
    assert "\\x1b" in shown or b"\x1b" not in wild
    as_json = json_line(entry, NOW)
    assert all(" " <= character <= "~" for character in as_json)
    assert json.loads(as_json)["status"] == 400


def test_what_a_client_wrote_is_cut():
    assert len(line(Entry("", b"a" * 1_000_000, 414, 0, 0.0), NOW)) < 3000


@pytest.fixture
def entry() -> Iterator[Entry]:
    yield Entry("127.0.0.1", b"GET / HTTP/1.1", 200, 5, 0.1)
    access = logging.getLogger("gateway.access")
    for handler in access.handlers[:]:
        access.removeHandler(handler)
        with suppress(OSError):
            handler.close()


def test_access_log_whose_folder_has_gone_stops_nothing_and_goes_on_when_it_is_back(tmp_path, entry, caplog):
    file = tmp_path / "logs" / "access.log"
    file.parent.mkdir()
    write = _access_log(str(file), as_json=False)
    rmtree(file.parent)
    write(entry)
    write(entry)
    assert caplog.text.count("access log cannot be written") == 1
    file.parent.mkdir()
    write(entry)
    assert len(file.read_text().splitlines()) == 1


def test_access_log_on_a_full_disk_is_told_once_and_without_a_traceback(entry, caplog, capsys):
    write = _access_log("/dev/full", as_json=False)
    write(entry)
    write(entry)
    assert caplog.text.count("No space left on device") == 1
    assert "Traceback" not in caplog.text + capsys.readouterr().err


LOCAL = proxies("127.0.0.1 10.0.0.0/8 ::1", "X-Forwarded-For")
STANDARD = proxies("127.0.0.1 10.0.0.0/8 ::1", "Forwarded")


@each_row(
    "peer, header, expected",
    [
        ("127.0.0.1", "203.0.113.9", "203.0.113.9"), ("127.0.0.1", "6.6.6.6, 203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "6.6.6.6, 203.0.113.9, 10.1.2.3", "203.0.113.9"),
        ("::ffff:127.0.0.1", "203.0.113.9", "203.0.113.9"), ("127.0.0.1", "203.0.113.9:4711", "203.0.113.9"),
        ("127.0.0.1", "[2001:db8::9]:4711", "2001:db8::9"), ("127.0.0.1", "2001:DB8:0::9", "2001:db8::9"),
        ("127.0.0.1", "6.6.6.6, unknown", "127.0.0.1"), ("127.0.0.1", "6.6.6.6, \x1b[2J, 10.1.2.3", "10.1.2.3"),
        ("127.0.0.1", "10.1.2.3, 10.4.5.6", "10.1.2.3"), ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "fe80::1%eth0\x1b", "127.0.0.1"), ("", "203.0.113.9", "203.0.113.9"),
        ("192.0.2.1", "6.6.6.6", "192.0.2.1"),
    ],
)  # fmt: skip
def test_first_address_from_the_right_that_is_no_trusted_proxy_is_the_client(peer, header, expected):
    assert client(peer, header, LOCAL) == expected


@each_row(
    "header, expected",
    [
        ('for=203.0.113.9;proto=https;by="[2001:db8::1]"', "203.0.113.9"),
        ('for=6.6.6.6, For="[2001:db8::9]:4711"', "2001:db8::9"),
        ("for=6.6.6.6, by=10.1.2.3", "127.0.0.1"),
        ("for=6.6.6.6, for=_hidden", "127.0.0.1"),
    ],
)
def test_forwarded_is_read_as_rfc_7239_says(header, expected):
    assert client("127.0.0.1", header, STANDARD) == expected


def test_without_trusted_proxies_no_header_is_believed():
    assert client("127.0.0.1", "6.6.6.6", Proxies()) == "127.0.0.1"
    assert client("", "6.6.6.6", Proxies()) == ""


def test_only_the_end_of_an_endless_header_is_read():
    assert client("127.0.0.1", "6.6.6.6," * 1_000_000 + "203.0.113.9", LOCAL) == "203.0.113.9"


@each_row("text, header", [("localhost", "Forwarded"), ("10.0.0.1/8", "Forwarded"), ("", "X-Real-IP")])
def test_wrong_settings_are_refused(text, header):
    with pytest.raises(ConfigurationError, match="serve_"):
        proxies(text, header)
