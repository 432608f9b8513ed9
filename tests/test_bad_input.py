# ruff: noqa: E501 - tables have long lines
"""Whatever is asked of any address, the answer is a clear one: never a status 500, and no sentence of a program."""

import random
from collections.abc import Iterator
from itertools import chain
from typing import Any
from urllib.parse import quote

import pytest
from werkzeug.test import TestResponse

from gateway.core.settings import place_of_copy
from gateway.search.following import IndexKeeper
from gateway.search.indexing import describe
from tests.page_house import FOUND, House, opened
from tests.publish.harness import make_databases
from tests.rows import each_row
from tests.seeds import SEED

ITEM = "oai:gateway.example.org:laro/1"
ARGUMENTS = (
    "q", "source", "set", "type", "year", "from", "until", "order", "fulltext", "file", "after", "before", "page", "start",
    "format", "identifier", "id", "verb", "metadataPrefix", "resumptionToken", "hub.mode", "hub.topic", "hub.challenge",
    "hub.lease_seconds", "facet", "limit", "unknown",
)  # fmt: skip
HEADERS = ("Accept", "If-None-Match", "If-Modified-Since", "Range", "Host", "X-Forwarded-Host")
HEADER_VALUES = (
    "", "*", "text/html", "x/y", '"a"', "W/", "bytes=0-", "bytes=-9999999", "Thu, 99 Foo 2020", "evil.example", "é",
)  # fmt: skip
# What stands in a path or an argument, percent-encoded.
VALUES = (
    "", "1", "-1", "-0", "0", "00", "1e9", "NaN", "9" * 30, "٣", "1.5", "+1", "%20", "%00", "%0a", "%0d%0aX-Injected:1", "%ff",
    "%fe%ff", "%c3", "%c3%28", "%ed%a0%80", "%f0%9f", "%f4%90%80%80", "%e2%80%a8", "%ef%bf%be", "%u0041", "%", "%zz", "%2",
    ".", "..", "../..", "..%2f..%2fetc%2fpasswd", "%2e%2e", "/", "//", "//evil.example", "%2f%2fevil.example", "%5c",
    "https://evil.example/", "javascript:alert(1)", "%3cscript%3e", "%27%20or%201=1--", "%22", "'", "*", "NEAR(", "title:",
    "AND", "OR", "NOT", "%22a", "a%22", "(", ")", "^", "a*", "-a", "a%20NEAR%20b", "{title}:a", "oai_dc", "oai_didl", "laro",
    ITEM, f"{ITEM}.json", f"{ITEM}.linkset", f"{ITEM}.files", f"{ITEM}%00", f"{ITEM}%ff", quote(ITEM, safe=""), "source:laro",
    f"{ITEM}%25ff", f"{ITEM}%25ed%25a0%2580", f"{ITEM}//%25ff", "source:laro:~FF", "source:laro:~ED~A0~80", "source:laro:~",
    "source:laro:%e6%97%a5", "source:laro:%e6%97%a5~FF", "source::~FF", "source:::",
    "article", "date", "relevance", "2020", "2020-01-01", "2020-13-45", "9999-12-31T23:59:59Z", "0000", "{{7*7}}", "${7*7}",
    "a" * 300, "a" * 5_000, "%00" * 500, "%ff" * 500, "é".encode().hex("%"), "a,b", "a;b", "a&b", "a=b", "a#b", "[]", "a[]=b",
)  # fmt: skip


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("bad-input")
    make_databases(folder)
    with opened(folder, files_serve=True) as house:
        house.add("1")
        house.file("1", FOUND._replace(copy_url=f"https://gateway.example.org/files/{FOUND.sha256}"))
        place = place_of_copy(folder, FOUND.sha256)
        place.parent.mkdir(parents=True)
        place.write_bytes(b"%PDF-1.7")
        house.add("2")
        house.harness.now += 5
        house.delete("2")
        IndexKeeper(folder, describe).advance(house.harness.store)
        house.app.config["PROPAGATE_EXCEPTIONS"] = True
        yield house


