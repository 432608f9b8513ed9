"""What an item's page, metadata, forms and files say in their headers and link sets, two other parsers read as we do.

They are `signposting`, which stands on httplink, and `link_header`; for link sets as JSON, the standard library.
"""

import random
from collections.abc import Iterator

from gateway.core.model import Description, FileLink, Format, Statement, Work
from gateway.core.names import local_identifier
from gateway.core.typed_links import (
    MOST_BYTES,
    Link,
    header,
)
from gateway.pages import item_head
from gateway.pages.item import Item, item_of
from gateway.pages.item_places import FORMS, Places, address_of
from gateway.pages.site import Asset, Site
from tests.core.test_typed_links import check, check_header
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


@each_row("number", range(50))
def test_awkward_items_are_read_by_others_as_by_us(number):
    item = awkward_item(random.Random(f"{SEED}-{number}"))
    check(item_head.link_set(item), item.url)
    for url, links in headers(item):
        check_header(links, url)
        assert len(header(links, url)) <= MOST_BYTES
