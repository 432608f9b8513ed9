"""Where pages, headers and robots.txt say that ResourceSync documents are."""

from harvester.sources.resourcesync.leads import leads_of_headers, leads_of_page, leads_of_robots
from tests.rows import each_row

BASE = "http://e.org/a/b"


@each_row(
    "value, expected",
    [
        ('<http://x.org/c.xml>; rel="resourcesync"', ("http://x.org/c.xml",)),
        ("<c.xml>;\n  rel=resourcesync", ("http://e.org/a/c.xml",)),
        ('</d>; rel="next", </c.xml>; title="a, b; rel=\\"x\\""; REL="up ResourceSync"', ("http://e.org/c.xml",)),
        ('</c>; rel="next"', ()),
        ("</c>", ()),
        ("</c>; title=resourcesync", ()),
        ('<http://[e/x>; rel="resourcesync"', ()),
        ("nonsense", ()),
    ],
)
def test_link_headers_are_read_after_rfc_8288(value, expected):
    assert leads_of_headers((("Server", "x"), ("link", value)), BASE) == expected


def test_a_page_names_them_in_its_links():
    page = (
        b"<html><head><LINK REL='resourcesync alternate' HREF='caps.xml'><link rel=stylesheet href=s.css>"
        b"<link rel=resourcesync><link rel=resourcesync href=caps.xml></head>"
    )
    assert leads_of_page(page, BASE) == ("http://e.org/a/caps.xml",)
    assert leads_of_page(b"\xff\xfe<<<", BASE) == ()


def test_robots_txt_names_them_as_sitemaps():
    robots = (
        b"User-agent: *\nDisallow: /x\nSitemap: http://e.org/1.xml\r\n  sitemap : /2.xml # two\nSitemap:\nDisallow: /y"
    )
    assert leads_of_robots(robots, BASE) == ("http://e.org/1.xml", "http://e.org/2.xml")
