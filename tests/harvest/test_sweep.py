"""What a source does not have any more is deleted, and only that; what returns is fetched again."""

from dataclasses import replace

import pytest

from gateway.core.model import RunOutcome, Selection
from harvester.harvest import run as pipeline
from harvester.harvest.access import fetcher, kind_of
from harvester.harvest.run_lifecycle import RunOptions
from harvester.harvest.session import SourceSession
from harvester.harvest.sources_toml import SourceEntry
from harvester.harvest.sweep import SAMPLE_SIZE, sweep  # type: ignore[attr-defined]
from harvester.runtime.exit_status import Status
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Progress

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times


@pytest.fixture
def entry(house, repository):
    house.sources.file.write_text(f'[fake]\nurl = "{repository.url}"\n')
    return SourceEntry("fake", repository.url, overlap_seconds=0)


@pytest.fixture
def harvest(house, entry, repository):
    """Return a function that harvests the source."""

    def harvest(run_options=None, source=entry):
        with fetcher(house.settings, source, Stop()) as fetch:
            return pipeline.run(SourceSession(house, source, kind_of("oai_pmh"), fetch, run_options or RunOptions()))

    repository.now = "2024-05-05T12:00:00Z"  # so that nothing old is asked for again
    return harvest


@pytest.fixture
def swept(house, entry):
    """Return a function that sweeps the source; `asked` lists what was to be confirmed."""

    def swept(is_confirmed=False, source=entry, stop=None, progress=None):
        def confirm(vanished, held):
            swept.asked.append((vanished, held))  # type: ignore[attr-defined]
            return is_confirmed

        with fetcher(house.settings, source, stop or Stop()) as fetch:
            session = SourceSession(house, source, kind_of("oai_pmh"), fetch, stop=stop or Stop())
            return sweep(replace(session, progress=progress or Progress()), confirm)

    swept.asked = []  # type: ignore[attr-defined]
    return swept


def _living(house, prefix="oai_dc"):
    """Return the upstream identifiers that a harvester of ours sees, and those it sees as deleted."""
    identifiers = {False: [], True: []}
    with house.store.view() as view:
        for content in view.page(Selection(prefix), None, 10_000).records:
            text = content.decode()
            upstream = text.partition("<identifier>")[2].partition("</identifier>")[0].partition("/")[2]
            identifiers['<header status="deleted">' in text].append(upstream)
    return sorted(identifiers[False]), sorted(identifiers[True])


def _datestamps(house):
    with house.store.view() as view:
        return [(line.identifier, line.kind) for line in view.changes(0, 10_000) if line.metadata_prefix == "oai_dc"]


def _vanish(repository, *numbers):
    return [repository.items.pop(f"oai:fake:{number:05}") for number in numbers]


# --- deletions ---------------------------------------------------------------------------------------------------


def test_what_has_vanished_is_deleted_and_the_rest_stays(harvest, swept, repository, house):
    repository.fill(35)
    harvest()
    _vanish(repository, 3, 17)
    ran = swept()
    assert (ran.status, ran.run.outcome, ran.run.is_complete) == (Status.SUCCEEDED, RunOutcome.SUCCEEDED, True)
    assert (ran.run.stage, ran.run.counts["received"], ran.run.counts["held"]) == ("sweep", 33, 35)
    assert (ran.run.counts["vanished"], ran.run.counts["deleted"], ran.run.counts["published"]) == (2, 2, 2)
    living, deleted = _living(house)
    assert deleted == ["oai:fake:00003", "oai:fake:00017"]
    assert living == sorted(repository.items)
    assert [kind for _, kind in _datestamps(house)].count("deleted") == 2
    assert _living(house, "oai_didl")[1] == deleted
    assert house.store.check() == ()


def test_what_is_named_as_deleted_has_vanished(harvest, swept, repository, house):
    repository.fill(35)
    harvest()
    repository.items["oai:fake:00005"].deleted = True
    assert swept().run.counts["deleted"] == 1
    assert _living(house)[1] == ["oai:fake:00005"]


def test_each_format_is_swept_by_itself(harvest, swept, repository, house, entry):
    repository.fill(20)
    both = SourceEntry("fake", entry.url, formats=("oai_dc", "mods"), overlap_seconds=0)
    harvest(source=both)
    _vanish(repository, 7)
    ran = swept(source=both)
    assert (ran.run.counts["deleted"], ran.run.is_complete) == (2, True)
    assert _living(house)[1] == _living(house, "mods")[1] == ["oai:fake:00007"]
    assert house.store.counts("fake")["deleted"] == 1


