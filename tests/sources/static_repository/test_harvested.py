"""A Static Repository on loopback, harvested as its administrator would."""

import json
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace

import pytest

from gateway.core.model import Selection
from harvester.harvest.instance import opened
from tests.http.server import listening
from tests.sources.static_repository.static import document, record

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times


@pytest.fixture
def site():
    """Serve one document; a test puts it into `site.body`."""
    site = SimpleNamespace(body=document(*map(record, range(20))), url="")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            etag = f'"{hash(site.body)}"'
            is_known = self.headers.get("If-None-Match") == etag
            body = b"" if is_known else site.body
            self.send_response(304 if is_known else 200)
            for name, value in {"ETag": etag, "Content-Type": "text/xml", "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with listening(Handler) as address:
        site.url = f"http://{address}/small.xml"
        yield site


def _records(instance):
    with opened(str(instance)) as house, house.store.view() as view:
        records = [content.decode() for content in view.page(Selection("oai_dc"), None, 100).records]
    return {text.partition("oai:small:")[2].partition("<")[0]: text for text in records}


def test_it_is_harvested_again_when_it_changes_and_what_vanished_is_deleted(command, site, instance):
    assert command("source", "check", site.url, "--add", "small")[0] == 0
    assert command("run", "small")[0] == 0
    assert (len(_records(instance)), "<dc:title>A title</dc:title>" in _records(instance)["7"]) == (20, True)

    status, out, _ = command("run", "small", "--json")
    assert (status, json.loads(out)["counts"]["received"]) == (0, 0)

    site.body = document(*(record(number, "Another" if number == 7 else "A title") for number in range(1, 21)))
    status, out, _ = command("run", "small", "--json")
    counts = json.loads(out)["counts"]
    assert (status, counts["published"], counts["unchanged"], counts["deleted"]) == (0, 3, 18, 1)
    held = _records(instance)
    assert 'status="deleted"' in held["0"]
    assert "Another" in held["7"]
    assert "20" in held
