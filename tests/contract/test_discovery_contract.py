"""The search for full text answers alike on SQLite and PostgreSQL, whatever is done to it. Other tests say what."""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from gateway.core.errors import StoreError
from gateway.core.model import (
    ANY_VERDICT,
    VERDICTS,
    AcceptRule,
    Alarm,
    CopyFilter,
    CopyOrder,
    Decision,
    DecisionFilter,
    Ending,
    FileRecheck,
    FoundCopy,
    Judged,
    Judgement,
    Lease,
    Offer,
    OfferOutcome,
    OfferWay,
    Refusal,
    SampledFile,
)
from gateway.core.model.published import SHARES
from gateway.store.base import Discovery, Findings
from tests.opening import open_discovery
from tests.postgres import make_schemas

Step: TypeAlias = Callable[[Discovery, random.Random], Any]

ITEMS = tuple(
    f"oai:g.example.org:{source}/{name}" for source in "st" for name in ("1", "A", "a", "Ä", "%'\\", "\U0001f600")
)
URLS = ("http://h/1", "http://H/Ünï?a=%20", "http://h/_\uffee", "http://h/\U0001f600")
HOSTS = ("h.example.org", "H.example.org", "É.example.org", "é.example.org")
DIGESTS = ("", "0" * 64, "f" * 64)
RULE, MONTH, END = AcceptRule.LICENSE, "2026-11", 1 << 53


def source_of(identifier: str) -> str:
    return identifier.split(":")[2][0]


def copy(draw: random.Random, identifier: str) -> FoundCopy:
    title, authors, kind, colour, license_, version = draw.choices(("", "A", "a", "Ä", "ä", "z_%"), k=6)
    step, host = draw.choice(("core", "CORE")), draw.choice(HOSTS)
    score, digest = draw.choice((None, 0.0, 0.5, 1.0)), draw.choice(DIGESTS)
    return FoundCopy(
        identifier, draw.choice(URLS), source_of(identifier), title, authors, step, host, "success", score, kind,
        colour, license_, version, 7, digest,
    )  # fmt: skip


def decision(draw: random.Random) -> Decision:
    by = draw.choice(("rule", "Özge", "anna"))
    reason = draw.choice(("A licence.", "Ärger, ÄRGER", "a 100 % match"))
    item, url, digest = draw.choice(ITEMS), draw.choice(URLS), draw.choice(DIGESTS)
    undoes, number = draw.random() < 0.2, draw.randrange(9)
    return Decision(item, url, digest, draw.choice(VERDICTS), reason, by, draw.randrange(9), undoes, number)


def endings(draw: random.Random) -> list[Ending]:
    return [Ending(draw.choice("st"), "core", draw.choice(HOSTS), "success", MONTH, "copy", draw.randrange(3))] * 2


def recheck_of(draw: random.Random, identifier: str, url: str) -> FileRecheck:
    host, second = draw.choice(HOSTS), draw.randrange(90)
    share, failures = draw.randrange(SHARES), draw.randrange(2)
    since = draw.choice((0, second))
    digest, is_named = draw.choice(DIGESTS), draw.random() < 0.5
    return FileRecheck(
        identifier, url, source_of(identifier), host, digest, is_named, share, 50, second, second, failures=failures,
        failing_since=since,
    )  # fmt: skip


# --- what is done -------------------------------------------------------------------------------------------------


def enlist(discovery: Discovery, draw: random.Random) -> None:
    source = draw.choice("st")
    items = [(item, f"{item} upstream") for item in ITEMS if source_of(item) == source and draw.random() < 0.7]
    discovery.enlist(source, items, draw.randrange(9), draw.randrange(20), draw.choice(("", f"{source} changed")))


