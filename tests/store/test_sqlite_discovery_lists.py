"""Lists of decisions: the newest first, whole, without a gap, by person, source, verdict and time."""

from __future__ import annotations

from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.model import Decision, DecisionFilter, FoundCopy
from gateway.store.opening import open_discovery

BEGIN = (1 << 53, 0)
SOURCES = ("laro", "reef")


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """Return a database with 60 decisions on 20 copies of two sources, several of them in one second."""
    with closing(open_discovery(tmp_path_factory.mktemp("desk"))) as desk:
        copies = [FoundCopy(f"oai:{number % 5}", f"https://x/{number}", SOURCES[number % 2]) for number in range(20)]
        desk.list_copies(copies, None)
        for number in range(60):
            copy = copies[number % 20]
            person = ("rule", "ada", "ben")[number % 3]
            verdict = ("accept", "reject", "review")[number % 7 % 3]
            desk.decide(Decision(copy.identifier, copy.url, "", verdict, "", person, 1000 + number // 4))
        yield desk


def walked(desk, wanted: DecisionFilter, limit: int) -> list[Decision]:
    before, decisions = BEGIN, []
    while page := desk.latest_decisions(wanted, before, limit):
        decisions += [decision for decision, _ in page]
        before = (decisions[-1].at, decisions[-1].number)
    return decisions


def walked_back(desk, wanted: DecisionFilter, limit: int) -> list[Decision]:
    after, decisions = (-1, 0), []
    while page := desk.latest_decisions(wanted, after, limit, is_back=True):
        decisions = [*(decision for decision, _ in page), *decisions]
        after = (decisions[0].at, decisions[0].number)
    return decisions


@given(
    st.sampled_from(["", "ada", "rule", "nobody"]),
    st.sampled_from(["", "accept", "review"]),
    st.sampled_from([(), ("laro",), SOURCES, ("other",)]),
    st.integers(990, 1020),
    st.integers(990, 1020),
    st.integers(1, 70),
)
def test_a_filter_chooses_among_all_decisions(desk, person, verdict, sources, since, until, limit):
    wanted = DecisionFilter(person, verdict, sources, since, until)
    of = {listed.copy.url: listed.copy.source for listed in desk.copies_of_decisions(range(1, 61))}
    every = [decision for item in range(5) for decision in desk.decisions(f"oai:{item}")]
    chosen = [
        decision
        for decision in every
        if (not person or decision.decided_by == person)
        and (not verdict or decision.verdict == verdict)
        and (not sources or of[decision.url] in sources)
        and since <= decision.at < until
    ]
    expected = sorted(chosen, key=lambda decision: (decision.at, decision.number), reverse=True)
    assert walked(desk, wanted, limit) == expected
    assert walked_back(desk, wanted, limit) == expected


def test_what_is_decided_at_once_is_one_entry(tmp_path):
    with closing(open_discovery(tmp_path)) as desk:
        desk.list_copies([FoundCopy(f"oai:{number}", "u", "laro") for number in range(4)], None)
        looked_at = [Decision(f"oai:{number}", "u", "", "review", "", "rule", 1) for number in range(4)]
        desk.decide(*looked_at)
        firsts = [desk.decisions(decision.identifier)[-1] for decision in looked_at]
        by_ada = [decision._replace(verdict="accept", decided_by="ada", at=2) for decision in firsts]
        desk.decide_next(by_ada[3])
        assert len(desk.decide_next(*by_ada).written) == 3
        entries = [entry for _, entry in desk.latest_decisions(DecisionFilter("ada"), BEGIN, 10)]
        assert entries == [6, 6, 6, 5]
        assert [decision.identifier for decision in desk.decisions_of_entry(7)] == ["oai:2", "oai:1", "oai:0"]
        assert [decision.identifier for decision in desk.decisions_of_entry(5)] == ["oai:3"]
        assert [decision.number for decision in desk.decisions_of_entry(99)] == []
        desk.forget(["oai:2"])
        assert [decision.identifier for decision in desk.decisions_of_entry(7)] == ["oai:1", "oai:0"]
