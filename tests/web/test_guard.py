"""The address guard: where strangers may send us, and where only an administrator may."""

from __future__ import annotations

import socket
from ipaddress import ip_address

import pytest

from gateway.errors import AddressRefused
from harvester.addresses import Allowed, parse_address, why_refused
from harvester.web import Access
from harvester.wire.http import Request
from tests.web.conftest import ok


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public_addresses_are_open(address: str):
    assert why_refused(ip_address(address)) == ""


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("0.0.0.0", "unspecified"),
        ("127.0.0.1", "loopback"),
        ("127.8.8.8", "loopback"),
        ("10.1.2.3", "private"),
        ("172.16.0.1", "private"),
        ("192.168.0.1", "private"),
        ("169.254.169.254", "link-local"),  # where clouds keep their credentials
        ("100.64.0.1", "not public"),  # carriers' own
        ("192.0.2.1", "private"),
        ("198.18.0.1", "private"),
        ("224.0.0.1", "multicast"),
        ("240.0.0.1", "private"),
        ("255.255.255.255", "private"),
        ("::", "unspecified"),
        ("::1", "loopback"),
        ("fe80::1", "link-local"),
        ("fc00::1", "private"),
        ("fec0::1", "not public"),
        ("ff02::1", "multicast"),
        ("2001:db8::1", "private"),
        ("::ffff:127.0.0.1", "loopback"),
        ("::ffff:10.0.0.1", "private"),
        ("64:ff9b::7f00:1", "loopback"),
        ("2002:7f00:1::", "loopback"),  # 6to4
        ("2001:0:4136:e378:8000:63bf:80ff:fffe", "private"),  # Teredo, whoever it carries
        ("::7f00:1", "reserved"),
    ],
)
def test_other_addresses_are_refused_and_named(address: str, kind: str):
    assert why_refused(ip_address(address)) == kind


def test_zones_are_no_part_of_an_address():
    assert parse_address("fe80::1%eth0") == ip_address("fe80::1")


def test_administrator_may_allow_hosts_and_networks():
    allowed = Allowed(["10.0.0.0/8", "127.0.0.1", "Repo.Example.org."])
    assert allowed.refusal(ip_address("10.1.2.3")) == ""
    assert allowed.refusal(ip_address("127.0.0.1")) == ""
    assert allowed.refusal(ip_address("127.0.0.2")) == "loopback"
    assert allowed.has_host("repo.example.ORG")
    assert not allowed.has_host("example.org")


def _resolving(names: dict[str, list[str]]):
    """Return a resolver that knows these names; everything else is looked up."""

    def resolve(host, port, **options):
        found = names.get(host)
        if found is None:
            return socket.getaddrinfo(host, port, **options)
        return [
            (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port))
            for each in found
        ]

    return resolve


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "127.1"])
def test_nobody_sends_us_to_this_machine(make, host: str):
    with pytest.raises(AddressRefused, match="only when a source's own url names that host"):
        make().web(Request(f"http://{host}:9/"))


def test_source_may_be_where_its_administrator_says(server, make):
    url = server.say("/", ok())
    assert make(url).web(Request(url, "x")).status == 200
    with pytest.raises(AddressRefused):
        make(url).web(Request(url))  # on behalf of nobody
    with pytest.raises(AddressRefused):
        make(url).web(Request(url, "y"))  # of another source


def test_allowed_hosts_and_networks_may_be_reached_by_anybody(server, make):
    url = server.say("/", ok())
    assert make(allow=["127.0.0.0/8"]).web(Request(url)).status == 200
    named = url.replace("127.0.0.1", "repo.test")
    resolve = _resolving({"repo.test": ["127.0.0.1"]})
    assert make(allow=["repo.test"], resolve=resolve).web(Request(named)).status == 200


def test_redirect_from_a_public_to_a_private_address_is_refused(server, make):
    secret = server.say("/secret", ok(b"keys"))
    url = server.say("/", ok(b"", 302, Location=secret)).replace("127.0.0.1", "public.test")
    made = make(Access(url), resolve=_resolving({"public.test": ["127.0.0.1"]}))
    with pytest.raises(AddressRefused, match=r"public.test.* leads to http://127.0.0.1.*loopback"):
        made.web(Request(url, "x"))
    assert [each.path for each in server.asked] == ["/"]
    assert made.pauses == []


def test_name_that_changes_its_address_gains_nothing(server, make, monkeypatch: pytest.MonkeyPatch):
    """DNS rebinding: the address that was judged is the one that is connected to; a name is looked up once."""
    url = server.say("/", ok()).replace("127.0.0.1", "rebinding.test")
    answers = iter([["8.8.8.8"], ["127.0.0.1"]])
    judged = []

    def resolve(host, port, **_):
        judged.append(next(answers))
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in judged[-1]]

    reached = []

    def unreachable(place, _):
        reached.append(place[4][0])
        raise OSError("No route to host")

    monkeypatch.setattr("harvester.web.connections._connected", unreachable)
    with pytest.raises(AddressRefused, match=r"127.0.0.1 \(loopback\)"):
        make(resolve=resolve).web(Request(url))
    assert server.asked == []
    assert judged == [["8.8.8.8"], ["127.0.0.1"]]
    assert reached == ["8.8.8.8"]


def test_of_several_addresses_only_good_ones_are_tried(server, make):
    url = server.say("/", ok()).replace("127.0.0.1", "mixed.test")
    resolve = _resolving({"mixed.test": ["10.0.0.1", "::1", "127.0.0.1"]})
    assert make(resolve=resolve, allow=["127.0.0.1"]).web(Request(url)).status == 200


def test_second_address_is_tried_when_the_first_does_not_answer(server, make):
    url = server.say("/", ok()).replace("127.0.0.1", "twice.test")
    resolve = _resolving({"twice.test": ["::1", "127.0.0.1"]})
    assert make(resolve=resolve, allow=["twice.test"]).web(Request(url)).status == 200


def test_host_without_any_address_is_refused(make):
    with pytest.raises(AddressRefused, match="nowhere"):
        make(resolve=_resolving({"empty.test": []})).web(Request("http://empty.test/"))
