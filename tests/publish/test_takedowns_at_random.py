"""Whatever happens in whatever order, nothing that is taken down is shown, and all the rest is.

A model of three items is walked at random: sent, deleted, taken down, lifted, rebuilt, filed, removed, killed, lost.
"""

import random
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest

from gateway.core.clock import HostClock
from gateway.core.instance_folder import Instance
from gateway.core.model import FileLink, FileOrigin, Selection, Source
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown
from gateway.ops.recovery import make_again
from gateway.publish.publish_files import file_all
from gateway.publish.rebuild import rebuild, remove_source
from gateway.takedowns.apply import apply_takedowns, pending
from tests.opening import open_store
from tests.publish.harness import ADDRESS, Harness, Sent, dc
from tests.seeds import SEED

ITEMS = ("1", "2", "3")
WALKS, STEPS = 4, 40
DIGESTS = {name: sha256(name.encode()).hexdigest() for name in ITEMS}
ENTRIES = (
    *(Takedown(Kind.IDENTIFIER, f"oai:gateway.example.org:laro/{name}") for name in ITEMS),
    *(Takedown(Kind.UPSTREAM, name, "laro") for name in ITEMS),
    *(Takedown(Kind.DOI, f"10.1234/{name}") for name in ITEMS),
    *(Takedown(Kind.URL, f"files.example.org/{name}.pdf") for name in ITEMS),
    *(Takedown(Kind.SHA256, DIGESTS[name]) for name in ITEMS),
    Takedown(Kind.HOST, "copies.example.org"),
    Takedown(Kind.PREFIX, "files.example.org/"),
)


class Killed(Exception):
    """This process is no more."""


