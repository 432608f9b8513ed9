# ruff: noqa: E501 - a table has long lines
"""Mutants of samples: what `random.Random` makes of them is the same for the same seed, on every machine."""

from collections.abc import Sequence
from random import Random

TOKENS = (
    *(b"<", b">", b"&", b"/", b'"', b"'", b"=", b";", b",", b":", b"%", b"?", b"#", b"[", b"]", b"{", b"}", b"\\", b"*"),
    *(b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?", b"?>", b"<?xml ?>", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"&#"),
    *(b"&#xD800;", b"&#0;", b"&nbsp;", b"&amp;", b"<a>", b"</a>", b"<a/>", b" a='b'", b" xmlns:z='a b'", b"<z:a/>"),
    *(b"\0", b"\x0b", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\xe2\x84\x80", b"\xc2\xb2", b"\x1f\x8b"),
    *(b"<record>", b"</record>", b"<metadata>", b"</metadata>", b"<header>", b"<identifier>", b"<ListRecords>", b"<OAI-PMH>"),
    *(b"-1", b"9" * 20, b"9" * 5000, b"1e999", b"NaN", b"null", b"true", b"[" * 50, b'{"a":' * 50, b"\\ud800", b"http://["),
    *(b"http://a\xe2\x84\x80b/", b"http://a:99999/", b"//", b"..", b"%00", b"%ff", b"\r\n", b"\n", b" ", b"\t", b"Z", b"0000-00-00"),
)  # fmt: skip
_MOST_BYTES = 60_000


def mutant(chance: Random, samples: Sequence[bytes]) -> bytes:
    """Return one sample with a few places cut out, overwritten, repeated, filled, or spliced with another sample."""
    body = chance.choice(samples)
    for _ in range(chance.choice((1, 1, 2, 3, 5, 9))):
        body = _changed(chance, body, samples)[:_MOST_BYTES]
    return body


def _changed(chance: Random, body: bytes, samples: Sequence[bytes]) -> bytes:
    at, length = chance.randrange(len(body) + 1), chance.choice((1, 1, 2, 4, 9, 40, 200))
    ways = (
        lambda: body[:at],
        lambda: body[:at] + body[at + length :],
        lambda: body[:at] + bytes((chance.randrange(256),)) + body[at + 1 :],
        lambda: body[:at] + body[at : at + length] * chance.choice((2, 3, 20)) + body[at + length :],
        lambda: body[:at] + (other := chance.choice(samples))[chance.randrange(len(other) + 1) :],
        lambda: body[:at] + chance.choice(TOKENS) * chance.choice((2, 10, 300)) + body[at:],
        lambda: body[:at] + chance.choice(TOKENS) + body[at + length :],
        lambda: body[:at] + chance.choice(TOKENS) + body[at:],
    )
    return chance.choice(ways)()
