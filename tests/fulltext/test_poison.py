"""Records and answers that stopped a source, or the whole program: named by what was in them."""

from gateway.core.typed_links import links_of_header
from harvester.fulltext.pages import landing_page
from harvester.http import robots_txt as robots
from harvester.http.urls import host_of
from tests.rows import each_row


@each_row("url", ["http://[", "http://a\u2100b/", "", "mailto:x"])
def test_address_without_a_host_is_read_as_one(url: str):
    page = landing_page.read(b'<a href="x.pdf">PDF</a><link rel="item" href="y">', url)
    assert isinstance(page, landing_page.Page)
    assert host_of(url) == ""
    assert robots.robots_url(url).endswith("/robots.txt")
    assert list(links_of_header((f"<{url}>; rel=item",), "http://x.org/")) is not None


def test_page_that_names_an_impossible_host_is_read():
    body = "<a href='http://a\u2100b/x.pdf'>PDF</a><base href='http://['><meta name=citation_pdf_url content='//['>"
    assert landing_page.read(body.encode(), "http://x.org/1").outcome is None
