"""Typed links and signposts: of headers, link sets, the head of a page; recorded, and as the standards have them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.typed_links import Link, links_of_header
from harvester.fulltext.pages import landing_page
from harvester.fulltext.steps import signposting
from harvester.http.json_answers import linkset
from harvester.http.messages import Fetched
from tests.fulltext.web import DATA, body, exchange, fetched
from tests.rows import each_row

needs_data = pytest.mark.needs("../shared")
PAGE = "https://example.org/page/1"


@each_row("header, expected", [
    ('</a.pdf>; rel="item"; type="application/pdf"', [
        Link(PAGE, "item", "https://example.org/a.pdf", "application/pdf")
    ]),
    ('<b>; REL="Item describedby"', [Link(PAGE, rel, "https://example.org/page/b") for rel in ("item", "describedby")]),
    ('<a,b;c>; rel="item"; title="x, \\"z;\\""; profile="p:q"', [
        Link(PAGE, "item", "https://example.org/page/a,b;c", "", "p:q", 'x, "z;"')
    ]),
    ('<b>; rel="describes"; anchor="/c"', [Link("https://example.org/c", "describes", "https://example.org/page/b")]),
    ('<http://[>; rel="item", <b>; rel="item"', [Link(PAGE, "item", "https://example.org/page/b")]),
    ("<b>", []), ("nonsense", []), ("<b", []),
])  # fmt: skip
def test_links_of_a_header(header: str, expected: list[Link]) -> None:
    assert list(links_of_header([header], PAGE)) == expected


@given(st.text(alphabet='<>;,="\\ rel/a', max_size=40))
def test_whatever_stands_in_a_header_it_is_read(header: str) -> None:
    assert all(link.href and link.rel for link in links_of_header([header], PAGE))


@needs_data
def test_the_signposts_of_zenodo() -> None:
    signposts = signposting.of_answer(
        exchange(DATA / "signposting/http/commonmeta__zenodo.org_records_1196821.200.meta.json")
    )
    assert len(signposts.items) == 3
    assert len(signposts.described_by) == 15
    assert signposts.cite_as == "https://doi.org/10.5281/zenodo.1196821"
    assert signposts.licenses[0] == "https://creativecommons.org/licenses/by-sa/4.0/legalcode"
    assert signposts.linksets[0].type == "application/linkset+json"
    assert {copy.license for copy in signposts.copies} == {"cc-by-sa"}


@needs_data
def test_the_signposts_of_pangaea() -> None:
    folder = DATA / "signposting" / "http"
    signposts = signposting.of_answer(exchange(folder / "fuji__doi.pangaea.de_10.1594_PANGAEA.902845.200.meta.json"))
    assert (
        signposts.cite_as, len(signposts.described_by), len(signposts.items),
    ) == ("https://doi.org/10.1594/PANGAEA.902845", 8, 1)  # fmt: skip
    assert signposts.items[0].href == "https://doi.pangaea.de/10.1594/PANGAEA.902845?format=zip"


@needs_data
def test_both_forms_of_a_link_set() -> None:
    base = "https://s11.no/2022/a2a-fair-metrics/"
    page = f"{base}27-http-linkset-json-only/"
    signposts = signposting.of_linkset(fetched("signposting/signposting__27-http-linkset-json-only.json"), page)
    assert [copy.url for copy in signposts.copies] == [f"{page}test-apple-data.csv"]
    assert signposts.cite_as == "https://w3id.org/a2a-fair-metrics/27-http-linkset-json-only/"
    page = f"{base}28-http-linkset-txt-only/"
    headers = (("Content-Type", "application/linkset; charset=utf-8"),)
    signposts = signposting.of_linkset(
        Fetched(page, 200, headers, body("signposting/signposting__28-http-linkset-txt-only.txt"), 0), page
    )
    assert [(copy.url, copy.mime_type) for copy in signposts.copies] == [(f"{page}test-apple-data.csv", "text/csv")]


@needs_data
@each_row("name, items, license, cite_as", [
    ("02-html-full", 1, "https://creativecommons.org/licenses/by/4.0/", True),
    ("18-html-citeas-only", 0, "", True), ("19-html-citeas-multiple-rels", 0, "", True),
])  # fmt: skip
def test_signposts_in_the_head_of_a_page(name: str, items: int, license: str, cite_as: bool) -> None:  # noqa: A002 - the relation's name
    page = f"https://s11.no/2022/a2a-fair-metrics/{name}/"
    signposts = signposting.read(page, landing_page.read(body(f"signposting/signposting__{name}.html"), page).links)
    assert (len(signposts.items), "".join(signposts.licenses), bool(signposts.cite_as)) == (items, license, cite_as)


@each_row("content", [b"", b"[]", b'{"linkset": [{"anchor": "/x", "item": [{"type": "a/b"}, 3]}]}', b"[" * 100_000])
def test_what_is_no_link_set_has_no_links(content: bytes) -> None:
    assert linkset(content, PAGE) == ()
