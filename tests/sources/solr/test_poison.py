"""Records and answers that stopped a source, or the whole program: named by what was in them."""

from __future__ import annotations

import json

import pytest

from gateway.errors import NotSolr, NotXml
from harvester.sources.solr import answers as solr
from tests.rows import each_row


@each_row("number", ["9" * 5000, "9" * 16, "²", "-1"])
def test_number_of_documents_that_nobody_can_mean_is_refused(number: str):
    with pytest.raises(NotSolr, match="numFound"):
        solr.parse(f'<response><result numFound="{number}"/></response>'.encode())


def test_solr_document_that_is_nested_too_deep_is_refused():
    deep = '{"a":' * 900 + "1" + "}" * 900
    body = '{"response": {"numFound": 1, "docs": [' + deep + "]}}"
    with pytest.raises((NotSolr, NotXml), match=r"deep|recursion"):
        solr.parse(body.encode())


def test_cursor_mark_with_half_a_character_is_made_legal():
    body = {"response": {"numFound": 0, "docs": []}, "nextCursorMark": "a\ud800b"}
    assert solr.parse(json.dumps(body).encode()).next_cursor_mark == "ab"
