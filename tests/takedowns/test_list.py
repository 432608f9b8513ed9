"""What a takedown means: normal forms of addresses and DOIs, what is recognised, and what is found in texts."""

from base64 import b64encode
from hashlib import sha256

import pytest

from gateway.core.errors import ConfigurationError
from gateway.core.model import FileLink
from gateway.core.takedowns import Kind, Takedown, Takedowns, dois_in, place_of
from gateway.takedowns.plans import recognised
from tests.rows import each_row

DOMAIN = "g.example.org"
DIGEST = "ab" * 32


@each_row(
    "url",
    [
        "http://host.example.org/a/b.pdf", "https://host.example.org/a/b.pdf",
        " HTTPS://HOST.Example.ORG:443/a/b.pdf ", "http://host.example.org:80/a/b.pdf",
        "http://user:secret@host.example.org/a/b.pdf#page=3", "http://host.example.org./a//b.pdf",
        "http://host.example.org/%61/b%2Epdf", "http://host.example.org/a;jsessionid=0123ABC/b.pdf;jsessionid=9",
        "http://host.example.org/../a/b.pdf?", "http://h%6Fst.example%2Eorg/a/b.pdf",
    ],
)  # fmt: skip
def test_addresses_that_differ_in_nothing_that_matters_are_one_place(url: str) -> None:
    assert place_of(url) == "host.example.org/a/b.pdf"


@each_row(
    "kind, value, is_named",
    [
        (Kind.URL, "host.example.org/a/b.pdf", True),
        (Kind.URL, "host.example.org/a", False),
        (Kind.PREFIX, "host.example.org/a/", True),
        (Kind.PREFIX, "host.example.org/b", False),
        (Kind.HOST, "host.example.org", True),
        (Kind.HOST, "example.org", False),
        (Kind.HOST, "*.example.org", True),
        (Kind.HOST, "*.host.example.org", True),
        (Kind.HOST, "*.ost.example.org", False),
    ],
)
def test_an_entry_names_the_addresses_below_it(kind: Kind, value: str, is_named: bool) -> None:
    url = " HTTPS://HOST.Example.ORG:443/a/x/../b.pdf "
    assert Takedowns([Takedown(kind, value)]).names_address(url) is is_named


def test_names_of_other_alphabets_are_one_place_with_their_ascii_form() -> None:
    assert place_of("https://bücher.example.org/ä") == place_of("https://xn--bcher-kva.example.org/%C3%A4")


@each_row(
    "text",
    ["", "ftp://host.example.org/1", "host.example.org/1", "http://[", "http:///x", "http://h:99999999/", "mailto:a@b"],
)
def test_what_is_no_address_of_the_web_is_no_place(text: str) -> None:
    assert place_of(text) == ""
    assert not Takedowns([Takedown(Kind.HOST, "host.example.org")]).names_address(text)


def test_ports_and_literal_addresses_are_places_of_their_own() -> None:
    assert place_of("http://h.example.org:8080/x") == "h.example.org:8080/x"
    takedowns = Takedowns([Takedown(Kind.HOST, "h.example.org"), Takedown(Kind.URL, "2001:db8::1/x")])
    assert takedowns.names_address("http://h.example.org:8080/x")
    assert place_of("http://[2001:db8::1]/x")
    assert not takedowns.names_address("http://other.example.org:8080/x")


TARGETS = {
    "oai:g.example.org:laro/1": (Kind.IDENTIFIER, "oai:g.example.org:laro/1"),
    "10.1234/ABC(1)": (Kind.DOI, "10.1234/abc(1)"),
    "https://dx.doi.org/10.1234%2FABC": (Kind.DOI, "10.1234/abc"),
    "https://h.example.org/1.pdf": (Kind.URL, "h.example.org/1.pdf"),
    "hdl:1887/123": (Kind.URL, "hdl.handle.net/1887/123"),
    "https://h.example.org/files/*": (Kind.PREFIX, "h.example.org/files/"),
    "H.Example.org": (Kind.HOST, "h.example.org"),
    "*.example.org": (Kind.HOST, "*.example.org"),
    "192.0.2.1": (Kind.HOST, "192.0.2.1"),
    "AB" * 32: (Kind.SHA256, DIGEST),
}


@each_row("target", TARGETS)
def test_a_target_is_recognised(target: str) -> None:
    assert recognised(f" {target} ", DOMAIN)[:2] == TARGETS[target]


@each_row(
    "target",
    ["", "x", "oai:other.example.org:1", "https://h.exam*", "*", "*.org*", "ab" * 31, "h example.org", "a/b.c"],
)
def test_what_is_none_of_them_is_refused_in_a_sentence(target: str) -> None:
    with pytest.raises(ConfigurationError, match="--source NAME"):
        recognised(target, DOMAIN)


@each_row(
    "text",
    [
        "https://doi.org/10.1234/ABC",
        "10.1234%2FABC",
        "see doi:10.1234/abc.",
        "https://publisher.example.org/doi/10.1234/abc/full.pdf",
    ],
)
def test_a_doi_is_found_in_a_text(text: str) -> None:
    assert "10.1234/abc" in set(dois_in(text))


def test_a_longer_doi_is_another_one() -> None:
    assert "10.1234/abc" not in set(dois_in("https://doi.org/10.1234/abcd 10.1234/abc.2"))


# --- texts --------------------------------------------------------------------------------------------------------

BODY = b"%PDF-1.4 " + bytes(range(256))


@each_row(
    "content",
    [
        b"<a>http://h.example.org/1.pdf</a>",
        b"<a>http&#58;//h.example.org&#x2f;1.pdf</a>",
        b'{"url": "http:\\/\\/h.example.org\\/1.pdf"}',
        b"<a>application/pdf http://h.example.org/1.pdf.</a>",
        b"<a>" + DIGEST.upper().encode() + b"</a>",
        b"<a>" + b64encode(BODY) + b"</a>",
        b"<a>" + b"\n".join(b64encode(BODY)[at : at + 60] for at in range(0, 400, 60)) + b"</a>",
    ],
)
def test_a_payload_that_tells_what_is_taken_down_is_known(content: bytes) -> None:
    takedowns = Takedowns(
        [Takedown(Kind.URL, "h.example.org/1.pdf", files=(DIGEST,)), Takedown(Kind.SHA256, sha256(BODY).hexdigest())]
    )
    assert takedowns.mentions(content)
    assert takedowns.may_concern(content)


@each_row(
    "content",
    [
        b"",
        b"<a>http://h.example.org/10.pdf</a>",
        b"&#x110000;&#99999999;",
        b"\xff",
    ],
)
def test_a_payload_that_tells_something_else_is_let_through(content: bytes) -> None:
    takedowns = Takedowns([Takedown(Kind.URL, "h.example.org/1.pdf"), Takedown(Kind.SHA256, DIGEST)])
    assert not takedowns.mentions(content)
    assert not takedowns.may_concern(content)
    assert not Takedowns([Takedown(Kind.IDENTIFIER, "oai:g.example.org:laro/1")]).mentions(content)


def test_addresses_are_cut_out_of_a_text() -> None:
    takedowns = Takedowns([Takedown(Kind.HOST, "h.example.org")])
    assert takedowns.without("application/pdf http://h.example.org/1.pdf") == "application/pdf"
    assert takedowns.without("http://h.example.org/1.pdf") == ""
    assert takedowns.without("see http://other.example.org/1.pdf") == "see http://other.example.org/1.pdf"
    assert takedowns.names_file(FileLink("http://h.example.org/1"))
