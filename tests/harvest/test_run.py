"""One run of one source: what is asked, what is kept, how it ends, and what is proven.

Each run starts the process that publishes; so only the tests that tell most are everyday ones.
"""

from __future__ import annotations

import pytest

from gateway.errors import ConfigurationError
from gateway.model import RunOutcome, Selection
from harvester.harvest import run as pipeline
from harvester.harvest.access import fetcher, kind_of
from harvester.harvest.dry_run import rehearse
from harvester.harvest.instance import opened
from harvester.harvest.run_options import RunOptions
from harvester.harvest.sources_toml import SourceEntry
from harvester.runtime.exit_status import Status
from harvester.runtime.interrupts import Stop
from tests.rows import each_row

PREFIX = "oai:gateway.example.org:fake/"


@pytest.fixture
def house(instance):
    with opened(str(instance)) as house:
        yield house


@pytest.fixture
def run(house, repository):
    """Return a function that runs the source `fake`, and returns the run and its status."""

    def run(run_options=None, stop=None, **fields):
        entry = SourceEntry("fake", repository.url, **fields)
        house.sources.file.write_text(f'[fake]\nurl = "{repository.url}"\n')
        with fetcher(house.settings, entry, stop or Stop()) as fetch:
            return pipeline.run(house, entry, kind_of("oai_pmh"), run_options or RunOptions(), fetch, stop=stop)

    return run


def _published(house, prefix="oai_dc", set_spec=None):
    """Return what a harvester of ours would get: (content, datestamp) by upstream identifier."""
    with house.store.view() as view:
        page = view.page(Selection(prefix, set_spec), None, 100_000)
        records = {}
        for content in page.records:
            text = content.decode()
            identifier = text.partition("<identifier>")[2].partition("</identifier>")[0]
            records[identifier.removeprefix(PREFIX)] = (text, view.record(identifier, prefix).datestamp)
    return records


def _texts(house, prefix="oai_dc"):
    return {identifier: text for identifier, (text, _) in _published(house, prefix).items()}


def test_everything_that_is_received_is_published_and_proven(run, repository, house):
    repository.fill(25)
    ran = run()
    assert ran.status is Status.SUCCEEDED
    assert (ran.run.outcome, ran.run.is_complete, ran.run.reasons) == (RunOutcome.SUCCEEDED, True, ())
    assert ran.run.counts["received"] == ran.run.counts["published"] == 25
    assert ran.run.counts["pages"] == 3
    assert list(_published(house)) == list(repository.items)
    assert list(_published(house, "oai_didl")) == list(repository.items)
    assert house.inbox.runs("fake", 1)[0] == ran.run


@pytest.mark.slow
def test_identify_formats_and_sets_are_asked_first_and_kept(run, repository, house):
    repository.fill(1, sets=("a b",))
    repository.sets = (("a b", "Strange"), ("c", "Plain"))
    run()
    described = ["Identify", "ListMetadataFormats", "ListSets"]
    assert [request["verb"] for request in repository.asked] == [*described, "ListRecords", "ListIdentifiers"]
    assert b"Fake" in house.inbox.last_answer("fake", "Identify").body
    assert b"mods" in house.inbox.last_answer("fake", "ListMetadataFormats").body
    with house.store.view() as view:
        sets = {set_.spec: set_.name for set_ in view.sets(None, 100)}
    assert sets["source:fake"] == "Fake"
    assert sets["source:fake:c"] == "Plain"
    assert sets["source:fake:a~20b"] == "Strange (a b)"
    assert list(_published(house, set_spec="source:fake:a~20b")) == ["oai:fake:00000"]


def test_a_second_run_asks_from_the_first_answer_less_the_overlap(run, repository):
    repository.fill(25)
    repository.now = "2024-05-05T12:00:00Z"
    run(overlap_seconds=3600)
    repository.asked.clear()
    repository.now = "2024-05-06T12:00:00Z"
    ran = run(overlap_seconds=3600)
    assert [request.get("from") for request in repository.lists()] == ["2024-05-05T11:00:00Z"]
    assert ran.status is Status.SUCCEEDED
    assert ran.run.is_complete


