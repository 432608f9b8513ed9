"""One run of one source: what is asked, what is kept, how it ends, and what is proven.

Each run starts the process that publishes; so only the tests that tell most are everyday ones.
"""

import json
from types import SimpleNamespace

import pytest

from gateway.core.errors import StoreUnwritable
from gateway.core.model import Lack, RunOutcome, Selection
from gateway.core.waiting import is_locked
from gateway.publish import unused
from harvester.harvest import instance
from harvester.harvest import run as pipeline
from harvester.harvest.access import fetcher, kind_of
from harvester.harvest.accounting import Proof, proved
from harvester.harvest.run import rehearse
from harvester.harvest.run_lifecycle import RunOptions, run_lifecycle
from harvester.harvest.session import SourceSession
from harvester.harvest.sources_toml import SourceEntry
from harvester.runtime.exit_status import Status
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Progress
from harvester.sources import Compared
from tests.rows import each_row

PREFIX = "oai:gateway.example.org:fake/"


@pytest.fixture
def run(house, repository):
    """Return a function that runs the source `fake`, and returns the run and its status."""

    def run(run_options=None, stop=None, **fields):
        entry = SourceEntry("fake", repository.url, **fields)
        house.sources.file.write_text(f'[fake]\nurl = "{repository.url}"\n')
        with fetcher(house.settings, entry, stop or Stop()) as fetch:
            return pipeline.run(
                SourceSession(house, entry, kind_of("oai_pmh"), fetch, run_options or RunOptions(), stop=stop or Stop())
            )

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
def test_identify_and_formats_are_asked_first_and_sets_last_and_kept(run, repository, house):
    repository.fill(1, sets=("a b",))
    repository.sets = (("a b", "Strange"), ("c", "Plain"))
    run()
    described, lists = ["Identify", "ListMetadataFormats"], ["ListRecords", "ListIdentifiers"]
    assert [request["verb"] for request in repository.asked] == [*described, *lists, "ListIdentifiers", "ListSets"]
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
def test_a_count_that_does_not_fit_is_a_doubt(run, repository):
    repository.fill(25)
    repository.announces = 3
    ran = run()
    assert (ran.run.outcome, ran.status) == (RunOutcome.SUCCEEDED_WITH_ERRORS, Status.WITH_ERRORS)
    assert not ran.run.is_complete
    assert "28" in " ".join(ran.run.reasons)


def test_a_source_without_any_title_is_not_a_success(run, repository, house):
    repository.fill(3)
    for item in repository.items.values():
        item.title = ""
    ran = run()
    assert ran.status == Status.WITH_ERRORS
    assert ran.run.reasons[0].startswith("No item has a title.")
    assert ("oai_dc", Lack.TITLE, 3) in [count[:3] for count in house.store.lack_counts(("fake",))["fake"]]
    repository.fill(1, start=3)
    assert run(RunOptions(is_full=True)).status == Status.SUCCEEDED


