"""What is known of runs, sources, searches, takedowns and tombstones, in words."""

import pytest

from gateway.core.model import Outcome, Run, RunOutcome, Source, Tried
from gateway.core.states import SENTENCES, of_run, of_search, of_source, of_takedown, of_tombstone
from gateway.fulltext.search_result import RECHECK
from gateway.pages.templating import texts
from harvester.fulltext.step_order import steps


@pytest.mark.parametrize(
    ("outcome", "is_complete", "counts", "headline"),
    [
        (RunOutcome.SUCCEEDED, True, {}, "Complete"),
        (RunOutcome.SUCCEEDED, False, {}, "Not shown to be complete"),
        (RunOutcome.SUCCEEDED_WITH_ERRORS, True, {"quarantined": 1}, "Some records refused"),
        (RunOutcome.SUCCEEDED_WITH_ERRORS, False, {"quarantined": 14, "missing": 14}, "Records are missing"),
        (RunOutcome.SUCCEEDED_WITH_ERRORS, False, {}, "Records may be missing"),
        (RunOutcome.TRY_LATER, False, {"received": 3}, "Not available for now"),
    ],
)
def test_a_run_says_what_happened_and_why(outcome, is_complete, counts, headline) -> None:
    run = Run(1, "laro", 0, 1, outcome, is_complete, counts, ("14 records are missing.",))
    state = of_run(run)
    assert (state.headline, state.sentence) == (headline, "14 records are missing.")


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"received": 50, "compared_part": 30}, "No gap found. 30 of 50 names were compared."),
        ({"received": 50, "compared_part": 70}, "No gap found. 70 names were compared."),
        ({"received": 50, "received_before": 40, "compared_part": 70}, "No gap found. 70 of 90 names were compared."),
        ({"received": 50, "compared_names": 50}, "No gap found. All names were compared; no number and no date shows"),
        ({"received": 50, "compared_nothing": 0}, "No gap found. Nothing was compared with names of the source."),
        ({"received": 50, "compared_whole": 50}, "Complete."),
        ({"received": 50}, "Complete."),  # of an earlier release, or of a source without such names
    ],
)
def test_a_run_that_compared_a_part_says_so(counts, words) -> None:
    assert of_run(Run(1, "laro", 0, 1, RunOutcome.SUCCEEDED, True, counts, ())).words.startswith(words)


def test_a_source_without_a_harvest_needs_one() -> None:
    assert of_source(Source("laro", "http://laro.example.org/"), None).words == (
        "Never harvested. Start `harvester run laro`."
    )


def test_not_searched_and_none_and_waiting_and_refused_are_four_things() -> None:
    searches = (None, *(Tried(1, Outcome.NOT_OA, (), 0, *files) for files in ((0, 0), (1, 0), (0, 1))))
    assert [of_search(search).name for search in searches] == ["not-searched", "none", "waits", "refused"]
    assert set(SENTENCES) == set(Outcome)


def test_a_takedown_that_hits_nothing_and_a_removed_source_say_so() -> None:
    assert of_takedown(is_removed=False, is_done=True, hits=0).headline == "Hides nothing"
    assert of_takedown(is_removed=False, is_done=True, hits=1).headline == "Withdrawn"
    assert of_tombstone(Source("laro", "", is_removed=True)).name == "source-removed"


def test_a_round_that_gets_no_records_misses_none() -> None:
    run = Run(1, "laro", 0, 1, RunOutcome.SUCCEEDED_WITH_ERRORS, reasons=("No offer was taken.",), stage="offer")
    assert of_run(run).words == "Ended with errors. No offer was taken. `harvester log laro` shows all runs."


def test_each_step_has_a_name_for_readers() -> None:
    assert set(vars(texts().steps)) == {RECHECK, *(step.name for step in steps())}
