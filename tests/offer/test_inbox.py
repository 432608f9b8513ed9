"""An inbox that is broken or hostile: nothing follows it, nothing waits for it, and nothing of it is believed."""

import os
import signal
import subprocess
from threading import Event

import pytest

from tests import live
from tests.fulltext.conftest import NAME
from tests.http.server import Server, handler, listening, ok, until_gone
from tests.offer.conftest import Place

pytestmark = pytest.mark.slow  # real servers, and an instance for each test

A, B = "LR-15-00007", "LR-15-00071"


def harvested_at(place: Place, address: str) -> None:
    """Write another address of the source into its entry."""
    file = place.folder / "sources.toml"
    text = file.read_text()
    url = next(line for line in text.splitlines() if line.startswith("url ="))
    file.write_text(text.replace(url, f'url = "{address}"'))


def head_only(request, status: int = 201) -> None:
    """Send the head of an answer whose body never ends."""
    request.send_response_only(status)
    request.send_header("Content-Length", "100000000")
    request.send_header("Location", "/inbox/7")
    request.end_headers()


def test_an_announcement_is_a_post_of_json_ld_by_our_own_fetch(place: Place) -> None:
    place.accept(A)
    place.offer()
    (asked,) = place.server.asked
    assert asked.method == "POST"
    assert asked.headers["Content-Type"] == 'application/ld+json;profile="https://www.w3.org/ns/activitystreams"'
    assert asked.headers["User-Agent"].startswith("oai-gateway/")


def test_an_answer_without_end_counts_by_its_status(place: Place) -> None:
    place.accept(A)

    def endless(request) -> None:
        head_only(request)
        for _ in range(200):
            request.wfile.write(b"x" * 10_000)
        request.close_connection = True

    place.server.say("/inbox", endless)
    assert place.offer() == [(A, "created")]
    assert place.explained(A)[0]["location"] == place.server.url("/inbox/7")


LOCATIONS = {
    "https://laro.example.org/inbox/1": "https://laro.example.org/inbox/1",
    "https://laro.example.org/1?token=abcdef0123456789": "https://laro.example.org/1?token=...",
    "javascript:alert(1)": "",
    "https://laro.example.org/\x1b[31m": "",
    f"https://laro.example.org/{'x' * 3000}": "",
}


def test_a_location_is_kept_if_it_is_a_web_address(place: Place) -> None:
    for number in range(len(LOCATIONS)):
        place.accept(A, body=b"%%PDF %d" % number, url=f"https://a.example.org/{number}.pdf")
    place.server.say("/inbox", *(ok(b"", 201, Location=location) for location in LOCATIONS))
    assert place.offer() == [(A, "created")] * len(LOCATIONS)
    assert sorted(offer["location"] for offer in place.explained(A)) == sorted(LOCATIONS.values())


def test_a_private_inbox_that_the_entry_does_not_allow_gets_nothing(place: Place) -> None:
    place.accept(A)
    for host in ("127.0.0.1", "localhost", "169.254.169.254"):
        place.configure(f"http://{host}:1/inbox", allow="192.0.2.1")
        assert place.offer(status=4) == [], host
        assert place.explained(A) == [], "it still waits"
        assert place.data("status")[0]["offers"] == {"waiting": 1}, host
    assert place.server.asked == []


def test_credentials_are_sent_to_the_host_of_the_source_only(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.accept(A)
    place.accept(B)
    monkeypatch.setenv("LARO_TOKEN", "s3cret")
    file = place.folder / "sources.toml"
    file.write_text(file.read_text() + 'auth = {kind = "bearer", token_env = "LARO_TOKEN"}\n')
    place.offer("--limit", "1")
    assert "Authorization" not in place.server.asked[-1].headers
    harvested_at(place, place.server.url("/oai"))
    place.offer("--limit", "1")
    assert place.server.asked[-1].headers["Authorization"] == "Bearer s3cret"


def test_an_inbox_in_the_entry_must_be_a_web_address_without_a_secret(place: Place) -> None:
    for inbox in (
        "/inbox",
        "file:///inbox",
        "https://a@b/",
        "https://e.org/?token=abcdef012345",
    ):
        file = place.folder / "sources.toml"
        lines = [line for line in file.read_text().splitlines() if not line.startswith("notify_inbox")]
        file.write_text("\n".join([*lines, f'notify_inbox = "{inbox}"', ""]))
        assert "sources.toml" in place.call("offer", NAME, status=2), inbox


# --- the inbox that a source names --------------------------------------------------------------------------------


LINKS = [
    ('</in>; rel="http://www.w3.org/ns/ldp#inbox"', "/in"),
    ('</a>; rel="next", </in>; rel="item http://www.w3.org/ns/ldp#inbox"', "/in"),
    ("<<<;;;", ""),
    ('</other>; rel="http://www.w3.org/ns/ldp#inbox"; anchor="/item/1"', ""),
    ('<javascript:alert(1)>; rel="http://www.w3.org/ns/ldp#inbox"', ""),
    ('<mailto:a@b>; rel="http://www.w3.org/ns/ldp#inbox", </in>; rel="http://www.w3.org/ns/ldp#inbox"', "/in"),
]


def test_the_inbox_that_a_source_names_in_its_link_header_is_shown(place: Place) -> None:
    other = Server()
    with listening(handler(other)) as other.address:
        harvested_at(place, other.url("/oai"))
        for header, inbox in LINKS:
            other.say("/oai", ok(b"<a/>", Link=header))
            (shown,) = place.data("offer", NAME, "--find-inbox", status=0 if inbox else 3)
            assert shown == {"source": NAME, "inbox": other.url(inbox) if inbox else ""}, header
            words = place.call("offer", NAME, "--find-inbox", status=0 if inbox else 3)
            assert (f'notify_inbox = "{other.url(inbox)}"' in words) is bool(inbox)


def test_a_source_that_is_a_file_names_no_inbox_and_may_have_one(place: Place) -> None:
    """An inbox at a private address must be allowed."""
    place.accept(A)
    file = place.folder / "sources.toml"
    lines = [line for line in file.read_text().splitlines() if not line.startswith(("url =", "address ="))]
    (place.folder / "dump.xml").write_text("<a/>")
    file.write_text("\n".join([*lines, f'url = "{(place.folder / "dump.xml").as_uri()}"', 'kind = "files"', ""]))
    assert place.offer() == [(A, "created")]
    assert "names no inbox" in place.call("offer", NAME, "--find-inbox", status=2)


def test_ctrl_c_ends_a_command_whose_inbox_hangs(place: Place) -> None:
    place.accept(A)
    begun = Event()

    def hang(request) -> None:
        begun.set()
        until_gone(request)

    place.server.say("/inbox", hang)
    command = live.command("harvester", place.folder, "offer", NAME)
    with subprocess.Popen(command, env=live.unmeasured(os.environ), stderr=subprocess.PIPE) as process:
        assert begun.wait(240)
        process.send_signal(signal.SIGINT)
        assert process.wait(240) == 130
    place.server.say("/inbox", ok(b"", 201))
    assert place.offer() == [(A, "created")]
