"""Typed links: what is written is legal, and others read in it what was meant."""

import json
import random
import re
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from urllib.parse import urljoin

import link_header
import pytest
from signposting import Signpost
from signposting.linkheader import find_signposting_http_link
from signposting.linkset import Linkset, LinksetJSON, _parse_linkset, _parse_linkset_json

from gateway.core.typed_links import (
    JSON,
    MOST_BYTES,
    NO_COMMA,
    TEXT,
    Link,
    Written,
    header,
    in_order,
    legal,
    links_of_elements,
    links_of_header,
    links_of_json,
    links_of_text,
    linkset_json,
    linkset_text,
    uri,
    written,
)
from tests.growth import peak_bytes
from tests.rows import each_row
from tests.seeds import SEED

PAGE = "https://repository.example.org/items/oai:example.org:1"

# The grammar of RFC 8288 §3, RFC 9110 §5.6 and RFC 8187 §3.2, in ASCII and without empty elements of lists.
_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_QUOTED = r'"(?:[\t !#-\[\]-~]|\\[\t -~])*"'
_EXT = r"[Uu][Tt][Ff]-8'[A-Za-z0-9-]*'(?:%[0-9A-F]{2}|[!#$&+.^_`|~0-9A-Za-z-])*"
_PARAMETER = rf"[ \t]*;[ \t]*(?:title\*={_EXT}|(?!title\*){_TOKEN}(?:=(?:{_TOKEN}|{_QUOTED}))?)"
_LINK = rf"<(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{{2}})*>(?:{_PARAMETER})*"
GRAMMAR = re.compile(rf"{_LINK}(?:[ \t]*,[ \t]*{_LINK})*")

AWKWARD = (
    *('"', "\\", "<", ">", ",", ";", "=", "'", "%", "%2", "%zz", "#", "?", "&", "{", "}", "|", "^", "`", "[", "]"),
    *(
        " ", "\t", "\r\n", "\n", "\x00", "\x7f", "\x85", "\u2028", "\ud800", "é", "中文", "😀", "\u202e", "ß", "://",
        "//",
    ),
    *('">; rel="cite-as', ', <https://evil.example.org/>; rel="cite-as"', "</script>", "a", "b", "1", "-", ".", "~"),
)  # fmt: skip
SCHEMES = ("https://example.org/", "http://[2001:db8::1]:80/", "https://exämple.org:8443/x?", "urn:nbn:", "")
RELATIONS = ("cite-as", "describedby", "item", "author", "license", "type", "linkset", "collection", "describes")
TYPES = (
    "application/pdf", "text/html; charset=utf-8", 'application/ld+json;profile="https://x"', "x", "", "a/b", "é/x",
)  # fmt: skip


def _awkward(chance: random.Random) -> str:
    return "".join(chance.choices(AWKWARD, k=chance.randint(0, 8)))


def _address(chance: random.Random) -> str:
    return chance.choice(SCHEMES) + _awkward(chance)


def _link(chance: random.Random) -> Link:
    anchor = PAGE if chance.random() < 0.8 else _address(chance)
    return Link(
        anchor,
        chance.choice(RELATIONS),
        _address(chance),
        chance.choice(TYPES),
        chance.choice(("", _address(chance))),
        _awkward(chance),
        chance.choice(("", "en", "de-CH", 'x"y')),
        chance.choice(("", "fr", "zh-Hant")),
    )


def _meant(links: Iterable[Link]) -> list[Link]:
    """Return the links as every reader should have them."""
    return [
        link._replace(type=link.type.lower(), title=link.title.encode("utf-8", "replace").decode())
        for link in map(legal, links)
        if link is not None
    ]


def _normalized(text: str) -> str:
    """Return an address as `urljoin`, which the others call once or twice, leaves it: without an empty query."""
    while (joined := urljoin(text, text)) != text:
        text = joined
    return text


def _comparable(rel: str, anchor: str, href: str, *others: str) -> tuple[str, ...]:
    """Return what the others keep of a link: of two links to one licence that differ otherwise, they keep one."""
    kept = others if rel not in ("cite-as", "license", "collection") else ()
    return (rel, _normalized(anchor), _normalized(href), *kept)