@pytest.mark.slow
def test_unchanged_records_get_no_new_datestamp(run, repository, house):
    repository.fill(5)
    run()
    before = _published(house)
    repository.items["oai:fake:00003"].title = "Changed"
    ran = run(RunOptions(is_full=True))
    after = _published(house)
    assert (ran.run.counts["unchanged"], ran.run.counts["published"]) == (4, 1)
    assert [name for name in after if after[name] != before[name]] == ["oai:fake:00003"]


def test_deletions_are_carried_through(run, repository, house):
    repository.fill(3)
    run()
    repository.items["oai:fake:00001"].deleted = True
    repository.items["oai:fake:00001"].datestamp = "2099-01-01T00:00:00Z"
    ran = run()
    assert ran.run.counts["deleted"] == 1
    assert ['<header status="deleted">' in text for text, _ in _published(house).values()].count(True) == 1
    assert house.store.counts("fake")["deleted"] == 1


@pytest.mark.slow
def test_a_source_may_have_several_formats(run, repository, house):
    repository.fill(12)
    ran = run(formats=("oai_dc", "mods"))
    assert ran.run.counts["received"] == 24
    assert [(request["metadataPrefix"]) for request in repository.lists() if "metadataPrefix" in request] == [
        "oai_dc",
        "mods",
    ]
    assert list(_published(house, "mods")) == list(_published(house)) == list(repository.items)


@pytest.mark.slow
def test_every_set_is_a_list_of_its_own(run, repository, house):
    repository.fill(3, sets=("a",))
    repository.fill(3, start=3, sets=("b",))
    repository.fill(3, start=6)
    run(sets=("a", "b"))
    assert [request["set"] for request in repository.lists()] == ["a", "b"]
    assert len(_published(house)) == 6
    assert {cursor.set_spec for cursor in house.inbox.cursors("fake")} == {"a", "b"}


@pytest.mark.slow
def test_a_window_leaves_the_incremental_harvest_where_it_was(run, repository):
    repository.fill(25)
    repository.now = "2024-05-05T12:00:00Z"
    run(overlap_seconds=0)
    repository.asked.clear()
    ran = run(RunOptions(from_="2023-01-01T00:00:00Z", until="2025-01-01T00:00:00Z"))
    assert ran.run.counts["received"] == 25
    assert repository.lists()[0]["until"] == "2025-01-01T00:00:00Z"
    repository.asked.clear()
    run(overlap_seconds=0)
    assert [request.get("from") for request in repository.lists()] == ["2024-05-05T12:00:00Z"]


def test_a_limit_stops_after_the_page_and_the_next_run_goes_on(run, repository, house):
    repository.fill(35)
    ran = run(RunOptions(max_records=15))
    assert (ran.run.outcome, ran.status, ran.run.is_complete) == (RunOutcome.STOPPED, Status.SUCCEEDED, False)
    assert ran.run.counts["received"] == 20
    assert run().run.counts["received"] == 15
    assert len(_published(house)) == 35


@pytest.mark.slow
def test_when_the_time_is_over_the_run_stops_after_its_page(run, repository, house):
    repository.fill(35)
    now, pages = [0.0], 2
    stop = Stop(10, lambda: now[0])

    def passes(_):
        if len(repository.lists()) == pages:
            now[0] = 10.0

    repository.before = passes
    ran = run(stop=stop)
    assert (ran.run.outcome, ran.status, ran.run.is_complete) == (RunOutcome.STOPPED, Status.SUCCEEDED, False)
    assert ran.run.counts["received"] == ran.run.counts["published"] == 10 * pages
    assert run().run.is_complete
    assert len(_published(house)) == 35


