"""From payloads to records, without a store: every fragment is well-formed inside our envelope, whatever came."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from gateway.core.xmltext import DC, NO_NAMESPACE, OAI_DC, OAI_PMH, PROVENANCE, RIGHTS, SITEMAP, escape
from gateway.publish.mapping import Prepared, SourceFacts, Task, is_legal_identifier, prepare, record
from gateway.publish.payloads import Given
from gateway.publish.provenance import MOST_ABOUT_BYTES
from tests.rows import each_row

FACTS = SourceFacts("laro", "http://laro.example.org/oai", "gateway.example.org")


def given_payload(content: bytes | str, prefix: str = "x", exposed: str = "x", **more: Any) -> Given:
    content = content.encode() if isinstance(content, str) else content
    return Given(prefix, exposed, content, (), "2020-01-01", (), False, (), 0, False)._replace(**more)


def mapped(*payloads: Given, facts: SourceFacts = FACTS) -> Prepared:
    return prepare(Task(facts, "oai:laro:1", payloads))


def payload_of(prepared: Prepared, prefix: str) -> etree._Element:
    fragment = next(candidate for candidate in prepared.fragments if candidate.metadata_prefix == prefix)
    whole = b'<OAI-PMH xmlns="%b">%b</OAI-PMH>' % (OAI_PMH.encode(), record(prepared.identifier, 0, (), fragment))
    return next(child for child in etree.fromstring(whole)[0][1] if isinstance(child.tag, str))


@each_row(
    "content, declarations, tag",
    [
        ("<x/>", (), "x"), ("<x xmlns=''/>", (), "x"), ("<x\n xmlns = ''/>", (), "x"),
        ("<x xmlns='urn:a'/>", (), "{urn:a}x"), ("<a:x/>", (("a", "urn:a&b"),), "{urn:a&b}x"),
        ("<a:x/>", (("a", "urn:a"), ("about", "urn:about")), "{urn:a}x"),
        ("<!-- <c> --><?p i?>\n<a:x/>", (("a", "urn:a"),), "{urn:a}x"), ("<!-- <c> --><x/>", (), "x"),
    ],
)  # fmt: skip
def test_a_payload_stands_alone_in_our_envelope(content: str, declarations: tuple, tag: str) -> None:
    root = payload_of(mapped(given_payload(content, declarations=declarations)), "x")
    assert root.tag == tag
    assert all(not element.tag.startswith(f"{{{OAI_PMH}}}") for element in root.iter() if isinstance(element.tag, str))


@each_row("content", ["", "text", "<a:x/>", "<x", "<x/><y/>", "<!DOCTYPE x [<!ENTITY e 'f'>]><x/>"])
def test_what_is_no_xml_is_a_problem(content: str) -> None:
    prepared = mapped(given_payload(content, declarations=(("b", "urn:b"),)))
    assert [prefix for prefix, _ in prepared.problems] == ["x"]
    assert prepared.fragments == ()


def test_an_about_container_takes_its_declarations_from_above_too() -> None:
    about = (
        b'<p:provenance><p:originDescription harvestDate="2019-01-01T00:00:00Z" altered="true">'
        b"<p:baseURL>http://b.example.org/oai</p:baseURL><p:identifier>oai:b:1</p:identifier>"
        b"<p:datestamp>2018-01-01</p:datestamp><p:metadataNamespace>urn:x</p:metadataNamespace>"
        b"</p:originDescription></p:provenance>"
    )
    prepared = mapped(given_payload("<x/>", abouts=(about,), declarations=(("p", PROVENANCE),)))
    assert all(b"oai:b:1" in fragment.body for fragment in prepared.fragments)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=30), st.text(max_size=20))
def test_whatever_a_title_and_an_identifier_are_the_records_are_well_formed(title: str, upstream: str) -> None:
    if not is_legal_identifier(upstream):
        return
    content = f'<o:dc xmlns:o="{OAI_DC}" xmlns:dc="{DC}"><dc:title>{escape(title)}</dc:title><dc:odd/></o:dc>'
    prepared = prepare(Task(FACTS, upstream, (given_payload(content, "oai_dc", ""),)))
    if prepared.problems:  # a character that XML has not
        return
    for prefix in ("oai_dc", "oai_didl"):
        assert payload_of(prepared, prefix) is not None


def test_files_of_several_payloads_are_named_once() -> None:
    head, end = f'<o:dc xmlns:o="{OAI_DC}" xmlns:dc="{DC}"><dc:identifier>http://a.org/', "</dc:identifier></o:dc>"
    payloads = (given_payload(f"{head}{name}.pdf{end}", prefix) for name, prefix in ((1, "a"), (2, "b"), (1, "c")))
    didl = payload_of(mapped(*payloads), "oai_didl")
    assert [element.get("ref") for element in didl.iter("{*}Resource")] == ["http://a.org/1.pdf", "http://a.org/2.pdf"]


def test_the_digest_tells_what_a_harvest_date_does_not() -> None:
    base = given_payload("<x/>")
    digests = [
        tuple(fragment.digest for fragment in mapped(changed).fragments)
        for changed in (
            base,
            base._replace(received_at=1_000_000),
            base._replace(datestamp="2021-01-01"),
            base._replace(sets=("a",)),
            base._replace(is_repaired=True),
            base._replace(content=b"<x>y</x>"),
        )
    ]
    assert digests[0] == digests[1]
    assert len({fragment_digests[-1] for fragment_digests in digests}) == 5


def entry(links: str = "", loc: str = "http://e.org/1", terms: str = "http://www.openarchives.org/rs/terms/") -> bytes:
    opening = f'<url xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="{terms}">'
    return f"{opening}<loc>{loc}</loc>{links}</url>".encode()


BARE_MODS = "<mods><titleInfo><title>A</title></titleInfo><name><namePart>B</namePart></name></mods>"
PROFILE_OF_MODS = '<rs:ln rel="profile" href="http://www.loc.gov/mods/v3"/>'


@each_row("content, links, expected", [
        (BARE_MODS, PROFILE_OF_MODS, ["title:A", "creator:B"]),
        (BARE_MODS.replace("<mods>", "<mods xmlns='urn:my:mods'>"), PROFILE_OF_MODS, ["title:A", "creator:B"]),
        ("<dc><title>A</title><contributor>B</contributor></dc>", f'<rs:ln rel="profile" href="{OAI_DC}"/>',
         ["title:A", "contributor:B"]),
        (f"<x:r xmlns:x='{DC}'><x:title>A</x:title></x:r>", PROFILE_OF_MODS, ["title:A"]),  # the namespace tells
    ])  # fmt: skip
def test_the_profile_of_a_resource_decides_how_it_is_read_when_its_namespace_does_not(content, links, expected) -> None:
    prepared = mapped(given_payload(content, exposed="", abouts=(entry(links),)))
    statements = [f"{etree.QName(element).localname}:{element.text}" for element in payload_of(prepared, "oai_dc")]
    assert statements == expected


def test_what_leads_to_metadata_may_say_its_profile_too() -> None:
    link = '<rs:ln rel="describedby" href="http://e.org/1" profile="http://www.loc.gov/mods/"/>'
    other = link.replace("org/1", "org/2").replace("mods", "MARC21/slim")
    abouts = (entry(), entry(other + link, "http://e.org/f.pdf"))
    prepared = mapped(given_payload(BARE_MODS, exposed="", abouts=abouts))
    fragment = next(candidate for candidate in prepared.fragments if candidate.metadata_prefix == "oai_dc")
    assert b"<dc:creator>B</dc:creator>" in fragment.body
    assert b"<metadataNamespace>http://www.loc.gov/mods/v3<" in fragment.body


def _body_of(prefix: str, *abouts: bytes, content: str = "<r><title>A</title></r>") -> str:
    prepared = mapped(given_payload(content, exposed="", abouts=abouts, datestamp="2020-01-01"))
    return next(fragment for fragment in prepared.fragments if fragment.metadata_prefix == prefix).body.decode()


@each_row(
    "links, origin",
    [
        (
            (
                '<lastmod>2020-01-03</lastmod><rs:md hash="md5:a sha-256:b"/>'
                '<rs:ln rel="via" href="http://o.org/1.xml" modified="2019-01-02T03:04:05Z" hash="md5:a"/>'
            ),
            ("2020-01-03", "false", "http://o.org/", "http://o.org/1.xml", "2019-01-02T03:04:05Z"),
        ),
        (
            (
                '<lastmod>2020-01-03</lastmod><rs:md datetime="2020-01-04T00:00:00Z" hash="md5:a"/>'
                '<rs:ln rel="via" href="http://o.org/oai?verb=GetRecord&amp;metadataPrefix=x&amp;identifier=oai:o:1"/>'
            ),
            ("2020-01-04T00:00:00Z", "true", "http://o.org/oai", "oai:o:1", "2020-01-04T00:00:00Z"),
        ),
    ],
)
def test_where_a_resource_was_before_is_nested_in_its_provenance(links: str, origin: tuple[str, ...]) -> None:
    """Z39.99, Example 32."""
    body = _body_of("oai_dc", entry(links))
    date, altered, base_url, identifier, datestamp = origin
    nested = body.partition("</metadataNamespace>")[2].partition("</originDescription>")[0]
    assert nested == (
        f'<originDescription harvestDate="{date}" altered="{altered}"><baseURL>{base_url}</baseURL>'
        f"<identifier>{identifier}</identifier><datestamp>{datestamp}</datestamp><metadataNamespace>{NO_NAMESPACE}</metadataNamespace>"
    )


def test_a_canonical_address_names_the_item_where_nothing_better_does() -> None:
    canonical = '<rs:ln rel="canonical" href="http://e.org/resource/1"/>'
    assert "http://e.org/resource/1</dii:Identifier>" in _body_of("oai_didl", entry(canonical))
    for better in ("http://e.org/page", "doi:10.5555/12345678"):
        content = f"<r><title>A</title><identifier>{better}</identifier></r>"
        assert "http://e.org/resource/1" not in _body_of("oai_didl", entry(canonical), content=content)


def test_the_files_among_the_items_of_a_collection_are_its_files() -> None:
    items = (("1.pdf", "application/pdf"), ("2.xml", "application/xml"), ("3.html", "text/html"), ("4", ""))
    links = "".join(f'<rs:ln rel="item" href="http://e.org/{name}" type="{type_}"/>' for name, type_ in items)
    body = _body_of("oai_didl", entry(links))
    assert body.count("<didl:Component>") == 1
    assert '<didl:Resource mimeType="application/pdf" ref="http://e.org/1.pdf"/>' in body


@each_row("announced, namespace", [("urn:announced", "urn:announced"), (" ", NO_NAMESPACE)])
def test_the_namespace_in_provenance_is_never_empty(announced: str, namespace: str) -> None:
    facts = SourceFacts("laro", FACTS.base_url, FACTS.domain, formats={"x": ("", announced)})
    prepared = mapped(given_payload("<record/>"), facts=facts)
    for fragment in prepared.fragments:
        assert f"<metadataNamespace>{namespace}</metadataNamespace>".encode() in fragment.body


FOREIGN = (
    b'<!-- by hand --><q:quality xmlns:q="urn:q" score="0.7">\n <q:part/><?p i?></q:quality>',
    b'<branding xmlns="urn:branding"><icon/></branding>',
    b'<q:quality xmlns:q="urn:q" score="0.7"/>',
)


def abouts_of(body: bytes) -> list[bytes]:
    """Return what stands in the about containers of a record, behind the first, which is our provenance."""
    return body.split(b"</metadata>")[-1].removesuffix(b"</about>").split(b"</about><about>")[1:]


def test_every_other_about_of_an_upstream_is_carried_on_unchanged_and_in_its_order() -> None:
    prepared = mapped(given_payload("<x/>", abouts=FOREIGN))
    assert len(prepared.fragments) == 3
    for fragment in prepared.fragments:
        assert abouts_of(fragment.body) == list(FOREIGN)


def test_an_about_that_is_carried_on_stands_alone() -> None:
    about = b"<q:quality><part/></q:quality>"
    prepared = mapped(given_payload("<x/>", abouts=(about,), declarations=(("q", "urn:q"),)))
    whole = b'<OAI-PMH xmlns="%b"><record>%b</record></OAI-PMH>' % (OAI_PMH.encode(), prepared.fragments[0].body)
    quality = etree.fromstring(whole)[0][-1][0]
    assert (quality.tag, quality[0].tag) == ("{urn:q}quality", "part")


@each_row(
    "about",
    [
        b"<q:quality/>",  # nobody declares q
        b"<quality/>",
        b'<quality xmlns="%b"/>' % OAI_PMH.encode(),
        b'<!DOCTYPE a [<!ENTITY e "f">]><a xmlns="urn:a">&e;</a>',
        b'<a xmlns="urn:a">%b</a>' % (b"x" * MOST_ABOUT_BYTES),
        b'<rights xmlns="%b"/>' % RIGHTS.encode(),
        b'<url xmlns="%b"><loc>http://a.example.org/1</loc></url>' % SITEMAP.encode(),
    ],
)
def test_an_about_that_is_not_valid_is_left_out_and_the_others_stay(about: bytes) -> None:
    prepared = mapped(given_payload("<x/>", abouts=(about, FOREIGN[1])))
    assert abouts_of(prepared.fragments[0].body) == [FOREIGN[1]]
