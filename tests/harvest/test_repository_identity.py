"""A source that is another repository than before is not published as the one that it was."""

import json

import pytest

from tests.opening import open_inbox, open_store

pytestmark = pytest.mark.slow  # it asks servers

OTHERS = 30


@pytest.fixture
def harvested(command, repository):
    """Harvest a repository of thirty records that names its domain."""
    repository.domain = "fake.example.org"
    repository.now = "2024-05-05T12:00:00Z"
    repository.fill(OTHERS)
    command("source", "add", "fake", repository.url, "--every", "1d", "--overlap", "0")
    assert command("run", "fake")[0] == 0
    return repository


def _run(command, *arguments):
    status, out, words = command("run", "fake", "--json", *arguments)
    return status, json.loads(out), words


def _become_another(repository, domain="oai:other", **values):
    repository.items.clear()
    repository.fill(OTHERS, **values)
    items = list(repository.items.values())
    repository.items.clear()
    for item in items:
        item.identifier = item.identifier.replace("oai:fake", domain)
        repository.items[item.identifier] = item


def _published(instance):
    store = open_store(instance)
    states = [(state.upstream, state.is_deleted) for _, state in store.items("fake", 0, 1000)]
    with store.view() as view:
        sets = [(set_.spec, set_.name) for set_ in view.sets(None, 100)]
    store.close()
    return states, sets


def _state(instance):
    inbox = open_inbox(instance)
    state = [(cursor.state, cursor.set_spec) for cursor in inbox.cursors("fake")], inbox.last_number()
    inbox.close()
    return state


def _standing(command):
    return json.loads(command("status", "--json")[1].splitlines()[0])


def test_another_repository_identifier_ends_the_run_before_anything_is_published(command, instance, harvested):
    before = _published(instance), _state(instance)
    harvested.domain, harvested.name, harvested.sets = "other.example.org", "Other", (("x", "X"),)
    _become_another(harvested, datestamp="2024-06-01T00:00:00Z")
    harvested.asked.clear()
    for arguments in ((), ("--full",), ("--dry-run",)):
        status, _, words = command("run", "fake", *arguments)
        assert status == 4
        assert "Its repositoryIdentifier was fake.example.org and is other.example.org now" in words
        assert "harvester source accept-identity fake" in words
    assert (_published(instance), _state(instance)) == before
    assert not harvested.lists()


def test_what_was_accepted_goes_on(command, instance, harvested):
    harvested.domain = "other.example.org"
    _become_another(harvested, datestamp="2024-06-01T00:00:00Z")
    assert command("run", "fake")[0] == 4
    standing = _standing(command)
    assert standing["identity"] == [
        {"what": "repositoryIdentifier", "was": "fake.example.org", "is_now": "other.example.org"}
    ]
    assert "accept-identity fake" in " ".join(standing["problems"])
    assert "accept-identity fake" in command("status")[2]
    status, out, _ = command("source", "accept-identity", "fake", "--json")
    accepted = json.loads(out)
    assert (status, accepted["accepted"], accepted["changes"]) == (0, True, standing["identity"])
    assert _standing(command)["identity"] == []
    status, ran, words = _run(command, "--full")
    assert (status, ran["counts"]["published"], ran["counts"]["unlisted"]) == (3, OTHERS, OTHERS), words
    assert len(_published(instance)[0]) == 2 * OTHERS
    status, out, words = command("source", "accept-identity", "fake", "--json")
    assert (status, json.loads(out)["accepted"]) == (0, False)
    assert "is accepted already" in words


def test_another_name_or_address_alone_is_a_warning_until_it_is_accepted(command, instance, harvested):
    harvested.name, harvested.base_url = "Renamed", "http://new.example.org/oai"
    harvested.fill(1, start=90, datestamp="2024-06-01T00:00:00Z")
    for _ in range(2):
        status, ran, _ = _run(command)
        assert (status, ran["outcome"], ran["is_complete"]) == (3, "succeeded_with_errors", True)
        assert any("Its repositoryName was Fake and is Renamed now" in reason for reason in ran["reasons"])
        assert any("Its baseURL was" in reason for reason in ran["reasons"])
    assert len(_published(instance)[0]) == OTHERS + 1
    assert command("source", "check", "fake")[0] == 3
    assert command("source", "accept-identity", "fake")[0] == 0
    assert _run(command)[0] == 0
    assert command("source", "check", "fake")[0] == 0


def test_what_comes_and_goes_in_identify_is_no_change(command, harvested):
    """A description that is missing after an update of the software says nothing."""
    harvested.domain = ""
    assert _run(command)[0] == 0
    harvested.domain = "fake.example.org"
    assert _run(command)[0] == 0
    harvested.domain = "FAKE.example.org"
    assert _run(command)[0] == 0
    harvested.domain = "third.example.org"
    assert _run(command)[0] == 4


