"""Every order in which publishers, compaction and a reader can take their steps: nothing is lost, doubled or old.

The actors are those of `test_interleavings`. Compaction finds a block with a hole, of which a publisher supersedes
another record at any moment. A second publisher has an earlier datestamp, and may be late. The reader walks by pages of
one record. Naive compactions show that the tests can fail.
"""

from collections.abc import Iterable
from contextlib import suppress

import pytest

from gateway.core.errors import IntentExpired, StoreError
from gateway.core.model import Key, Publication, Selection
from gateway.store import compaction as store_compaction
from gateway.store.store import Store
from tests.store.conftest import change
from tests.store.test_interleavings import Actor, orders, patiently
from tests.store.test_sqlite_compaction import listed

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

SET = "source:laro:a"
FORMER, LATER = ("source:laro", SET), ("source:laro",)


class Scene:
    """A store whose actors are called in turn."""

    def __init__(self, store: Store, clocks) -> None:
        self.store, self.clocks = store, clocks
        self.model: dict[str, tuple[int, tuple[str, ...]]] = {}  # what was published since the last play
        self._count = 0

    def publish(self, version: int, *names: str, sets: tuple[str, ...] = FORMER) -> None:
        """Publish a version of some items."""
        intent = patiently(self.store.intend)
        changes = tuple(change(name, version, sets) for name in names)
        with suppress(IntentExpired):
            patiently(lambda: self.store.publish(intent, Publication("laro", changes)))
            self.model.update(dict.fromkeys(names, (version, sets)))

    def furnish(self, monkeypatch) -> list[str]:
        """Make a block that has a hole; return the names of its items."""
        self._count += 1
        self.model.clear()
        names = [f"{self._count}-{name}" for name in ("hole", "kept", "moved", "other")]
        with monkeypatch.context() as patched:
            patched.setattr(self.store._compaction, "run", lambda *_arguments: None)
            for version, several in ((1, names), (2, names[:1])):
                self.clocks.pass_seconds(1)
                self.publish(version, *several)
        self.clocks.pass_seconds(1)
        return names

    def compact(self) -> None:
        patiently(lambda: self.store._compaction.run(self._horizon(), is_thorough=True))

    def _horizon(self) -> int:
        with self.store.view() as view:
            return view.horizon

    def walk(self, after, seen: list[tuple[str, int]]) -> None:
        """Read a list from a key on, by pages of one record."""
        while True:
            with self.store.view() as view:
                page = view.page(Selection("oai_dc"), after, 1)
            for record in page.records:
                name, version = record.removesuffix(b"</record>").rpartition(b">")[2].decode().split()
                seen.append((name, int(version)))
            after = page.next
            if after is None:
                return

    def play(self, schedule: Iterable[int], monkeypatch) -> None:
        """Run one schedule to its end, then compare everything with the model."""
        start = self._last_key()
        hole, kept, moved, other = self.furnish(monkeypatch)
        seen: list[tuple[str, int]] = []
        actors = [
            Actor(lambda: self.publish(3, moved, sets=LATER), frozenset({"datestamp taken", "publication written"})),
            Actor(self.compact, frozenset({"blocks merged", "blocks replaced"})),
            Actor(lambda: self.walk(start, seen), frozenset({"snapshot taken"})),
            Actor(lambda: self.publish(4, other), frozenset({"datestamp taken"})),
        ]
        for turn in schedule:
            self.clocks.pass_seconds(1)
            actors[turn].move()
        while any(not actor.is_over for actor in actors):
            for actor in actors:
                actor.move()
        for actor in actors:
            actor.join()
        self.clocks.pass_seconds(1)
        assert seen.count((kept, 1)) == 1
        assert len(set(seen)) == len(seen)
        assert {(hole, 2)} <= set(seen)
        self.verify(start)

    def verify(self, start: Key) -> None:
        """Compare the lists from a key on with the model."""
        for wanted in (None, SET):
            truth = {(name, version) for name, (version, sets) in self.model.items() if wanted in (None, *sets)}
            assert set(listed(self.store, wanted, after=start)) == truth
        with self.store.view() as view:
            for name, (version, _) in self.model.items():
                record = view.record(f"oai:laro/{name}", "oai_dc")
                assert record.content.endswith(f"{name} {version}</record>".encode())

    def _last_key(self) -> Key:
        with self.store._file.reading() as session:
            return Key(*session.one("select coalesce(max(datestamp), 0), coalesce(max(number), 0) from place"))


@pytest.fixture
def scene(open_furnished, clocks) -> Scene:
    store = open_furnished(busy_seconds=0, step=Actor.at)
    with store._file.packing() as session:
        session.execute("pragma synchronous = off")
    return Scene(store, clocks)


def test_nothing_is_lost_in_any_order_of_a_publisher_and_compaction(scene, monkeypatch):
    """`play` fails when a list is not that of the model."""
    for schedule in orders((3, 3, 0, 1)):
        scene.play(schedule, monkeypatch)
    assert scene.store.check() == ()


def look_never(monkeypatch) -> None:
    monkeypatch.setattr(store_compaction, "_is_same", lambda *_arguments: True)


def ignore_the_horizon(monkeypatch) -> None:
    monkeypatch.setattr(Scene, "_horizon", lambda _scene: 2**40)


@pytest.mark.parametrize("mutate", [look_never, ignore_the_horizon])
def test_a_naive_compaction_is_noticed(scene, monkeypatch, mutate):
    """So the tests above can fail."""
    mutate(monkeypatch)
    with pytest.raises((AssertionError, StoreError)):  # noqa: PT012 - whichever schedule it is
        for schedule in orders((3, 3, 0, 1)):
            scene.play(schedule, monkeypatch)
        assert scene.store.check() == ()
