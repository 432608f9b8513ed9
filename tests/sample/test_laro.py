"""The small LARO is recognised for what each of its addresses is."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from gateway.upkeep import make
from harvester.cli import main
from tests.sample.laro import Laro
from tests.sample.solr import laro, served


@pytest.mark.slow
def test_an_address_is_what_it_is_before_what_it_leads_to(tmp_path):
    small = Laro(laro(10, 3))
    make(tmp_path, {})
    with served(small.answer) as small.place:
        kinds = []
        for address in (f"{small.place}/solr/laro", small.place):
            result = CliRunner().invoke(main, ["--instance", str(tmp_path), "source", "check", address, "--json"])
            kinds.append([candidate["kind"] for candidate in json.loads(result.stdout)["recognised"]])
    assert kinds == [["solr", "resourcesync"], ["resourcesync"]]