def test_a_full_harvest_of_unknown_records_ends_before_anything_is_published(command, instance, harvested):
    """All identifiers changed: 120 were held of 60, and nothing was said to be missing."""
    before = _published(instance), _state(instance)
    harvested.sets, harvested.name = (("x", "X"),), "Renamed"
    _become_another(harvested, "oai:fake:v2", datestamp="2024-06-01T00:00:00Z")
    status, ran, _ = _run(command, "--full")
    assert (status, ran["outcome"], ran["is_complete"]) == (4, "refused", False)
    assert any("10 of 10 records are unknown, such as oai:fake:v2" in reason for reason in ran["reasons"])
    assert (_published(instance), _state(instance)) == before
    assert "records are unknown" in " ".join(_standing(command)["problems"])
    assert command("run", "fake", "--full", "--dry-run")[0] == 4


def test_no_run_takes_anything_while_that_waits(command, instance, harvested):
    """Else the next incremental harvest would bring what the full one has refused."""
    _become_another(harvested, "oai:fake:v2", datestamp="2024-06-01T00:00:00Z")
    assert _run(command, "--full")[0] == 4
    before = _published(instance), _state(instance)
    assert _run(command)[0] == 4
    assert command("run", "fake", "--retry-failed")[0] == 4
    assert command("source", "sweep", "fake", "--yes")[0] == 4
    assert (_published(instance), _state(instance)) == before
    assert json.loads(command("source", "accept-identity", "fake", "--json")[1])["records"]
    status, ran, _ = _run(command, "--full")
    assert (status, len(ran["reasons"])) == (3, 1)  # the records of the other one are still there
    assert len(_published(instance)[0]) == 2 * OTHERS


def test_not_even_an_empty_list_is_taken_while_that_waits(command, instance, harvested):
    """The cursor would move, and what the right repository has changed meanwhile would never come."""
    held = dict(harvested.items)
    _become_another(harvested, "oai:test")
    assert _run(command, "--full")[0] == 4
    before = _state(instance)
    harvested.now = "2024-08-05T12:00:00Z"
    status, ran, _ = _run(command)
    assert (status, ran["outcome"], ran["is_complete"]) == (4, "refused", False)
    assert command("run", "fake", "--dry-run")[0] == 4
    assert _state(instance) == before
    harvested.items = held
    harvested.fill(1, start=90, datestamp="2024-07-01T00:00:00Z")
    assert command("run", "fake", "--dry-run")[0] == 0
    assert _run(command)[0] == 0
    assert len(_published(instance)[0]) == OTHERS + 1


def test_the_newest_records_first_are_the_same_repository(command, harvested):
    """A list that begins with what is new names nothing that is held."""
    held = dict(harvested.items)
    harvested.items = {}
    harvested.fill(40, start=1000, datestamp="2024-06-01T00:00:00Z")
    harvested.items |= held
    harvested.asked.clear()
    assert _run(command, "--full")[0] == 0
    assert len(harvested.lists("GetRecord")) == 1


def test_few_records_tell_no_repository(command, repository, instance):
    repository.now = "2024-05-05T12:00:00Z"
    repository.fill(5)
    command("source", "add", "fake", repository.url)
    assert command("run", "fake")[0] == 0
    _become_another(repository, "oai:test")
    assert _run(command, "--full")[0] == 0


def test_a_source_that_cannot_be_asked_is_judged_by_its_list(command, harvested):
    harvested.statuses["GetRecord"] = (404, b"", {})
    _become_another(harvested)
    status, ran, _ = _run(command, "--full")
    assert status == 4
    assert "the stored records could not be requested" in " ".join(ran["reasons"])


def test_a_sweep_of_another_repository_deletes_nothing(command, instance, harvested):
    before = _published(instance)
    _become_another(harvested)
    status, _, words = command("source", "sweep", "fake", "--yes", "--json")
    assert status == 4
    assert "begins like another repository's" in words
    harvested.domain = "other.example.org"
    status, _, words = command("source", "sweep", "fake", "--yes")
    assert (status, "repositoryIdentifier" in words) == (4, True)
    assert _published(instance) == before


def test_a_repository_that_was_renamed_is_looked_at_also_when_it_lists_what_is_new(command, instance, harvested):
    """Everything in it has another identifier and a new datestamp, so an incremental harvest brings it all."""
    before = _published(instance), _state(instance)
    harvested.name = "Other"
    _become_another(harvested, datestamp="2024-06-01T00:00:00Z")
    for _ in range(2):
        status, _, words = _run(command)
        assert (status, "begins like another repository's" in words) == (4, True)
    assert (_published(instance), _state(instance)) == before
    assert command("source", "accept-identity", "fake")[0] == 0
    status, ran, words = _run(command)
    assert (status, ran["counts"]["published"]) == (0, OTHERS), words


def test_a_known_list_is_asked_for_nothing_more(command, harvested):
    harvested.asked.clear()
    assert _run(command, "--full")[0] == 0
    assert not harvested.lists("GetRecord")


def test_a_source_that_is_added_again_is_taken_as_it_is(command, instance, harvested):
    assert command("source", "remove", "fake", "--yes")[0] == 0
    harvested.domain = "other.example.org"
    _become_another(harvested)
    assert command("source", "add", "fake", harvested.url)[0] == 0
    assert _run(command)[0] == 0
