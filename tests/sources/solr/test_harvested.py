"""A Solr index on loopback, harvested as its administrator would."""

import pytest

from gateway.core.model import Selection
from harvester.harvest.instance import opened
from tests.sample.solr import Index, laro, serving

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]  # it asks a server


def test_a_record_says_what_the_document_says_and_where_it_comes_from(command, instance):
    with serving(Index(laro(30, 4))) as core:
        assert command("source", "check", core, "--add", "laro")[0] == 0
        assert command("run", "laro")[0] == 0
    with opened(str(instance)) as house, house.store.view() as view:
        records = [content.decode() for content in view.page(Selection("oai_dc"), None, 100).records]
    (text,) = [text for text in records if "LA-UR-000000</identifier>" in text]
    assert "<dc:title>The occurrence of non-pulsating stars, part 0</dc:title>" in text
    assert "<dc:creator>Bradley, Paul Andrew</dc:creator>" in text
    assert f"<baseURL>{core}/select</baseURL><identifier>info:lanl-repo/lareport/LA-UR-000000</identifier>" in text
    assert "<datestamp>2016-01-01T17:00:00Z</datestamp>" in text
    assert "<metadataNamespace>http://lucene.apache.org/solr/</metadataNamespace>" in text
