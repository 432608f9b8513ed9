"""The store made again from the inbox: the same records, deletions and sets as before it was lost."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.errors import ConfigurationError, StoreError
from gateway.core.model import RawPage, Slice
from gateway.ops.recovery import make_again, words
from gateway.publish.publish import pass_removals, publish_pending
from gateway.publish.rebuild import rebuild, remove_source
from gateway.publish.step import EPOCH_FACT, check_finished, store_lacks
from tests.opening import open_store
from tests.publish.harness import ADDRESS, START, Harness, Sent, dc, make_databases, mods, pdf

DOMAIN = "gateway.example.org"


class Remade:
    """The harness behind the loss of its store: the new one, opened in a folder beside."""

    def __init__(self, harness: Harness, folder: Path) -> None:
        folder.mkdir()
        self.harness = harness
        self.before = published_records(harness)
        harness.store.close()
        harness.store = open_store(folder, create=True)
        self.made = make_again(harness.store, harness.inbox, DOMAIN)


@pytest.fixture
def lose(harness: Harness, tmp_path: Path) -> Callable[[], Remade]:
    """Return a function that loses the store and makes it again."""
    return lambda: Remade(harness, tmp_path / "new")


def published_records(harness: Harness) -> dict[tuple[str, str], tuple[object, ...]]:
    """Return every record by identifier and prefix: what it says but for its datestamp, and in which sets it is."""
    records = {}
    for source, state in harness.store.items(None, 0, 10_000):
        sets = harness.store.item_sets(state.number)
        for prefix, digest, is_deleted in state.records:
            with harness.store.view() as view:
                content = view.record(state.identifier, prefix).content
            head, _, rest = content.partition(b"<datestamp>")
            records[source, state.identifier, prefix] = (head, rest[20:], digest, is_deleted, sets)
    return records  # type: ignore[return-value]


def test_every_record_and_tombstone_is_there_again(harness: Harness, lose) -> None:
    harness.sent(Sent("1", dc("T", pdf()), sets=("a",)), Sent("2"), Sent("3"), Sent("bad", b"<no"))
    harness.sent(Sent("1", mods()), prefix="mods")
    harness.sent(Sent("2", None), Sent("never held", None))
    harness.sent(Sent("3", dc("New"), sets=("b",)))
    lost = lose()
    assert published_records(harness) == lost.before
    assert harness.record("2").is_deleted
    assert harness.state("never held") is None
    assert [record.identifier for record in harness.store.quarantined()] == ["bad"]
    assert harness.store.check() == ()
    assert store_lacks(harness.store, harness.inbox) == ""
    assert lost.made.counts.pages == 4


def test_a_removal_that_was_killed_is_finished_by_whatever_publishes_next(harness: Harness, lose) -> None:
    harness.sent(Sent("1"))
    harness.inbox.remove_source("laro", harness.store.position("laro"), START)
    harness.send(Sent("2"))
    harness.publish()
    assert harness.record("1").is_deleted
    harness.publish()
    assert not harness.record("2").is_deleted
    lost = lose()
    assert published_records(harness) == lost.before


def test_a_deletion_of_what_only_the_lost_inbox_held_is_reported(harness: Harness) -> None:
    """START is 2023-11-14; two days before it are not certain either."""
    stated = ("2023-11-14", "2023-11-12T23:00:00Z", "2023-11-12", "2023-11-11", "soon")
    harness.inbox.mark_restored(START, START)
    harness.sent(*(Sent(datestamp, None, datestamp=datestamp) for datestamp in stated))
    assert [datestamp for datestamp in stated if harness.state(datestamp) is None] == ["2023-11-11"]
    assert harness.store.check() == ()


def test_formats_keep_the_names_under_which_they_were_exposed(harness: Harness, lose) -> None:
    harness.add("abc")
    odd = b'<mods xmlns="urn:other"><x/></mods>'
    harness.sent(Sent("1", mods()), prefix="mods")
    harness.sent(Sent("1", odd), prefix="mods", source="abc")
    harness.inbox.keep_note("laro", harness.inbox.note("laro"))
    before = harness.formats()
    assert "mods.abc" in before
    lost = lose()
    assert published_records(harness) == lost.before
    assert harness.formats() == before


def test_a_store_that_is_an_older_copy_keeps_its_datestamps_and_gets_what_it_lacks(harness: Harness) -> None:
    harness.sent(Sent("1"))
    stamp = harness.record("1").datestamp
    harness.send(Sent("2"))
    harness.now += 100
    made = make_again(harness.store, harness.inbox, DOMAIN)
    assert made.counts.stamped == 2
    assert harness.record("1").datestamp == stamp
    assert harness.record("2").datestamp > stamp
    assert harness.store.fact(EPOCH_FACT) == ""


def test_a_rebuild_that_was_stopped_goes_on_and_is_not_served_before_its_end(harness: Harness, tmp_path) -> None:
    harness.sent(Sent("1"))
    harness.sent(Sent("2"))
    before = published_records(harness)
    harness.store.close()

    def stopped(done: int, total: int) -> None:
        assert (done, total) == (1, 2)
        raise KeyboardInterrupt

    harness.store = open_store(tmp_path / "new", create=True)
    assert "lacks laro" in store_lacks(harness.store, harness.inbox)
    with pytest.raises(KeyboardInterrupt):
        make_again(harness.store, harness.inbox, DOMAIN, stopped)
    with pytest.raises(StoreError, match="not complete"):
        check_finished(harness.store)
    assert "not complete" in store_lacks(harness.store, harness.inbox)
    seen: list[tuple[int, int]] = []
    make_again(harness.store, harness.inbox, DOMAIN, lambda *numbers: seen.append(numbers))
    assert seen == [(1, 1)]
    check_finished(harness.store)
    assert published_records(harness) == before


def test_another_domain_is_refused_before_anything_is_made(harness: Harness, tmp_path) -> None:
    harness.sent(Sent("1"))
    with (
        closing(open_store(tmp_path / "new", create=True)) as store,
        pytest.raises(ConfigurationError, match=f"under the domain {DOMAIN}"),
    ):
        make_again(store, harness.inbox, "other.example.org")


def test_an_inbox_that_lacks_pages_is_not_taken_for_the_whole(harness: Harness, tmp_path) -> None:
    harness.sent(Sent("1"))
    harness.store.advance("laro", 1, 7)
    with pytest.raises(StoreError, match="inbox lacks pages"):
        make_again(harness.store, harness.inbox, DOMAIN)
    harness.inbox.number_behind(7)
    harness.store.close()
    harness.store = open_store(tmp_path / "new", create=True)
    made = make_again(harness.store, harness.inbox, DOMAIN)
    assert made.lost_until == 7
    assert any("pages up to 7 are missing" in word for word in words(made))


def test_those_who_publish_in_turn_begin_behind_every_removal(harness: Harness) -> None:
    harness.sent(Sent("1"))
    harness.send(Sent("2"))
    number = harness.inbox.remove_source("laro", harness.inbox.last_number(), START)
    harness.send(Sent("3"))
    pass_removals(harness.store, harness.inbox, harness.facts())
    assert harness.store.position("laro") == number
    assert [harness.record(name).is_deleted for name in ("1", "2")] == [True, True]
    assert harness.state("3") is None


# --- at random ----------------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """What happens to one source."""

    kind: str
    source: str
    items: tuple[tuple[str, int, str], ...] = ()  # identifier, version (0: deleted), set


SOURCES = ("laro", "abc")
_items = st.lists(
    st.tuples(st.sampled_from("123"), st.integers(0, 3), st.sampled_from(("", "a", "b"))), min_size=1, max_size=4
)
_steps = st.lists(
    st.builds(
        Step,
        st.sampled_from(("dc", "dc", "dc", "mods", "sweep", "waits", "remove", "killed removal", "rebuild", "left")),
        st.sampled_from(SOURCES),
        _items.map(tuple),
    ),
    max_size=12,
)


def play(harness: Harness, step: Step) -> None:
    """Let a step happen: what arrives is published at once, page by page, but for what is left."""
    sent = [
        Sent(name, _payload(step.kind, version), sets=(spec,) if spec else ()) for name, version, spec in step.items
    ]
    if step.kind == "sweep":
        page = RawPage(step.source, "Sweep", ADDRESS, START, 0, (), b"<vanished/>", "oai_dc")
        harness.inbox.receive(page, [Slice(record.identifier, "2024", (), True, 0, 0) for record in sent], None)
    elif step.kind == "remove":
        remove_source(harness.store, harness.inbox, step.source, START)
        harness.add(step.source)
    elif step.kind == "killed removal":
        publish_all(harness)
        harness.inbox.remove_source(step.source, harness.store.position(step.source), START)
    elif step.kind == "rebuild":
        rebuild(harness.store, harness.inbox)
    elif step.kind == "waits":
        harness.send(*(Sent(record.identifier, None, waits=True) for record in sent), source=step.source)
    else:
        harness.send(*sent, prefix="mods" if step.kind == "mods" else "oai_dc", source=step.source)
    if step.kind != "left":
        publish_all(harness)


def _payload(kind: str, version: int) -> bytes | None:
    if not version:
        return None
    if kind == "mods":
        return mods(f"Title {version}")
    return b"<broken" if version == 3 else dc(f"Title {version}", pdf() if version == 2 else "")


def publish_all(harness: Harness) -> None:
    for name in SOURCES:
        harness.now += 1
        while publish_pending(harness.store, harness.inbox, name, harness.facts(name), limit_pages=1).pages:
            pass


@pytest.mark.unmeasured
@pytest.mark.slow
@given(steps=_steps)
def test_after_any_history_the_store_is_made_again_as_it_was(steps, tmp_path_factory, ready_made) -> None:
    folder = tmp_path_factory.mktemp("history")
    ready_made(folder, make_databases)
    harness = Harness(folder)
    try:
        harness.add("abc")
        for step in steps:
            play(harness, step)
        publish_all(harness)
        formats, waiting = harness.formats(), [harness.store.waiting(name, ("", ""), 100) for name in SOURCES]
        lost = Remade(harness, folder / "new")
        assert published_records(harness) == lost.before
        assert [harness.store.waiting(name, ("", ""), 100) for name in SOURCES] == waiting
        assert set(harness.formats()) >= set(formats)
        assert harness.store.check() == ()
    finally:
        harness.store.close()
        harness.inbox.close()
