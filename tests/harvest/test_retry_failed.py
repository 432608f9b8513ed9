"""What could not be fetched is asked for again, and nothing else; what comes leaves quarantine, or the windows left."""

import pytest

from gateway.core.model import RawPage, RunOutcome, Slice
from harvester.harvest import run as pipeline
from harvester.harvest.access import kind_of
from harvester.harvest.never_held import MOST_FAILURES
from harvester.harvest.retry_failed import retry
from harvester.harvest.run_lifecycle import RunOptions
from harvester.harvest.session import SourceSession
from harvester.harvest.sources_toml import SourceEntry
from harvester.runtime.exit_status import Status
from harvester.runtime.interrupts import Stop
from harvester.sources import UNFETCHED
from harvester.sources.oai_pmh import SOURCE, left  # type: ignore[attr-defined]
from tests.sources.oai_pmh.repository import URL, Repository, refused
from tests.wild.test_fallbacks import ILL, poison

ENTRY = SourceEntry("x", URL, overlap_seconds=0)
EVERYWHERE = ("ListRecords", "ListIdentifiers", "GetRecord")


@pytest.fixture
def harvested(house):
    """Return a function that harvests a repository with faults, and mends it."""

    def harvested(*faults, count=12, **values):
        repository = Repository(faults=list(faults), **values).fill(count)
        pipeline.run(SourceSession(house, ENTRY, kind_of("oai_pmh"), repository))
        repository.faults.clear()
        repository.asked.clear()
        return repository

    return harvested


@pytest.fixture
def retried(house):
    """Return a function that tries again."""

    def retried(fetch, kind=SOURCE, stop=None, **run_options):
        return retry(SourceSession(house, ENTRY, kind, fetch, RunOptions(**run_options), stop=stop or Stop()))

    return retried


def _missing(house):
    return [record.identifier for record in house.store.quarantined("x")]


def _left(house):
    return [window for cursor in house.inbox.cursors("x") for window in left(cursor)]


def _put_aside(house, *identifiers, prefix="oai_dc", reason=f"{UNFETCHED}no"):
    """Put records into quarantine as a walk does that could not fetch them."""
    page = RawPage("x", "GetRecord", URL, 0, 0, (), b"", prefix)
    slices = tuple(Slice(identifier, "", (), False, 0, 0, problem=reason) for identifier in identifiers)
    house.inbox.receive(page, slices, None)


# --- single records ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_record_that_could_not_be_fetched_comes_and_leaves_quarantine(house, harvested, retried):
    repository = harvested(poison("oai:x:005"))
    assert _missing(house) == ["oai:x:005"]
    ran = retried(repository)
    assert ran.status == Status.SUCCEEDED
    assert (ran.run.stage, ran.run.is_complete, ran.run.counts["published"]) == ("retry", True, 1)
    assert _missing(house) == []
    assert house.store.counts("x")["items"] == 12
    assert repository.listed("GetRecord") == [{"identifier": "oai:x:005"}]
    assert repository.listed() == []


@pytest.mark.slow
def test_record_that_fails_again_stays_in_quarantine_and_is_reported(house, harvested, retried):
    repository = harvested(poison("oai:x:005"))
    repository.faults.append(poison("oai:x:005"))
    ran = retried(repository)
    assert ran.status == Status.WITH_ERRORS
    assert not ran.run.is_complete
    assert ran.run.counts["still_missing"] == 1
    assert "oai_dc: oai:x:005: http://x.org/oai?verb=GetRecord" in ran.run.reasons[0]
    assert _missing(house) == ["oai:x:005"]


@pytest.mark.slow
def test_no_run_is_complete_as_long_as_a_record_is_missing_that_could_not_be_fetched(house, harvested, retried):
    repository = harvested(poison("oai:x:005"))

    def run():
        return pipeline.run(SourceSession(house, ENTRY, kind_of("oai_pmh"), repository))

    (first,), second = house.inbox.runs("x", 1), run()
    for recorded in (first, second.run):
        assert (recorded.outcome, recorded.is_complete) == (RunOutcome.SUCCEEDED_WITH_ERRORS, False)
        assert recorded.counts["missing"] == 1
        assert "Records that could not be fetched: 1; `harvester run x --retry-failed` asks again." in recorded.reasons
        *_, verdict = (event.text for event in house.inbox.events(recorded.number))
        assert verdict.endswith("What could not be fetched is missing.")
    assert second.status is Status.WITH_ERRORS
    retried(repository)
    third = run()
    assert (third.status, third.run.is_complete) == (Status.SUCCEEDED, True)


