"""The judge judges: it finds what is wrong, and only where it is asked to look."""

from __future__ import annotations

import pytest

from tests import oracle
from tests.wild.recount import counted

pytestmark = [pytest.mark.slow, pytest.mark.needs("../shared/xsd")]

ANSWER = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2025-01-01T00:00:00Z</responseDate>
<request verb="ListRecords" metadataPrefix="x">http://a.org/oai</request><ListRecords><record><header>
<identifier>oai:a.org:1</identifier><datestamp>2025-01-01T00:00:00Z</datestamp></header>
<metadata>%s</metadata></record></ListRecords></OAI-PMH>"""
DC = '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/">%s</oai_dc:dc>'


def faults(metadata: str, *, is_foreign: bool = False) -> list[str]:
    return oracle.faults((ANSWER % metadata).encode(), is_foreign=is_foreign)


def test_a_valid_answer_has_no_faults() -> None:
    assert faults(DC % '<title xmlns="http://purl.org/dc/elements/1.1/">A</title>') == []


def test_an_element_that_oai_dc_does_not_have_is_a_fault() -> None:
    assert "is not expected" in faults(DC % '<heading xmlns="http://purl.org/dc/elements/1.1/">A</heading>')[0]


def test_a_foreign_payload_need_only_be_one_well_formed_element() -> None:
    assert faults('<a xmlns="urn:a"/>') != []
    assert faults('<a xmlns="urn:a"/>', is_foreign=True) == []
    assert faults('<a xmlns="urn:a"/><b xmlns="urn:b"/>', is_foreign=True) != []
    assert "not well-formed" in faults('<a xmlns="urn:a">', is_foreign=True)[0]


def test_a_file_without_address_is_a_fault_of_a_didl() -> None:
    didl = '<DIDL xmlns="urn:mpeg:mpeg21:2002:02-DIDL-NS"><Item><Component>%s</Component></Item></DIDL>'
    assert faults(didl % '<Resource mimeType="application/pdf" ref="http://a.org/b.pdf"/>') == []
    assert "anyURI" in faults(didl % '<Resource mimeType="application/pdf" ref="http://a.org/[b].pdf"/>')[0]


def test_the_recount_reads_what_no_strict_parser_reads() -> None:
    broken = (ANSWER % "<a>&nbsp;").encode()
    assert [record.identifier for record in counted(broken)] == ["oai:a.org:1"]
