"""Two reviewers, a rule and a release decide on the files of one item and publish them, in any order of their steps.

Each of them runs in a thread of its own, and only one moves at a time, to its next step: before or after a call of the
search database, or inside a publication. A strict harvester asks meanwhile. In every schedule one of them may die at
any of these places. Nothing is lost, one of several wins, and what is visible was in force at one moment.

`DECIDING_SCHEDULES` says how many schedules are played. With 1,000, somebody dies everywhere.
"""

import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gateway.core.errors import DecisionRefused, StoreError
from gateway.core.model import Candidate, Decision, FoundCopy, Outcome, Selection
from gateway.core.settings import load
from gateway.fulltext.deciding import Decided, Deciding, undoing
from gateway.fulltext.decisions import Thresholds, decided
from gateway.fulltext.release import Releaser
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import search_as_json
from gateway.store.discovery import Discovery
from gateway.store.store import Store
from tests.clocks import Clocks
from tests.opening import open_discovery
from tests.publish.harness import Harness, Sent, make_databases
from tests.seeds import SEED
from tests.store.test_interleavings import Actor, patiently

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

SCHEDULES = int(os.environ.get("DECIDING_SCHEDULES", "80"))
REASON = "A person has looked at it."
KILLS = 0.9  # the share of schedules in which somebody dies
COPIES = ("https://one.example.net/1.pdf", "https://two.example.net/2.pdf")
READERS = ("clock told", "snapshot taken")  # steps of the harvester alone
_FILE = re.compile(rb'<didl:Resource mimeType="application/pdf" ref="([^"]+)"')


class EveryStep:
    """The names of all steps."""

    def __contains__(self, _name: object) -> bool:
        return True


class Walker(Actor):
    """An actor of which the last step is known."""

    place = "the beginning"

    def step(self, name: str) -> None:
        self.place = name
        super().step(name)


class PatientStore(Store):
    """A store whose writers let others move while they wait for the lock."""

    def intend(self) -> Any:
        return patiently(super().intend) if hasattr(Actor.current, "actor") else super().intend()

    def publish(self, *args: Any) -> Any:
        publish = partial(super().publish, *args)
        return patiently(publish) if hasattr(Actor.current, "actor") else publish()


class PatientReleaser(Releaser):
    """Publishes decisions, and lets others move while it waits for another one."""

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with ExitStack() as held:
            alone = super()._alone
            if hasattr(Actor.current, "actor"):
                patiently(lambda: held.enter_context(alone()))
            else:
                held.enter_context(alone())
            yield


class PatientDeciding(Deciding):
    """Decides with such a one."""

    def _releaser(self) -> Releaser:
        return PatientReleaser(self._store, self._inbox, self._discovery, self._settings, 0.0)


class SteppedDiscovery:
    """The search database; each call is between two steps."""

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._discovery, name)

        def stepped(*args: Any, **more: Any) -> Any:
            Actor.at(f"before {name}")
            result = method(*args, **more)
            Actor.at(f"after {name}")
            return result

        return stepped


class Harvester:
    """A strict harvester of one format: it asks from the horizon of its last list, without any overlap."""

    def __init__(self, prefix: str) -> None:
        self.held: dict[bytes, bytes] = {}
        self._prefix = prefix
        self._next_from: int | None = None

    def harvest(self, store: Store) -> None:
        with store.view() as view:
            selection = Selection(self._prefix, None, self._next_from, view.horizon)
            page = view.page(selection, None, 1)
        while True:
            for record in page.records:
                self.held[record.partition(b"<identifier>")[2].partition(b"<")[0]] = record
            if page.next is None:
                break
            with store.view() as view:
                page = view.page(selection, page.next, 1)
        self._next_from = selection.until