@pytest.mark.slow
@each_row("verb", ["Identify", "ListRecords"])
def test_a_wait_that_is_longer_than_the_time_does_not_begin(run, repository, verb):
    repository.fill(35)
    repository.statuses = {verb: (503, b"", {"Retry-After": "60"})}
    ran = run(stop=Stop(30))
    assert (ran.run.outcome, ran.status, ran.run.reasons) == (RunOutcome.STOPPED, Status.SUCCEEDED, ())


@pytest.mark.slow
def test_who_is_asked_to_stop_stops_after_the_page(run, repository, house):
    repository.fill(35)
    stop = Stop()
    repository.before = lambda arguments: stop.ask() if "resumptionToken" in arguments else None
    ran = run(stop=stop)
    assert (ran.run.outcome, ran.status) == (RunOutcome.STOPPED, Status.STOPPED)
    assert ran.run.counts["received"] == 20
    repository.before = lambda _: None
    repository.asked.clear()
    ran = run()
    assert "resumptionToken" in repository.lists()[0]
    assert ran.run.is_complete
    assert len(_published(house)) == 35


@pytest.mark.slow
def test_an_expired_token_begins_the_list_anew(run, repository, house):
    repository.fill(35)
    run(RunOptions(max_records=15))
    repository.epoch += 1
    repository.asked.clear()
    ran = run()
    asked = repository.lists()
    assert "resumptionToken" in asked[0]
    assert "metadataPrefix" in next(request for request in asked if "resumptionToken" not in request)
    assert ran.run.is_complete
    assert len(_published(house)) == 35


@pytest.mark.slow
def test_a_count_that_does_not_fit_is_a_doubt(run, repository):
    repository.fill(25)
    repository.announces = 3
    ran = run()
    assert (ran.run.outcome, ran.status) == (RunOutcome.SUCCEEDED_WITH_ERRORS, Status.WITH_ERRORS)
    assert not ran.run.is_complete
    assert "28" in " ".join(ran.run.reasons)


def test_a_bad_update_leaves_the_last_good_version_and_the_next_good_one_releases_it(run, repository, house):
    repository.fill(5)
    run()
    good = _published(house)
    repository.items["oai:fake:00002"].title = "a</dc:title></oai_dc:dc></metadata><metadata><b/><c><d><dc:title>"
    ran = run(RunOptions(is_full=True))
    assert (ran.run.outcome, ran.status) == (RunOutcome.SUCCEEDED_WITH_ERRORS, Status.WITH_ERRORS)
    assert (ran.run.counts["received"], ran.run.counts["unchanged"], ran.run.counts["quarantined"]) == (5, 4, 1)
    assert ran.run.reasons == ("Records in quarantine: 1; `harvester quarantine fake` shows why.",)
    *_, verdict = (event.text for event in house.inbox.events(ran.run.number))
    assert "Nothing is missing but what is in quarantine. The records were compared with all that" in verdict
    (held,) = house.store.quarantined("fake")
    assert (held.identifier, "metadata 2 times" in held.reason) == ("oai:fake:00002", True)
    assert _published(house) == good
    repository.items["oai:fake:00002"].title = "Better"
    assert run(RunOptions(is_full=True)).status is Status.SUCCEEDED
    assert list(house.store.quarantined("fake")) == []
    assert "Better" in _texts(house)["oai:fake:00002"]


@pytest.mark.slow
def test_what_a_list_answers_says_nothing_about_the_others(run, repository, house):
    repository.fill(3)
    ran = run(formats=("nonsense", "oai_dc"))
    assert ran.run.outcome is RunOutcome.SUCCEEDED_WITH_ERRORS
    assert not ran.run.is_complete
    assert "cannotDisseminateFormat" in ran.run.reasons[0]
    assert len(_published(house)) == 3


