"""Services and sites that an institution has a mirror of are asked there; nobody above notices."""

import pytest

from gateway.core.errors import AddressRefused, ConfigurationError, GatewayError
from gateway.core.settings import load
from harvester.fulltext.polite_fetch import SubstituteHosts, access_of, places_of, web_for_other_hosts
from harvester.http.credentials import Access
from harvester.http.messages import Fetched, Request
from tests.rows import each_row

TEXT = "https://api.crossref.org=http://10.0.0.1/crossref https://=http://127.0.0.1:8082/"


def test_what_has_another_place_is_asked_there_with_its_permission() -> None:
    asked = []

    def fetch(request: Request) -> Fetched:
        asked.append((request.url, request.source))
        return Fetched(request.url, 200, (), b"", 0)

    places = places_of(TEXT)
    for url in ("https://api.crossref.org/works/10.1", "https://x.example.org/1", "http://x.example.org/1"):
        assert SubstituteHosts(fetch, places)(Request(url)).url == url
    assert asked == [
        ("http://10.0.0.1/crossref/works/10.1", "http://10.0.0.1/crossref"),
        ("http://127.0.0.1:8082/x.example.org/1", "http://127.0.0.1:8082/"),
        ("http://x.example.org/1", ""),
    ]
    assert {access.url for access in access_of(places).values()} == {
        "http://10.0.0.1/crossref",
        "http://127.0.0.1:8082/",
    }


@each_row("text", ["x", "https://a=", "ftp://a=http://b/"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="Write address=address"):
        places_of(text)


def test_strangers_are_asked_at_the_ports_of_the_web_and_mirrors_at_their_own(tmp_path) -> None:
    """Port 1 of this machine refuses everybody: whoever comes so far was not refused by us."""
    instead = "http://127.0.0.1:1/"
    settings = load(tmp_path, environ={}, options={"discover_instead": f"https://x.example.org={instead}"})
    sources = {"laro": Access("http://127.0.0.1:1/oai", classes=("loopback",), allow=("127.0.0.1:3",))}
    with web_for_other_hosts(settings, lambda _: None, sources) as web:
        for url in ("http://8.8.8.8:22/", "https://8.8.8.8:6379/x"):
            with pytest.raises(AddressRefused, match=r"Port \d+ of .* is not among the allowed ports"):
                web(Request(url))
        with pytest.raises(AddressRefused, match=r"127.0.0.1 port 2 .*loopback"):
            web(Request("http://127.0.0.1:2/", source=instead))
        own, item, other = (
            "http://127.0.0.1:1/file.pdf",
            "oai:gateway.example.org:laro/1",
            "oai:gateway.example.org:x/1",
        )
        with pytest.raises(AddressRefused, match=r"127.0.0.1:1.* in the entry of the source"):
            web(Request(own, source=other))
        for url, source in ((instead, instead), (own, item), ("http://127.0.0.1:3/file.pdf", item)):
            with pytest.raises(GatewayError) as refused:
                web(Request(url, source=source))
            assert not isinstance(refused.value, AddressRefused)