class Stage:
    """One instance for many schedules; each schedule has an item of its own."""

    def __init__(self, folder: Path, discovery: Discovery, dice: random.Random) -> None:
        self.clocks = Clocks()
        self.discovery, self.dice = discovery, dice
        self.house = Harness(folder)
        self.house.store.close()
        self.store = PatientStore(folder / "store.sqlite", clock=self.clocks.host(), busy_seconds=0, step=Actor.at)
        self.house.store = self.store
        self.settings = load(folder, environ={})
        self.releaser(discovery).release()  # the first one in a store notes its terms
        self.harvesters = [Harvester("oai_dc"), Harvester("oai_didl")]
        self.count = 0
        self.identifier = ""
        self.states: list[frozenset[str]] = []  # the accepted files after every decision so far
        self.given: list[Decision] = []  # that people wanted to write
        self.results: list[tuple[int, Decided]] = []  # of how many decisions
        self.killed_at: list[str] = []
        self.places: set[str] = set()

    def close(self) -> None:
        self.house.inbox.close()
        self.store.close()

    # -- what they do ----------------------------------------------------------------------------------------------

    def releaser(self, discovery: Any) -> Releaser:
        return PatientReleaser(self.store, self.house.inbox, discovery, self.settings, 0.0)

    def person(self, name: str) -> None:
        """Look at the files, and decide on one or both a moment later."""
        discovery: Any = SteppedDiscovery(self.discovery)
        history = discovery.decisions(self.identifier)
        urls = self.dice.choice((COPIES[:1], COPIES[1:], COPIES))
        verb = self.dice.choice(("accept", "accept", "reject", "undo"))
        given = []
        for url in urls:
            on_one = [decision for decision in history if decision.url == url]
            with suppress(DecisionRefused):  # there is nothing to undo
                following = undoing(on_one) if verb == "undo" else on_one[-1]._replace(verdict=verb, is_undoing=False)
                given.append(following._replace(reason=REASON, decided_by=name))
        self.given += given
        result = PatientDeciding(self.store, self.house.inbox, discovery, self.settings)(*given)
        self.results.append((len(given), result))

    def rule(self) -> None:
        """End a search for the item: the files are the same or others, with an open licence or without."""
        discovery: Any = SteppedDiscovery(self.discovery)
        now = int(self.clocks.wall)
        lease = discovery.lease(now, 1_000_000, identifier=self.identifier)
        self.search(discovery, lease, now, self.dice.choice(("a", "a", "b")), self.dice.choice(("", "cc-by")))

    def search(self, discovery: Any, lease: Any, now: int, letter: str, license_: str) -> None:
        candidates = tuple(_candidate(url, letter, license_) for url in COPIES)
        searched = SearchResult(Outcome.SUCCESS, candidates=candidates)
        copies = [FoundCopy(self.identifier, url, "laro", sha256=letter * 64) for url in COPIES]

        def decide(earlier: Sequence[Decision]) -> Sequence[Decision]:
            return decided(self.identifier, searched, Thresholds(), now, earlier)

        assert discovery.done(lease, "success", search_as_json(searched), now, decide, copies=copies)

    def release(self) -> None:
        self.releaser(SteppedDiscovery(self.discovery)).release()

    def harvest(self) -> None:
        for harvester in self.harvesters:
            harvester.harvest(self.store)

    # -- a schedule ------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Run one schedule at random to its end, look at every step, and at what is left at the end."""
        self.prepare()
        works = (partial(self.person, "anna"), partial(self.person, "ben"), self.rule, self.release, self.harvest)
        actors = [Walker(_outlasted(work), EveryStep()) for work in works]  # type: ignore[arg-type]
        somebody_dies = self.dice.random() < KILLS
        survived = self.places - {*self.killed_at, *READERS}  # half of the deaths are meant for rare places
        anywhere = ["", *sorted(self.places)]
        dies_at = self.dice.choice(sorted(survived) if survived and self.dice.random() < 0.5 else anywhere)
        moves_left = 0 if dies_at else self.dice.randrange(60)  # whoever comes there first, or after some moves
        while living := [actor for actor in actors if not actor.is_over]:
            actor = self.dice.choice(living)
            for _ in range(self.dice.choice((1, 1, 1, 2, 5))):
                moves_left -= 1
                is_time = moves_left < 0 and dies_at in ("", actor.place)
                if somebody_dies and is_time and actor in actors[:4] and not actor.is_over:  # not the harvester
                    somebody_dies = False
                    actor.kill()
                    self.killed_at.append(actor.place)
                else:
                    self.move(actor)
        for actor in actors:
            actor.join()
        self.check_decisions()
        self.finish()

    def move(self, actor: Walker) -> None:
        self.clocks.pass_seconds(1)
        actor.move()
        self.places.add(actor.place)
        self.look()

    def prepare(self) -> None:
        self.count += 1
        upstream = f"{self.count:05}"
        self.house.received_at = int(self.clocks.wall)
        self.house.sent(Sent(upstream))
        self.identifier = f"oai:gateway.example.org:laro/{upstream}"
        now = int(self.clocks.wall)
        self.discovery.enlist("laro", [(self.identifier, upstream)], self.count, now)
        lease = self.discovery.lease(now, 60, identifier=self.identifier)
        self.search(self.discovery, lease, now, "a", self.dice.choice(("", "cc-by")))
        if self.dice.random() < 0.5:
            self.releaser(self.discovery).release()
        self.states = [frozenset(), self.accepted()]
        self.given, self.results = [], []

    def finish(self) -> None:
        """Run the next release: what is published then is what the decisions in force say, and a harvester has it."""
        self.clocks.pass_seconds(100)  # what the dead intended has expired
        self.releaser(self.discovery).release()
        assert not self.discovery.unpublished("", 1)
        assert self.published() == self.accepted()
        for _ in range(2):
            self.clocks.pass_seconds(100)
            self.harvest()
        with self.store.view() as view:
            for harvester, prefix in zip(self.harvesters, ("oai_dc", "oai_didl"), strict=True):
                record = view.record(self.identifier, prefix)
                assert harvester.held[self.identifier.encode()] == record.content

    # -- what must be true -----------------------------------------------------------------------------------------

    def accepted(self) -> frozenset[str]:
        last = {decision.url: decision.verdict for decision in self.discovery.decisions(self.identifier)}
        return frozenset(url for url, verdict in last.items() if verdict == "accept")

    def published(self) -> frozenset[str]:
        """Return the files in the DIDL; the set of full texts and oai_dc, published with it, must agree."""
        with self.store.view() as view:
            didl, dc = (view.record(self.identifier, prefix) for prefix in ("oai_didl", "oai_dc"))
        files = frozenset(url.decode() for url in _FILE.findall(didl.content))
        assert [b">fulltext<" in record.content for record in (didl, dc)] == [bool(files)] * 2
        return files

    def look(self) -> None:
        """See that what is visible was in force at one moment."""
        if self.accepted() != self.states[-1]:
            self.states.append(self.accepted())
        assert self.published() in self.states

    def check_decisions(self) -> None:
        """See that what was written is there once, behind the decision that it names; losers meet the winner."""
        history = self.discovery.decisions(self.identifier)
        stored = [decision._replace(number=0) for decision in history]
        for number, result in self.results:
            assert len(result.written) + len(result.met) + len(result.changed) == number
            assert set(result.met) <= set(history)
            for decision in result.written:
                assert stored.count(decision._replace(number=0)) == 1
        for decision in history:
            if decision.reason == REASON:
                before = [one.number for one in history if one.url == decision.url and one.number < decision.number]
                (named,) = (one.number for one in self.given if one._replace(number=decision.number) == decision)
                assert named == before[-1]