@pytest.mark.slow
@each_row(
    "answer, outcome",
    [
        ((500, b"", {}), RunOutcome.TRY_LATER),
        ((403, b"", {}), RunOutcome.REFUSED),
        ((404, b"", {}), RunOutcome.REFUSED),
        ((413, b"", {}), RunOutcome.FAILED),
    ],
)
def test_a_list_that_is_refused_does_not_keep_the_others_from_coming(run, repository, house, answer, outcome):
    repository.fill(3)
    repository.before = lambda arguments: answer if arguments.get("metadataPrefix") == "mods" else None
    ran = run(formats=("mods", "oai_dc"))
    assert ran.run.outcome is outcome
    assert not ran.run.is_complete
    assert ran.run.reasons[0].startswith("mods: ")
    assert len(_published(house)) == 3


@pytest.mark.slow
def test_a_source_that_goes_down_is_asked_for_no_other_list(run, repository, house):
    repository.fill(3)
    repository.before = lambda arguments: (
        repository.statuses.update({"ListRecords": (403, b"", {}), "Identify": (403, b"", {})})
        if arguments["verb"] == "ListRecords"
        else None
    )
    assert run(formats=("mods", "oai_dc")).run.outcome is RunOutcome.REFUSED
    assert [request["metadataPrefix"] for request in repository.lists()] == ["mods"]


def test_when_every_list_fails_the_run_has_failed(run, repository):
    repository.fill(3)
    assert run(formats=("nonsense", "of no kind")).run.outcome is RunOutcome.FAILED


def test_the_least_date_of_a_program_in_local_time_is_a_date(run, repository, house):
    """What .NET says where a clock was never set; in UTC it lies before all years that can be written."""
    repository.fill(3, datestamp="0001-01-01T00:00:00+01:00")
    repository.now = repository.earliest = "0001-01-01T00:00:00+01:00"
    assert run().run.is_complete
    assert len(_published(house)) == 3


@pytest.mark.slow
@pytest.mark.parametrize("is_token", [True, False])
def test_a_list_that_breaks_off_in_the_first_second_of_all_years_takes_fallback_steps(run, repository, house, is_token):
    repository.fill(12, datestamp="0001-01-01T00:00:00Z")
    repository.earliest = "0001-01-01T00:00:00Z"
    repository.before = lambda arguments: (
        (500, b"", {})
        if arguments["verb"] == "ListRecords" and ("resumptionToken" in arguments or not is_token)
        else None
    )
    run()
    assert len(_published(house)) == 12


@pytest.mark.slow
@each_row(
    "answer, outcome, status",
    [
        ((403, b"No.", {}), RunOutcome.REFUSED, Status.REFUSED),
        ((503, b"", {"Retry-After": "99999"}), RunOutcome.TRY_LATER, Status.TRY_LATER),
        ((200, b"<html>Welcome</html>", {}), RunOutcome.FAILED, Status.FAILED),
    ],
)
def test_the_outcome_says_how_the_source_answered(run, repository, answer, outcome, status):
    repository.fill(3)
    repository.statuses |= {"ListRecords": answer, "ListIdentifiers": answer}
    ran = run()
    assert (ran.run.outcome, ran.status) == (outcome, status)
    assert ran.run.reasons


@pytest.mark.slow
def test_what_arrived_before_a_failure_is_published(run, repository, house):
    repository.fill(25)
    repository.before = lambda _: repository.statuses.update(
        {"ListRecords": (403, b"", {})} if len(repository.lists()) == 2 else {}
    )
    ran = run()
    assert ran.run.outcome is RunOutcome.REFUSED
    assert len(_published(house)) == ran.run.counts["published"] == 10


@pytest.mark.slow
def test_what_an_earlier_run_left_is_published_first(run, repository, house, monkeypatch):
    repository.fill(15)
    monkeypatch.setattr("harvester.harvest.publishing.publication.Publication.feed", lambda *_: None)
    monkeypatch.setattr("harvester.harvest.publishing.publication.Publication.finish", lambda *_: None)
    ran = run()
    assert ran.run.outcome is RunOutcome.FAILED  # nobody knows what became of the records
    assert len(_published(house)) == 0
    monkeypatch.undo()
    run()
    assert len(_published(house)) == 15
    story = [event.text for event in house.inbox.events(house.inbox.runs("fake", 1)[0].number)]
    assert any("an earlier run had left" in text for text in story)


