"""The check of ResourceSync sources on what others publish, on hostile documents, and within its limits."""

import gzip
import json
from contextlib import nullcontext

import pytest
from click.testing import CliRunner

from gateway.core.errors import AddressRefused, AnswerTooLarge, ConfigurationError, ConnectionFailed, NotResourceSync
from harvester.cli import main
from harvester.validate.check import Evidence, Verdict
from harvester.validate.resourcesync.documents import judge
from harvester.validate.resourcesync.model import Document, Judged, Observer
from harvester.validate.resourcesync.run import Limits, lint
from harvester.validate.resourcesync.values import moment
from tests.conftest import SHARED
from tests.rows import each_row
from tests.validate.resourcesync import site as right
from tests.validate.resourcesync.site import (
    ARCHIVE,
    BASE,
    CAPABILITIES,
    CHANGES,
    DUMP,
    NAMESPACES,
    NOW,
    OLD,
    OPEN_LIST,
    PACKAGE,
    PAGE,
    PART1,
    PART2,
    RESOURCES,
    ROBOTS,
    WELL_KNOWN,
    Site,
    document,
    entry,
    representation,
)

DATA = SHARED / "data" / "resourcesync"
SPEC = "spec-1.1/zimeon+www.openarchives.org"


def _lint(site, path=PAGE, **given):
    limits = {name: given.pop(name) for name in ("requests", "seconds", "bytes", "fetch", "lists") if name in given}
    return lint(BASE + path, site.fetch, limits=Limits(**limits), now=lambda: NOW, **given)


def _findings(linted):
    return {
        result.check: result.evidence[0].finding
        for result in linted.report.results
        if result.verdict in (Verdict.FAIL, Verdict.WARNING)
    }


def _skipped(linted):
    return {result.check: result.reason for result in linted.report.results if result.verdict is Verdict.SKIPPED}


class _Shown:
    def evidence(self, finding=""):
        return Evidence("a file", "bytes", finding)


def _of_document(body):
    """Return the findings in one document."""
    judged = Judged()
    judge(Document(("http://example.com/x.xml",), _Shown()), lambda: [body], judged, Observer(), NOW)
    broken = (Verdict.FAIL, Verdict.WARNING)
    return {result.check: result.evidence[0].finding for result in judged.results() if result.verdict in broken}


# --- what others publish -----------------------------------------------------------------------------------------

# Documents of the introduction of the standard, which leaves out links; and a hash of a wrong length.
WALKTHROUGH = {f"{number}": {"up.stated"} for number in (1, 2, 3, 4, 5, 8)}
EXAMPLES = {**WALKTHROUGH, "27": {"hash.digits"}}


@pytest.mark.needs("../shared/data/resourcesync")
def test_the_examples_of_the_standard_have_no_other_faults():
    files = sorted((DATA / SPEC).glob("resourcesync_ex_*.xml"))
    numbers = {file: file.stem.rpartition("_")[2] for file in files}
    faults = {numbers[file]: set(_of_document(file.read_bytes())) for file in files if numbers[file] != "9"}  # HTML
    assert {number: rules for number, rules in faults.items() if rules} == EXAMPLES
    assert len(faults) == 30


@pytest.mark.needs("../shared/data/resourcesync")
@each_row(
    "name",
    [
        "notification/notification_ex1.xml", "notification/notification_ex7.xml",
        "notification/framework_notification_ex1.xml", "notification/framework_notification_ex2.xml",
        "notification/framework_notification_ex8.xml", "CDLUC3+resync/data__changedump-index.xml",
        "CDLUC3+resync/data__resourcedump-index.xml", "CDLUC3+resync-client/examples__change-list-1.xml",
        "CDLUC3+resync-client/examples__change-list-3.xml", "CDLUC3+resync-client/examples__resource-list-1.xml",
        "spec-0.9.1/zimeon+www.openarchives.org/archives_ex_3_1.xml",
        "spec-0.9.1/zimeon+www.openarchives.org/archives_ex_4_1.xml",
        "spec-0.9.1/zimeon+www.openarchives.org/archives_ex_5_1.xml",
        "spec-0.9.1/zimeon+www.openarchives.org/archives_ex_6_1.xml",
        "nakamura196+resourcesync/sample__resourcelist-index.xml",
        "nakamura196+resourcesync/sample__capabilitylist.xml",
    ],
)  # fmt: skip
def test_recorded_documents_have_no_fault(name):
    rules = set(_of_document((DATA / name).read_bytes()))
    assert rules - {"loc.authority"} == set()  # they are at no address of their own here


