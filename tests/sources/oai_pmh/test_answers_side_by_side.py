"""Metadata that holds several elements, as the jsru of the Dutch national library sends it (seen in 2008)."""

from __future__ import annotations

from lxml import etree

from harvester.sources.oai_pmh.answers import parse_list

RECORD = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2008-09-24T00:00:00Z</responseDate>
<request>http://jsru.kb.nl/sru</request><ListRecords><record><header><identifier>GGC:AC:1</identifier>
<datestamp>2008-09-24</datestamp></header>{}</record></ListRecords></OAI-PMH>"""
BESIDE = """<metadata><srw_dc:dc xmlns:srw_dc="info:srw/schema/1/dc-v1.1"><title xmlns="">One</title></srw_dc:dc>
<index><field>two</field></index></metadata>"""


def test_elements_side_by_side_stay_together_in_their_metadata_element() -> None:
    page = RECORD.format(BESIDE).encode()
    (slice_,) = parse_list(page).slices
    assert (slice_.problem, slice_.identifier) == ("", "GGC:AC:1")
    assert page[slice_.start : slice_.stop] == BESIDE.encode()
    assert ("", "http://www.openarchives.org/OAI/2.0/") in slice_.declarations


def test_two_metadata_elements_with_something_in_them_are_unusable() -> None:
    (slice_,) = parse_list(RECORD.format(BESIDE + BESIDE).encode()).slices
    assert slice_.problem == "The record has metadata 2 times where OAI-PMH 2.0 §2.5 has it once."


def test_an_empty_metadata_element_beside_a_full_one_does_no_harm() -> None:
    page = RECORD.format("<metadata/><metadata><dc xmlns='urn:dc'/></metadata>").encode()
    (slice_,) = parse_list(page).slices
    assert etree.fromstring(page[slice_.start : slice_.stop]).tag == "{urn:dc}dc"
