# ruff: noqa: E501 - tables have long lines, and foreign digits
"""What `/hub` answers to subscribers, and what it stores."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from gateway.core.errors import StoreBusy
from gateway.core.model import HubMode, Subscriber
from gateway.hub.topics import Backlog, Topics
from gateway.resourcesync.addresses import ResourceSet
from tests.page_house import opened
from tests.publish.harness import Harness, Sent, make_databases
from tests.rows import each_row

SITE = "https://gateway.example.org"
LIST = f"{SITE}/resourcesync/oai_dc/source/changelist-open.xml"
RECORDS = f"{SITE}/oai?verb=ListRecords&metadataPrefix=oai_dc"
CALLBACK = "https://subscriber.example.net/callback?id=1"


@pytest.fixture(scope="module")
def opened_house(tmp_path_factory, ready_made):
    folder = tmp_path_factory.mktemp("hub")
    ready_made(folder, make_databases)
    settings = {"hub": True, "hub_subscriptions_of_network": 3, "hub_allow": "10.0.0.0/8 files.intern [fd00::1]:8080"}
    with opened(folder, **settings) as house:
        house.add("1", sets=("x",))
        house.harness.now += 5
        yield house


@pytest.fixture
def house(opened_house):
    yield opened_house
    forget(opened_house)


@pytest.fixture
def post(house):
    client = house.app.test_client()

    def post(**fields):
        form = {"hub.callback": CALLBACK, "hub.mode": "subscribe", "hub.topic": LIST}
        form |= {f"hub.{name}": value for name, value in fields.items()}
        return client.post("/hub", data={name: value for name, value in form.items() if value is not None})

    return post


def requests(house):
    return house.app.extensions["subscribers"].requests(10**11, 100)


def forget(house):
    """Drop the requests that are stored: a network may have three."""
    for request in requests(house):
        house.app.extensions["subscribers"].drop_request(request.number)


def test_a_request_is_stored_and_answered_with_202(house, post):
    answer = post(secret="s", lease_seconds="3600")
    assert (answer.status_code, answer.data) == (202, b"")
    (request,) = requests(house)
    assert (request.callback, request.topic, request.mode) == (CALLBACK, LIST, HubMode.SUBSCRIBE)
    assert (request.secret, request.lease_seconds, request.network) == ("s", 3600, "127.0.0.0/24")
    assert house.app.extensions["subscribers"].all() == ()


@each_row("lease, stored", [(None, 864_000), ("1", 300), ("999999999999", 2_592_000)])
def test_a_lease_is_within_bounds_and_never_for_ever(house, post, lease, stored):
    forget(house)
    post(lease_seconds=lease)
    assert requests(house)[0].lease_seconds == stored


@each_row(
    "topic",
    [LIST, LIST.replace("oai_dc", "oai_didl"), RECORDS, f"{RECORDS}&set=source:laro:x", f"{RECORDS}&set=source"],
)
def test_these_are_topics_and_their_answers_lead_to_the_hub(house, post, topic):
    forget(house)
    assert post(topic=topic).status_code == 202
    answer = house.get(topic.removeprefix(SITE))
    assert answer.headers["Link"] == f'<{SITE}/hub>; rel="hub", <{topic}>; rel="self"'


@pytest.mark.parametrize(
    "query", ["metadataPrefix=oai_dc&verb=ListRecords", "verb=List%52ecords&metadataPrefix=oai%5Fdc"]
)
def test_a_list_has_one_address_as_a_topic(house, query):
    assert house.get(f"/oai?{query}").headers["Link"].endswith(f'<{RECORDS}>; rel="self"')


@each_row("topic", [
        None, "", "x", f"{SITE}/", LIST.replace("open", "2023-11-14"), LIST.replace("oai_dc", "nothing"), f"{LIST}?a", f"{LIST}#a",
        f"{RECORDS}&set=nothing", f"{RECORDS}&set=", RECORDS.replace("oai_dc", "nothing"), f"{RECORDS}&from=2020-01-01",
        f"{RECORDS}&metadataPrefix=oai_dc", RECORDS.replace("ListRecords", "ListIdentifiers"), f"{SITE}/oai",
        f"{SITE}/oai?verb=ListRecords", f"{RECORDS}\r\nX-Injected: 1", LIST + "a" * 2000, f"{RECORDS}&set=%ff", f"{RECORDS}&set=\x00",
        LIST.replace("https", "http"), f"{RECORDS}&resumptionToken=1",
    ])  # fmt: skip
def test_these_are_no_topics(house, post, topic):
    answer = post(topic=topic)
    assert (answer.status_code, answer.text) == (404, "hub.topic is no topic of this hub.\n")
    assert requests(house) == ()


@each_row("path", [
        "/oai?verb=Identify", "/oai?verb=ListRecords&metadataPrefix=nothing", "/oai?verb=ListRecords&metadataPrefix=oai_dc&set=nothing",
        "/oai?verb=ListRecords&metadataPrefix=oai_dc&set=%ff", "/oai?verb=ListRecords&metadataPrefix=oai_dc&set=\xff",
        "/oai?verb=ListRecords&resumptionToken=1", "/oai?verb=ListRecords&metadataPrefix=oai_dc&from=2020-01-01",
        "/resourcesync/oai_dc/source/changelist.xml", "/resourcesync/nothing/source/changelist-open.xml",
    ])  # fmt: skip
def test_other_answers_name_no_hub(house, path):
    assert "Link" not in house.get(path).headers


@each_row("callback", [
        None, "", "x", "ftp://a.example.net/", "https://", "https://a b/", "https://a.example.net/\r\nX: 1", "https://u:p@a.example.net/",
        "https://a.example.net:0/", "https://a.example.net:99999/", "https://a.example.net:25/", "https://[::1/", "https://a.example.net/#a",
        "https://a.example.net/" + "a" * 2000, "https://a.example.net/é", 'https://a.example.net/">',
        # private, by any spelling
        "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://[::1]/",
        "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://localhost/", "http://a.localhost./", "http://192.168.1.1:8080/", "http://169.254.169.254/latest",
        "http://[fe80::1]/", "http://[fd00::2]/", "http://[2002:7f00:1::]/", "http://intranet/", "http://printer.local/", "http://0.0.0.0/",
        "http://100.64.0.1/", "http://224.0.0.1/", "http://router.corp/", "http://metadata.goog/", "http://168.63.129.16/",
        # private, in an IPv6 address: NAT64, IPv4-compatible, IPv4-translated, 6to4, Teredo
        "http://[64:ff9b::7f00:1]/", "http://[64:ff9b::10.0.0.1]/", "http://[64:ff9b:1::808:808]/", "http://[::7f00:1]/", "http://[::ffff:0:10.0.0.2]/",
        "http://[2002:c0a8:1::]/", "http://[2001:0:7f00:1::]/", "http://[2001:0:808:808::f5ff:fffe]/",
        # back to us
        "https://gateway.example.org/websub/x", "http://gateway.example.org/", "https://GATEWAY.example.org./oai", "https://gateway.example.org:443/hub",
    ])  # fmt: skip
def test_these_callbacks_are_refused_at_once(house, post, callback):
    answer = post(callback=callback)
    assert answer.status_code == 400
    assert answer.text.startswith("hub.callback ")
    assert requests(house) == ()


@each_row(
    "callback",
    [
        CALLBACK, "http://a.example.net:8080/a?b=c&d", "http://10.1.2.3/", "http://files.intern:81/",
        "http://[fd00::1]:8080/", "http://[2600::1]/", "http://8.8.8.8/",
    ],
)  # fmt: skip
def test_these_callbacks_may_be_tried(house, post, callback):
    forget(house)
    assert post(callback=callback).status_code == 202


def test_another_site_on_our_host_may_be_allowed(tmp_path, ready_made):
    """`hub_allow` has the host itself, or this one address of it: a network is not enough."""
    ready_made(tmp_path, make_databases)
    answers = {}
    for allowed in ("gateway.example.org", "gateway.example.org:443", "gateway.example.org:8443", "0.0.0.0/0"):
        with opened(tmp_path, hub=True, hub_allow=allowed) as house:
            house.add("1")
            house.harness.now += 5
            form = {"hub.callback": f"{SITE}/other/websub", "hub.mode": "subscribe", "hub.topic": LIST}
            answers[allowed] = house.app.test_client().post("/hub", data=form).status_code
    assert list(answers.values()) == [202, 202, 400, 400]


@each_row(
    "fields",
    [{"lease_seconds": "0"}, {"lease_seconds": "\u0661"}, {"mode": "publish"}, {"mode": None}, {"secret": "é" * 100}],
)
def test_a_lease_mode_or_secret_that_is_none_is_refused(house, post, fields):
    assert post(**fields).status_code == 400
    assert requests(house) == ()


@each_row(
    "body, content_type, status",
    [
        (b"\xff\xfe", None, 400),
        (b"hub.callback=" + quote(CALLBACK).encode() + b"&hub.mode=publish", None, 400),
        (b"&".join([b"a=b"] * 101), None, 400),
        (b"a" * 16_385, None, 413),
        (b"{}", "application/json", 415),
        (b"hub.mode=subscribe&hub.mode=unsubscribe", None, 400),
    ],
)
def test_a_body_of_nonsense_is_a_clear_error(house, body, content_type, status):
    client = house.app.test_client()
    answer = client.post("/hub", data=body, content_type=content_type or "application/x-www-form-urlencoded")
    assert (answer.status_code, answer.mimetype) == (status, "text/plain")
    assert client.get("/hub").status_code == 405


def test_a_network_gets_its_share_and_no_more(house, post):
    for number in range(3):
        assert post(callback=f"{CALLBACK}{number}").status_code == 202
    answer = post(callback=f"{CALLBACK}3")
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "3600")
    assert post(callback=f"{CALLBACK}1").status_code == 202, "it may renew what it has"
    assert len(requests(house)) == 3
    form = {"hub.callback": f"{CALLBACK}4", "hub.mode": "subscribe", "hub.topic": LIST}
    others = house.app.test_client().post("/hub", data=form, environ_base={"REMOTE_ADDR": "203.0.113.1"})
    assert others.status_code == 202, "others are served"


@each_row(
    "address, network",
    [
        ("192.0.2.200", "192.0.2.0/24"),
        ("2001:db8:1:2::3", "2001:db8:1::/48"),
        ("::ffff:192.0.2.1", "192.0.2.0/24"),
        ("fe80::1%eth0", "fe80::/48"),
        ("", ""),
        ("unix:", ""),
    ],
)
def test_a_network_is_what_one_customer_has(house, address, network):
    forget(house)
    body = urlencode({"hub.callback": CALLBACK, "hub.mode": "subscribe", "hub.topic": LIST})
    form = {"data": body, "content_type": "application/x-www-form-urlencoded"}
    answer = house.app.test_client().post("/hub", environ_base={"REMOTE_ADDR": address}, **form)
    assert answer.status_code == 202
    assert requests(house)[0].network == network


def test_the_hub_answers_503_when_nothing_can_be_stored(house, post, monkeypatch, caplog):
    def busy(*_):
        raise StoreBusy("somebody else writes")

    monkeypatch.setattr(type(house.app.extensions["subscribers"]), "store_request", busy)
    answer = post()
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    assert "somebody else writes" in caplog.text


def test_without_the_setting_there_is_no_hub(tmp_path, ready_made):
    ready_made(tmp_path, make_databases)
    with opened(tmp_path, hub=False) as house:
        house.add("1")
        house.harness.now += 5
        assert house.app.test_client().post("/hub", data={}).status_code == 404
        assert "Link" not in house.get(LIST.removeprefix(SITE)).headers
        assert "/hub" not in json.dumps([rule.rule for rule in house.app.url_map.iter_rules()])


SET = f"{SITE}/oai?verb=ListRecords&metadataPrefix=oai_dc&set=source:laro:x"


@pytest.fixture
def harness(tmp_path: Path, ready_made: Callable[..., None]) -> Iterator[Harness]:
    ready_made(tmp_path, make_databases)
    harness = Harness(tmp_path)
    with closing(harness.store), closing(harness.inbox):
        yield harness


def subscriber(topic: str, delivered_until: float) -> Subscriber:
    return Subscriber(1, "https://a.example.net/", topic, "", "", 10**11, int(delivered_until), 0, 0, 0, "")


def oldest(backlog: Backlog, harness: Harness, *subscribers: Subscriber) -> int | None:
    with harness.store.view() as view:
        return backlog.oldest(view, subscribers)


def publish(harness: Harness, name: str, **header: Any) -> int:
    """Publish a record; return its datestamp, which is below the horizon then."""
    harness.sent(Sent(name, **header))
    record = harness.record(name)
    assert record is not None
    harness.now += 2
    return int(record.datestamp)


def test_the_oldest_change_is_that_of_the_subscriber_who_is_furthest_behind(harness):
    backlog = Backlog(Topics(SITE, f"{SITE}/oai", [ResourceSet("oai_dc")]))
    first, second = publish(harness, "1"), publish(harness, "2")
    assert oldest(backlog, harness) is None
    assert oldest(backlog, harness, subscriber(LIST, harness.now)) is None
    assert oldest(backlog, harness, subscriber(LIST, first + 1)) == second
    assert oldest(backlog, harness, subscriber(LIST, first + 1), subscriber(LIST, first)) == first
    assert oldest(backlog, harness, subscriber(f"{SITE}/nothing", 0)) is None