def _read_by_others(signposts: Iterable[Signpost]) -> set[tuple[str, ...]]:
    return {
        _comparable(
            str(sign.rel), sign.context, sign.target, str(sign.type or ""), *map(_normalized, sorted(sign.profiles))
        )
        for sign in signposts
    }


def _five(links: Iterable[Link]) -> set[tuple[str, ...]]:
    return {
        _comparable(
            link.rel, link.anchor, link.href, link.type, *map(_normalized, [link.profile] if link.profile else [])
        )
        for link in links
        if link.rel in RELATIONS  # the client knows no others
    }


def _three(links: Iterable[Link]) -> set[tuple[str, str, str]]:
    return {(link.href, link.rel, link.type) for link in links}


def _by_link_header(value: str) -> set[tuple[str, str, str]]:
    links = link_header.parse(value).links
    return {(link.href, link.rel, dict(link.attr_pairs).get("type", "")) for link in links}


def _plainly(data: dict) -> set[tuple[str, str, str]]:
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


def check_header(links: list[Link], page: str = PAGE) -> None:
    """Write links as a header of a page, and compare what ours and other parsers read with what was meant."""
    value = header(links, page, 1 << 30)
    assert GRAMMAR.fullmatch(value) or not value
    assert value.isprintable()
    own = [link for link in _meant(links) if link.anchor == page]
    assert sorted(links_of_header([value], page)) == sorted(dict.fromkeys(own))
    assert _by_link_header(value) == _three(own)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that there are no signposts
        of_header = find_signposting_http_link([value], page)
    assert _read_by_others(of_header.signposts) == _five(own)


def check(links: Iterable[Link], page: str = PAGE) -> None:
    """Do the same for links in all three forms."""
    links = in_order([link for link in map(legal, links) if link is not None])
    check_header(links, page)
    meant = _meant(links)
    text = b"".join(linkset_text(links)).decode("ascii")
    document = b"".join(linkset_json(links)).decode("ascii")
    assert GRAMMAR.fullmatch(" ".join(text.split())) or not links, text
    assert _by_link_header(" ".join(text.split())) == _three(meant)
    assert _plainly(json.loads(document)) == {(link.anchor, link.rel, link.href) for link in meant}
    assert list(links_of_text(text, "https://other.example.org/")) == meant
    assert list(links_of_json(json.loads(document), "https://other.example.org/")) == meant
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        of_linksets = (
            _parse_linkset(Linkset(text, TEXT, page, page)),
            _parse_linkset_json(LinksetJSON(document, JSON, page, page)),
        )
    for signposting in of_linksets:
        assert _read_by_others(signposting.signposts) == _five(meant)


def test_awkward_titles_and_addresses_are_read_as_they_are_meant():
    for number in range(60):
        chance = random.Random(f"{SEED}-{number}")
        try:
            check([_link(chance) for _ in range(5)])
        except AssertionError as failure:
            failure.add_note(f"number {number}")
            raise


# --- many files, large headers ------------------------------------------------------------------------------------


def _item(files: int, authors: int = 3) -> Iterator[Link]:
    """Yield the links of an item with so many files, as a link set has them."""
    yield Link(PAGE, "cite-as", "https://doi.org/10.5555/1")
    yield from (Link(PAGE, "author", f"https://orcid.org/0000-0002-1825-{n:04}") for n in range(authors))
    yield from (
        Link(PAGE, "item", f"https://repository.example.org/files/{n}", "application/pdf") for n in range(files)
    )
    for rel in ("describedby", "license", "type"):
        yield Link(PAGE, rel, f"https://repository.example.org/{rel}", "application/xml")
    yield Link(PAGE, "linkset", f"{PAGE}.linkset", JSON)
    for n in range(files):
        yield Link(f"https://repository.example.org/files/{n}", "collection", PAGE, "text/html")


@each_row("files", [1, 10, 1_000])
def test_a_header_is_never_too_large_and_names_the_important_links(files):
    value = header(_item(files, authors=files), PAGE)
    assert len(value) <= MOST_BYTES
    links = list(links_of_header([value], PAGE))
    counts = {rel: sum(link.rel == rel for link in links) for rel in ("cite-as", "linkset", "item", "author")}
    assert counts == {"cite-as": 1, "linkset": 1, "item": min(files, 20), "author": min(files, 10)}
    assert {link.rel for link in links} == {link.rel for link in _item(1) if link.anchor == PAGE}
    assert find_signposting_http_link([value], PAGE).citeAs.target == "https://doi.org/10.5555/1"


