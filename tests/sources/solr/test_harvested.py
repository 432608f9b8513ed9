"""A Solr index on loopback, harvested as its administrator would: counts, changes, what vanished, other fields."""

from __future__ import annotations

import json
import random
import time

import pytest

from gateway.model import Selection
from harvester.harvest.instance import opened
from tests import live
from tests.rows import each_row
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


def test_every_document_and_every_full_text_is_counted(added):
    assert added("run", "laro")[0] == 0
    standing = _standing(added)
    assert {name: standing[name] for name in ("items", "deleted", "fulltext", "quarantined", "is_complete")} == {
        "items": 30,
        "deleted": 0,
        "fulltext": 4,
        "quarantined": 0,
        "is_complete": True,
    }


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


def test_documents_are_passed_through_when_they_are_asked_for(command, core, instance):
    assert command("source", "add", "laro", core, "--kind", "solr", "--format", "solr")[0] == 0
    assert command("run", "laro")[0] == 0
    assert '<metadata><doc xmlns="http://lucene.apache.org/solr/">' in _texts(instance, "solr")[0]
    assert sum("part 0</dc:title>" in text for text in _texts(instance)) == 1


def test_json_and_fields_of_other_names_make_the_same_records(command, index, core, instance):
    index.unique_key = "id"
    index.documents = {
        document["recID"]: {
            "id": document["recID"],
            "title_t": document["displayTitle"],
            "timestamp": document["timestamp"],
        }
        for document in laro(3)
    }
    fields = 'fields={identifier = "id", title = "title_t"}'
    options = ("--kind", "solr", "--option", fields, "--option", "wt=json", "--option", "rows=2")
    assert command("source", "add", "other", core, *options)[0] == 0
    assert command("run", "other")[0] == 0
    assert [f"part {number}</dc:title>" in text for number, text in enumerate(_texts(instance))] == [True] * 3


@each_row(
    "fields, sentence",
    [('{timestamp = "x"}', "Set fields.timestamp to another"), ('{titel = "x"}', "unknown name 'titel'")],
)
def test_an_entry_that_cannot_be_harvested_is_refused(command, core, instance, fields, sentence):
    status, _, err = command("source", "add", "laro", core, "--kind", "solr", "--option", f"fields={fields}")
    assert (status, sentence in err) == (2, True)
    assert not (instance / "sources.toml").exists()


@pytest.mark.unmeasured
def test_killed_again_and_again_nothing_is_lost(command, core, harvester, index):
    index.documents = {document["recID"]: document for document in laro(400, 40)}
    assert command("source", "add", "laro", core, "--kind", "solr", "--option", "rows=10")[0] == 0
    dice = random.Random(4)
    for _ in range(4):
        target = len(index.asked) + dice.randrange(4, 10)
        process = harvester("run", "laro")
        while process.poll() is None and len(index.asked) < target:
            time.sleep(0.001)
        process.kill()
        process.communicate()
    process = harvester("run", "laro")
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    standing = _standing(command)
    assert (standing["items"], standing["fulltext"], standing["is_complete"]) == (400, 40, True)


@pytest.mark.unmeasured
@pytest.mark.share(one_in=2)
@pytest.mark.parametrize("wt", ["xml", "json"])
def test_laro_has_25415_records_and_1023_full_texts(tmp_path, wt):
    with serving(Index(laro(25_415, 1_023))) as core:
        folder = live.instance(tmp_path, {})
        added = live.called(
            "harvester", folder, "source", "add", "laro", core, "--kind", "solr", "--option", f"wt={wt}"
        )
        assert added.returncode == 0, added.stderr
        done = live.called("harvester", folder, "run", "laro")
        assert done.returncode == 0, done.stderr
    standing = json.loads(live.called("harvester", folder, "status", "--json").stdout)
    assert (standing["items"], standing["fulltext"], standing["is_complete"]) == (25_415, 1_023, True)