def test_the_sets_of_a_source_are_swept_together(harvest, swept, repository, house, entry):
    repository.fill(10, sets=("a",))
    repository.fill(10, start=10, sets=("b",))
    repository.fill(10, start=20, sets=("c",))
    two = SourceEntry("fake", entry.url, sets=("a", "b"), overlap_seconds=0)
    harvest(source=two)
    _vanish(repository, 12)
    assert swept(source=two).run.counts["deleted"] == 1
    assert len(_living(house)[0]) == 19


def test_dates_that_bound_the_harvest_do_not_bound_the_sweep(harvest, swept, repository, house, entry):
    repository.fill(20)
    bounded = SourceEntry("fake", entry.url, until="2024-02-01", overlap_seconds=0)
    harvest(source=bounded)
    repository.items["oai:fake:00004"].datestamp = "2024-03-01T00:00:00Z"
    assert swept(source=bounded).run.counts["vanished"] == 0


# --- what is no proof --------------------------------------------------------------------------------------------


def test_more_than_a_share_is_deleted_only_when_somebody_says_so(harvest, swept, repository, house):
    repository.fill(30)
    harvest()
    _vanish(repository, *range(4))
    ran = swept()
    assert (ran.status, ran.run.is_complete, swept.asked) == (Status.WITH_ERRORS, False, [(4, 30)])
    assert ran.run.reasons[0] == (
        "oai_dc: 4 of the 30 stored records are not listed any more, more than the share 0.1 that is deleted without "
        "asking; `harvester source sweep fake --yes` deletes them. Nothing was deleted."
    )
    assert len(_living(house)[0]) == 30
    assert swept(is_confirmed=True).run.counts["deleted"] == 4
    assert len(_living(house)[1]) == 4


def _refused_on_the_second_page(repository, patch):
    asked = len(repository.lists("ListIdentifiers"))
    answer = {"ListIdentifiers": (403, b"", {})}
    patch.setattr(repository, "statuses", {})
    patch.setattr(
        repository,
        "before",
        lambda _: repository.statuses.update(answer if len(repository.lists("ListIdentifiers")) == asked + 2 else {}),
    )


def _with_an_error_beside_headers(repository, patch):
    whole = repository._listidentifiers
    wrong = '<error code="badResumptionToken">No.</error>'
    patch.setattr(repository, "_listidentifiers", lambda asked: whole(asked) + wrong)


# What makes a list of identifiers prove nothing, and what is said of it. A header that cannot be read may be that of
# any record, on whatever page of the list it stands.
_UNPROVED = (
    (lambda repository, patch: patch.setattr(repository, "announces", 5), "named 29. Nothing was deleted."),
    (
        lambda repository, patch: patch.setattr(repository.items["oai:fake:00005"], "identifier", ""),
        "A header cannot be read",
    ),
    (_refused_on_the_second_page, "403"),
    (_with_an_error_beside_headers, ""),
)


def test_a_list_that_is_not_shown_to_be_whole_deletes_nothing(harvest, swept, repository, house):
    repository.fill(30)
    harvest()
    _vanish(repository, 3)
    for spoil, words in _UNPROVED:
        with pytest.MonkeyPatch.context() as patch:
            spoil(repository, patch)
            ran = swept()
        assert ran.status in (Status.WITH_ERRORS, Status.REFUSED), words
        assert (ran.run.is_complete, ran.run.counts.get("deleted")) == (False, None), words
        assert words in " ".join(ran.run.reasons)
        assert _living(house)[1] == [], words


def test_a_format_that_is_refused_leaves_the_others(harvest, swept, repository, house, entry):
    repository.fill(20)
    harvest()
    _vanish(repository, 3)
    repository.before = lambda arguments: (403, b"", {}) if arguments.get("metadataPrefix") == "mods" else None
    ran = swept(source=SourceEntry("fake", entry.url, formats=("mods", "oai_dc")))
    assert (ran.run.counts["deleted"], ran.run.is_complete) == (1, False)
    assert ran.run.reasons[0].startswith("mods: ")


def test_what_the_list_leaves_out_and_is_there_stays(harvest, swept, repository, house, hiding):
    repository.fill(30)
    harvest()
    _vanish(repository, 5)
    hiding("oai:fake:00007")
    ran = swept()
    assert (ran.status, ran.run.counts["vanished"], ran.run.counts["deleted"]) == (Status.SUCCEEDED, 2, 1)
    assert _living(house)[1] == ["oai:fake:00005"]