def test_the_command_reports_in_json_and_its_status_is_that_of_the_worst_verdict(tmp_path, monkeypatch):
    site = Site().fill()
    monkeypatch.setattr("harvester.commands.checking.fetcher", lambda *_: nullcontext(site.fetch))
    words = ["--instance", str(tmp_path), "lint-resourcesync", BASE + CAPABILITIES, "--json"]
    done = CliRunner().invoke(main, words)
    report = json.loads(done.stdout)
    assert (done.exit_code, report["version"], report["documents"], report["limit"]) == (0, "1.1", 14, "")
    site[OPEN_LIST].status = 404
    assert CliRunner().invoke(main, words).exit_code == 1


# --- hostile documents -------------------------------------------------------------------------------------------

HEAD = f'<urlset {NAMESPACES}><rs:md capability="resourcelist" at="2026-03-02T00:00:00Z"/>'
UP = f'<rs:ln rel="up" href="{BASE}/c"/>'
LAUGHS = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
NAMES = "".join(f"<a{number}/>" for number in range(9_900))
ATTRIBUTES = " ".join(f'a{number}=""' for number in range(11_000))
HOSTILE = {
    "entities": (f"{LAUGHS}{HEAD}<url><loc>&b;</loc></url></urlset>", "xml.doctype"),
    "depth": (f"{HEAD}{UP}<url>{'<a>' * 1000}", "xml.well-formed"),
    "address without end": (f"{HEAD}{UP}<url><loc>{'x' * 200_000}</loc></url></urlset>", "xml.well-formed"),
    "children": (f"{HEAD}{UP}<url>{'<loc>x</loc>' * 20_000}</url></urlset>", "xml.well-formed"),
    "names": (f"{HEAD}{UP}{NAMES}</urlset>", "xml.elements"),
    "attributes": (f"{HEAD}{UP}<x {ATTRIBUTES}/></urlset>", "xml.well-formed"),
    "no XML": ("hello", "xml.well-formed"),
    "encoding": ('<?xml version="1.0" encoding="x-none"?><urlset/>', "xml.well-formed"),
}


@each_row("name", HOSTILE)
def test_hostile_documents_are_judged_within_limits(name):
    body, rule = HOSTILE[name]
    assert rule in _of_document(body.encode())


def test_a_document_that_unpacks_without_end_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr("harvester.validate.resourcesync.documents._READ_BYTES", 1_500_000)
    packed = gzip.compress(f"{HEAD}{' ' * 2_000_000}</urlset>".encode(), 1)
    assert "more than 1500000 bytes" in _of_document(packed)["answer.size"]
    damaged = gzip.compress(f"{HEAD}</urlset>".encode())[:-8] + b"12345678"  # another checksum
    assert "damaged" in _of_document(damaged)["xml.well-formed"]


def test_a_package_that_unpacks_without_end_is_not_read_to_its_end():
    site = Site().fill()
    files = {"res/1": b"0" * 20_000_000, "res/2": b"x"}
    site.pack(files=files, entries=entry("/r/1", path="/res/1", length="3") + entry("/r/2", path="/res/2"))
    assert "too large" in _findings(_lint(site))["package.zip"]


def test_elements_and_texts_in_elements_of_others_are_no_fault():
    other = '<x:a xmlns:x="urn:x">text<x:b>text</x:b></x:a>'
    assert _of_document(f"{HEAD}{UP}{other}<url><loc>http://e.org/</loc>{other}</url></urlset>".encode()) == {}


def test_a_resource_may_be_created_again_after_its_deletion():
    changes = [
        entry("/1", change=change, datetime=f"2026-03-02T00:0{minute}:00Z")
        for minute, change in enumerate(("created", "updated", "deleted", "created", "updated", "updated"))
    ]
    assert _of_document(document(UP, {"capability": "changelist", "from": right.AT}, *changes)) == {}


