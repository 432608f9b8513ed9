"""What an item's page, metadata, forms and files say in their headers and link sets, two other parsers read as we do.

They are `signposting`, which stands on httplink, and `link_header`; for link sets as JSON, the standard library.
"""

import json
import random
import warnings
from collections.abc import Iterable, Iterator
from urllib.parse import urljoin

import link_header
from signposting import Signposting
from signposting.linkheader import find_signposting_http_link
from signposting.linkset import Linkset, LinksetJSON, _parse_linkset, _parse_linkset_json

from gateway.core.model import Description, FileLink, Format, Statement, Work
from gateway.core.names import local_identifier
from gateway.core.typed_links import (
    JSON,
    MOST_BYTES,
    TEXT,
    Link,
    header,
    in_order,
    legal,
    links_of_header,
    links_of_json,
    links_of_text,
    linkset_json,
    linkset_text,
)
from gateway.pages import item_head
from gateway.pages.item import Item, item_of
from gateway.pages.item_places import FORMS, Places, address_of
from gateway.pages.site import Asset, Site
from tests.rows import each_row
from tests.seeds import SEED

URL = "https://gateway.example.org"
SITE = Site("A gateway", "admin@example.org", URL, f"{URL}/oai", Asset("style.css", b"", "text/css"))
FORMATS = (
    Format("oai_dc", "https://e.org/oai_dc.xsd", "http://www.openarchives.org/OAI/2.0/oai_dc/"),
    Format("oai_didl", "https://e.org/didl.xsd", "urn:mpeg:mpeg21:2002:02-DIDL-NS"),
)
AWKWARD = (
    *(chr(code) for code in range(0x20, 0x7F) if not chr(code).isalnum()),
    "%2", "%zz", "%0d%0a", "\t", "\n", "\r\n", "\x00", "\x7f", "\x85", "\u2028", "é", "中文", "😀", "\u202e", "ß", "://",
    "//", "..", "/../", '">; rel="cite-as', ', <https://evil.example.org/>; rel="cite-as"', "</script>", "a", "b",
    "1", ".json", ".linkset",
)  # fmt: skip
SCHEMES = (
    "https://example.org/", "http://[2001:db8::1]:80/", "https://exämple.org:8443/x?", "HTTP://Example.ORG/",
    "urn:nbn:", f"{URL}/items/oai:gateway.example.org:laro/", "ftp://example.org/", "",
)  # fmt: skip
LICENSES = (
    "", "cc-by", "https://creativecommons.org/licenses/by/4.0/", "https://example.org/l?", "http://", "javascript:",
)  # fmt: skip


def drawn(chance: random.Random, most: int = 8) -> str:
    return "".join(chance.choices(AWKWARD, k=chance.randint(0, most)))


def item_named(name: str, work: Work) -> Item:
    """Return an item with an identifier at its source, as the routes make it."""
    identifier = local_identifier("gateway.example.org", "laro", name)

    def url(folder: str, ending: str = "") -> str:
        path = address_of(f"{URL}/{folder}/", identifier, lambda _: False)
        return f"{path}&format={ending}" if ending and "?" in path else f"{path}.{ending}" if ending else path

    return item_of(
        Description(identifier, "2026-01-01T00:00:00Z", (), False, work),
        url=url("items"),
        persistent_url=Places(SITE).persistent_url(identifier),
        is_indexed=False,
        source_url="",
        sets=(),
        formats=FORMATS,
        metadata={known.metadata_prefix: url(f"metadata/{known.metadata_prefix}") for known in FORMATS},
        forms={form: url("items", "" if form == "html" else form) for form in FORMS},
        neighbours=("", ""),
    )


def awkward_item(chance: random.Random) -> Item:
    """Return an item whose titles, addresses, types and licences are awkward."""
    files = [
        FileLink(
            chance.choice(SCHEMES) + drawn(chance),
            chance.choice(("application/pdf", "text/html; charset=utf-8", f"text/{drawn(chance)}", drawn(chance), "")),
            license=chance.choice(LICENSES) + drawn(chance, 2),
            copy_url=chance.choice(("", f"{URL}/files/{chance.randint(0, 2):064}")),
        )
        for _ in range(chance.randint(0, 6))
    ]
    statements = [Statement("title", drawn(chance)), Statement("type", drawn(chance))]
    statements += [Statement("identifier", f"https://doi.org/10.1234/{drawn(chance)}x")]
    statements += [
        Statement("creator", f"{drawn(chance)}, {drawn(chance)} (https://orcid.org/0000-0002-1825-0097)"),
        Statement("rights", drawn(chance)),
    ]
    identifiers = (f"https://doi.org/10.1234/{drawn(chance)}x", f"https://hdl.handle.net/2027/{drawn(chance)}")
    work = Work(
        tuple(statements), identifiers, chance.choice(SCHEMES) + drawn(chance), tuple(files),
        chance.choice(LICENSES) + drawn(chance, 2),
    )  # fmt: skip
    return item_named("oai:x:" + drawn(chance), work)


