"""Conditions and ranges that are none are ignored at every address, and are no fault of the server (RFC 9110)."""

from itertools import product

from gateway.pages.answers import clean_conditions
from tests.page_house import House, house, settings
from tests.rows import each_row

__all__ = ["house", "settings"]

YEAR = "Thu, 01 Jan {} 00:00:00 GMT"
TAG = '"abc"'


def kept(method: str = "GET", **headers: str) -> dict[str, str]:
    environ = {"REQUEST_METHOD": method, **{f"HTTP_{name.upper()}": value for name, value in headers.items()}}
    clean_conditions(environ)
    return {name.removeprefix("HTTP_").lower(): value for name, value in environ.items() if name != "REQUEST_METHOD"}


@each_row(
    "name, value",
    product(
        ["if_modified_since", "if_unmodified_since", "if_range"],
        ["", "yesterday", YEAR.format("9" * 400), YEAR.format("1970")[:-3] + "+99999999999999", "0" * 9_000],
    ),
)
def test_a_date_that_is_none_is_ignored(name: str, value: str) -> None:
    assert kept(**{name: value}) == {}


@each_row(
    "headers",
    [
        *({name: YEAR.format("1970")} for name in ("if_modified_since", "if_unmodified_since", "if_range")),
        *({"range": value} for value in ("bytes=0-", "bytes=0-3", "bytes=-3", "Bytes= 3-3 ", "bytes=99999999999-")),
        {"if_range": TAG, "range": "bytes=1-"},
        {"if_match": TAG},
    ],
)
def test_conditions_and_one_range_stay(headers: dict[str, str]) -> None:
    assert kept(**headers) == headers


@each_row("value", ["lines=1-2", "bytes=0-0,2-3", "bytes=5-2", "bytes=-", "", "bytes=\u0661-\u0663", "bytes=0-3;"])
def test_other_ranges_are_ignored_with_their_condition(value: str) -> None:
    assert kept(range=value, if_range=TAG) == {}


def test_only_get_has_ranges_and_if_match_of_everything_is_fulfilled() -> None:
    assert kept("HEAD", range="bytes=0-3") == kept(if_match=" * ") == kept(if_modified_since=TAG) == {}


@each_row(
    "path, name",
    product(
        ["/", "/oai?verb=Identify", "/robots.txt"],
        ["If-Modified-Since", "If-Unmodified-Since", "If-Range", "If-Match", "Range"],
    ),
)
def test_no_date_and_no_range_is_a_fault_of_the_server(house: House, path: str, name: str) -> None:
    for value in (YEAR.format("9" * 400), YEAR.format("1970")[:-3] + "+99999999999999", "*", "bytes=9-1"):
        assert house.get(path, headers={name: value}).status_code < 500