def test_control_characters_and_long_texts_of_a_source_are_quoted_and_cut():
    site = Site().fill()
    site.replace(PART2, f"{BASE}/r/4", f"{BASE}/r/&#10;{'4' * 5000}")
    sentence = _findings(_lint(site))["loc.characters"]
    assert "\n" not in sentence
    assert len(sentence) < 300


# --- starting points and limits ----------------------------------------------------------------------------------


def test_every_starting_point_leads_to_the_same_verdicts(tmp_path):
    def verdicts(path):
        results = _lint(Site().fill(), path, again=tmp_path).report.results
        return {one.check: one.verdict for one in results}

    _lint(Site().fill(), again=tmp_path)
    whole = verdicts(PAGE)
    paths = (WELL_KNOWN, CAPABILITIES, RESOURCES, PART1, CHANGES, OPEN_LIST, DUMP, ARCHIVE, OLD, PACKAGE)
    for path in (*paths, right.CHANGE_DUMP, right.MANIFEST):
        assert verdicts(path) == whole, path


def test_links_up_that_go_round_end():
    site = Site().fill()
    del site[WELL_KNOWN], site[PAGE], site[ROBOTS]
    for one, other in ((OLD, "/old"), ("/old", OLD)):
        body = document(right.ln("up", other), {"capability": "resourcelist", "at": right.AT}, entry("/r/1"))
        site[one] = right.Resource(body)
    assert set(_findings(_lint(site, "/old"))) == {"up.capability-list", "discovery.well-known"}


def test_a_description_index_leads_to_its_descriptions():
    site = Site().fill()
    site["/a/description.xml"] = site.pop(WELL_KNOWN)
    lead = right.ln("describedby", "/about")
    parts = entry("/a/description.xml", "sitemap", capability="description")
    site[WELL_KNOWN] = right.Resource(document(lead, {"capability": "description"}, parts, root="sitemapindex"))
    site.replace(CAPABILITIES, WELL_KNOWN, "/a/description.xml")
    linted = _lint(site, WELL_KNOWN)
    assert (_findings(linted), linted.documents) == ({}, 15)


def test_no_limit_makes_a_finding():
    site = Site().fill()
    md = {"capability": "resourcelist", "at": "2025-03-02T00:00:00Z"}
    index = document(right.ln("up", CAPABILITIES), md, entry(OLD, "sitemap"), root="sitemapindex")
    site["/a/old-index.xml"] = right.Resource(index)
    site.replace(OLD, '<rs:ln rel="up"', f'<rs:ln rel="index" href="{BASE}/a/old-index.xml"/><rs:ln rel="up"')
    for requests in (*range(3, 27, 3), 24, 25):
        linted = _lint(site, requests=requests)
        assert (_findings(linted), bool(linted.limit)) == ({}, requests < 25), requests


def test_limits_that_allow_no_document_are_an_error():
    with pytest.raises(ConfigurationError, match=r"limit of 1 bytes was reached\. No document was read"):
        _lint(Site().fill(), bytes=1)
    with pytest.raises(ConfigurationError, match=r"limit of 1 requests was reached\. No document was read"):
        _lint(Site().fill(), requests=1)


def test_without_fetch_no_resource_is_requested():
    linted = _lint(Site().fill(), fetch=0)
    assert {"resource.hash", "package.zip"} <= set(_skipped(linted))
    assert _findings(linted) == {}


