"""What a record says about itself is valid, and tells what an upstream said before us."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from gateway.core.xmltext import PROVENANCE, RIGHTS, clean
from gateway.publish import provenance
from gateway.publish.provenance import Origin
from tests.conftest import ROOT
from tests.rows import each_row

JUDGE = etree.XMLSchema(file=str(ROOT / "schemas" / "provenance.xsd"))
RIGHTS_JUDGE = etree.XMLSchema(file=str(ROOT / "schemas" / "rights.xsd"))
ORIGIN = Origin("http://a.example.org/oai", "oai:a:1", "2020-01-01", "urn:x", "2020-01-02T00:00:00Z", False)
HOP = (
    '<originDescription harvestDate="{date}" altered="{altered}"><baseURL>http://b/oai</baseURL>'
    "<identifier>{identifier}</identifier><datestamp>{datestamp}</datestamp>"
    "<metadataNamespace>urn:x</metadataNamespace>{inner}</originDescription>"
)


def hop(
    date: str = "2019-01-01T00:00:00Z",
    altered: str = "true",
    identifier: str = "oai:b:1",
    datestamp: str = "2018-01-01",
    inner: str = "",
) -> str:
    return HOP.format(date=date, altered=altered, identifier=identifier, datestamp=datestamp, inner=inner)


def contents_of(inner: str) -> provenance.AboutContents:
    return provenance.read([f'<provenance xmlns="{PROVENANCE}">{inner}</provenance>'.encode()])


def inside(content: str | bytes) -> etree._Element:
    return etree.fromstring(content)[0]


def container(origin: provenance.Origin, nested: str) -> etree._Element:
    as_it_came, altered = (inside(content) for content in provenance.containers(origin, nested))
    assert [element[0].get("altered") for element in (as_it_came, altered)] == ["false", "true"]
    assert JUDGE.validate(altered), JUDGE.error_log
    return as_it_came


@given(st.text(), st.text(), st.text())
def test_a_container_is_valid_whatever_it_tells(base_url: str, identifier: str, namespace: str) -> None:
    origin = ORIGIN._replace(base_url=base_url, identifier=identifier, namespace=namespace)
    assert JUDGE.validate(container(origin, contents_of(hop()).origin)), JUDGE.error_log


@each_row("altered, expected", [("true", "true"), ("1", "true"), ("false", "false"), ("", "false")])
def test_a_hop_is_made_again_validly(altered: str, expected: str) -> None:
    made = container(ORIGIN, contents_of(hop(altered=altered)).origin)
    assert JUDGE.validate(made), JUDGE.error_log
    assert [element.get("altered") for element in made.iter(f"{{{PROVENANCE}}}originDescription")] == [
        "false",
        expected,
    ]


@each_row("inner", ["", hop(date=""), hop(date="2019"), hop(identifier=" "), hop(datestamp="lately"), "<x/>"])
def test_a_hop_that_cannot_be_made_valid_says_nothing(inner: str) -> None:
    assert contents_of(inner).origin == ""


def test_hops_end_somewhere() -> None:
    inner = ""
    for _ in range(50):
        inner = hop(inner=inner)
    assert contents_of(inner).origin.count("<originDescription") == 20
    assert JUDGE.validate(container(ORIGIN, contents_of(inner).origin)), JUDGE.error_log


@each_row(
    "content, is_kept",
    [
        ('<rightsReference ref="http://a.example.org/"/>', True),
        ("<rightsDefinition><x xmlns='urn:x'>free</x></rightsDefinition>", True),
        ("", False),
        ("<rightsReference/>", False),
        ('<rightsReference ref="://"/>', False),
        ('<rightsReference ref="a" b="c"/>', False),
        ('<rightsReference ref="a">text</rightsReference>', False),
        ('<rightsReference ref="a"/>tail', False),
        ('<rightsReference ref="a"/><rightsReference ref="b"/>', False),
        ("<rightsDefinition>text</rightsDefinition>", False),
        ("<rightsDefinition><rights/></rightsDefinition>", False),
        ('<rightsDefinition a="b"><x xmlns="urn:x"/></rightsDefinition>', False),
        ("<rightsDefinition><x xmlns='urn:x'/><y xmlns='urn:x'/></rightsDefinition>", False),
        ("<other xmlns='urn:x'/>", False),
    ],
)
def test_rights_are_kept_when_they_are_valid(content: str, is_kept: bool) -> None:
    text = f'<rights xmlns="{RIGHTS}">{content}</rights>'
    rights = provenance.read([text.encode()]).rights
    assert bool(rights) == is_kept
    if rights:
        RIGHTS_JUDGE.assertValid(inside(provenance.rights_container(rights)))


@given(st.text())
def test_a_reference_is_valid_whatever_it_refers_to(address: str) -> None:
    assert RIGHTS_JUDGE.validate(etree.fromstring(provenance.rights_reference(clean(address)))), RIGHTS_JUDGE.error_log


@each_row("content", [b"<broken", b"<x/>", b""])
def test_what_cannot_be_read_says_nothing(content: bytes) -> None:
    assert provenance.read([content]) == provenance.AboutContents()


@each_row(
    "text, expected",
    [
        ("2020-01-01", "2020-01-01"), ("2020-01-01T10:00:00Z", "2020-01-01T10:00:00Z"),
        ("2020-01-01T01:00:00+02:00", "2020-01-01T01:00:00+02:00"),
        ("2020-01-01T01:00:00+0200", "2019-12-31T23:00:00Z"), ("2020-01-01T01:00:00+23:00", "2019-12-31T02:00:00Z"),
        ("20200101", "2020-01-01"), ("2020-01-01T10:00Z", "2020-01-01T10:00:00Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31"), ("0001-01-01T00:00:00+0200", "0001-01-01"),
        ("2020-01-01 and more", "2020-01-01"), ("2020-02-30", "1970-01-01T00:00:07Z"),
        ("lately", "1970-01-01T00:00:07Z"), ("", "1970-01-01T00:00:07Z"),
    ],
)  # fmt: skip
def test_a_datestamp_is_what_can_be_read_of_it(text: str, expected: str) -> None:
    assert provenance.datestamp_of(text, 7) == expected


DIGITS = st.text("0123456789-:TZ+. ", max_size=30)


@given(st.one_of(st.text(), DIGITS, DIGITS.map("2020-01-0".__add__), st.datetimes(timezones=st.timezones()).map(str)))
def test_whatever_a_datestamp_was_what_is_told_is_valid(text: str) -> None:
    origin = ORIGIN._replace(datestamp=provenance.datestamp_of(text, 7))
    assert JUDGE.validate(container(origin, "")), JUDGE.error_log
