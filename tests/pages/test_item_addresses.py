"""An identifier is written in an address so that it survives browsers and proxies, and is read again."""

import re
from urllib.parse import parse_qs, unquote, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from gateway.core.names import local_identifier
from gateway.pages.item_places import address_of, is_plain, merged
from tests.rows import each_row

LEGAL = "ABCxyz019-_.!~*'();/:@&=+$,?%"


def nobody(_identifier: str) -> bool:
    return False


def anybody(_identifier: str) -> bool:
    return True


def read(address: str) -> str:
    parts = urlsplit(address)
    if parts.query:
        return parse_qs(parts.query, strict_parsing=True)["identifier"][0]
    return unquote(parts.path.removeprefix("/items/"))


@given(st.text(LEGAL, min_size=1))
def test_every_legal_identifier_is_read_again(text):
    identifier = f"oai:gateway.example.org:laro/{text}"
    assert read(address_of("/items/", identifier, anybody)) == identifier
    assert read(address_of("/items/", identifier, nobody)) in (identifier, merged(identifier))


@given(st.text(LEGAL, min_size=1))
def test_no_proxy_and_no_browser_changes_the_path(text):
    path = urlsplit(address_of("/items/", f"oai:gateway.example.org:laro/{text}", nobody)).path
    assert "//" not in path
    assert not re.search(r"/\.{1,2}(/|$)", path)
    assert "%2F" not in path.upper()


@each_row("byte", range(1, 256))
def test_every_byte_of_an_upstream_identifier_is_legal_in_the_address(byte):
    identifier = local_identifier("gateway.example.org", "laro", f"a{chr(byte)}b")
    address = address_of("/items/", identifier, nobody)
    assert re.fullmatch(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/?%]+", address)
    assert read(address) == identifier


def test_rows_of_slashes_are_merged_unless_another_item_is_meant_by_that():
    identifier = "oai:g:laro/http://x.org//a"
    assert address_of("/items/", identifier, nobody) == "/items/oai:g:laro/http:/x.org/a"
    assert address_of("/items/", identifier, anybody) == "/items/?identifier=oai:g:laro/http://x.org//a"


@each_row("text", ["a/../b", "a/./b", "..", ".", "a/..", "../a"])
def test_dot_segments_go_into_the_query(text):
    assert not is_plain(text)
    assert address_of("/items/", text, nobody).startswith("/items/?identifier=")
    assert is_plain("a/.../b")
    assert is_plain("a/.b/b.")
