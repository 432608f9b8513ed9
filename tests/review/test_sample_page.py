"""The precision sample: random, blind, never shown twice to the same person, and its result beside the setting."""

import json
import re
from html import unescape

import pytest

from gateway.core.model import AcceptRule, Judged, Role
from gateway.core.takedowns import Kind, Takedown
from tests.page_house import seen
from tests.review_house import Browser, Files, signed_in

BY_LICENSE = "The licence cc-by was stated for this copy."
BY_POLICY = "The policy permits the accepted version in a repository now."


def accepted(files: Files, count: int, reason: str = BY_LICENSE, prefix: str = "l", **more):
    """Add files that a rule accepted."""
    return [
        files.add(f"{prefix}{number}", f"Work {prefix}{number}", verdict="accept", reason=reason, **more)
        for number in range(count)
    ]


def shown(page: str) -> dict[str, str]:
    """Return the hidden fields of the file that a page of the sample shows; empty if it shows none."""
    fields = ("identifier", "url", "sha256")
    matches = {name: re.search(rf'name="{name}" value="([^"]*)"', page) for name in fields}
    return {name: unescape(match[1]) for name, match in matches.items() if match}


def judge(browser: Browser, judged: str, **more: str) -> str:
    """Judge the next file, and return the identifier of its item; empty if there is none."""
    file = shown(browser.get("/review/sample").text)
    if not file:
        return ""
    answer = browser.post("/review/sample", judged=judged, **file, **more)
    assert answer.status_code == 303
    return file["identifier"]


def test_rule_step_and_score_are_hidden(files, reviewer):
    accepted(files, 1, score=0.731, found_by="unpaywall", evidence="best_oa_location")
    page = reviewer.get("/review/sample").text
    assert "Work l0" in seen(page)
    for secret in ("0.731", "npaywall", "best_oa_location", "licence", "license", "permits", "cc-by", "/review/items/"):
        assert secret not in page.partition("<main")[2], secret


def test_everybody_judges_each_file_once(files, reviewer):
    accepted(files, 3)
    accepted(files, 2, BY_POLICY, "p")
    judged = [judge(reviewer, "right") for _ in range(6)]
    assert judged[5] == ""
    assert len(set(judged[:5])) == 5
    page = seen(reviewer.get("/review/sample").text)
    assert "You have judged all files of this month." in page
    assert "3 of 3 right" in page
    assert "2 of 2 right" in page
    other = signed_in(files.house.app, files.house.harness.folder, "O")
    assert judge(other, "unsure") == judged[0]  # the same sample, in the same order


def test_the_precision_stands_beside_the_setting(files, reviewer):
    accepted(files, 4)
    for judged in ("right", "right", "right", "wrong"):
        judge(reviewer, judged)
    text = seen(reviewer.get("/review/precision").text)
    assert re.search(
        "An open licence was stated for this copy ?3 of 4 right, 30\u201395 % ?review_accept_score ?0.25", text
    )
    assert "nothing judged yet" in text
    licence, policy = json.loads(reviewer.get("/review/precision.json").text)
    assert (licence["right"], licence["judged"], licence["review_accept_score"]) == (3, 4, 0.25)
    assert policy["least"] is None
    table = reviewer.get("/review/precision.csv").text.splitlines()
    assert table[0].startswith("rule,right,judged,unsure,least,most,words")
    assert table[1].startswith("license,3,4,0,0.3")


def test_a_wrong_file_can_be_rejected_at_once(files, reviewer):
    (file,) = accepted(files, 1)
    judge(reviewer, "wrong", reject="1")
    assert files.history(file) == [("rule", "accept"), ("B. Ito", "reject")]
    (one,) = files.discovery.samples.judgements()
    assert (one.rule, one.judged, one.judged_by) == (AcceptRule.LICENSE, Judged.WRONG, "B. Ito")


def test_a_judgement_is_stored_even_if_the_file_cannot_be_rejected(files, reviewer):
    """It has other bytes now, which nobody has judged."""
    (file,) = accepted(files, 1)
    sample = shown(reviewer.get("/review/sample").text)
    files.find("l0", verdict="accept", reason=BY_LICENSE, body=b"%PDF-1.7 others")
    answer = reviewer.post("/review/sample", judged="wrong", reject="1", **sample)
    assert answer.status_code == 409
    assert "Your judgement is stored, but the file was not rejected." in seen(answer.text)
    assert files.last(file).verdict == "accept"
    assert len(files.discovery.samples.judgements()) == 1


@pytest.mark.parametrize("judged", ["right", "unsure"])
def test_a_file_that_is_not_wrong_is_never_rejected(files, reviewer, judged):
    (file,) = accepted(files, 1)
    judge(reviewer, judged, reject="1")
    assert files.history(file) == [("rule", "accept")]


def test_a_file_that_was_replaced_or_taken_down_is_not_shown(files, reviewer):
    first, second = accepted(files, 2)
    reviewer.get("/review/sample")
    files.find("l0", verdict="accept", body=b"%PDF-1.7 others")
    assert shown(reviewer.get("/review/sample").text)["identifier"] == second.identifier
    files.house.take_down(Takedown(Kind.SHA256, second.sha256))
    assert shown(reviewer.get("/review/sample").text) == {}
    assert first.identifier != second.identifier


def test_a_manager_judges_no_sample_but_sees_the_precision(files):
    accepted(files, 1)
    manager = signed_in(files.house.app, files.house.harness.folder, "M", Role.MANAGER, "laro")
    assert manager.get("/review/sample").status_code == 403
    assert manager.get("/review/precision").status_code == 200
    assert manager.post("/review/sample", judged="right").status_code == 403
