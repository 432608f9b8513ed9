"""The access log: one line per request, whatever the client wrote."""

import json
import logging
import time
from collections.abc import Iterator
from contextlib import suppress
from shutil import rmtree

import pytest

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