def search(discovery: Discovery, draw: random.Random) -> tuple[Lease | None, bool]:
    wanted = draw.choice(((), ("s",), ("s", "t"), ("t",)))
    lease = discovery.lease(draw.randrange(99), draw.randrange(20), wanted, draw.choice(("", "", draw.choice(ITEMS))))
    if lease is None or draw.random() < 0.2:
        return lease, False
    copies = [copy(draw, lease.identifier) for _ in range(draw.randrange(6))]  # an address may come twice
    news = [decision(draw)._replace(identifier=lease.identifier) for _ in range(draw.randrange(5))]
    end, basis = draw.randrange(99), draw.choice(("", "a basis"))
    if draw.random() < 0.2:
        discovery.release(lease, end)
    if draw.random() < 0.3:
        return lease, discovery.done(lease, "timeout", '{"a": "ä"}', end, None, endings(draw), basis, end + 9, copies)
    is_done = discovery.done(
        lease, "success", '{"b": 1}', end, lambda held: news[len(held) % 2 :], endings(draw), basis, 0, copies
    )
    return lease, is_done


def renew(discovery: Discovery, draw: random.Random) -> tuple[int, int]:
    some = [(item, draw.choice(("", "a basis"))) for item in ITEMS if draw.random() < 0.3]
    return discovery.renew(draw.randrange(99), draw.choice(((), ("s",))), 50), discovery.renew_outdated(some, 60)


def decide(discovery: Discovery, draw: random.Random) -> Any:
    discovery.decide(*(decision(draw) for _ in range(draw.randrange(4))))
    following = [decision(draw) for _ in range(3)]
    known = [last._replace(verdict="reject", at=8) for item in ITEMS[:4] for last in discovery.decisions(item)[-1:]]
    return discovery.decide_next(*following), discovery.decide_next(*known)


def refuse(discovery: Discovery, draw: random.Random) -> None:
    for reason in ("first", "second"):
        discovery.refuse(Refusal(ITEMS[0], "10.1/ä", reason, "anna", draw.randrange(99)), [decision(draw)])


def publish(discovery: Discovery, draw: random.Random) -> None:
    discovery.published(discovery.unpublished("", draw.randrange(9)))


def forget(discovery: Discovery, draw: random.Random) -> None:
    discovery.decide(decision(draw)._replace(identifier="kept"))  # SQLite gives the number of the last one again
    discovery.forget(draw.sample(ITEMS, 2))


def start_again(discovery: Discovery, draw: random.Random) -> None:
    draw.choice((discovery.change_all, discovery.start_again))()


def keep(discovery: Discovery, draw: random.Random) -> None:
    for digest in DIGESTS[1:]:
        discovery.keep_first_page(digest, f"Ä {draw.random()}")
    discovery.forget_first_pages(draw.sample(DIGESTS, draw.randrange(4)))
    discovery.list_copies([copy(draw, item) for item in ITEMS[:4]] * 2, draw.choice((None, ITEMS[3])))
    discovery.keep_answer(b"\0q", str(draw.random()).encode(), draw.randrange(99))
    discovery.forget_answers(draw.randrange(99))
    discovery.stay_away(draw.choice(HOSTS), draw.randrange(99))
    discovery.add_up_endings(draw.randrange(4), draw.choice(("", "s")))


def offer(discovery: Discovery, draw: random.Random) -> None:
    item, way = draw.choice(ITEMS), draw.choice(list(OfferWay))
    seconds = draw.randrange(9), draw.randrange(9), draw.randrange(9)
    discovery.store_offer(Offer(item, draw.choice(DIGESTS), way, source_of(item), OfferOutcome.RETRYING, *seconds))


def alarm(discovery: Discovery, draw: random.Random) -> tuple[bool, list[bool]]:
    evidence = {"success": draw.randrange(9)}, {"tïmeout": 3}, (ITEMS[3],)
    is_open = discovery.open_alarm(Alarm(0, draw.choice("st"), "core", HOSTS[2], "copy", draw.randrange(9), *evidence))
    numbers = [one.number for one in discovery.alarms() if draw.random() < 0.6]
    for number in numbers[:1]:
        discovery.close_alarm(number, 99)
    return is_open, [discovery.acknowledge_alarm(number, 98, "anna", "ö") for number in numbers]


