"""The addresses of the site."""

from gateway.core.addresses import is_loopback
from tests.rows import each_row


@each_row(
    "url, expected",
    [
        ("http://127.0.0.1:8080", True), ("http://localhost", True), ("http://a.localhost/x", True),
        ("http://[::1]:80", True), ("http://127.0.0.1.evil.example", False), ("https://gateway.example.org", False),
        ("http://10.0.0.1", False), ("", False),
    ],
)  # fmt: skip
def test_only_addresses_of_this_machine_get_a_cookie_without_https(url, expected):
    assert is_loopback(url) == expected