@pytest.mark.slow
def test_record_that_the_source_denies_stays_missing_in_every_run(house, harvested, retried):
    """A list has named it: whether it names it still, only a whole list can tell."""
    repository = harvested()
    _put_aside(house, "oai:x:gone")
    for _ in range(2):
        ran = retried(repository)
        assert ran.status == Status.WITH_ERRORS
        assert ran.run.counts["still_missing"] == 1
        (reason,) = ran.run.reasons
        assert reason.startswith("oai_dc: oai:x:gone: the source says that it has no such record.")
        assert reason.endswith("`harvester source sweep x` compares it with what the source lists now.")
        assert _missing(house) == ["oai:x:gone"]
    assert pipeline.run(SourceSession(house, ENTRY, kind_of("oai_pmh"), repository)).run.counts["missing"] == 1
    assert house.store.counts("x")["items"] == 12


@pytest.mark.slow
def test_record_that_there_is_in_other_formats_only_is_not_missing(house, harvested, retried):
    repository = harvested()
    _put_aside(house, "oai:x:other", prefix="mods")
    denied = refused("cannotDisseminateFormat")
    repository.faults.append(lambda _, asked: denied if asked["verb"] == "GetRecord" else None)
    ran = retried(repository)
    assert ran.status == Status.SUCCEEDED
    assert any("in other formats only" in event.text for event in house.inbox.events(ran.run.number))
    assert _missing(house) == []


@pytest.mark.slow
def test_a_source_that_fails_again_and_again_is_not_asked_any_more(house, harvested, retried):
    repository = harvested()
    _put_aside(house, *(f"oai:x:lost{number}" for number in range(MOST_FAILURES + 5)))
    repository.faults.append(lambda _, asked: ILL if asked["verb"] == "GetRecord" else None)
    ran = retried(repository)
    assert ran.status == Status.TRY_LATER
    assert ran.run.counts["still_missing"] == MOST_FAILURES
    assert len(_missing(house)) == MOST_FAILURES + 5


@pytest.mark.slow
def test_it_ends_at_a_limit_and_goes_on_the_next_time(house, harvested, retried):
    repository = harvested(poison("oai:x:002", "oai:x:005"))
    ran = retried(repository, max_records=1)
    assert (ran.run.outcome, ran.status) == (RunOutcome.STOPPED, Status.SUCCEEDED)
    assert retried(repository).run.outcome is RunOutcome.SUCCEEDED
    assert _missing(house) == []


# --- windows -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_window_that_was_left_is_walked_and_is_left_no_longer(house, harvested, retried):
    repository = harvested(poison("oai:x:002", "oai:x:005", verbs=EVERYWHERE), size=lambda _: None)
    assert len(_left(house)) == 2
    ran = retried(repository)
    assert (ran.status, ran.run.is_complete) == (Status.SUCCEEDED, True)
    assert _left(house) == []
    assert house.store.counts("x")["items"] == 12
    assert all(arguments["from"] == arguments["until"] for arguments in repository.listed())
    again = pipeline.run(SourceSession(house, ENTRY, kind_of("oai_pmh"), repository))
    assert (again.status, again.run.is_complete) == (Status.SUCCEEDED, True)


@pytest.mark.slow
def test_window_that_fails_again_is_left_and_told_and_the_other_comes(house, harvested, retried):
    both = poison("oai:x:002", "oai:x:005", verbs=EVERYWHERE)
    repository = harvested(both, size=lambda _: None)
    repository.faults.append(poison("oai:x:002", verbs=EVERYWHERE))
    ran = retried(repository)
    assert ran.status == Status.WITH_ERRORS
    assert "what is dated from 2024-01-01T02:00:00Z until 2024-01-01T02:00:00Z" in ran.run.reasons[0]
    assert _left(house) == [("2024-01-01T02:00:00Z", "2024-01-01T02:00:00Z")]
    assert house.store.counts("x")["items"] == 11
    repository.faults.clear()
    assert retried(repository).status == Status.SUCCEEDED
    assert (_left(house), house.store.counts("x")["items"]) == ([], 12)


@pytest.mark.slow
def test_list_in_progress_goes_on_behind_a_window_that_came(house, harvested, retried):
    repository = harvested(poison("oai:x:002", verbs=EVERYWHERE), size=lambda _: None)
    repository.records |= {f"oai:x:new{number}": "2024-07-01T00:00:00Z" for number in range(6)}
    pipeline.run(SourceSession(house, ENTRY, kind_of("oai_pmh"), repository, RunOptions(max_records=3)))
    assert len(_left(house)) == 1
    assert retried(repository).status == Status.SUCCEEDED
    repository.asked.clear()
    assert pipeline.run(SourceSession(house, ENTRY, kind_of("oai_pmh"), repository)).run.is_complete
    assert "resumptionToken" in repository.listed()[0]  # where it stood
    assert house.store.counts("x")["items"] == 18


# --- the command -------------------------------------------------------------------------------------------------
