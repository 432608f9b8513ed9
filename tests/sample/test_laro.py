"""The small LARO is what it says, and is recognised for what each of its addresses is."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from gateway.upkeep import make
from harvester.cli import main
from harvester.sources.resourcesync.documents import read
from tests.sample.laro import Laro
from tests.sample.solr import laro, served


@pytest.fixture
def small():
    repository = Laro(laro(10, 3))
    repository.place = "http://laro.example.org"
    return repository


def test_works_with_a_full_text_have_two_entries_and_the_others_one(small):
    entries = list(read(small.answer("/resourcelist.xml")[1]))
    described = [entry for entry in entries if entry.related("describes")]
    content = [entry for entry in entries if entry.related("describedby")]
    assert (len(entries), len(described), len(content)) == (13, 3, 3)
    assert [entry.related("describes")[0].href for entry in described] == [entry.loc for entry in content]


def test_what_the_list_names_is_there_and_nothing_else(small):
    for entry in read(small.answer("/resourcelist.xml")[1]):
        status, body, media_type = small.answer(entry.loc.removeprefix(small.place))
        assert (status, media_type, entry.length in (None, len(body))) == (200, entry.type, True)
    for path in ("/", "/metadata/none", "/lareport/LA-UR-000000", "/solr/other/select"):
        assert small.answer(path)[0] == 404


@pytest.mark.slow
def test_an_address_is_what_it_is_before_what_it_leads_to(tmp_path, small):
    instance = tmp_path / "instance"
    make(instance, {})
    with served(small.answer) as small.place:
        kinds = []
        for address in (f"{small.place}/solr/laro", small.place):
            result = CliRunner().invoke(main, ["--instance", str(instance), "source", "check", address, "--json"])
            kinds.append([candidate["kind"] for candidate in json.loads(result.stdout)["recognised"]])
    assert kinds == [["solr", "resourcesync"], ["resourcesync"]]
