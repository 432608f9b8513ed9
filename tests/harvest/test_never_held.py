"""What a source names and was never held is fetched by a sweep, or reported missing; seen as the sweep's user sees it.

The records that were never held have old dates and came later, so that no incremental harvest asks for them.
"""

import json

import pytest

from harvester.harvest.instance import opened
from harvester.harvest.never_held import MOST_FAILURES, SAMPLE_SIZE
from harvester.runtime.exit_status import Status

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times


@pytest.fixture
def harvested(command, repository):
    """Return a function that adds the source with options, and harvests what it has."""

    def harvested(count, *options, **values):
        repository.page_size = 200
        repository.fill(count, **values)
        command("source", "add", "fake", repository.url, "--delay", "0", *options)
        status, _, err = command("run", "fake")
        assert status == 0, err
        repository.page_size = 20  # so that the first page names what is held: else it is another repository
        repository.asked.clear()

    return harvested


@pytest.fixture
def swept(command):
    """Return a function that sweeps the source, and returns the exit status, the counts and the last line."""

    def swept(*options):
        status, out, err = command("source", "sweep", "fake", "--json", *options)
        facts = json.loads(out)
        assert facts["is_complete"] is (status == 0)
        return status, facts["counts"], err

    return swept


def _held(command):
    return json.loads(command("source", "show", "fake", "--json")[1])["held"]


def _asked_singly(repository):
    return [request["identifier"] for request in repository.lists("GetRecord")]


# --- fetched -----------------------------------------------------------------------------------------------------


def test_what_is_named_and_was_never_held_is_fetched(harvested, swept, repository, command):
    harvested(60)
    repository.fill(5, start=60)
    status, counts, err = swept()
    assert status == 0
    assert (counts["named"], counts["held"], counts["never_held"], counts["fetched"]) == (65, 60, 5, 5)
    assert "65 records that the source names were compared with 60 that are held: 5 were never held; of these" in err
    assert "5 were fetched, and 0 are missing." in err
    assert _held(command)["items"] == 65
    repository.asked.clear()
    status, counts, _ = swept()
    assert (status, counts["never_held"], _asked_singly(repository)) == (0, 0, [])


def test_what_was_never_held_and_is_named_as_deleted_is_not_asked_for(harvested, swept, repository):
    harvested(30)
    repository.fill(3, start=30, deleted=True)
    status, counts, _ = swept()
    assert (status, counts["named"], counts["never_held"], _asked_singly(repository)) == (0, 30, 0, [])


def test_what_came_as_deleted_and_is_named_as_living_is_fetched(harvested, swept, repository, command):
    repository.fill(1, deleted=True)
    harvested(9, start=1)
    repository.items["oai:fake:00000"].deleted = False
    assert swept()[1]["fetched"] == 1
    assert _held(command) == {"items": 10, "deleted": 0, "fulltext": 0, "quarantined": 0, "waiting": 0}


def test_a_list_that_is_not_shown_to_be_whole_tells_of_what_was_never_held(harvested, swept, repository, command):
    harvested(20)
    repository.fill(2, start=20)
    repository.announces = 5
    repository.page_size = 10
    status, counts, _ = swept()
    assert (status, counts["fetched"], _held(command)["items"]) == (3, 2, 22)


# --- not wanted --------------------------------------------------------------------------------------------------


def test_only_the_sets_of_the_entry_are_wanted(harvested, swept, repository, command, instance):
    harvested(10, "--set", "a", "--set", "b", sets=("a",))
    repository.fill(2, start=10, sets=("b",))
    repository.fill(3, start=12, sets=("c",))
    listed = repository._listidentifiers
    repository._listidentifiers = lambda asked: listed({**asked, "set": ""})  # it names all sets, whatever is asked
    status, counts, _ = swept()
    assert (status, counts["named"], counts["never_held"], counts["fetched"]) == (0, 12, 2, 2)
    with opened(str(instance)) as house:
        pages = [page for page in house.inbox.pages("fake", 0) if page.page.verb == "GetRecord"]
        assert {page.page.set_spec for page in pages} == {"b"}


def test_what_is_taken_down_is_not_asked_for(harvested, swept, repository, command):
    harvested(10)
    command("takedown", "add", "oai:fake:00010", "--source", "fake", "--reason", "No.")
    repository.fill(2, start=10)
    status, counts, _ = swept()
    assert (status, counts["never_held"], _asked_singly(repository)) == (0, 1, ["oai:fake:00011"])
    assert command("takedown", "remove", "oai:fake:00010", "--source", "fake", "--yes")[0] == 0
    assert swept()[1]["fetched"] == 1


def test_what_was_purged_is_not_asked_for(harvested, swept, repository, command):
    harvested(10)
    assert command("takedown", "add", "oai:fake:00003", "--source", "fake", "--reason", "No.", "--purge")[0] == 0
    status, counts, _ = swept()
    assert (status, counts["never_held"], counts["returned"], _asked_singly(repository)) == (0, 0, 0, [])


