"""A gateway that every kind of source has filled is served, and the strict check finds nothing wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gateway.settings import load
from harvester.harvest.access import kinds
from harvester.http.access import Access
from harvester.http.fetching import Web
from harvester.validate.run import Limits, Verdict, validate
from tests import live
from tests.conftest import ROOT
from tests.sample.laro import Laro
from tests.sample.solr import laro, served

pytestmark = pytest.mark.slow

LINES = [
    {"identifier": "one", "datestamp": "2020-01-01", "metadata": "<record><title>One</title></record>"},
    {"identifier": "two", "metadata": "<record><title>Two</title></record>"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, sample_source):
    """Return an instance with a source of each kind, of which some have metadata in no namespace."""
    made = tmp_path_factory.mktemp("every-kind")
    files = made / "delivered"
    files.mkdir()
    (files / "bare.xml").write_text("<record><title>Bare</title></record>")
    (files / "lines.jsonl").write_text("\n".join(json.dumps(line) for line in LINES))
    small = Laro(laro(10, 3))
    with served(small.answer) as small.place:
        sources = {
            "oai": ("oai_pmh", sample_source, ["oai_dc", "mods"]),
            "list": ("resourcesync", small.place, ["record"]),
            "index": ("solr", f"{small.place}/solr/laro", ["solr"]),
            "small": ("static_repository", str(ROOT / "tests" / "sample" / "static.xml"), ["oai_dc"]),
            "files": ("files", str(files), ["bare"]),
        }
        assert {kind for kind, _, _ in sources.values()} == set(kinds())
        return _harvested(made / "instance", sources)


def _harvested(folder: Path, sources: dict[str, tuple[str, str, list[str]]]) -> Path:
    assert live.called("gateway", folder, "init", "--domain", "live.example.org").returncode == 0
    tables = (
        f"[{name}]\nkind = '{kind}'\nurl = '{url}'\nformats = {formats}\n"
        for name, (kind, url, formats) in sources.items()
    )
    (folder / "sources.toml").write_text("\n".join(tables))
    done = live.called("harvester", folder, "run", "--all")
    assert done.returncode == 0, done.stderr
    return folder


def test_a_gateway_filled_by_every_kind_of_source_passes_every_check(folder):
    with live.served(folder, oai_page_size=20) as server, Web(load(folder, {}), {"ours": Access(server.url)}) as web:
        report = validate(server.url, web.fetcher("ours"), limits=Limits(least_page=20, pages=100))
    wrong = [result for result in report.results if result.verdict not in (Verdict.PASS, Verdict.SKIPPED)]
    assert wrong == []
    assert report.exit_code == 0