def test_a_sample_is_no_larger_than_wanted_and_always_the_same():
    site = Site().fill()
    asked = []

    def fetch(request):
        asked.append(request.url.removeprefix(BASE))
        return site.fetch(request)

    for _ in range(2):
        lint(BASE + PAGE, fetch, limits=Limits(fetch=2), now=lambda: NOW)
    resources = [path for path in asked if path.startswith(("/r/", "/m/"))]
    assert resources[: len(resources) // 2] == resources[len(resources) // 2 :]
    assert len(resources) == 2 * 4


@each_row("error", [AddressRefused("no"), AnswerTooLarge("no")])
def test_what_the_guard_refuses_is_no_finding(error):
    site = Site().fill()

    def fetch(request):
        if request.url.endswith(("/r/4", PACKAGE, OPEN_LIST)):
            raise error
        return site.fetch(request)

    assert _findings(lint(BASE + PAGE, fetch, now=lambda: NOW)) == {}


def test_what_changed_after_the_list_is_not_compared():
    site = Site().fill()
    site["/r/4"] = right.Resource(b"new", headers={"Last-Modified": "Tue, 03 Mar 2026 08:00:00 GMT"})
    assert _findings(_lint(site)) == {}


def _with_changes(site, *changes):
    """Add changes to the end of the closed Change List, whose window then includes them."""
    site.replace(right.CLOSED_LIST, "</urlset>", "".join(changes) + "</urlset>")
    return site


@each_row(
    "change, when, hash_",
    [
        ("deleted", right.AT, ""),  # as late as the list
        ("updated", "2026-03-01T10:00:00Z", "md5:" + "0" * 32),  # the list has a stronger hash
    ],
)
def test_a_change_that_may_be_in_the_list_is_no_finding(change, when, hash_):
    stated = {"hash": hash_} if hash_ else {}
    site = _with_changes(Site().fill(), entry("/r/2", change=change, datetime=when, **stated))
    assert set(_findings(_lint(site, fetch=0))) <= {"hash.digits"}


def test_an_address_that_leads_to_no_document_is_an_error():
    site = Site()
    with pytest.raises(NotResourceSync, match="do not lead to one"):
        _lint(site)
    with pytest.raises(ConfigurationError, match="Write http"):
        lint("source.example.org", site.fetch)

    def unreachable(request):
        raise ConnectionFailed(request.url)

    with pytest.raises(ConnectionFailed):
        lint(BASE, unreachable)


# --- two runs ----------------------------------------------------------------------------------------------------


def test_a_change_that_a_change_list_has_is_no_finding(tmp_path):
    site = Site().fill()
    _lint(site, again=tmp_path)
    changed = {"change": "updated", "datetime": "2026-03-04T10:00:00Z", **representation("", b"changed")}
    old = entry("/r/4", lastmod=right.MODIFIED, **representation("/r/4"))
    site.replace(PART2, old, entry("/r/4", **representation("", b"changed")) + entry("/r/6", length="1"))
    more = entry("/r/4", **changed) + entry("/r/6", change="created", datetime="2026-03-04T11:00:00Z", length="1")
    site.replace(OPEN_LIST, "</urlset>", more + "</urlset>")
    site["/r/4"] = right.Resource(b"changed")
    site["/r/6"] = right.Resource(b"6")
    assert _findings(_lint(site, again=tmp_path)) == {}


def test_a_folder_that_cannot_be_used_is_an_error(tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(ConfigurationError, match="cannot be used"):
        _lint(Site().fill(), again=file / "folder")
    folder = tmp_path / "folder"
    (folder / "documents.json.new").mkdir(parents=True)
    with pytest.raises(ConfigurationError, match="cannot be written"):
        _lint(Site().fill(), again=folder)


@each_row("text", ["{", '{"a": 1}', "[" * 10_000])
def test_a_damaged_memory_is_none(tmp_path, text):
    (tmp_path / "documents.json").write_text(text)
    for file in ("x", "y"):
        (tmp_path / f"{file}.resources").write_bytes(b"damaged")
    assert _findings(_lint(Site().fill(), again=tmp_path)) == {}


# --- values ------------------------------------------------------------------------------------------------------


@each_row(
    "text, second",
    [
        ("1970-01-01T00:00:00Z", 0.0), ("1970-01-01T00:00:01.5Z", 1.5), ("1970-01-01T01:00:00+01:00", 0.0),
        ("1970-01-01T00:00-01:00", 3600.0), ("1970-01-02", 86_400.0), ("1970-02", 31 * 86_400.0),
        ("1971", 365 * 86_400.0), ("2024-02-29T00:00:00Z", 1_709_164_800.0),
    ],
)  # fmt: skip
def test_every_form_of_w3c_datetimes_is_read(text, second):
    assert moment(text) == second


@each_row("text",
    ["", "x", "1970-1-1", "1970-13-01", "1970-01-32", "1970-01-01T24:00Z", "1970-01-01T00:60Z", "0000", "2023-02-29",
     "1970-01-01T00:00:61Z", "1970-01-01T00:00:00", "1970-01-01 00:00:00Z", "١٩٧٠", "1970-01-01T00:00:00Z\n"],
)  # fmt: skip
def test_other_texts_are_no_time(text):
    assert moment(text) is None