def test_what_came_and_is_unusable_is_told_and_not_asked_for(command, swept, repository):
    repository.fill(9)
    repository.items["oai:fake:00004"].title = "a</dc:title></oai_dc:dc></metadata><metadata><b/><c><d><dc:title>"
    command("source", "add", "fake", repository.url, "--delay", "0")
    assert command("run", "fake")[0] == 3
    repository.asked.clear()
    status, counts, _ = swept()
    assert (status, counts["unusable"], counts["never_held"], _asked_singly(repository)) == (0, 1, 0, [])


# --- in other formats only ---------------------------------------------------------------------------------------

_ELSEWHERE = '<error code="cannotDisseminateFormat">Not so.</error>'


def test_of_much_that_is_in_other_formats_only_some_is_looked_at(harvested, swept, repository):
    harvested(20, "--format", "mods")
    repository.fill(3 * SAMPLE_SIZE, start=20)
    repository._getrecord = lambda _asked: _ELSEWHERE
    status, counts, err = swept()
    assert (status, counts["in_other_formats"], len(_asked_singly(repository))) == (0, 3 * SAMPLE_SIZE, SAMPLE_SIZE)
    assert f"{3 * SAMPLE_SIZE} records are named that the source has in other formats only" in err


def test_where_one_of_those_comes_all_are_asked_for(harvested, swept, repository):
    harvested(20, "--format", "mods")
    repository.fill(3 * SAMPLE_SIZE, start=20)
    get_record, first = repository._getrecord, "oai:fake:00023"
    repository._getrecord = lambda asked: get_record(asked) if asked["identifier"] == first else _ELSEWHERE
    status, counts, _ = swept()
    assert (status, counts["fetched"], counts["in_other_formats"]) == (0, 1, 3 * SAMPLE_SIZE - 1)
    assert sorted(_asked_singly(repository)) == sorted(repository.items)[20:]


def test_what_is_not_even_in_the_format_of_every_item_is_missing(harvested, swept, repository):
    harvested(20)
    repository.fill(1, start=20)
    repository._getrecord = lambda _asked: _ELSEWHERE
    status, counts, _ = swept()
    assert (status, counts["in_other_formats"], counts["missing"]) == (3, 0, 1)


# --- missing -----------------------------------------------------------------------------------------------------


@pytest.fixture
def hidden(repository):
    """Return a set of identifiers for which GetRecord knows no record."""
    hidden, get_record = set(), repository._getrecord
    no = '<error code="idDoesNotExist">No.</error>'
    repository._getrecord = lambda asked: no if asked["identifier"] in hidden else get_record(asked)
    return hidden


def test_what_does_not_come_is_missing_until_it_comes(harvested, swept, repository, command, hidden):
    harvested(20)
    repository.fill(3, start=20)
    hidden.add("oai:fake:00021")
    status, counts, err = swept()
    assert (status, counts["never_held"], counts["fetched"], counts["missing"]) == (3, 3, 2, 1)
    assert "oai:fake:00021: It could not be fetched: the source names it, and answers that it has no such record" in err
    assert "oai_dc: 1 records are named, were never held, and are missing" in err
    quarantined = [json.loads(line) for line in command("quarantine", "fake", "--json")[1].splitlines()]
    assert [row["identifier"] for row in quarantined] == ["oai:fake:00021"]
    status, out, _ = command("run", "fake", "--json")
    assert (status, json.loads(out)["is_complete"]) == (3, False)  # no harvest forgets it
    hidden.clear()
    assert command("run", "fake", "--retry-failed")[0] == 0
    assert command("run", "fake")[0] == 0
    assert _held(command) == {"items": 23, "deleted": 0, "fulltext": 0, "quarantined": 0, "waiting": 0}


def test_what_did_not_come_is_missing_until_a_whole_list_does_not_name_it(
    harvested, swept, repository, command, hidden
):
    harvested(20)
    repository.fill(3, start=20)
    hidden.add("oai:fake:00021")
    swept()
    del repository.items["oai:fake:00021"]
    assert command("run", "fake", "--retry-failed")[0] == 3
    repository.announces = 30  # so that the list is not shown to be whole
    repository.page_size = 10
    assert swept()[0] == 3
    assert _held(command)["quarantined"] == 1
    repository.announces = 0
    status, counts, err = swept()
    assert (status, counts["missing"], counts["not_named"]) == (0, 0, 1)
    assert "oai_dc: missing no longer: oai:fake:00021. The source does not name them any more" in err
    assert _held(command) == {"items": 22, "deleted": 0, "fulltext": 0, "quarantined": 0, "waiting": 0}
    assert command("run", "fake")[0] == 0