def _candidate(url: str, letter: str, license_: str) -> Candidate:
    return Candidate(
        url, "unpaywall", outcome=Outcome.SUCCESS, final_url=url, mime_type="application/pdf", size=9,
        sha256=letter * 64, license=license_, judge=1, identified_by=("title",), at=1,
    )  # fmt: skip


def _outlasted(work: Callable[[], None]) -> Callable[[], None]:
    """Return work that ends with an error of the store only if others were always faster: the next release goes on."""

    def outlasted() -> None:
        try:
            work()
        except StoreError as error:
            if "other processes were faster" not in str(error):
                raise

    return outlasted


@pytest.fixture
def stage(tmp_path: Path, ready_made: Callable[..., None]) -> Iterator[Stage]:
    ready_made(tmp_path, make_databases)
    open_discovery(tmp_path).close()
    database = tmp_path / "discovery.sqlite"
    with closing(Discovery(database)) as discovery, closing(Stage(tmp_path, discovery, random.Random(SEED))) as made:
        yield made


def test_no_schedule_loses_a_decision_or_publishes_half_of_one(stage: Stage) -> None:
    """`play` fails when a promise is broken."""
    for _ in range(SCHEDULES):
        stage.play()
    assert len(stage.killed_at) > SCHEDULES / 5
    if SCHEDULES >= 1000:
        assert stage.places - set(stage.killed_at) <= {*READERS}, "somebody died at every step of those who write"