def test_what_no_reader_uses_is_counted_in_the_log_and_in_the_status(run, repository, house, command, monkeypatch):
    """A sample that cannot be looked at does not end the harvest."""
    repository.fill(3)
    repository.items[
        "oai:fake:00001"
    ].title = "A</title></titleInfo><classification>1</classification><titleInfo><title>"
    ran = run(formats=("mods",))
    where = f"harvested as mods: 1 of 3 looked at, such as {PREFIX}oai:fake:00001: classification (1)."
    sentence = f"Items with elements that no reader uses, {where}"
    assert sentence in [event.text for event in house.inbox.events(ran.run.number)]
    _, data, _ = command("status", "--json")
    elements = [{"path": "classification", "records": 1, "example": f"{PREFIX}oai:fake:00001"}]
    facts = {"metadata_prefix": "mods", "items": 1, "of": 3, "elements": elements, "sentence": sentence}
    assert json.loads(data)["unused"] == [facts]
    assert f"fake: {sentence}" in command("status")[2]
    monkeypatch.delattr(unused, "unused_elements")
    repository.fill(1, start=3)
    assert run(formats=("mods",)).status is ran.status


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
    assert "No gap was found but what is in quarantine. The records were compared with all that" in verdict
    (held,) = house.store.quarantined("fake")
    assert (held.identifier, "metadata 2 times" in held.reason) == ("oai:fake:00002", True)
    assert _published(house) == good
    repository.items["oai:fake:00002"].title = "Better"
    assert run(RunOptions(is_full=True)).status is Status.SUCCEEDED
    assert list(house.store.quarantined("fake")) == []
    assert "Better" in _texts(house)["oai:fake:00002"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ((500, b"", {}), RunOutcome.TRY_LATER),
        ((403, b"", {}), RunOutcome.REFUSED),
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


def test_the_least_date_of_a_program_in_local_time_is_a_date(run, repository, house):
    """What .NET says where a clock was never set; in UTC it lies before all years that can be written."""
    repository.fill(3, datestamp="0001-01-01T00:00:00+01:00")
    repository.now = repository.earliest = "0001-01-01T00:00:00+01:00"
    assert run().run.is_complete
    assert len(_published(house)) == 3


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
def test_a_rehearsal_keeps_nothing(house, repository):
    repository.fill(25)
    entry = SourceEntry("fake", repository.url)
    with fetcher(house.settings, entry, Stop()) as fetch:
        counts = rehearse(SourceSession(house, entry, kind_of("oai_pmh"), fetch))
        assert (counts["received"], counts["pages"]) == (25, 3)
        counts = rehearse(SourceSession(house, entry, kind_of("oai_pmh"), fetch, RunOptions(max_records=5)))
        assert counts["received"] == 10
    assert house.inbox.runs(None, 1) == ()
    assert house.inbox.last_answer("fake", "Identify") is None
    assert house.inbox.cursors("fake") == ()


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


def test_at_a_terminal_nobody_waits_for_longer_than_ninety_seconds(
    run, repository, house, command, monkeypatch, tmp_path
):
    assert house.at_prompt().settings.seconds("fetch_max_wait_seconds") == 3600
    repository.fill(1)
    run()
    repository.statuses = {name: (503, b"", {"Retry-After": "1800"}) for name in ("ListRecords", "ListIdentifiers")}
    monkeypatch.setattr(instance, "sys", SimpleNamespace(stderr=SimpleNamespace(isatty=lambda: True)))
    for words in (
        ["run", "fake", "--full"],
        ["source", "sweep", "fake"],
        ["dump", repository.url, str(tmp_path / "x")],
    ):
        assert command(*words)[0] == Status.TRY_LATER


@each_row(
    "compared, sentence",
    [
        (Compared.WHOLE, "Nothing is missing. The records were compared with all that ListIdentifiers names."),
        (
            Compared.NAMES,
            "No gap was found. The records were compared with all that ListIdentifiers names; no number and no date ",
        ),
        (Compared.CHANGES, "Nothing is missing since the last harvest, by its dates. "),
        (Compared.PART, "No gap was found; 7 of 9 names were compared. No number was announced; "),
        (Compared.NOTHING, "No gap was found. Only the ends of its lists say so: "),
    ],
)
def test_last_sentence_claims_what_was_compared(compared: Compared, sentence: str):
    assert proved("x", {}, Proof(compared, names=7, received=9), is_complete=True).startswith(sentence)


@pytest.fixture
def begin(house):
    """Return a function that begins a run of a stage of `fake`."""

    def begin(stop=None, **options):
        return run_lifecycle(house, "fake", "sweep", Progress(), stop or Stop(), **options)

    return begin


def last(house):
    """Return the last run of `fake`, and the texts of its events."""
    run = house.inbox.runs("fake", 1)[0]
    return run, [event.text for event in house.inbox.events(run.number)]


def test_run_of_a_dead_process_is_closed_before_the_next_one_begins(house, begin):
    dead = house.inbox.start_run("fake", 1)
    with begin():
        outcomes = {run.number: run.outcome for run in house.inbox.runs("fake", 2)}
    assert outcomes[dead] is RunOutcome.FAILED


@pytest.mark.parametrize(
    ("error", "outcome"), [(KeyboardInterrupt(), RunOutcome.STOPPED), (ValueError("odd"), RunOutcome.FAILED)]
)
def test_any_other_exception_is_recorded_and_comes_through(house, begin, error, outcome):
    with pytest.raises(type(error)), begin():
        raise error
    assert last(house)[0].outcome is outcome
    assert not is_locked(house.folder, "fake")


def test_lock_is_released_when_the_run_cannot_be_recorded(house, begin, monkeypatch):
    def full(*_):
        raise StoreUnwritable("The disk is full.")

    with pytest.raises(StoreUnwritable), begin():
        monkeypatch.setattr(house.inbox, "end_run", full)
    assert not is_locked(house.folder, "fake")
