"""One fault for every check: a site on loopback that is wrong in this one thing fails this one check, and no other."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from gateway.settings import load
from harvester.http.access import Access
from harvester.http.fetching import Web
from harvester.validate.report import Verdict
from harvester.validate.signposting.run import CHECKS, lint
from tests.validate.signposting.faults import FAULTS
from tests.validate.signposting.site import DC, NOTE, PAGE, PDF, PID, Site, serving

pytestmark = pytest.mark.slow  # a hundred faulty sites, and thirty requests to each

VERDICTS = {check.name: check.fault for check in CHECKS}
SETTINGS = {"GATEWAY_FETCH_DELAY_SECONDS": "0", "GATEWAY_FETCH_RETRIES": "0"}


@pytest.fixture(scope="module")
def server():
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def web(server, tmp_path_factory):
    settings = load(tmp_path_factory.mktemp("lint"), SETTINGS)
    with Web(settings, {"ours": Access(server.base, classes=("loopback",))}) as web:
        yield web.fetcher("ours")


def _findings(report):
    return {result.check: result for result in report.results if result.verdict in (Verdict.FAIL, Verdict.WARNING)}


@pytest.mark.parametrize("path", [PAGE, PID, PDF, NOTE, DC])
def test_a_right_site_has_no_finding(server, web, path):
    server.site = Site(server.base).fill()
    report = lint(server.base + path, web)
    assert _findings(report) == {}, list(report.lines())
    assert {result.reason for result in report.results if result.verdict is Verdict.SKIPPED} == set()
    assert report.exit_code == 0
    assert report.base_url == server.base + (PID if path == PID else PAGE)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: " ".join(filter(None, (fault.check, fault.words))))
def test_a_fault_is_found_by_its_check_and_by_no_other(server, web, fault):
    server.site = Site(server.base).fill()
    fault.spoil(server.site)
    report = lint(server.base + fault.path, web)
    by_check = _findings(report)
    assert list(by_check) == [fault.check], [line for line in report.lines() if not line.startswith(("ok", "skip"))]
    assert by_check[fault.check].verdict is VERDICTS[fault.check]
    assert all(evidence.asked and evidence.came and evidence.finding for evidence in by_check[fault.check].evidence)


def test_every_check_has_a_fault_and_a_name_of_its_own():
    assert VERDICTS.keys() == {fault.check for fault in FAULTS}
    assert len(VERDICTS) == len(CHECKS) >= 40
    assert [
        words for words, count in Counter((fault.check, fault.words) for fault in FAULTS).items() if count > 1
    ] == []


def test_every_check_names_its_source():
    known = re.compile(
        r"(?:(?:RFC \d{4}|FAIR Signposting Profile|FAIRiCat) §[\d.]+(?:, (?:(?:RFC \d{4}|FAIRiCat) )?§[\d.]+)*"
        r"|practice of the field)"
    )
    assert [check.section for check in CHECKS if not known.fullmatch(check.section)] == []
    assert [check.expects for check in CHECKS if not check.expects.endswith(".")] == []
