"""Whatever is sent to an address of the source or of the hub: an answer, no 5xx, and nothing of it in a header."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.page_house import House, opened
from tests.publish.desk import make_databases

STATUSES = {200, 202, 204, 206, 304, 308, 400, 404, 405, 406, 411, 412, 413, 414, 415, 416, 429, 431}
SITE = "https://gateway.example.org"
EXAMPLES = int(os.environ.get("REQUEST_EXAMPLES", "500"))
MARK = "injected"
EVIL = (f"a\r\nX-{MARK}: 1", f'"><x {MARK}="1">', f"]]><{MARK}/>", "../../etc/passwd", "\x00", "%ff", "é", "a" * 3_000)
NAMES = ("oai_dc", "oai_didl", "source", "source:laro:x", "open", "1", "0", "-1", "9" * 30, "2999-01-01", "²", *EVIL)
DATES = (
    "Thu, 01 Jan 2999 00:00:00 GMT",
    "Thu, 99 Foo 2020",
    "2999-01-01T00:00:00Z",
    "-1",
    "Mon, 06 Jul 99999 00:00:00 GMT",
)
RANGES = (
    "bytes=0-",
    "bytes=-0",
    "bytes=5-2",
    "bytes=0-0,5-6",
    "bytes=a-b",
    f"bytes={'9' * 99}-",
    "lines=1-2",
    "bytes=²-",
)
HEADERS = st.dictionaries(
    st.sampled_from(
        ("Range", "If-Range", "If-None-Match", "If-Match", "If-Modified-Since", "If-Unmodified-Since", "Accept",
         "Accept-Encoding", "Content-Type", "Host", "X-Forwarded-Host", "Origin")
    ),
    st.sampled_from((*RANGES, *DATES, '"a"', "W/", "*", "gzip;q=²", "application/x-www-form-urlencoded", "x", "[")),
    max_size=4,
)  # fmt: skip
LIST = f"{SITE}/resourcesync/oai_dc/source/changelist-open.xml"
FORM_VALUES = st.one_of(
    st.sampled_from((LIST, "subscribe", "unsubscribe", "https://a.example.net/", "300", *EVIL)), st.text()
)
FORMS = st.dictionaries(
    st.sampled_from(("hub.callback", "hub.mode", "hub.topic", "hub.secret", "hub.lease_seconds", "x")), FORM_VALUES
).map(lambda form: "&".join(f"{name}={quote(value, errors='replace')}" for name, value in form.items()).encode())
URLS = st.lists(
    st.sampled_from((f"{SITE}/metadata/oai_dc/oai:gateway.example.org:laro/1", f"{SITE}/metadata/", *EVIL)),
    max_size=1_100,
).map(lambda urls: "\n".join(urls).encode())
BODIES = st.one_of(st.just(b""), st.binary(max_size=300), FORMS, URLS)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, ready_made: Callable[..., None]) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("any")
    ready_made(folder, make_databases)
    with opened(folder, hub=True, resourcesync_files=True, hub_subscriptions_of_network=20) as house:
        house.add("1", sets=("x",))
        house.desk.now += 90_000
        house.add("2")
        house.desk.now += 5
        yield house


def rules(house: House) -> list[str]:
    """Return all addresses below those of the source and of the hub."""
    addresses = {rule.rule for rule in house.app.url_map.iter_rules()}
    return sorted(rule for rule in addresses if re.match(r"/(\.well-known/resourcesync|resourcesync|hub)\b", rule))


def requests(house: House) -> st.SearchStrategy[dict[str, Any]]:
    names = st.one_of(st.sampled_from(NAMES), st.text(max_size=40)).map(lambda name: quote(name, errors="replace"))
    known = st.sampled_from(rules(house))
    filled = st.tuples(known, st.lists(names, min_size=4, max_size=4)).map(
        lambda drawn: re.sub(r"<[^>]*>", lambda _: drawn[1].pop(), drawn[0])
    )
    below = st.text(max_size=30).map(lambda text: f"/resourcesync/{quote(text, errors='replace')}")
    anything = {
        "path": st.one_of(filled, filled, filled, below),
        "query_string": st.one_of(
            st.just(""), st.text(max_size=40).map(lambda text: quote(text, safe="&=%", errors="replace"))
        ),
        "method": st.sampled_from(("GET", "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "x")),
        "headers": HEADERS,
        "data": BODIES,
    }
    posted = {
        "path": st.sampled_from(("/hub", "/resourcesync/batch")),
        "method": st.just("POST"),
        "content_type": st.sampled_from(("application/x-www-form-urlencoded", "text/plain", "")),
        "data": BODIES,
    }
    return st.one_of(st.fixed_dictionaries(anything), st.fixed_dictionaries(posted))


def check(house: House, request: dict[str, Any]) -> None:
    answer = house.app.test_client().open(buffered=True, **request)
    assert answer.status_code in STATUSES, (request, answer.status)
    for name, value in answer.headers:
        assert not re.search(r"[\r\n\0]", name + value), (request, name)
        assert MARK not in name, request
    if (
        answer.status_code == 200
        and answer.mimetype == "application/xml"
        and answer.content_encoding is None
        and answer.data
    ):
        tree = etree.fromstring(answer.data)
        assert MARK not in {etree.QName(element).localname for element in tree.iter()}, request


@pytest.mark.slow
def test_no_request_is_a_fault_of_the_server(house):
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(requests(house))
    def sent(request: dict[str, Any]) -> None:
        check(house, request)

    sent()


@pytest.mark.slow
def test_every_address_is_asked_by_every_method_and_without_a_fault(house):
    """The addresses themselves, with arguments that exist, and with a range and dates of nonsense."""
    arguments = {"prefix": "oai_dc", "spec": "source", "part": "1", "part:part": "1", "period": "open"}
    for rule in rules(house):
        path = re.sub(r"<([^>]*)>", lambda match: arguments.get(match[1], "x"), rule)
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"):
            for name, value in [("Range", one) for one in RANGES] + [("If-Modified-Since", one) for one in DATES]:
                check(house, {"path": path, "method": method, "headers": {name: value}})


def test_of_1001_addresses_of_a_batch_none_is_packed(house):
    url = f"{SITE}/metadata/oai_dc/oai:gateway.example.org:laro/1"
    post = house.app.test_client().post
    assert post("/resourcesync/batch", data="\n".join([url] * 1_000)).status_code == 200
    assert post("/resourcesync/batch", data="\n".join([url] * 1_001)).status_code == 413
