"""Identifiers of all kinds lead to our pages (303), as those of ERRoLs did."""

from gateway.core.takedowns import Kind, Takedown
from gateway.search.following import IndexKeeper
from gateway.search.indexing import describe
from tests.page_house import FOUND, ITEM
from tests.rows import each_row

LOCAL = "oai:gateway.example.org:laro/1"


def led(house, path: str) -> str:
    answer = house.get(path)
    assert answer.status_code == 303, (path, answer.status)
    assert answer.headers["Location"].startswith("/")
    assert house.get(answer.headers["Location"].partition("#")[0]).status_code == 200
    return answer.headers["Location"]


@each_row(
    "suffix, place",
    [
        ("", f"/items/{LOCAL}"),
        (".json", f"/items/{LOCAL}.json"),
        (".linkset.json", f"/items/{LOCAL}.linkset.json"),
        (".oai_didl", f"/metadata/oai_didl/{LOCAL}"),
        (".ListMetadataFormats", "/browse?verb=ListMetadataFormats&identifier=oai%3Agateway.example.org%3Alaro%2F1"),
        (".ListERRoLs", f"/items/{LOCAL}.linkset.json"),
        (".resource", f"/items/{LOCAL}#files"),
    ],
)
def test_an_identifier_is_resolved_with_every_suffix(house, suffix, place):
    house.add("1")
    assert led(house, f"/{LOCAL}{suffix}") == place


def test_the_resource_is_our_copy_if_we_serve_it(house):
    house.add("1")
    house.file("1", FOUND._replace(copy_url=f"https://gateway.example.org/files/{FOUND.sha256}"))
    answer = house.get(f"/{LOCAL}.resource")
    assert answer.headers["Location"] == f"https://gateway.example.org/files/{FOUND.sha256}"


def test_an_upstream_identifier_and_a_digest_are_resolved(house):
    house.add("oai:laro.example.org:1")
    house.file("oai:laro.example.org:1", FOUND)
    page = f"{ITEM}oai:laro.example.org:1"
    for text in (
        "oai:laro.example.org:1",
        FOUND.sha256,
        FOUND.sha256.upper(),
        f"sha256:{FOUND.sha256}",
        f"SHA-256:{FOUND.sha256}",
    ):
        assert led(house, f"/resolve?id={text}") == page


def test_an_identifier_of_several_items_lists_them(house):
    from gateway.core.model import Source  # noqa: PLC0415
    from tests.publish.harness import Sent  # noqa: PLC0415

    house.add("1")
    house.harness.store.add_source(Source("other", "https://other.example.org/oai"))
    house.harness.send(Sent("1"), source="other")
    house.harness.publish("other", facts=house.harness.facts("other"))
    answer = house.get("/resolve?id=1")
    assert answer.status_code == 300
    for source in ("laro", "other"):
        assert f'href="/items/oai:gateway.example.org:{source}/1"' in answer.text


def test_what_is_gone_is_not_resolved(house):
    house.add("1")
    house.file("1", FOUND)
    house.add("2")
    house.harness.now += 5
    house.delete("2")
    house.take_down(Takedown(Kind.UPSTREAM, "1", "laro"))
    for text in ("1", "2", FOUND.sha256):
        assert house.get(f"/resolve?id={text}").status_code == 404


@each_row("path, status",
    [
        ("/resolve", 400), ("/resolve?id=", 400), ("/resolve?id=" + "a" * 20_000, 400), ("/resolve?id=nothing", 404),
        ("/resolve?id=%FF", 404), ("/oai:nobody", 404), ("/oai:" + "a" * 50_000, 404), ("/oai:%FF", 404),
        ("/resolve?id=//evil.example", 404), ("/resolve?id=https://evil.example/", 404),
    ],
)  # fmt: skip
def test_what_is_unknown_is_a_clear_error(house, path, status):
    house.add("1")
    IndexKeeper(house.harness.folder, describe).advance(house.harness.store)
    assert house.get(path).status_code == status
