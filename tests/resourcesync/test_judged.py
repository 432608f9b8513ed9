"""Other people's programs read our source: the official schemas, and the client of the standard's authors."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from lxml import etree
from werkzeug.test import TestResponse

from gateway.core.xmltext import utc_datetime
from harvester.http.messages import Fetch
from harvester.validate.check import Verdict
from harvester.validate.resourcesync.run import Linted, lint
from tests import live
from tests.conftest import ROOT
from tests.publish.harness import Harness, Sent, dc, make_databases
from tests.resourcesync.conftest import URL, Source, fetch_by

SHARED = ROOT.parent / "shared"


@pytest.mark.needs("../shared/xsd")
def test_the_official_schemas_accept_every_document(source):
    """They want an entry in each document, so that of a repository without records is the one exception."""
    schemas = {
        name: etree.XMLSchema(file=str(SHARED / "xsd" / f"driver-rs-{name}.xsd")) for name in ("urlset", "index")
    }
    source.publish(*map(str, range(7)), sets=("x",))
    source.harness.now += 90_000
    source.publish("1", title="Another")
    source.delete("2")
    source.harness.now += 5
    folder = "/resourcesync/oai_dc/source"
    names = ["capabilitylist", "resourcelist", "resourcelist-1", "resourcelist-3", "changelist"]
    periods = [loc.rpartition("/")[2].removesuffix(".xml") for loc in source.locations("changelist")]
    paths = [f"{folder}/{name}.xml" for name in (*names, *periods)] + ["/.well-known/resourcesync"]
    for path in paths:
        root = etree.fromstring(source.get(path).data)
        kind = "index" if root.tag.endswith("sitemapindex") else "urlset"
        schemas[kind].assertValid(root)
    assert len(periods) == 4
    source.tend(snapshot_days=1)
    kept = ["capabilitylist", "resourcelist", "resourcedump", "changelist", "changedump", "changedump-2023-11-14"]
    kept += ["resourcelist-archive", "changelist-archive", "changedump-archive", "changedump-manifest-2023-11-14"]
    (old,) = source.locations("resourcelist-archive")
    parts = source.locations(old.partition("/source/")[2].removesuffix(".xml"))
    addresses = [old, *parts, *(f"{URL}{folder}/{name}.xml" for name in kept)]
    for address in addresses:
        root = etree.fromstring(source.get(address.removeprefix(URL)).data)
        schemas["index" if root.tag.endswith("sitemapindex") else "urlset"].assertValid(root)


# What the client does, as a program of its own: it needs `distutils`, and warns of it.
_CLIENT = """
import logging, sys
from resync.client import Client
logging.basicConfig(level=logging.INFO)
site, folder = sys.argv[1:]
lists = site + "/resourcesync/oai_dc/source"
client = Client()
client.hashes = {{"sha-256"}} if "audit" in "{}" else set()  # its Change Lists cannot have any
client.set_mappings([site + "/metadata/oai_dc/", folder])
client.capability_list_uri = lists + "/capabilitylist.xml"
client.{}
"""


def _done_by_the_client(site: str, folder: Path, call: str) -> str:
    line = [sys.executable, "-W", "ignore", "-c", _CLIENT.format(call.partition("(")[0], call), site, str(folder)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    return done.stderr


def _titles(folder: Path) -> dict[str, str]:
    files = [file for file in folder.rglob("*") if file.is_file() and not file.name.startswith(".")]
    return {file.name: file.read_text().partition("<dc:title>")[2].partition("<")[0] for file in files}


@pytest.mark.slow
def test_the_client_of_the_standard_holds_what_we_publish(tmp_path: Path) -> None:
    instance, copy = tmp_path / "instance", tmp_path / "copy"
    instance.mkdir()
    copy.mkdir()
    make_databases(instance)
    assert live.called("gateway", instance, "init", "--domain", "gateway.example.org").returncode == 0
    port = live.free_port()
    base_url = f"http://127.0.0.1:{port}/oai"  # with it there is a hub, which the lists name
    with closing_harness(instance) as harness, live.served(instance, "--port", str(port), base_url=base_url) as server:
        site = server.url.removesuffix("/oai")
        harness.sent(*(Sent(str(number), dc(f"Title {number}")) for number in range(5)))
        _done_by_the_client(site, copy, "baseline_or_audit(allow_deletion=True)")
        assert _titles(copy) == {str(number): f"Title {number}" for number in range(5)}
        assert "IN SYNC" in _done_by_the_client(site, copy, "baseline_or_audit(audit_only=True)")
        began = utc_datetime(harness.record("1").datestamp + 1)
        harness.now += 5
        harness.sent(Sent("1", dc("Changed")), Sent("2", None), Sent("7", dc("New")))
        changes = "lists + '/changelist-open.xml'"
        call = f"incremental(allow_deletion=True, change_list_uri={changes}, from_datetime='{began}')"
        _done_by_the_client(site, copy, call)
        wanted = {"0": "Title 0", "1": "Changed", "3": "Title 3", "4": "Title 4", "7": "New"}
        assert _titles(copy) == wanted
        assert "IN SYNC" in _done_by_the_client(site, copy, "baseline_or_audit(audit_only=True)")


@contextmanager
def closing_harness(folder: Path) -> Iterator[Harness]:
    harness = Harness(folder)
    with closing(harness.store), closing(harness.inbox):
        yield harness


def _fetch_of(source: Source, *, has_parts: bool) -> Fetch:
    """Return a `fetch` that asks the whole application, without a network."""

    def get(path: str) -> TestResponse:
        is_ours = path.startswith(("/resourcesync/", "/.well-known/resourcesync"))  # with lists of three entries
        return source.get(path) if is_ours and has_parts else source.house_get(path)

    return fetch_by(get)


@pytest.mark.parametrize(
    ("start", "has_parts"),
    [
        pytest.param("/", True),
        pytest.param("/.well-known/resourcesync", False, marks=pytest.mark.slow),
        pytest.param("/resourcesync/oai_dc/source/changelist.xml", True, marks=pytest.mark.slow),
        pytest.param("/resourcesync/oai_dc/source/resourcedump-1.zip", False, marks=pytest.mark.slow),
    ],
)
def test_our_own_linter_has_one_advice_in_two_runs(source, start, has_parts, tmp_path):
    source.publish(*map(str, range(7)), sets=("x",))
    for _ in range(2):
        source.harness.now += 90_000
        source.publish("1", title=f"Another {source.harness.now}")
        source.delete("2")
        source.harness.now += 5
        linted = lint(
            URL + start, _fetch_of(source, has_parts=has_parts), again=tmp_path, now=lambda: source.harness.now
        )
        assert _findings(linted) == {"dump.length"}  # packages are made at the request, if `tend` never runs
        assert (linted.version, linted.limit, linted.documents >= 6) == ("1.1", "", True)
        passed = {result.check for result in linted.report.results if result.verdict is Verdict.PASS}
        assert passed > {"resource.hash", "resource.deleted", "up.listed", "discovery.well-known", "change.order"}
        source.publish("2")


def _findings(linted: Linted) -> set[str]:
    broken = (Verdict.FAIL, Verdict.WARNING)
    return {result.check for result in linted.report.results if result.verdict in broken}