@pytest.mark.slow
def test_another_domain_than_the_published_one_is_refused(run, repository, house):
    repository.fill(1)
    run()
    house.store.remember("repository_domain", "other.example.org")
    ran = run(RunOptions(is_full=True))
    assert ran.run.outcome is RunOutcome.MISCONFIGURED
    assert "other.example.org" in ran.run.reasons[0]


@pytest.mark.slow
def test_a_rehearsal_keeps_nothing(house, repository):
    repository.fill(25)
    entry = SourceEntry("fake", repository.url)
    with fetcher(house.settings, entry, Stop()) as fetch:
        counts = rehearse(house, entry, kind_of("oai_pmh"), RunOptions(), fetch)
        assert (counts["received"], counts["pages"]) == (25, 3)
        counts = rehearse(house, entry, kind_of("oai_pmh"), RunOptions(max_records=5), fetch)
        assert counts["received"] == 10
    assert house.inbox.runs(None, 1) == ()
    assert house.inbox.last_answer("fake", "Identify") is None
    assert house.inbox.cursors("fake") == ()


def test_there_is_no_kind_of_that_name():
    with pytest.raises(ConfigurationError, match="oai_pmh"):
        kind_of("gopher")


# --- what is doubtful ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_set_that_the_source_does_not_list_is_no_empty_list(run, repository, house):
    repository.fill(5)
    repository.sets = (("a", "A"), ("c:d", "D below C"))
    ran = run(sets=("b",))
    assert (ran.run.outcome, ran.status) == (RunOutcome.SUCCEEDED_WITH_ERRORS, Status.WITH_ERRORS)
    assert not ran.run.is_complete
    assert ran.run.reasons == ("oai_dc b: Nothing came, and the set b is not among the 2 that the source lists.",)
    repository.items["oai:fake:00000"].sets = ("b",)  # older than the run; it comes nevertheless once the set is there
    assert run(sets=("b",)).run.counts["received"] == 1


@pytest.mark.slow
def test_an_empty_set_that_the_source_lists_or_has_parts_of_is_empty(run, repository):
    repository.fill(5)
    repository.sets = (("a", "A"), ("c:d", "D below C"))
    assert run(sets=("a", "c")).run.is_complete


@pytest.mark.slow
def test_a_set_that_brings_records_is_one_though_nobody_lists_it(run, repository):
    repository.fill(5, sets=("hidden",))
    repository.sets = (("a", "A"),)
    assert run(sets=("hidden",)).run.is_complete
    ran = run(sets=("hidden",))
    assert (ran.run.counts["received"], ran.run.is_complete) == (0, True)


@pytest.mark.slow
def test_a_page_that_mending_cost_something_is_named(run, repository, house):
    repository.fill(15)
    repository.items["oai:fake:00012"].title = "<i a=1>lost</i>"
    ran = run()
    assert (ran.run.outcome, ran.status, ran.run.is_complete) == (
        RunOutcome.SUCCEEDED_WITH_ERRORS,
        Status.WITH_ERRORS,
        True,
    )
    (reason,) = ran.run.reasons
    assert reason.startswith("oai_dc, page 4: Record 3 of the page: it is not well-formed")
    assert reason.endswith("it was recovered, and 2 of 75 characters were lost.")
    *_, verdict = (event.text for event in house.inbox.events(ran.run.number))
    assert "No record is missing." in verdict


@pytest.mark.slow
def test_a_page_that_was_mended_without_loss_leaves_the_run_as_it_is(run, repository, house):
    repository.fill(15)
    repository.items["oai:fake:00012"].title = "<i>R&amp;D</b>"
    ran = run()
    assert (ran.run.outcome, ran.run.reasons) == (RunOutcome.SUCCEEDED, ())
    assert ran.run.counts["repaired_pages"] == 1
    assert "R&amp;D" in _texts(house)["oai:fake:00012"]