def asked(house: House, path: str, method: str = "GET", **more: Any) -> TestResponse:
    with house.app.test_client().open(path, method=method, **more) as answer:
        answer.get_data()
    assert answer.status_code < 500, (method, path[:200], answer.status)
    assert not any("\n" in value or "\r" in value or "x-injected" in name.lower() for name, value in answer.headers)
    location = answer.headers.get("Location", "/")
    assert location.startswith(("/", "https://gateway.example.org/")), location
    assert not location.startswith(("//", "/\\")), location
    for words in (b"Traceback", b"sqlite3", b"fts5", b"werkzeug", b'File "'):
        assert words not in answer.get_data(), (path[:200], words)
    return answer


def addresses(house: House) -> list[tuple[str, frozenset[str]]]:
    """Return the addresses of the application, with `{}` where a part of the path stands."""
    rules = []
    for rule in house.app.url_map.iter_rules():
        text = rule.rule
        for argument in rule.arguments:
            text = text.replace(f"<path:{argument}>", "{}").replace(f"<{argument}>", "{}")
        rules.append((text, frozenset(rule.methods or ()) - {"OPTIONS"}))
    return sorted(set(rules))


def filled(address: str, *values: str) -> str:
    """Return an address with these values in its parts, the last one in all further parts."""
    for value in chain(values, [values[-1]] * 3):
        address = address.replace("{}", value, 1)
    return address


def test_bad_values_in_the_path_of_every_address_are_answered(house):
    for place, (address, methods) in enumerate(addresses(house)):
        for value in VALUES[place % 9 :: 9] if "{}" in address else ("",):
            asked(house, filled(address, value), min(methods))


@pytest.mark.unmeasured
@pytest.mark.slow
def test_random_requests_are_answered(house):
    chance = random.Random(SEED)
    everything = addresses(house)
    for _ in range(2_000):
        address, methods = chance.choice(everything)
        parts = "&".join(f"{chance.choice(ARGUMENTS)}={chance.choice(VALUES)}" for _ in range(chance.randint(0, 6)))
        path = filled(address, chance.choice(VALUES), chance.choice(VALUES)) + chance.choice(
            ("", "", ".json", ".csv", "/")
        )
        headers = {chance.choice(HEADERS): chance.choice(HEADER_VALUES)}
        asked(house, f"{path}?{parts}", chance.choice(sorted(methods)), headers=headers)


LONG = "a" * 100_000


@pytest.mark.unmeasured
@pytest.mark.slow
def test_a_path_of_a_hundred_thousand_bytes_is_a_clear_error(house):
    for address, methods in addresses(house):
        if "{}" in address:
            for value in (LONG, "%ff" * 3_000, "/" * 100_000, "." * 100_000, "a/" * 50_000, f"{ITEM}{LONG}.json"):
                answer = asked(house, filled(address, value), min(methods))
                assert 400 <= answer.status_code < 500, address


@each_row("path", [
        "/search?after=-1", "/search?q=a&after=-1", "/search?q=a&after=x", "/search?" + "&".join(["type=article"] * 1000),
        "/search?" + "&".join(f"type=t{n}" for n in range(1000)), "/search?" + "&".join(f"set=s{n}" for n in range(1000)),
        "/search?" + "&".join(f"source=s{n}" for n in range(1000)), "/search?q=" + LONG, "/search?q=%ff", "/search?from=x",
        "/search?order=x", f"/items/{ITEM}.files?after=-1", f"/items/{ITEM}.authors?after=x", "/sets?set=" + LONG,
        "/sources/x", "/formats/x", "/sitemaps/-1.xml", "/sitemaps/x.xml",
        "/files/x", "/resolve?id=" + LONG, "/resolve?id=%ff",
    ])  # fmt: skip
def test_what_cannot_be_is_a_clear_error(house, path):
    for ending in ("", ".json", ".csv", ".atom") if path.startswith("/search") else ("",):
        answer = asked(house, path.replace("/search", f"/search{ending}"))
        assert 400 <= answer.status_code < 500, (ending, answer.status)


def test_no_answer_names_the_host_that_a_client_wrote(house):
    for address, methods in addresses(house):
        for path in (filled(address, ITEM), filled(address, ITEM).rstrip("/"), f"{filled(address, ITEM)}/"):
            answer = asked(house, path or "/", min(methods), headers={"Host": "evil.example"})
            assert b"evil.example" not in answer.get_data()