def sample(discovery: Discovery, draw: random.Random) -> None:
    files = [SampledFile(draw.choice(ITEMS), draw.choice(URLS), draw.choice(DIGESTS)) for _ in range(4)]
    discovery.samples.keep(RULE, MONTH, files, draw.randrange(99))
    discovery.samples.judge(Judgement(RULE, files[0], draw.choice(list(Judged)), "anna", draw.randrange(99)))


def recheck(discovery: Discovery, draw: random.Random) -> bool:
    item = draw.choice(ITEMS)
    rows = [recheck_of(draw, item, url) for url in URLS if draw.random() < 0.6]
    discovery.rechecks.publish({item: rows})
    discovery.rechecks.write([recheck_of(draw, item, url) for url in URLS], endings(draw))
    discovery.rechecks.schedule(draw.choice("st"), draw.choice((0, 30, 50)), draw.randrange(200))
    is_asked = discovery.rechecks.ask(draw.choice("st"), draw.randrange(99))
    if draw.random() < 0.3:
        discovery.rechecks.list_anew("s changed")
    discovery.rechecks.note_stamping(draw.choice(HOSTS), 9)
    return is_asked


def conclude(discovery: Discovery, draw: random.Random) -> bool:
    item, url = draw.choice(ITEMS), draw.choice(URLS)
    last = max((made.number for made in discovery.decisions(item) if made.url == url), default=0)
    news = Findings((decision(draw)._replace(identifier=item),), '{"c": 1}', (copy(draw, item),))
    return discovery.rechecks.conclude(recheck_of(draw, item, url), last, url, lambda *_: news, draw.choice(DIGESTS))


STEPS: tuple[Step, ...] = (
    enlist, search, search, search, renew, decide, refuse, publish, forget, start_again, keep, offer, alarm, alarm,
    sample, recheck, recheck, conclude, conclude,
)  # fmt: skip


# --- what is read -------------------------------------------------------------------------------------------------


def state(discovery: Discovery) -> Iterator[tuple[str, Any]]:
    """Yield all that is stored, in every way in which it can be read."""
    yield (
        "counts",
        (discovery.counts(), discovery.searched(), discovery.searches(ITEMS[1], 9), discovery.copies_lack_after()),
    )
    yield "unpublished", [discovery.unpublished("", 9, *of) for of in ((), (("s",),), (("s", "t"),), ((), ITEMS[:5]))]
    yield "sources", (discovery.unpublished_sources(), discovery.accepted_sources())
    yield "names", (discovery.deciders(), discovery.steps_of_copies())
    yield "endings", (list(discovery.endings()), list(discovery.endings(1)))
    yield "alarms", [one._replace(number=0) for one in discovery.alarms(with_closed=True)]
    yield "texts", [*map(discovery.first_page, DIGESTS), discovery.files_without_text(9), discovery.answer(b"\0q", 40)]
    yield (
        "judged",
        (
            discovery.samples.judgements(5),
            discovery.samples.sample(RULE, MONTH),
            discovery.samples.drawn_at(RULE, MONTH),
        ),
    )
    yield "accepted by rule", sorted(discovery.samples.accepted("Ärger"))
    yield "stamping", (discovery.rechecks.stamping_hosts(), discovery.rechecks.next_of_all())
    yield "addresses", list(discovery.addresses_with(["h", "1"]))
    for host in HOSTS:
        yield host, (discovery.away_until(host), discovery.rechecks.failing("s", host, 9))
        yield host, discovery.rechecks.due("s", host, 99, (5, "", ""), 9)
    for source in "st":
        yield (
            "position",
            (
                discovery.position(source),
                discovery.position(f"{source} changed"),
                discovery.searched_since(source, 5, 9),
            ),
        )
        yield "due", (discovery.due(ITEMS[0], 70, (source,), before=40), discovery.next_offer_at(source))
        yield "offers", (discovery.accepted(source, (ITEMS[2], ""), 9), discovery.offers(source, ("", "", ""), 9))
        yield "rechecks", (discovery.rechecks.counts(source, 60), discovery.rechecks.hosts(source, 70))
        yield "unseen", discovery.rechecks.longest_unseen(source)
    for item in ITEMS:
        yield (
            item,
            (
                discovery.search(item),
                discovery.refusals(item),
                discovery.offers_of(item),
                discovery.rechecks.of_item(item),
            ),
        )
        yield (
            item,
            (
                discovery.outdated(item, "a basis"),
                discovery.due("", 0, identifier=item),
                discovery.history(item, URLS[1]),
            ),
        )
        yield item, [(made, discovery.decisions_of_entry(made.number)) for made in discovery.decisions(item)]
    for verdict in VERDICTS:
        yield verdict, discovery.count_copies(verdict, CopyFilter(reason="ÄRGER"), 99)
    for wanted in (
        CopyFilter(host=HOSTS[2]), CopyFilter(host=HOSTS[0], step="Core"), CopyFilter(license="Ä"),
        CopyFilter(sources=("s",)), CopyFilter(least_score=0.5),
    ):  # fmt: skip
        yield str(wanted), discovery.listed_copies(ANY_VERDICT, wanted, CopyOrder.TITLE, None, 99)
    for order in CopyOrder:
        after = None
        for is_back in (False, False, True):
            page = discovery.listed_copies(ANY_VERDICT, CopyFilter(), order, after, 9, is_back=is_back)
            yield order, page
            after = page[-1] if page else None
    for chosen in (DecisionFilter(), DecisionFilter("Özge"), DecisionFilter(sources=("s",), since=2, until=7)):
        for place, is_back in (((END, 0), False), ((4, 9), False), ((4, 9), True)):
            yield str(chosen), discovery.latest_decisions(chosen, place, 9, is_back=is_back)
    yield "files", (discovery.copies_with(DIGESTS[1], 9), discovery.copies_with(DIGESTS[1], 9, ("t",)))
    yield "copies", discovery.copies_of_decisions(range(9))


