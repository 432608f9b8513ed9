"""One fault for every rule: a source that is wrong in this one thing breaks this one rule, and no other."""

import pytest

from harvester.validate.check import Verdict
from harvester.validate.resourcesync.run import RULES, lint
from tests.validate.parts import in_parts
from tests.validate.resourcesync.faults import FAULTS
from tests.validate.resourcesync.site import BASE, NOW, PAGE, Site

VERDICTS = {rule.name: rule.fault for rule in RULES}


def _lint(site, path=PAGE, **given):
    return lint(BASE + path, site.fetch, now=lambda: NOW, **given)


def _findings(linted):
    results = linted.report.results
    return {result.check: result for result in results if result.verdict in (Verdict.FAIL, Verdict.WARNING)}


def test_a_right_source_applies_every_rule(tmp_path):
    _lint(Site().fill(), again=tmp_path)
    linted = _lint(Site().fill(), again=tmp_path)
    assert _findings(linted) == {}, list(linted.lines())
    assert (linted.report.exit_code, linted.version, linted.limit, linted.documents) == (0, "1.1", "", 14)
    skipped = {result.check for result in linted.report.results if result.verdict is Verdict.SKIPPED}
    assert skipped == {"change.lastmod-order", "entry.changefreq", "entry.priority", "encoding.form", "link.priority"}


@in_parts("faults", FAULTS, 10, pytest.mark.slow)
def test_a_fault_is_found_by_its_rule_and_by_no_other(faults, tmp_path):
    wrong = []
    for number, fault in enumerate(faults):
        site = Site().fill()
        fault.spoil(site)
        again = tmp_path / f"{number}" if fault.later else None
        linted = _lint(site, again=again)
        if fault.later:
            assert _findings(linted) == {}
            fault.later(site)
            linted = _lint(site, again=again)
        found = _findings(linted)
        wrong += [(fault.rule, list(linted.lines()))] * (list(found) != [fault.rule])
        assert {rule: result.verdict for rule, result in found.items()}.items() <= VERDICTS.items()
        assert all(one.asked and one.came and one.finding for result in found.values() for one in result.evidence)
    assert wrong == []


def test_every_rule_has_one_fault_and_a_name_of_its_own():
    assert sorted(VERDICTS) == sorted(fault.rule for fault in FAULTS)
    assert len(VERDICTS) == len(RULES) >= 60
