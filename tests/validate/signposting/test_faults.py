"""One fault for every check: a site that is wrong in this one thing fails this one check, and no other."""

from __future__ import annotations

from collections import Counter

from harvester.validate.report import Verdict
from harvester.validate.signposting.run import CHECKS, lint
from tests.rows import each_row
from tests.validate.signposting.faults import FAULTS
from tests.validate.signposting.site import DC, NOTE, PAGE, PDF, PID, Site

BASE = "https://repository.example.org"
VERDICTS = {check.name: check.fault for check in CHECKS}


def _findings(report):
    return {result.check: result for result in report.results if result.verdict in (Verdict.FAIL, Verdict.WARNING)}


@each_row("path", [PAGE, PID, PDF, NOTE, DC])
def test_a_right_site_has_no_finding(path):
    report = lint(BASE + path, Site(BASE).fill().fetch)
    assert _findings(report) == {}, list(report.lines())
    assert {result.reason for result in report.results if result.verdict is Verdict.SKIPPED} == set()
    assert report.exit_code == 0
    assert report.base_url == BASE + (PID if path == PID else PAGE)


@each_row("fault", FAULTS)
def test_a_fault_is_found_by_its_check_and_by_no_other(fault):
    site = Site(BASE).fill()
    fault.spoil(site)
    report = lint(BASE + fault.path, site.fetch)
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
