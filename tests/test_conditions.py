"""Conditions and ranges that are none are ignored at every address, and are no fault of the server (RFC 9110)."""

from __future__ import annotations

from itertools import product

from gateway.conditions import clean
from tests.page_house import House, house, settings
from tests.rows import each_row

__all__ = ["house", "settings"]

YEAR = "Thu, 01 Jan {} 00:00:00 GMT"
TAG = '"abc"'


def kept(method: str = "GET", **headers: str) -> dict[str, str]:
    environ = {"REQUEST_METHOD": method, **{f"HTTP_{name.upper()}": value for name, value in headers.items()}}
    clean(environ)
    return {name.removeprefix("HTTP_").lower(): value for name, value in environ.items() if name != "REQUEST_METHOD"}


@each_row(
    "name, value",
    product(
        ["if_modified_since", "if_unmodified_since", "if_range"],
        ["", "yesterday", YEAR.format("9" * 400), YEAR.format("1970")[:-3] + "+99999999999999", "\x00", "0" * 9_000],
    ),
)
def test_a_date_that_is_none_is_ignored(name: str, value: str) -> None:
    assert kept(**{name: value}) == {}


@each_row("name", ["if_modified_since", "if_unmodified_since", "if_range"])
def test_a_date_stays(name: str) -> None:
    assert kept(**{name: YEAR.format("1970")}) == {name: YEAR.format("1970")}


def test_a_tag_in_if_range_stays_and_is_no_date_elsewhere() -> None:
    assert kept(if_range=TAG, range="bytes=1-") == {"if_range": TAG, "range": "bytes=1-"}
    assert kept(if_modified_since=TAG) == {}


@each_row("value", ["bytes=0-", "bytes=0-3", "bytes=-3", "Bytes= 3-3 ", "bytes=99999999999-"])
def test_one_range_of_bytes_stays(value: str) -> None:
    assert kept(range=value) == {"range": value}


@each_row(
    "value",
    [
        "lines=1-2", "bytes=0-0,2-3", "bytes=5-2", "bytes=-", "bytes=", "", "bytes=x-y", "bytes=\u0661-\u0663",
        "bytes=0-3;",
    ],
)  # fmt: skip
def test_other_ranges_are_ignored_with_their_condition(value: str) -> None:
    assert kept(range=value, if_range=TAG) == {}


def test_only_get_has_ranges() -> None:
    assert kept("HEAD", range="bytes=0-3") == {}
    assert kept("POST", range="bytes=0-3") == {}


def test_if_match_of_everything_is_fulfilled_and_one_of_a_tag_stays() -> None:
    assert kept(if_match=" * ") == {}
    assert kept(if_match=TAG) == {"if_match": TAG}


@each_row(
    "path, name",
    product(
        ["/", "/oai?verb=Identify", "/sources", "/help", "/robots.txt", "/none"],
        ["If-Modified-Since", "If-Unmodified-Since", "If-Range", "If-Match", "Range"],
    ),
)
def test_no_date_and_no_range_is_a_fault_of_the_server(house: House, path: str, name: str) -> None:
    for value in (YEAR.format("9" * 400), YEAR.format("1970")[:-3] + "+99999999999999", "*", "bytes=9-1"):
        assert house.get(path, headers={name: value}).status_code < 500