@pytest.mark.slow
@pytest.mark.unmeasured
def test_a_large_link_set_is_made_in_small_parts_and_little_memory():
    """The memory for four times the links: the JSON keeps the anchors, to notice one that comes back.

    The fewest are more than the addresses that are remembered in caches, so those are full each time.
    """
    for made, growth in ((linkset_text, 1.5), (linkset_json, 6)):
        assert max(map(len, made(_item(3_000)))) < 1_000
        few, many = (peak_bytes(partial(deque, made(_item(files)), 0)) for files in (3_000, 12_000))
        assert many < growth * few


# --- what is legal ------------------------------------------------------------------------------------------------


@each_row(
    "text, expected",
    [
        (" https://doi.org/10.1/a b ", "https://doi.org/10.1/a%20b"),
        ("https://exämple.org/ü", "https://xn--exmple-cua.org/%C3%BC"), ("urn:nbn:de:1", "urn:nbn:de:1"),
        ("0000-0002-1825-0097", ""), ("/items/1", ""), ("https:items", ""), ("x:#y", ""), ("", ""),
    ],
)  # fmt: skip
def test_an_address_becomes_an_absolute_uri_or_nothing(text, expected):
    assert uri(text) == expected


def test_what_is_not_legal_is_removed_from_a_link():
    link = Link(PAGE, "item", "https://e.org/1", " text/html; charset=utf-8", "x", " a\r\n\tb ", 'e"n', "é")
    assert legal(link) == Link(PAGE, "item", "https://e.org/1", "text/html", "", "a b")
    assert legal(link._replace(type="chemical/x-pdb", title="", title_language="en")).type == ""
    assert legal(link._replace(href="0000-0002-1825-0097")) is None
    assert legal(link._replace(anchor="")) is None


@each_row("rel", ["", "cite as", 'item"'])
def test_a_wrong_relation_is_our_own_error(rel):
    with pytest.raises(ValueError, match="is not a relation type"):
        header([Link(PAGE, rel, PAGE)], PAGE)


def test_links_of_a_link_set_must_follow_each_other():
    links = [Link(PAGE, "item", "https://e.org/1"), Link(PAGE, "author", "https://e.org/2"), Link(PAGE, "item", PAGE)]
    with pytest.raises(ValueError, match="The links item of"):
        list(linkset_json(links))
    with pytest.raises(ValueError, match="do not follow each other"):
        list(linkset_json([*links[:1], Link("https://e.org/1", "collection", PAGE), *links[1:]]))
    assert [link.rel for link in in_order(links)] == ["item", "item", "author"]


# --- what others write --------------------------------------------------------------------------------------------


@each_row(
    "value, expected",
    [
        ('<a>; rel="item", <b>; REL=x', [Written("a", (("rel", "item"),)), Written("b", (("rel", "x"),))]),
        ("https://e.org/;rel=license", [Written("", (), "https://e.org/;rel=license")]),
        ("<<a>>; rel=x", [Written("a", (("rel", "x"),), "<", ">")]),
        ("<a> <b>", [Written("a", (), "", NO_COMMA), Written("b", ())]),
        ('<a>; type="x;p="y"", <b>', [Written("a", (("type", "x;p="),), "", 'y""'), Written("b", ())]),
        ("<a>, y <b>", [Written("a", ()), Written("b", (), "y")]),
        ("<a", [Written("", (), "<a")]),
    ],
)
def test_what_is_no_part_of_a_link_is_noticed(value, expected):
    assert list(written(value)) == expected


def test_an_encoded_title_is_preferred_when_it_can_be_read():
    links = links_of_header(["<a>; rel=x; title=y; title*=UTF-8'und'%C3%A9, <b>; rel=x; title=y; title*=z"], PAGE)
    assert [(link.title, link.title_language) for link in links] == [("é", ""), ("y", "")]


def test_elements_of_a_page():
    elements = [{"rel": "cite-as", "href": " /1 "}, {"rel": "item"}, {"rel": "item", "href": "http://["}]
    assert list(links_of_elements(elements, PAGE)) == [Link(PAGE, "cite-as", "https://repository.example.org/1")]
