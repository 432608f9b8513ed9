"""A Solr index on loopback, harvested as its administrator would: counts, changes, what vanished, other fields."""

import json

import pytest

from gateway.core.model import Selection
from harvester.harvest.instance import opened
from tests.sample.solr import Index, laro, serving

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]  # it asks servers, hundreds of times


@pytest.fixture
def index():
    return Index(laro(30, 4))


@pytest.fixture
def core(index):
    with serving(index) as core:
        yield core


@pytest.fixture
def added(command, core):
    assert command("source", "check", core, "--add", "laro")[0] == 0
    return command


def _standing(command):
    return json.loads(command("status", "--json")[1])


def _texts(instance, prefix="oai_dc"):
    with opened(str(instance)) as house, house.store.view() as view:
        return [content.decode() for content in view.page(Selection(prefix), None, 100).records]


def test_a_record_says_what_the_document_says_and_where_it_comes_from(added, instance, core):
    added("run", "laro")
    (text,) = [text for text in _texts(instance) if "LA-UR-000000</identifier>" in text]
    assert "<dc:title>The occurrence of non-pulsating stars, part 0</dc:title>" in text
    assert "<dc:creator>Bradley, Paul Andrew</dc:creator>" in text
    assert f"<baseURL>{core}/select</baseURL><identifier>info:lanl-repo/lareport/LA-UR-000000</identifier>" in text
    assert "<datestamp>2016-01-01T17:00:00Z</datestamp>" in text
    assert "<metadataNamespace>http://lucene.apache.org/solr/</metadataNamespace>" in text


def test_the_values_of_some_fields_are_sets(command, core, instance):
    names = 'set_fields=["dataset", "publication"]'
    assert command("source", "add", "laro", core, "--kind", "solr", "--option", names)[0] == 0
    assert command("run", "laro")[0] == 0
    assert "source:laro:dataset:RASSTI</setSpec>" in _texts(instance)[0]
    assert "source:laro:publication:Astronomical~20Review</setSpec>" in _texts(instance)[0]
    with opened(str(instance)) as house, house.store.view() as view:
        rassti = Selection("oai_dc", "source:laro:dataset:RASSTI")
        assert len(view.page(rassti, None, 100).records) == 30
    # A sweep names documents only; it changes no sets.
    assert command("source", "sweep", "laro")[0] == 0
    assert "dataset:RASSTI" in _texts(instance)[0]


def test_changes_and_deletions_arrive(added, index, instance):
    added("run", "laro")
    key = "info:lanl-repo/lareport/LA-UR-000007"
    index.documents[key] |= {"displayTitle": "Another title", "timestamp": "2016-02-01T00:00:00Z"}
    del index.documents["info:lanl-repo/lareport/LA-UR-000003"]
    assert added("run", "laro")[0] == 0
    assert added("source", "sweep", "laro")[0] == 0
    assert _standing(added)["deleted"] == 1
    texts = {text.partition("LA-UR-")[2][:6]: text for text in _texts(instance)}
    assert "Another title" in texts["000007"]
    assert '<header status="deleted">' in texts["000003"]


def test_every_document_and_every_full_text_is_counted(command, core, index):
    index.documents = {document["recID"]: document for document in laro(2_500, 100)}
    assert command("source", "add", "laro", core, "--kind", "solr")[0] == 0
    assert command("run", "laro")[0] == 0
    standing = _standing(command)
    assert (standing["items"], standing["fulltext"], standing["is_complete"]) == (2_500, 100, True)
