"""How files of a mirror come over the wire: in parts, slowly, and from addresses as people write them."""

import time
from contextlib import suppress

import pytest

from harvester.http import retrying
from tests.mirror.conftest import each_mirror
from tests.mirror.provider import Item, breaking_off

pytestmark = pytest.mark.slow  # it asks servers


@pytest.fixture
def breaks(provider):
    """Return a function that lets the first answer for a file break off, and the rest be that of other bytes."""

    def broken(name, content, rest):
        ranges = []

        def faulty(handler):
            ranges.append(handler.headers.get("Range"))
            if len(ranges) == 1:
                breaking_off(handler, content[:3], len(content))
            elif len(ranges) == 2:
                content_range = f"bytes 3-{len(content) - 1}/{len(content)}"
                handler.send(206, rest, {"Content-Range": content_range, "ETag": '"x"'})
            return len(ranges) <= 2

        provider.faults[name] = faulty
        return ranges

    return broken


def test_a_file_in_parts_without_a_digest_is_fetched_once_more_whole(mirror, provider, breaks):
    """The server says that nothing has changed (ETag), and sends the rest of another file."""
    provider.items["oai:p:0"] = Item({"a.txt": b"abcdef"}, says=())
    ranges = breaks("oai:p:0/a.txt", b"abcdef", b"DEF")
    mirror.run()
    assert ranges == [None, "bytes=3-", None]
    assert mirror.held() == provider.expected()
    mirror.run()
    assert len(ranges) == 3


@each_mirror("says, most", [(("digest",), 10), ((), 5)])
def test_a_file_in_parts_with_a_digest_or_a_large_one_is_not(mirror, provider, breaks, says, most):
    provider.items["oai:p:0"] = Item({"a.txt": b"abcdef"}, says=says)
    ranges = breaks("oai:p:0/a.txt", b"abcdef", b"def")
    mirror.run(mirror_whole_again_max_bytes=most)
    assert (len(ranges), mirror.held()) == (2, provider.expected())


def test_a_file_that_trickles_is_given_up_where_a_least_pace_is_set(mirror, provider, monkeypatch):
    monkeypatch.setattr(retrying, "_GRACE_SECONDS", 0.05)
    provider.items["oai:p:0"] = Item({"a.txt": b"x" * 60}, says=())

    def trickle(handler):
        """Send a byte now and then, until the client has left."""
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        handler.close_connection = True
        with suppress(OSError):
            while True:
                handler.wfile.write(b"x")
                time.sleep(0.02)
        return True

    provider.faults["oai:p:0/a.txt"] = trickle
    receipt = mirror.run(status=3, fetch_min_bytes_per_second=100_000)
    (missing,) = receipt["missing"]
    assert (missing["fate"], missing["reason"].partition(" sends ")[2]) == (
        "unreachable",
        "less than 100000 bytes per second.",
    )
