"""Request lines whose queries nobody escaped; RFC 9112 §3 and §3.2."""

from gateway.server.request import escaped
from tests.rows import each_row


@each_row(
    "sent, read",
    [
        (b"GET /oai?x=\xc3\xa9 HTTP/1.1", b"GET /oai?x=%C3%A9 HTTP/1.1"),
        (b"GET /oai?x=\x00\x01\t\r\x7f HTTP/1.1", b"GET /oai?x=%00%01%09%0D%7F HTTP/1.1"),
        (b"GET /oai?x=a b  c HTTP/1.0", b"GET /oai?x=a%20b%20%20c HTTP/1.0"),
        (b"GET /oai?x=a?\xff HTTP/1.1", b"GET /oai?x=a?%FF HTTP/1.1"),
    ],
)
def test_what_a_query_may_not_hold_is_percent_encoded(sent, read):
    assert escaped(sent) == read


@each_row(
    "line",
    [
        b'GET /oai?verb=Identify&x=%41"<>\\^`{|} HTTP/1.1', b"GET /oai HTTP/1.1", b"GET /o\xc3\xa9ai HTTP/1.1",
        b"GET /o ai?verb=Identify HTTP/1.1", b"OPTIONS * HTTP/1.1", b"GET /oai?verb=Identify", b"GET", b"",
    ],
)  # fmt: skip
def test_every_other_line_stays_as_it_is(line):
    assert escaped(line) == line