@pytest.fixture
def discoveries(tmp_path: Path, postgres: Callable[..., str]) -> Iterator[tuple[Discovery, Discovery]]:
    with ExitStack() as opened:
        urls = "", postgres(make_schemas)
        first, second = (opened.enter_context(closing(open_discovery(tmp_path, url=url))) for url in urls)
        yield first, second


def test_both_databases_answer_alike_whatever_is_done_to_them(discoveries: tuple[Discovery, Discovery]) -> None:
    draw = random.Random(38)
    for number, step in enumerate([enlist] * 2 + draw.choices(STEPS, k=98)):
        one, other = (step(discovery, random.Random(number)) for discovery in discoveries)
        assert one == other, (number, step)
        if number % 10 == 9:
            for (name, answer), (_, others) in zip(*map(state, discoveries), strict=True):
                assert answer == others, (number, step, name)


@pytest.mark.parametrize("text", ["a\0b", "\ud800", '["a\\u0000", "\\ud800"]'])
def test_a_text_that_postgresql_cannot_have_is_unknown(discoveries: tuple[Discovery, Discovery], text: str) -> None:
    _, discovery = discoveries
    discovery.enlist("s", [(ITEMS[0], "1"), (ITEMS[5], "2")], 1, 1)
    discovery.decide(*(Decision(item, URLS[0], DIGESTS[1], "review", "", "rule", 1) for item in (ITEMS[0], ITEMS[5])))
    discovery.list_copies([FoundCopy(ITEMS[0], URLS[0], "s", sha256=DIGESTS[1])], None)
    assert discovery.search(text) is None
    assert discovery.position(text) == discovery.away_until(text) == 0
    assert discovery.history(text, text) == ()
    assert discovery.copies_with(DIGESTS[1], 9, (text, "t")) == ()
    discovery.forget([text])
    assert [item.identifier for item in discovery.unpublished("", 9, identifiers=(text, *ITEMS))] == [
        ITEMS[0],
        ITEMS[5],
    ]


def test_a_text_that_postgresql_cannot_have_is_not_stored(discoveries: tuple[Discovery, Discovery]) -> None:
    _, discovery = discoveries
    with pytest.raises(StoreError):
        discovery.stay_away("a\0b", 9)
    assert discovery.away_until("a\uffffb") == 0
