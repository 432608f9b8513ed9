"""A name that leads to our own servers is refused, whatever it is called."""

import socket

import pytest

from gateway.core.address_rules import Allowed
from gateway.core.errors import AddressRefused
from harvester.http.address_guard import elsewhere
from tests.rows import each_row

ADDRESSES = {"gateway.example.org": "192.0.2.1", "alias.example.net": "192.0.2.1", "other.example.net": "192.0.2.2"}


def look_up(host, port, **_):
    if host not in ADDRESSES:
        raise socket.gaierror("unknown")
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ADDRESSES[host], port))]


def resolve(own="https://gateway.example.org/oai", *allowed):
    return elsewhere([own], Allowed(allowed), look_up)


@each_row("port", [80, 443])
def test_an_alias_of_our_host_is_refused(port):
    with pytest.raises(AddressRefused, match="leads back to this hub"):
        resolve()("alias.example.net", port)


def test_other_hosts_and_ports_are_not_ours():
    assert resolve()("other.example.net", 443)[0][4] == ("192.0.2.2", 443)
    assert resolve()("alias.example.net", 8443)[0][4] == ("192.0.2.1", 8443)
    assert resolve("https://nowhere.example.org/oai")("alias.example.net", 443)


def test_a_neighbour_at_our_address_may_be_allowed_by_this_address():
    ours = "http://192.0.2.1/oai"
    with pytest.raises(AddressRefused):
        elsewhere([ours], Allowed(["192.0.2.0/24"]), at_itself)("192.0.2.1", 80)
    assert elsewhere([ours], Allowed(["192.0.2.1"]), at_itself)("192.0.2.1", 80)
    assert elsewhere([ours], Allowed(["192.0.2.1:80"]), at_itself)("192.0.2.1", 80)
    with pytest.raises(AddressRefused):
        elsewhere([ours], Allowed(["192.0.2.1:8080"]), at_itself)("192.0.2.1", 80)


def at_itself(host, port, **_):
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))]


def test_a_neighbour_on_our_machine_may_be_allowed():
    assert resolve("https://gateway.example.org/oai", "alias.example.net")("alias.example.net", 443)