def test_a_list_that_leaves_out_much_that_is_there_is_not_believed(harvest, swept, repository, house, hiding):
    repository.page_size = 200
    repository.fill(SAMPLE_SIZE * 12)
    harvest()
    _vanish(repository, 5)
    hiding(*(f"oai:fake:{number:05}" for number in range(100, 101 + SAMPLE_SIZE)))
    ran = swept()
    assert (ran.status, ran.run.counts.get("deleted")) == (Status.WITH_ERRORS, None)
    assert "which is there" in ran.run.reasons[0]
    assert len(repository.lists("GetRecord")) == SAMPLE_SIZE


def test_where_the_list_moved_while_it_was_read_everything_missing_is_looked_at(
    harvest, swept, repository, house, hiding
):
    repository.page_size = 300
    repository.fill(SAMPLE_SIZE * 12)
    harvest()
    gone = _vanish(repository, *range(100, 100 + SAMPLE_SIZE))
    last = f"oai:fake:{SAMPLE_SIZE * 12 - 1:05}"
    hiding(last)
    still = repository._listidentifiers
    moved = "<header><identifier>oai:fake:00001</identifier><datestamp>2024-05-05</datestamp></header>"
    repository._listidentifiers = lambda asked: still(asked).replace("</header>", "</header>" + moved, 1)
    ran = swept(is_confirmed=True)
    assert (ran.run.counts["vanished"], ran.run.counts["deleted"]) == (len(gone) + 1, len(gone))
    assert last in _living(house)[0]


@pytest.fixture
def hiding(repository):
    """Return a function that lets records be there, and not be named."""
    whole = repository._listidentifiers

    def hiding(*names):
        def listed(arguments):
            kept = repository.items
            repository.items = {name: item for name, item in kept.items() if name not in names}
            try:
                return whole(arguments)
            finally:
                repository.items = kept

        repository._listidentifiers = listed

    return hiding


@pytest.mark.parametrize("answer", [(404, b"", {}), (500, b"", {})])
def test_where_single_records_cannot_be_had_the_list_is_believed(harvest, swept, repository, house, answer):
    repository.fill(60)
    harvest()
    _vanish(repository, 1, 2, 3, 4, 5)
    repository.statuses["GetRecord"] = answer
    assert swept().run.counts["deleted"] == 5


# --- what returns ------------------------------------------------------------------------------------------------


def test_what_returns_as_it_was_is_published_again_by_a_harvest_that_brings_it(harvest, swept, repository, house):
    repository.fill(30)
    harvest()
    kept = _vanish(repository, 3)
    swept()
    repository.items |= {item.identifier: item for item in kept}
    ran = harvest(RunOptions(is_full=True))
    assert (ran.run.counts["published"], ran.run.counts["unchanged"]) == (1, 29)
    assert _living(house) == (sorted(repository.items), [])


def test_what_returns_and_no_harvest_brings_is_fetched_by_the_next_sweep(harvest, swept, repository, house):
    repository.fill(30)
    harvest()
    kept = _vanish(repository, 3)
    swept()
    repository.items |= {item.identifier: item for item in kept}
    assert harvest().run.counts["received"] == 0
    assert len(_living(house)[1]) == 1
    repository.asked.clear()
    ran = swept()
    assert (ran.status, ran.run.counts["returned"], ran.run.counts["published"]) == (Status.SUCCEEDED, 1, 1)
    assert [request["identifier"] for request in repository.lists("GetRecord")] == ["oai:fake:00003"]
    assert _living(house) == (sorted(repository.items), [])
    assert swept().run.counts["returned"] == 0


# --- the rest ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["ListIdentifiers", "GetRecord"])
def test_who_is_asked_to_stop_stops_and_the_next_sweep_does_it(harvest, swept, repository, house, verb):
    repository.fill(60)
    harvest()
    _vanish(repository, 3, 4, 5)
    stop = Stop()
    repository.before = lambda arguments: stop.ask() if arguments["verb"] == verb else None
    ran = swept(stop=stop)
    assert (ran.status, ran.run.outcome, ran.run.is_complete) == (Status.STOPPED, RunOutcome.STOPPED, False)
    assert _living(house)[1] == []
    repository.before = lambda _: None
    assert swept().run.counts["deleted"] == 3


# --- as its user sees it -----------------------------------------------------------------------------------------
