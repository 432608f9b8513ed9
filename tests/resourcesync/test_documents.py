"""The XML of the documents, the addresses of the lists, and the periods of changes."""

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.model import Content, Resource, ResourceChange, Source
from gateway.core.names import local_identifier
from gateway.resourcesync.documents import Document, Entries, Link, Origin, origin_of
from gateway.resourcesync.periods import periods
from harvester.sources.resourcesync.documents import read
from tests.rows import each_row

DAY = 86_400
BEGIN = 20 * DAY + 5
IDENTIFIER = "oai:gateway.example.org:laro/a"


LEGAL = st.text(st.characters(exclude_categories=("Cc", "Cs", "Cn")))


@given(LEGAL, LEGAL, LEGAL)
def test_whatever_a_record_has_the_document_is_xml_and_says_it(loc, href, kind):
    document = Document("resourcedump", (Link("up", "https://a.example.org/"),), {"at": "2026-11-26T00:00:00Z"})
    content = document.write([document.entry(loc, {"type": "x"}, [Link("contents", href, kind)])])
    root = ET.fromstring(content)
    assert len(root.findall("{*}url")) == 1
    assert root.find("{*}url")[0].tag.endswith("}loc")
    assert root.find("{*}url/{*}ln").get("href") == href
    assert read(content).head.capability == "resourcedump"


def entries_of(url_of=lambda name: f"https://b.example.org/{name}", **origins):
    return Entries(url_of, {name: (origin,) for name, origin in origins.items()})


def via(origin, upstream):
    entry = entries_of(laro=origin).change(
        ResourceChange(1, local_identifier("gateway.example.org", "laro", upstream), 0, "created", 9, b"x" * 32)
    )
    document = Document("changelist").write([entry])
    (read_,) = read(document)
    return [link.href for link in read_.related("via")]


@each_row("source, address",
    [
        (Source("laro", "http://a.example.org/oai"), "http://a.example.org/oai?verb=GetRecord&metadataPrefix=mods&identifier="),
        (Source("laro", "http://a.example.org/?a=b"), "http://a.example.org/?a=b&verb=GetRecord&metadataPrefix=mods&identifier="),
    ],
)  # fmt: skip
@each_row("upstream, written", [("oai:x/1", "oai:x/1"), ("a&b", "a%26b"), ("ü <", "%C3%BC%20%3C")])
def test_where_a_record_came_from_is_an_address_of_its_source(source, address, upstream, written):
    assert via(origin_of(source, "https://gateway.example.org/sources/laro", "mods"), upstream) == [address + written]


@pytest.mark.parametrize(
    "source",
    [
        Source("laro", "http://laro.example.org/oai?apikey=0123456789abcdef0123456789abcdef"),
        Source("laro", "http://laro.example.org/", "resourcesync"),
        Source("laro", "file:///x", "files"),
    ],
)
def test_an_origin_without_an_address_is_not_linked_and_no_secret_is(source):
    assert via(origin_of(source, "https://gateway.example.org/sources/laro", "mods"), "a&b") == []


def test_an_address_that_is_too_long_for_a_sitemap_is_left_out():
    long = "https://a.example.org/" + "a" * 2_000
    files = [Content(long, "x"), Content("https://a.example.org/1", "x")]
    entry = entries_of(laro=Origin("p", long)).resource(Resource(1, IDENTIFIER, 0, 1, b"x" * 32), files)
    assert long not in entry
    assert "https://a.example.org/1" in entry
    assert via(Origin("p", long), "1") == via(Origin("p", is_address=True), long) == []
    assert "rs:ln" not in entries_of().change(ResourceChange(1, IDENTIFIER, 0, "created", 0, b""))


@given(
    st.dictionaries(st.integers(0, 40), st.integers(1, 12), min_size=1, max_size=8),
    st.integers(1, 4),
)
def test_periods_have_no_gaps_and_only_the_last_one_is_open(counts, most):
    """Each part has at most so many changes, here one a second, and the next one begins behind its last."""
    days = [((20 + day) * DAY, count) for day, count in sorted(counts.items())]

    def ends(day, count):
        return [(day + 10 + place, place) for place in range(most - 1, count - 1, most)]

    made = list(periods(days, ends, BEGIN, 100 * DAY))
    assert len(made) == sum(-(-count // most) for _, count in days)
    assert len({period.name for period in made}) == len(made)
    assert made[0].from_ == BEGIN
    assert made[-1].until is None
    for period, following in pairwise(made):
        assert period.until == following.from_
        assert period.from_ <= following.from_
        assert period.last <= following.last
    assert all(period.first >= BEGIN for period in made)
