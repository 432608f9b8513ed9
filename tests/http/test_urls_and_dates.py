"""Addresses of requests, dates, and headers of answers."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.core.xmltext import parse_utc_datetime
from harvester.http.dates import DAY, SECONDS, bound, granularity_of, http_date, moment_of, written
from harvester.http.messages import Fetched
from harvester.http.urls import base_url, host_of, request_url
from tests.rows import each_row


@each_row(
    "address, base",
    [
        ("http://x.org/oai", "http://x.org/oai"),
        (" http://x.org/oai?verb=Identify#top ", "http://x.org/oai"),
        ("http://x.org/csw?mode=oaipmh&verb=ListRecords&metadataPrefix=oai_dc", "http://x.org/csw?mode=oaipmh"),
        ("http://x.org/oai?a=&&b", "http://x.org/oai?a=&b"),
        ("http://x.org/oai?resumptionToken=a%26b&from=1&until=2&set=3&identifier=4", "http://x.org/oai"),
    ],
)
def test_base_url_is_what_remains_without_the_protocols_arguments(address: str, base: str):
    assert base_url(address) == base


@each_row(
    "address, host",
    [
        ("https://Files.Example.org./a", "files.example.org"),
        ("https://BÜCHER.example:8443/a", "xn--bcher-kva.example"),
        ("https://bücher..example/a", "bücher..example"),  # no name of the DNS
        ("http://[2001:DB8::1]:80/", "2001:db8::1"),
        ("http://[", ""),
        ("/a", ""),
    ],
)
def test_host_has_one_spelling_so_that_pauses_and_counts_are_of_one_host(address: str, host: str):
    assert host_of(address) == host


def test_verb_comes_first_and_empty_arguments_not_at_all():
    """http://www.cshc.ubc.ca/oai/ wants the verb first; others refuse `set=`."""
    assert request_url("http://x.org/oai", "ListRecords", ("metadataPrefix", "oai_dc"), ("set", "")) == (
        "http://x.org/oai?verb=ListRecords&metadataPrefix=oai_dc"
    )
    assert request_url("http://x.org/a?b=c", "Identify") == "http://x.org/a?b=c&verb=Identify"


def test_tokens_are_percent_encoded_unless_the_server_cannot():
    token = ("resumptionToken", "a+b/c=&d e|f")
    assert request_url("http://x/", "ListRecords", token).endswith("resumptionToken=a%2Bb%2Fc%3D%26d%20e%7Cf")
    assert request_url("http://x/", "ListRecords", token, is_verbatim=True).endswith("resumptionToken=a+b/c=&d e|f")


@each_row("text, read", [("yyyy-mm-ddThh:MM:SSZ", SECONDS), ("YYYY-MM-DD", DAY), ("day", DAY), ("", DAY)])
def test_granularity_is_read_in_any_case(text: str, read: str):
    assert granularity_of(text) == read


@each_row(
    "text, same",
    [
        ("2024-02-03T04:05:06Z", "2024-02-03T04:05:06Z"),
        (" 2024-02-03t04:05:06.789z ", "2024-02-03T04:05:06Z"),
        ("2024-02-03 04:05", "2024-02-03T04:05:00Z"),
        ("2024-02-03T04:05:06+02:00", "2024-02-03T02:05:06Z"),
        ("2024-02-03", "2024-02-03"),
        ("2024-2-3", "2024-02-03"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
        ("0001-01-01T00:00:00+01:00", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59-01:00", "9999-12-31T23:59:59Z"),
    ],
)
def test_dates_are_read_as_servers_write_them(text: str, same: str):
    assert moment_of(text) == parse_utc_datetime(same)[0]


@each_row("text", ["", "yesterday", "2024-02-30", "2024-13-01T00:00:00Z", "0000-00-00", "2024-01-01T25:00Z"])
def test_what_is_no_date_is_none(text: str):
    assert moment_of(text) is None


@each_row(
    "text, date",
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sun, 06 Nov 1994 10:49:37 +0200", "1994-11-06T08:49:37Z"),
        ("Fri, 31 Dec 9999 23:59:59 -0200", ""),
        ("yesterday", ""),
    ],
)
def test_date_of_a_header_without_a_zone_is_in_utc(text: str, date: str):
    assert http_date(text) == date


def test_dates_are_written_at_the_granularity_of_the_server():
    second, _ = parse_utc_datetime("2024-02-03T04:05:06Z")
    assert written(second, DAY) == "2024-02-03"
    assert written(second, SECONDS) == "2024-02-03T04:05:06Z"
    assert written(-(10**15), DAY) == "0001-01-01"
    assert written(10**15, DAY) == "9999-12-31"


@each_row(
    "text, granularity, is_until, made",
    [
        ("", DAY, False, ""),
        ("2024-01-02", SECONDS, False, "2024-01-02T00:00:00Z"),
        ("2024-01-02", SECONDS, True, "2024-01-02T23:59:59Z"),
        ("2024-01-02T03:04:05Z", DAY, True, "2024-01-02"),
    ],
)
def test_an_administrators_dates_fit_the_server(text: str, granularity: str, is_until: bool, made: str):
    assert bound(text, granularity, is_until=is_until) == made


@each_row(
    "sent, location",
    [
        (b" /a b?c=%20#d ", "/a b?c=%20#d"),
        ("https://exämple.org/é.pdf".encode(), "https://exämple.org/é.pdf"),
        ("/é.pdf".encode("latin-1"), "/%E9.pdf"),
        (b"", ""),
    ],
)
def test_a_redirect_leads_where_a_browser_would_go(sent: bytes, location: str) -> None:
    """Headers are read as Latin-1; a UTF-8 address came out as another one."""
    assert Fetched("u", 302, (("location", sent.decode("latin-1")),), b"", 0).location == location


DATES = st.one_of(
    st.text(max_size=30),
    st.from_regex(r"\d{4}-\d\d?-\d\d?([T ]\d\d?:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?)?", fullmatch=True),
)


@given(DATES)
def test_any_date_is_a_moment_that_can_be_written_or_none(text: str) -> None:
    granularity_of(text)
    moment = moment_of(text)
    if moment is not None:
        assert len(written(moment, DAY)) == len("2024-06-01")
        assert moment_of(written(moment, SECONDS)) is not None
