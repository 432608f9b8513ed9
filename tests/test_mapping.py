"""From payloads to records, without a store: every fragment is well-formed inside our envelope, whatever came."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from gateway.mapping import Given, Prepared, SourceFacts, Task, is_legal_identifier, most_specific, prepare, record
from gateway.xmltext import DC, OAI_DC, OAI_PMH, PROVENANCE, escape

FACTS = SourceFacts("laro", "http://laro.example.org/oai", "gateway.example.org")


def given_payload(content: bytes | str, prefix: str = "x", exposed: str = "x", **more: object) -> Given:
    content = content.encode() if isinstance(content, str) else content
    return Given(prefix, exposed, content, (), "2020-01-01", (), False, (), 0, False)._replace(**more)


def mapped(*payloads: Given, facts: SourceFacts = FACTS) -> Prepared:
    return prepare(Task(facts, "oai:laro:1", payloads))


def payload_of(prepared: Prepared, prefix: str) -> etree._Element:
    fragment = next(each for each in prepared.fragments if each.metadata_prefix == prefix)
    whole = b'<OAI-PMH xmlns="%b">%b</OAI-PMH>' % (OAI_PMH.encode(), record(prepared.identifier, 0, (), fragment))
    return next(each for each in etree.fromstring(whole)[0][1] if isinstance(each.tag, str))


@pytest.mark.parametrize(
    ("content", "declarations", "tag"),
    [
        ("<x/>", (), "x"),
        ("<x xmlns=''/>", (), "x"),
        ("<x\n xmlns = ''/>", (), "x"),
        ("<a:x xmlns:a='urn:a'><y/></a:x>", (), "{urn:a}x"),
        ("<a:x xmlns:a='urn:a'><a:y/></a:x>", (), "{urn:a}x"),
        ("<x xmlns='urn:a'/>", (), "{urn:a}x"),
        ("<a:x/>", (("a", "urn:a&b"),), "{urn:a&b}x"),
        ("<a:x xmlns:a='urn:own'/>", (("a", "urn:a"),), "{urn:own}x"),
        ("<x/>", (("", "urn:a"),), "{urn:a}x"),
        ("<a:x/>", (("a", "urn:a"), ("about", "urn:about")), "{urn:a}x"),
        ("<!-- <c> --><?p i?>\n<a:x/>", (("a", "urn:a"),), "{urn:a}x"),
        ("<!-- <c> --><x/>", (), "x"),
        ("<?xml version='1.0' encoding='UTF-8'?>\n<x/>", (), "x"),
        ("<x y='>'><z/></x>", (), "x"),
    ],
)
def test_a_payload_stands_alone_in_our_envelope(content: str, declarations: tuple, tag: str) -> None:
    root = payload_of(mapped(given_payload(content, declarations=declarations)), "x")
    assert root.tag == tag
    assert all(not each.tag.startswith(f"{{{OAI_PMH}}}") for each in root.iter() if isinstance(each.tag, str))


@pytest.mark.parametrize("content", ["", "text", "<a:x/>", "<x", "<x/><y/>", "<!DOCTYPE x [<!ENTITY e 'f'>]><x/>"])
def test_what_is_no_xml_is_a_problem(content: str) -> None:
    prepared = mapped(given_payload(content, declarations=(("b", "urn:b"),)))
    assert [prefix for prefix, _ in prepared.problems] == ["x"]
    assert prepared.fragments == ()


def test_nothing_is_declared_that_is_not_used() -> None:
    prepared = mapped(given_payload("<a:x/>", declarations=(("a", "urn:a"), ("about", "urn:about"))))
    assert b"urn:about" not in prepared.fragments[-1].body


def test_an_about_container_takes_its_declarations_from_above_too() -> None:
    values = "".join(
        f"<p:{name}>{value}</p:{name}>"
        for name, value in (
            ("baseURL", "http://b.example.org/oai"),
            ("identifier", "oai:b:1"),
            ("datestamp", "2018-01-01"),
            ("metadataNamespace", "urn:x"),
        )
    )
    hop = f'<p:originDescription harvestDate="2019-01-01T00:00:00Z" altered="true">{values}</p:originDescription>'
    about = f"<p:provenance>{hop}</p:provenance>".encode()
    prepared = mapped(given_payload("<x/>", abouts=(about,), declarations=(("p", PROVENANCE),)))
    assert all(b"oai:b:1" in each.body for each in prepared.fragments)


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


def test_what_nobody_understands_has_a_dublin_core_that_says_nothing() -> None:
    prepared = mapped(given_payload("<x/>"))
    assert len(payload_of(prepared, "oai_dc")) == 0
    assert [each.metadata_prefix for each in prepared.fragments] == ["oai_dc", "oai_didl", "x"]


def test_what_nobody_could_read_never_comes_before_what_can_be_read() -> None:
    facts = SourceFacts("laro", FACTS.base_url, FACTS.domain, prefer=("x",))
    prepared = mapped(given_payload("<x/>"), given_payload("<y><title>T</title></y>", "y", "y"), facts=facts)
    assert payload_of(prepared, "oai_dc").findtext(f"{{{DC}}}title") == "T"


def test_files_of_several_payloads_are_named_once() -> None:
    one = (
        f'<o:dc xmlns:o="{OAI_DC}" xmlns:dc="{DC}"><dc:identifier>http://a.example.org/{{}}.pdf</dc:identifier></o:dc>'
    )
    first, second = (given_payload(one.format(name), prefix) for name, prefix in ((1, "a"), (2, "b")))
    again = given_payload(one.format(1), "c")
    didl = payload_of(mapped(first, second, again), "oai_didl")
    assert [each.get("ref") for each in didl.iter("{*}Resource")] == [
        "http://a.example.org/1.pdf",
        "http://a.example.org/2.pdf",
    ]


def test_the_last_change_of_any_payload_is_the_items() -> None:
    pair = (given_payload("<x/>"), given_payload("<y/>", "y", "y", datestamp="2021-01-01"))
    assert "2021-01-01" in payload_of(mapped(*pair), "oai_didl").xpath("string()")


def test_tasks_and_answers_travel_between_processes() -> None:
    task = Task(FACTS, "1", (given_payload("<x/>"),))
    assert pickle.loads(pickle.dumps(task)) == task
    assert pickle.loads(pickle.dumps(prepare(task))) == prepare(task)


def test_the_digest_tells_what_a_harvest_date_does_not() -> None:
    base = given_payload("<x/>")
    digests = [
        tuple(each.digest for each in mapped(changed).fragments)
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
    assert len({found[-1] for found in digests}) == 5


def test_the_most_specific_sets_are_those_that_no_other_is_below() -> None:
    assert most_specific({"source", "source:a", "source:a:b", "fulltext"}) == ("fulltext", "source:a:b")
    assert most_specific({"source"}) == ()