class Walk:
    """The harness, and what is known of each item without asking the store."""

    def __init__(self, harness: Harness, dice: random.Random) -> None:
        self.harness, self.dice = harness, dice
        self.sent: dict[str, str | None] = {}  # the title of the last version; None: it is deleted
        self.dois: dict[str, bool] = {}
        self.seen: set[str] = set()  # identifiers that a harvester has seen living
        self.stuck: set[str] = set()  # what an entry in force has hit
        self.count = 0

    @property
    def active(self) -> tuple[Takedown, ...]:
        return TakedownFile(self.harness.folder).read().entries

    # -- what may happen --

    def send(self) -> None:
        name, self.count = self.dice.choice(ITEMS), self.count + 1
        has_doi, has_file = self.dice.random() < 0.7, self.dice.random() < 0.5
        identifiers = [f"<dc:identifier>https://doi.org/10.1234/{name}</dc:identifier>"] * has_doi
        identifiers += [f"<dc:identifier>https://files.example.org/{name}.pdf</dc:identifier>"] * has_file
        title = f"Title {name} of {self.count}"
        self.sent[name], self.dois[name] = title, has_doi
        self.harness.sent(Sent(name, dc(title, *identifiers)))

    def delete(self) -> None:
        name = self.dice.choice(ITEMS)
        if self.sent.get(name):
            self.sent[name] = None
        self.harness.sent(Sent(name, None))

    def take_down(self) -> None:
        entry = self.dice.choice(ENTRIES)
        listed = TakedownFile(self.harness.folder).read().listed
        others = [other for other in listed if other.key != entry.key]
        if entry.key not in {active_entry.key for active_entry in self.active}:
            TakedownFile(self.harness.folder).change(lambda _: (*others, entry))

    def lift(self) -> None:
        if self.active:
            key = self.dice.choice(self.active).key

            def changed(listed: tuple[Takedown, ...]) -> list[Takedown]:
                return [
                    entry._replace(removed_at="2026-11-22T00:00:00Z", items=(), files=(), addresses=())
                    if entry.key == key
                    else entry
                    for entry in listed
                ]

            TakedownFile(self.harness.folder).change(changed)

    def file(self) -> None:
        name = self.dice.choice(ITEMS)
        link = FileLink(
            f"https://copies.example.org/{name}",
            "application/pdf",
            FileOrigin.DISCOVERED,
            "unpaywall",
            9,
            DIGESTS[name],
            found_at="2026-11-21T10:00:00Z",
        )
        if self.sent:
            file_all(self.harness.store, self.harness.inbox, "laro", (name,), lambda _: (link,))

    def rebuild(self) -> None:
        rebuild(self.harness.store, self.harness.inbox)

    def remove_and_add(self) -> None:
        remove_source(self.harness.store, self.harness.inbox, "laro", int(self.harness.now))
        self.sent = dict.fromkeys(self.sent)
        self.harness.add("laro")

    def lose(self) -> None:
        self.harness.store.close()
        for path in self.harness.folder.glob("store.sqlite*"):
            path.unlink()
        Instance(self.harness.folder).accept_losses("store.sqlite")
        clock = HostClock(lambda: self.harness.now, lambda: self.harness.now, lambda: "b")
        self.harness.store = open_store(self.harness.folder, create=True, clock=clock)
        self.harness.store.add_source(Source("laro", ADDRESS))
        make_again(self.harness.store, self.harness.inbox, "gateway.example.org")
        if any(entry.removed_at for entry in TakedownFile(self.harness.folder).read().listed):
            # Nobody knows any more what was hidden while it lived: a tombstone too many tells nothing.
            self.seen |= {f"oai:gateway.example.org:laro/{name}" for name in ITEMS}

    def die(self) -> None:
        """Begin to apply the list, and be killed before one of its transactions."""
        store, left = self.harness.store, self.dice.randrange(4)
        publish, remember = store.publish, store.remember

        def dying(call: Callable) -> Callable:
            def called(*arguments: object) -> object:
                nonlocal left
                left -= 1
                if left < 0:
                    raise Killed
                return call(*arguments)

            return called

        store.publish, store.remember = dying(publish), dying(remember)  # type: ignore[method-assign]
        try:
            with suppress(Killed):
                apply_takedowns(store, self.harness.inbox, TakedownFile(self.harness.folder))
        finally:
            store.publish, store.remember = publish, remember  # type: ignore[method-assign]

    # -- what must be so --

    def check(self) -> None:
        store = self.harness.store
        apply_takedowns(store, self.harness.inbox, TakedownFile(self.harness.folder))
        shown, living, dead = self.shown()
        self.seen |= living
        hit = {item for entry in self.active for item in entry.items}
        digests = {file for entry in self.active for file in entry.files}
        assert dead <= self.seen, "what was never exposed has a tombstone"
        assert pending(store) == ((), frozenset())
        for entry in self.active:
            forbidden = {Kind.URL: entry.value, Kind.SHA256: entry.value}.get(entry.kind, "")
            forbidden = "files.example.org/" if entry.kind is Kind.PREFIX else forbidden
            forbidden = "copies.example.org" if entry.kind is Kind.HOST else forbidden
            assert not forbidden or forbidden not in shown, entry
        assert not any(digest in shown for digest in digests)
        for name in ITEMS:
            self.check_item(name, shown, living, hit)
        assert store.check() == ()

    def check_item(self, name: str, shown: str, living: set[str], hit: set[str]) -> None:
        local = f"oai:gateway.example.org:laro/{name}"
        by_name = {Takedown(Kind.IDENTIFIER, local).key, Takedown(Kind.UPSTREAM, name, "laro").key}
        by_doi = Takedown(Kind.DOI, f"10.1234/{name}").key
        keys = {entry.key for entry in self.active}
        is_down = bool(keys & by_name) or (by_doi in keys and self.dois.get(name, False)) or local in hit
        title = self.sent.get(name)
        assert (local in living) is (title is not None and not is_down), (name, title, is_down)
        assert title is None or (title in shown) is not is_down

    def shown(self) -> tuple[str, set[str], set[str]]:
        """Return all that a harvester can get, and the identifiers that live and that are tombstones."""
        living, dead, texts = set(), set(), []
        with self.harness.store.view() as view:
            for format_ in view.formats():
                for content in view.page(Selection(format_.metadata_prefix), None, 1000).records:
                    text = content.decode()
                    identifier = text.partition("<identifier>")[2].partition("</identifier>")[0]
                    (dead if 'status="deleted"' in text.partition("</header>")[0] else living).add(identifier)
                    texts.append(text)
        return "".join(texts), living, dead - living


STEP = {
    Walk.send: 8,
    Walk.delete: 2,
    Walk.take_down: 5,
    Walk.lift: 3,
    Walk.file: 3,
    Walk.rebuild: 1,
    Walk.remove_and_add: 1,
    Walk.lose: 1,
    Walk.die: 2,
}


@pytest.mark.slow
@pytest.mark.unmeasured
@pytest.mark.parametrize("number", range(WALKS))
def test_nothing_that_is_taken_down_is_shown_on_any_way(harness: Harness, tmp_path: Path, number: int) -> None:
    walk = Walk(harness, random.Random(f"{SEED} {number}"))
    done = []
    for _ in range(STEPS):
        step = walk.dice.choices(list(STEP), list(STEP.values()))[0]
        done.append(step.__name__)
        harness.now += 1
        step(walk)
        harness.now += 1
        try:
            walk.check()
        except AssertionError as error:
            raise AssertionError(f"After {' '.join(done)}: {error}") from error
