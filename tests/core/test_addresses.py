"""Whatever is found as an address leaves as a legal URI."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from gateway.core.addresses import address, any_uri, is_address, uri_of
from gateway.core.secret_arguments import secret_argument, without_secrets
from gateway.core.xmltext import clean
from tests.rows import each_row

ANY_URI = etree.XMLSchema(
    etree.fromstring(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="xs:anyURI"/></xs:schema>'
    )
)
PIECES = st.lists(st.sampled_from([*"/:?#@[]%&=. é^", "http:", "//", "%zz", "::1", "a", "99999", "oai:x"])).map("".join)


def is_legal(text: str) -> bool:
    element = etree.Element("a")
    element.text = text
    return ANY_URI.validate(element) and text.isascii() and not set(' <>"{}|\\^`') & set(text)


@given(st.one_of(st.text(), PIECES))
def test_any_uri_is_legal(text: str) -> None:
    assert is_legal(any_uri(text))


@given(st.one_of(st.text(), PIECES).map("http://h.example.org".__add__))
def test_an_address_that_is_one_is_legal(text: str) -> None:
    cleaned = address(clean(text))
    assert not is_address(cleaned) or is_legal(cleaned)


@each_row(
    "text, expected",
    [
        ("http://a.example.org/b c[1]", "http://a.example.org/b%20c%5B1%5D"),
        ("http://[::1]/a[1]", "http://[::1]/a%5B1%5D"),
        ("http://a.example.org/100%/%41", "http://a.example.org/100%25/%41"),
        ("http://a.example.org/#b#c", "http://a.example.org/#b%23c"),
        ("http://bücher.example.org/é", "http://xn--bcher-kva.example.org/%C3%A9"),
        ("http://é..org/", "http://%C3%A9..org/"),
        ("urn:nbn:é", "urn:nbn:%C3%A9"),
    ],
)
def test_what_is_not_allowed_is_percent_encoded(text: str, expected: str) -> None:
    assert address(text) == expected


@each_row(
    "text, expected", [("oai:x:1", "oai:x:1"), (":x", "%3Ax"), ("1a:b", "1a%3Ab"), ("://", "%3A%2F%2F"), ("", "")]
)
def test_what_cannot_be_a_uri_is_encoded_as_a_whole(text: str, expected: str) -> None:
    assert any_uri(text) == expected


@each_row(
    "text, uri",
    [
        ("doi:10.1234/x", "https://doi.org/10.1234/x"),
        ("info:doi/10.1234/x", "https://doi.org/10.1234/x"),
        ("10.1234/x<y>", "https://doi.org/10.1234/x%3Cy%3E"),
        ("hdl:1/2", "https://hdl.handle.net/1/2"),
        ("http://hdl.handle.net/20.500.1/2", "https://hdl.handle.net/20.500.1/2"),
        ("DOI 10.1234/x", "https://doi.org/10.1234/x"),
        ("https://doi.org/10.1234%2Fx", "https://doi.org/10.1234/x"),
        ("info:eu-repo/semantics/altIdentifier/doi/doi.org/10.1234/x", "https://doi.org/10.1234/x"),
        ("http://hdl.handle.net/123456789/2", ""),
        ("p. 10.1234/x", ""),
    ],
)
def test_dois_and_handles_however_they_are_spelled(text: str, uri: str) -> None:
    assert uri_of(text) == uri


@each_row("text", ["http://", "http:///x", "ftp://a/b", "http://a b/", "http://a:port/", "http://a@b@c/"])
def test_what_is_no_address(text: str) -> None:
    assert not is_address(text)


HOST = "http://laro.example.org/oai"


@each_row(
    "query, name",
    [
        ("apikey=S", "apikey"), ("api_key=S", "api_key"), ("API-Key=S", "API-Key"),
        ("mode=oai&access_token=S", "access_token"), ("mode=oai;token=S", "token"), ("api%5Fkey=S", "api_key"),
        ("mySpecialToken=S", "mySpecialToken"), ("sig=S", "sig"), ("key=S", "key"),
        ("view=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "view"),
        ("t=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0", "t"),
    ],
)  # fmt: skip
def test_an_argument_that_looks_like_a_secret_is_named_and_blotted_out(query, name):
    url = f"{HOST}?{query}&x=1"
    assert secret_argument(url) == name
    first, _, _ = query.rpartition("=")
    assert without_secrets(f"{url} was asked") == f"{HOST}?{first}=...&x=1 was asked"


@each_row(
    "query",
    [
        "verb=ListRecords&resumptionToken=oai_dc/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "collection=550e8400-e29b-41d4-a716-446655440000",
        "keyword=library",
        "apikey=",
        "project=institutional-repository-of-the-university",
        "",
    ],
)
def test_an_ordinary_address_has_no_secret(query):
    url = f"{HOST}?{query}"
    assert (secret_argument(url), without_secrets(url)) == ("", url)


def test_a_path_is_not_an_argument():
    assert secret_argument(f"{HOST};key=1") == ""
