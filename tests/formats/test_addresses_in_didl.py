"""Whatever an upstream calls an address, what the DIDL refers to is a legal xs:anyURI."""

from lxml import etree

from gateway.core.model import FileLink, Work
from gateway.formats import oai_didl
from gateway.formats._statements import address  # type: ignore[attr-defined]
from tests.rows import each_row

ANY_URI = etree.XMLSchema(
    etree.fromstring(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="ref" type="xs:anyURI"/></xs:schema>'
    )
)


@each_row(
    "stated, legal",
    [
        ("http://a.org/22240/2/Ch08[1].pdf", "http://a.org/22240/2/Ch08%5B1%5D.pdf"),  # authors.library.caltech.edu
        ("http://[::1]/a[1].pdf", "http://[::1]/a%5B1%5D.pdf"),
        ("http://a.org/b c.pdf", "http://a.org/b%20c.pdf"),
        ("http://a.org/100%.pdf", "http://a.org/100%25.pdf"),
        ("http://a.org/b#c#d", "http://a.org/b#c%23d"),
        ("http://a.org/é.pdf", "http://a.org/%C3%A9.pdf"),
        ("http://a.org/b%20c.pdf?d=e&f#g", "http://a.org/b%20c.pdf?d=e&f#g"),
    ],
)
def test_an_address_becomes_legal_and_stays_the_same_address(stated: str, legal: str) -> None:
    assert address(stated) == legal
    assert _references(stated) == [legal]


@each_row("stated", ["http://a.org:port/b.pdf", "http://a.org:/b.pdf", "http://a@b@c.org/d.pdf"])
def test_what_can_be_no_address_is_no_component(stated: str) -> None:
    assert _references(stated) == []


def _references(stated: str) -> list[str]:
    root = etree.fromstring(oai_didl.write(Work(upstream="oai:a.org:1", files=(FileLink(address(stated)),))))
    references = [resource.get("ref") or "" for resource in root.iter("{*}Resource")]
    for reference in references:
        element = etree.Element("ref")
        element.text = reference
        ANY_URI.assertValid(element)
    return references