# --- what a parser understands ------------------------------------------------------------------------------------


def normalized(text: str) -> str:
    """Return an address as the client has it after `urljoin`: without an empty query, and without dot segments."""
    while (joined := urljoin(text, text)) != text:
        text = joined
    return text


def three(links: Iterable[Link]) -> set[tuple[str, str, str]]:
    return {(link.href, link.rel, link.type) for link in links}


def by_link_header(value: str) -> set[tuple[str, str, str]]:
    links = link_header.parse(value).links
    return {(link.href, link.rel, dict(link.attr_pairs).get("type", "")) for link in links}


def by_client(read: Signposting) -> set[tuple[str, str, str]]:
    return {(normalized(str(sign.target)), str(sign.rel), str(sign.type or "")) for sign in read.signposts}


def signposts(links: Iterable[Link]) -> set[tuple[str, str, str]]:
    """Return the links of the relations that the client knows; of those that may be there once, it keeps the first."""
    wanted = ("cite-as", "describedby", "describes", "type", "license", "author", "collection", "item", "linkset")
    kept: dict[tuple[str, ...], tuple[str, str, str]] = {}
    for link in links:
        if link.rel in wanted:
            once = (link.anchor, link.rel) if link.rel in ("cite-as", "license", "collection") else tuple(link)
            kept.setdefault(once, (normalized(link.href), link.rel, link.type))
    return set(kept.values())


def headers(item: Item) -> Iterator[tuple[str, list[Link]]]:
    """Yield the addresses of an item's page, metadata, forms and copies, and the links that each sends."""
    yield item.url, list(item_head.links_of_page(item))
    for known in item.formats:
        url = item.metadata[known.metadata_prefix]
        yield url, list(item_head.links_of_metadata(url, item.url, item.forms, known.namespace))
    for form in item_head.EXPORTS:
        yield item.forms[form], list(item_head.links_of_export(item, form))
    for file in item.files:
        if file.copy_url:
            yield file.copy_url, list(item_head.links_of_content(file.copy_url, item.url, item.forms))


def check(item: Item) -> None:
    """Compare what three parsers read in the headers and the link sets of an item."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the client says which links it leaves out
        for url, links in headers(item):
            value = header(links, url)
            assert value.isascii()
            assert value.isprintable()
            assert len(value) <= MOST_BYTES
            ours = list(links_of_header([value], url))
            assert three(ours) <= three(filter(None, map(legal, links)))
            assert by_link_header(value) == three(ours)
            assert by_client(find_signposting_http_link([value], url)) == signposts(ours)
        text, document = (
            b"".join(write(in_order(item_head.link_set(item)))).decode("ascii")
            for write in (linkset_text, linkset_json)
        )
        meant = {link for link in map(legal, item_head.link_set(item)) if link is not None}
        data = json.loads(document)
        assert set(links_of_text(text, URL)) == meant
        assert set(links_of_json(data, URL)) == meant
        assert by_link_header(" ".join(text.split())) == three(meant)
        assert plainly(data) == {(link.anchor, link.rel, link.href) for link in meant}
        for read in (
            _parse_linkset(Linkset(text, TEXT, item.url, item.url)),
            _parse_linkset_json(LinksetJSON(document, JSON, item.url, item.url)),
        ):
            assert by_client(read) >= signposts(links_of_text(text, URL))


def plainly(data: dict) -> set[tuple[str, str, str]]:
    """Return the links of a link set as anchors, relations and targets, with nothing but the rules of RFC 9264 §4.2."""
    (contexts,) = data.values()
    anchors = [context.pop("anchor") for context in contexts]
    assert len(set(anchors)) == len(anchors)
    return {
        (anchor, rel, target["href"])
        for anchor, context in zip(anchors, contexts, strict=True)
        for rel, targets in context.items()
        for target in targets
    }


# --- tests --------------------------------------------------------------------------------------------------------


@each_row("number", range(50))
def test_awkward_items_are_read_by_others_as_by_us(number):
    check(awkward_item(random.Random(f"{SEED}-{number}")))
