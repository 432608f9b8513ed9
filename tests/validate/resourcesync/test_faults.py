"""One fault for every rule: a source that is wrong in this one thing breaks this one rule, and no other."""

from __future__ import annotations

from collections import Counter

import pytest

from harvester.validate.report import Verdict
from harvester.validate.resourcesync.run import RULES, lint
from tests.rows import each_row
from tests.validate.parts import in_parts
from tests.validate.resourcesync.faults import FAULTS
from tests.validate.resourcesync.further_faults import FURTHER
from tests.validate.resourcesync.site import (
    BASE,
    CAPABILITIES,
    CHANGES,
    CLOSED_LIST,
    DUMP,
    NOW,
    OPEN_LIST,
    PACKAGE,
    PAGE,
    PART1,
    RESOURCES,
    WELL_KNOWN,
    Site,
)

VERDICTS = {rule.name: rule.fault for rule in RULES}


def _lint(site, path=PAGE, **given):
    return lint(BASE + path, site.fetch, now=lambda: NOW, **given)


def _findings(linted):
    results = linted.report.results
    return {result.check: result for result in results if result.verdict in (Verdict.FAIL, Verdict.WARNING)}


@each_row("path", [PAGE, WELL_KNOWN, CAPABILITIES, RESOURCES, PART1, CHANGES, CLOSED_LIST, DUMP])
def test_a_right_source_has_no_finding(path):
    linted = _lint(Site().fill(), path)
    assert _findings(linted) == {}, list(linted.lines())
    assert linted.report.exit_code == 0
    assert (linted.version, linted.limit, linted.documents) == ("1.1", "", 14)


def test_a_right_source_applies_every_rule(tmp_path):
    _lint(Site().fill(), again=tmp_path)
    linted = _lint(Site().fill(), again=tmp_path)
    assert _findings(linted) == {}
    skipped = {result.check for result in linted.report.results if result.verdict is Verdict.SKIPPED}
    assert skipped == {"change.lastmod-order", "entry.changefreq", "entry.priority", "encoding.form", "link.priority"}


@in_parts("faults", FAULTS, 10, pytest.mark.slow)
def test_a_fault_is_found_by_its_rule_and_by_no_other(faults, tmp_path):
    wrong = []
    for number, fault in enumerate(faults):
        site = Site().fill()
        fault.spoil(site)
        again = tmp_path / f"{number}" if fault.later else None
        linted = _lint(site, fault.start, again=again)
        if fault.later:
            assert _findings(linted) == {}
            fault.later(site)
            linted = _lint(site, fault.start, again=again)
        found = _findings(linted)
        wrong += [(fault.rule, fault.words, list(linted.lines()))] * (list(found) != [fault.rule])
        assert {rule: result.verdict for rule, result in found.items()}.items() <= VERDICTS.items()
        assert all(one.asked and one.came and one.finding for result in found.values() for one in result.evidence)
    assert wrong == []


@pytest.mark.slow
def test_a_fault_is_found_from_whichever_document_the_check_begins():
    starts = (WELL_KNOWN, CAPABILITIES, RESOURCES, OPEN_LIST, DUMP, PACKAGE)
    wrong = []
    for number, fault in enumerate(FAULTS):
        if fault.later or fault.rule in ("answer.size", "document.entries"):
            continue
        site = Site().fill()
        fault.spoil(site)
        path = starts[number % len(starts)]
        found = list(_findings(_lint(site, path)))
        wrong += [(fault.rule, fault.words, path, found)] * (found != [fault.rule])
    assert wrong == []


def test_an_index_that_is_a_urlset_is_found_from_its_parts():
    fault = next(fault for fault in FAULTS if fault.words == "an index that is a urlset")
    site = Site().fill()
    fault.spoil(site)
    assert list(_findings(_lint(site, PART1))) == [fault.rule]


@in_parts("faults", FURTHER, 4, pytest.mark.slow)
def test_faults_that_were_written_after_the_rules_are_found(faults):
    wrong = []
    for rules, spoil in faults:
        site = Site().fill()
        spoil(site)
        found = set(_findings(_lint(site)))
        wrong += [(rules, found)] * (found != rules)
    assert wrong == []


def test_every_rule_has_a_fault_and_a_name_of_its_own():
    assert VERDICTS.keys() == {fault.rule for fault in FAULTS}
    assert len(VERDICTS) == len(RULES) >= 60
    counts = Counter((fault.rule, fault.words) for fault in FAULTS)
    assert [words for words, count in counts.items() if count > 1] == []
