"""One fault for every check: a site that is wrong in this one thing fails this one check, and no other."""

import pytest

from harvester.validate.check import Verdict
from harvester.validate.signposting.run import CHECKS, lint
from harvester.validate.signposting.site import RULES
from tests.rows import each_row
from tests.validate.parts import in_parts
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


@in_parts("faults", FAULTS, 4, pytest.mark.slow)
def test_a_fault_is_found_by_its_check_and_by_no_other(faults):
    wrong = []
    for fault in faults:
        site = Site(BASE).fill()
        fault.spoil(site)
        report = lint(BASE + fault.path, site.fetch)
        found = _findings(report)
        wrong += [(fault.check, list(report.lines()))] * (list(found) != [fault.check])
        assert {check: result.verdict for check, result in found.items()}.items() <= VERDICTS.items()
        assert all(one.asked and one.came and one.finding for result in found.values() for one in result.evidence)
    assert wrong == []


def test_every_check_has_one_fault_and_a_name_of_its_own():
    assert sorted(VERDICTS) == sorted(RULES) == sorted(fault.check for fault in FAULTS)
    assert len(VERDICTS) == len(CHECKS) >= 40
