"""Metadata that holds several elements, as the jsru of the Dutch national library sends it (seen in 2008)."""

from __future__ import annotations

from lxml import etree

from harvester.wire.oai_pmh import parse_list

RECORD = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2008-09-24T00:00:00Z</responseDate>
<request>http://jsru.kb.nl/sru</request><ListRecords><record><header><identifier>GGC:AC:1</identifier>
<datestamp>2008-09-24</datestamp></header>{}</record></ListRecords></OAI-PMH>"""
BESIDE = """<metadata><srw_dc:dc xmlns:srw_dc="info:srw/schema/1/dc-v1.1"><title xmlns="">One</title></srw_dc:dc>
<index><field>two</field></index></metadata>"""


def test_elements_side_by_side_stay_together_in_their_metadata_element() -> None:
    page = RECORD.format(BESIDE).encode()
    (found,) = parse_list(page).slices
    assert (found.problem, found.identifier) == ("", "GGC:AC:1")
    assert page[found.start : found.stop] == BESIDE.encode()
    assert ("", "http://www.openarchives.org/OAI/2.0/") in found.declarations


def test_two_metadata_elements_with_something_in_them_are_unusable() -> None:
    (found,) = parse_list(RECORD.format(BESIDE + BESIDE).encode()).slices
    assert found.problem == "The record has metadata 2 times where OAI-PMH 2.0 §2.5 has it once."


def test_an_empty_metadata_element_beside_a_full_one_does_no_harm() -> None:
    page = RECORD.format("<metadata/><metadata><dc xmlns='urn:dc'/></metadata>").encode()
    (found,) = parse_list(page).slices
    assert etree.fromstring(page[found.start : found.stop]).tag == "{urn:dc}dc"