def test_where_no_single_record_can_be_had_all_are_reported(harvested, swept, repository, command):
    harvested(20)
    repository.fill(30, start=20)
    repository.statuses["GetRecord"] = (200, b"<html/>", {})
    status, counts, _ = swept()
    assert (status, counts["never_held"], counts["missing"]) == (3, 30, 30)
    assert len(set(_asked_singly(repository))) == MOST_FAILURES
    assert _held(command)["quarantined"] == 30
    del repository.statuses["GetRecord"]
    assert command("run", "fake", "--retry-failed")[0] == 0
    assert _held(command) == {"items": 50, "deleted": 0, "fulltext": 0, "quarantined": 0, "waiting": 0}


def test_where_the_source_itself_fails_nothing_is_judged(harvested, swept, repository, command):
    harvested(20)
    repository.fill(30, start=20)
    ill = (500, b"", {})
    singles = []

    def before(asked):
        singles.extend([asked] * (asked["verb"] == "GetRecord"))
        return ill if singles else None

    repository.before = before
    status, counts, _ = swept()
    assert (status, counts["missing"], _held(command)["quarantined"] < 30) == (Status.TRY_LATER, 30, True)


# --- stopped -----------------------------------------------------------------------------------------------------


NEWER = "2025-01-01T00:00:00Z"


@pytest.fixture
def write(instance, repository):
    """Return a function that writes the entry of the source."""

    def write(text=""):
        entry = f'[fake]\nurl = "{repository.url}"\noverlap_seconds = 0\n{text}'
        (instance / "sources.toml").write_text(entry)

    return write


@pytest.fixture
def run(repository, command, write):
    """Return a function that runs the source, and returns the exit status and the run as data. It has 60 records."""
    repository.fill(60)
    for number, item in enumerate(repository.items.values()):
        item.sets = ("a",) if number % 2 else ("b",)
    repository.sets = (("a", "A"), ("b", "B"))
    repository.now = "2024-06-01T00:00:00Z"
    write()

    def run(*options):
        status, out, _ = command("run", "fake", "--json", *options)
        return status, json.loads(out)

    return run


def _remove(repository, count):
    for name in list(repository.items)[:count]:
        del repository.items[name]


def _sentence(unlisted, stored, prefix="oai_dc"):
    return (
        f"{prefix}: {unlisted} of {stored} stored records were not listed in this full harvest, and stay as they are. "
        "If the source has deleted them, `harvester source sweep fake` deletes them."
    )


def test_full_harvest_of_a_source_that_lists_nothing_is_not_complete(run, repository, command):
    assert run()[0] == 0
    _remove(repository, 60)
    status, ran = run("--full")
    assert (status, ran["is_complete"], ran["counts"]["unlisted"]) == (Status.WITH_ERRORS, False, 60)
    assert ran["reasons"] == [_sentence(60, 60)]
    _, out, _ = command("log", str(ran["run"]))
    assert "It is not shown that the stored records still exist." in out


@pytest.mark.parametrize(("count", "status"), [(6, 0), (7, Status.WITH_ERRORS)])
def test_share_of_records_that_may_be_unlisted_is_that_of_deletions(run, repository, count, status):
    """The share is a tenth."""
    assert run()[0] == 0
    _remove(repository, count)
    assert run("--full")[0] == status


def test_records_that_a_source_lists_as_deleted_are_listed(run, repository):
    """A repository that has emptied, and keeps its deletions (OAI-PMH 2.0 §2.5.1: persistent)."""
    assert run()[0] == 0
    for item in repository.items.values():
        item.deleted, item.datestamp = True, NEWER
    repository.now = "2025-01-02T00:00:00Z"
    status, ran = run("--full")
    assert (status, ran["counts"]["waiting"]) == (Status.WITH_ERRORS, 54)  # beyond the share, they wait for a person
    assert "unlisted" not in ran["counts"]
    assert run("--full", "--yes")[0] == 0
    assert run("--full")[0] == 0


def test_later_incremental_harvest_does_not_report_it_again(run, repository):
    assert run()[0] == 0
    _remove(repository, 60)
    assert run("--full")[0] == Status.WITH_ERRORS
    assert run()[0] == 0


@pytest.mark.parametrize("options", [("--from", "2024-01-01"), ("--set", "a")])
def test_harvest_of_a_part_counts_nothing(run, repository, options):
    assert run()[0] == 0
    _remove(repository, 60)
    run("--full", *options)
    status, ran = run()
    assert (status, ran["reasons"]) == (0, [])


@pytest.mark.parametrize("count", [0, 20])
def test_parts_of_a_full_harvest_that_was_stopped_are_counted_together(run, write, repository, count):
    write('sets = ["a", "b"]\n')
    assert run()[0] == 0
    _remove(repository, count)
    _, stopped = run("--full", "--max-records", "15")
    _, ran = run()
    assert (stopped["is_complete"], stopped["reasons"]) == (False, [])
    assert ran["reasons"] == ([_sentence(20, 60)] if count else [])
