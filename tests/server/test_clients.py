"""The client's address behind proxies: read from the right, and never from what the client wrote itself."""

import pytest

from gateway.core.errors import ConfigurationError
from gateway.core.web import Proxies, client, proxies
from tests.rows import each_row

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
