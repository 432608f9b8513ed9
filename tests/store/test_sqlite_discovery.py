"""The search for full text keeps its promises: nothing is taken twice, nothing is lost, nothing is written twice."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from gateway.core.model import CopyFilter, Decision, FoundCopy, Offer, OfferOutcome, OfferWay, Written
from gateway.store import discovery_lists
from gateway.store.discovery import Discovery
from tests.opening import open_discovery
from tests.rows import each_row

A, B = "oai:g.example.org:s/1", "oai:g.example.org:t/2"


@pytest.fixture
def discovery(tmp_path: Path, server: str) -> Iterator[Discovery]:
    discovery = open_discovery(tmp_path, url=server)
    discovery.enlist("s", [(A, "1")], 7, at=100)
    yield discovery
    discovery.close()


def test_items_are_enlisted_once_and_the_place_moves_forward(discovery: Discovery) -> None:
    lease = discovery.lease(100, 60)
    assert lease is not None
    assert discovery.done(lease, "success", "{}", 101)
    discovery.enlist("s", [(A, "1")], 5, at=102)
    assert discovery.position("s") == 7
    assert discovery.position("t") == 0
    assert discovery.search(A)[3:] == ("done", 0, 0, "success", 101, "{}")
    assert discovery.search("x") is None


def test_what_is_leased_is_nobody_elses_until_the_lease_runs_out(discovery: Discovery) -> None:
    first = discovery.lease(100, 60)
    assert first == (A, "s", "1", 1, 1)
    assert discovery.lease(159, 60) is None
    second = discovery.lease(160, 60)
    assert second == (A, "s", "1", 2, 2)
    assert not discovery.done(first, "success", "of the first", 161)
    assert discovery.done(second, "not-oa", "of the second", 162)
    assert discovery.search(A).search_json == "of the second"
    assert not discovery.done(second, "timeout", "again", 163, None, due=500)


def test_answers_hold_as_long_as_they_were_to(discovery: Discovery) -> None:
    discovery.keep_answer(b"q", b"content", 200)
    assert discovery.answer(b"q", 199) == b"content"
    assert discovery.answer(b"q", 200) is None
    discovery.keep_answer(b"q", b"newer", 300)
    discovery.forget_answers(299)
    assert discovery.answer(b"q", 299) == b"newer"
    discovery.forget_answers(300)
    assert discovery.answer(b"q", 0) is None


def test_a_decision_that_comes_while_its_item_is_published_is_published_by_the_next_release(
    discovery: Discovery,
) -> None:
    decision = Decision(A, "http://x", "", "review", "", "rule", 1)
    discovery.decide(decision)
    begun = discovery.unpublished("", 9)
    discovery.decide(decision._replace(verdict="accept"))
    discovery.published(begun)
    assert [item.identifier for item in discovery.unpublished("", 9)] == [A]
    discovery.published(discovery.unpublished("", 9))
    assert not discovery.unpublished("", 9)


def test_many_threads_take_each_item_once(discovery: Discovery) -> None:
    discovery.enlist("s", [(f"oai:g.example.org:s/{n}", str(n)) for n in range(40)], 99, at=100)
    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda _: discovery.lease(100, 60).identifier, range(40)))
    assert len(set(taken)) == 40


def test_of_many_who_follow_on_one_decision_one_wins_and_the_others_get_its_decision(discovery: Discovery) -> None:
    discovery.decide(Decision(A, "http://x", "", "review", "", "rule", 1))
    (first,) = discovery.decisions(A)

    def follow(name: int) -> Written:
        return discovery.decide_next(first._replace(verdict="accept", decided_by=str(name)))

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(follow, range(40)))
    assert len(discovery.decisions(A)) == 2
    winner = discovery.decisions(A)[1]
    assert sorted(answer.met for answer in answers) == [(), *[(winner,)] * 39]
    (written,) = (answer.written for answer in answers if answer.written)
    assert written == (winner._replace(number=1),)


@each_row(
    "digest_now, verdict, digest, is_written",
    [
        ("new", "accept", "new", True),
        ("new", "accept", "old", False),
        ("new", "reject", "old", True),  # nobody can read the new bytes, so they wait for ever otherwise
        ("new", "reject", "another", False),
        ("", "accept", "old", True),  # the last search could not look at it
        ("", "accept", "another", False),
    ],
)
def test_a_decision_on_bytes_that_have_changed_is_refused(
    tmp_path: Path, digest_now: str, verdict: str, digest: str, *, is_written: bool
) -> None:
    with closing(open_discovery(tmp_path)) as discovery:
        discovery.enlist("s", [(A, "1")], 7, at=100)
        discovery.decide(Decision(A, "http://x", "old", "review", "", "rule", 1))
        discovery.list_copies([FoundCopy(A, "http://x", "s", sha256=digest_now)], None)
        following = Decision(A, "http://x", digest, verdict, "", "anna", 2, number=1)
        assert discovery.decide_next(following) == (
            Written((following,)) if is_written else Written(changed=(following,))
        )
        assert len(discovery.decisions(A)) == 1 + is_written


def test_every_copy_whose_address_may_have_some_words_is_named(discovery: Discovery, monkeypatch) -> None:
    """An address that is escaped may have any words. Whether and how somebody has decided makes no difference."""
    monkeypatch.setattr(discovery_lists, "_BATCH", 3)
    mine = ["http://x/one/Two.pdf", "https://Y/a/ONE//two.pdf?x", "http://x/%6Fne", "http://x/one_two.pdf#3"]
    others = ["http://x/two/one.pdf", "http://x/on/etwo.pdf", "http://x/", "http://one/tw0.pdf"]
    copies = [FoundCopy(f"{A}{number % 3}", url, "s") for number, url in enumerate(mine + others)]
    discovery.list_copies(copies, None)
    discovery.decide(Decision(copies[1].identifier, mine[1], "", "reject", "", "", 1))
    named = [*discovery.addresses_with(["one", "two", "pdf"])]
    assert sorted(named) == sorted((copy.identifier, copy.url) for copy in copies if copy.url in mine)
    assert len([*discovery.addresses_with(["nowhere"] * 3_000)]) == 1, "that with an escape"


# --- first pages of files -----------------------------------------------------------------------------------------


def test_the_texts_of_a_forgotten_item_are_forgotten_unless_another_item_has_the_file(discovery: Discovery) -> None:
    texts = ("of a", "of both", "of a decision", "of b")
    for text in texts:
        discovery.keep_first_page(text, text)
    discovery.list_copies([FoundCopy(A, f"http://{text}", "s", sha256=text) for text in texts[:2]], None)
    discovery.list_copies([FoundCopy(B, f"http://{text}", "t", sha256=text) for text in ("of both", "of b")], None)
    discovery.decide(Decision(A, "http://of a", "of a decision", "review", "", "rule", 1))
    discovery.forget([A])
    assert [text for text in texts if discovery.first_page(text)] == ["of both", "of b"]
    discovery.forget([A, B])
    assert [text for text in texts if discovery.first_page(text)] == []


def test_a_reason_is_forgotten_with_the_last_copy_that_has_it(discovery: Discovery) -> None:
    discovery.decide(
        Decision(A, "http://x", "", "reject", "Dr Doe asked for it.", "anna", 1),
        Decision(A, "http://y", "", "reject", "A mirror.", "anna", 1),
        Decision(B, "http://x", "", "reject", "A mirror.", "anna", 1),
    )
    discovery.forget([A])
    with discovery._file.reading() as session:
        assert session.execute("select text from reason").fetchall() == [("A mirror.",)]
    assert discovery.count_copies("reject", CopyFilter(reason="MIRROR"), 9) == 1


# --- offers to sources --------------------------------------------------------------------------------------------


def test_an_offer_is_replaced_by_the_next_one_of_the_same_file_in_the_same_way(discovery: Discovery) -> None:
    first = Offer(A, "ab" * 32, OfferWay.INBOX, "s", OfferOutcome.RETRYING, 1, 1, 900, 500, "http://i/", "", "Away.")
    second = first._replace(outcome=OfferOutcome.CREATED, tries=2, next_at=0, status=201, location="http://i/1")
    packed = first._replace(way=OfferWay.FOLDER, outcome=OfferOutcome.PACKAGED, next_at=1)
    for offer in (first, packed, second, first._replace(identifier=B, source="t")):
        discovery.store_offer(offer)
    assert discovery.offers_of(A) == (packed, second)
    assert discovery.offers("s", ("", "", ""), 9) == (packed, second)
    assert discovery.offers("s", (A, "ab" * 32, OfferWay.FOLDER), 9) == (second,)
    assert discovery.offers_of(A)[1].outcome is OfferOutcome.CREATED


def test_items_are_counted_by_source_state_and_outcome_whatever_happens_to_them(discovery: Discovery) -> None:
    discovery.enlist("t", [(B, "2")], 1, at=100)
    assert discovery.counts() == (("s", "due", "", 1), ("t", "due", "", 1))
    lease = discovery.lease(100, 60, ("s",))
    assert lease is not None
    assert discovery.counts() == (("s", "leased", "", 1), ("t", "due", "", 1))
    assert discovery.done(lease, "not-oa", "{}", 101)
    assert (discovery.counts(), discovery.searched()) == ((("s", "done", "not-oa", 1), ("t", "due", "", 1)), {"s": 1})
    assert discovery.renew(102, (), 103) == 1
    assert (discovery.counts()[0], discovery.searched()) == (("s", "due", "not-oa", 1), {"s": 1})
    discovery.forget([A])
    assert (discovery.counts(), discovery.searched()) == ((("t", "due", "", 1),), {})


def test_a_lease_of_some_sources_takes_what_has_been_due_longest_among_them(discovery: Discovery) -> None:
    discovery.enlist("t", [(B, "2")], 1, at=90)
    discovery.enlist("u", [("oai:g.example.org:u/3", "3")], 1, at=80)
    leases = [discovery.lease(100, 60, sources) for sources in (("s",), ("s", "t"), ("s", "t"), ())]
    assert [lease and lease.source for lease in leases] == ["s", "t", None, "u"]
