"""A store in blocks against a model, whatever happens to it: every list, in every form, after every few steps.

The model keeps the last version of each record. Compaction runs at random, thorough or for a moment; superseded records
are erased. Sparse sets get blocks of their own, and lose them. Publication and compaction end at any step. The store is
opened again, with and without departed records. Walks go on across all of it, and snapshots stay what they are.
"""

import gzip
import zlib
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import NamedTuple

import pytest
import zstandard

from gateway.core import pieces
from gateway.core.model import ItemChange, Publication, Record, Selection
from gateway.store.block_reader import Blocks, as_departed
from gateway.store.blocks import Kind, texts_of
from gateway.store.own_lists import drop, own_lists, want
from gateway.store.store import Store
from gateway.store.view import SMALL_PAGE
from tests.contract.conftest import change, furnished
from tests.seeds import SEED

PREFIXES = ("oai_dc", "oai_didl")
SETS = ("source:laro", "source:laro:a", "source:laro:a:deep", "source:laro:b", "source:laro:rare", "fulltext")
SPECS = (None, "source:laro", "source:laro:a", "source:laro:b", "source:laro:rare", "fulltext")
STEPS = 9  # of a publication with its compaction, about


class Interrupted(BaseException):
    """What a step raises in a process that ends there."""


class Held(NamedTuple):
    """What the model has of a record: its content, and its place in the lists."""

    name: str
    content: bytes
    second: int
    order: int
    is_deleted: bool
    digest: bytes


class History:
    """A store, its model, and a dice."""

    def __init__(self, path, clocks, seed):
        self.path, self.clocks, self.dice = path, clocks, Random(seed)
        self.records: dict[tuple[str, str], Held] = {}
        self.sets: dict[str, frozenset[str]] = {}
        self.departed: dict[str, frozenset[str]] = {}
        self.moved: dict[str, int] = {}  # the last record before the sets of an item changed
        self.last: dict[str, ItemChange] = {}
        self.numbers: dict[str, int] = {}
        self.version = self.order = 0
        self.walks: list[list] = []
        self.left = -1  # steps before the next interruption; below 0 if there is none
        self.is_committed = self.shows_departed = False
        self.store = self._opened()
        furnished(self.store, clocks)

    def _opened(self):
        self.shows_departed = self.dice.random() < 0.4
        return Store(self.path, create=True, clock=self.clocks.host(), show_departed=self.shows_departed, step=self._at)

    def _at(self, name):
        self.is_committed = self.is_committed or name == "publication committed"
        if self.left >= 0:
            self.left -= 1
            if self.left < 0:
                raise Interrupted

    def reopen(self):
        self.store.close()
        self.store = self._opened()

    def publish(self):
        self.version += 1
        if self.dice.random() < 0.8:
            self.clocks.pass_seconds(self.dice.choice((1, 1, 5, 4000)))
        size = self.dice.choice((1, 3, 20, 90, 150))
        names = [f"{number}" for number in sorted(self.dice.sample(range(400), size))]
        intent, former = self.store.intend(), dict(self.last)
        changes = [self._change(name) for name in names]
        self.is_committed = False
        try:
            self.store.publish(intent, Publication("laro", tuple(changes)))
        except Interrupted:
            if not self.is_committed:
                self.last = former
                return
        written = [
            (one.upstream, record)
            for one in sorted(changes, key=lambda one: one.sets)
            for record in one.records
            if self._is_new(one.upstream, record)
        ]
        for name, record in written:
            self.order += 1
            held = Held(name, record.content, intent.datestamp, self.order, record.is_deleted, record.digest)
            self.records[name, record.metadata_prefix] = held
        for one in changes:
            sets = frozenset(_with_ancestors(one.sets))
            former_sets = self.sets.get(one.upstream, frozenset())
            if former_sets != sets:
                self.moved[one.upstream] = self.order
            self.departed[one.upstream] = (self.departed.get(one.upstream, frozenset()) | former_sets) - sets
            self.sets[one.upstream] = sets
            self.numbers.setdefault(one.upstream, len(self.numbers) + 1)

    def _is_new(self, name: str, record: Record) -> bool:
        held = self.records.get((name, record.metadata_prefix))
        return held is None or (held.digest, held.is_deleted) != (record.digest, record.is_deleted)

    def _change(self, name):
        """Return a change to a new version, or sometimes the last one again."""
        if name in self.last and self.dice.random() < 0.2:
            return self.last[name]
        weights = (40, 10, 10, 10, 1, 5)
        sets = tuple(sorted(set(self.dice.choices(SETS, weights, k=self.dice.choice((1, 1, 2))))))
        prefixes = self.dice.choice((PREFIXES, PREFIXES, PREFIXES[:1]))
        deleted = self.dice.choice(((), (), (), (), prefixes[:1]))
        made = change(name, self.version, sets=sets, prefixes=prefixes, deleted=deleted)
        records = tuple(
            record._replace(content=record.content.replace(b"</record>", b"<!-- %d --></record>" % self.version))
            for record in made.records
        )
        self.last[name] = made._replace(records=records)
        return self.last[name]

    def tidy(self):
        if self.dice.random() < 0.5:
            self.clocks.pass_seconds(100)
        self.store.compact(self.dice.choice((0.0, 0.002, 5.0)), is_thorough=self.dice.random() < 0.3)

    def erase(self):
        """Remove what was superseded, as a takedown does: no block has anything but the records of the lists."""
        self.store.erase_superseded()
        with self.store._file.reading() as session:
            bodies = session.execute("select prefix, body from block where prefix > 0").fetchall()
            kept = [text for _, body in bodies for text in texts_of(Blocks(session).body(body), Kind.RECORDS)]
        assert sorted(kept) == sorted(held.content for held in self.records.values())

    def interrupt(self):
        """Let something end before its end, wherever it is."""
        self.left = self.dice.randrange(STEPS)
        with suppress(Interrupted):
            self.dice.choice((self.publish, self.tidy, self.tidy, self.erase))()
        self.left = -1

    def snapshot(self):
        """Read a list in one snapshot while something else happens."""
        selection = Selection(self.dice.choice(PREFIXES), self.dice.choice(SPECS))
        expected, limit = self.shown(selection), self.dice.choice((30, 110))
        deed = self.dice.choice((self.publish, self.tidy, self.erase, self.change_own_lists))
        with self.store.view() as view:
            page = view.parts(selection, None, limit, only_headers=False, is_exact=False)
            texts = pieces.identity(page.parts).splitlines()
            deed()
            while page.next is not None:
                page = view.parts(selection, page.next, limit, only_headers=False, is_exact=False)
                texts += pieces.identity(page.parts).splitlines()
        assert texts == expected

    def change_own_lists(self):
        with self.store._file.writing() as session:
            lists, choice = own_lists(session), self.dice.random()
            if lists and choice < 0.2:
                drop(session, self.dice.choice(lists))
            elif lists and choice < 0.3:
                session.execute("update own_list set wanted_on = 1 where number = ?", (self.dice.choice(lists).number,))
            elif (
                row := session.one("select id from collection where spec = ?", (self.dice.choice(SPECS[1:]),))
            ) is not None:
                want(session, row[0], self.dice.choice((1, 2)), 10**6)

    def walk(self):
        """Begin a walk, or let all walks take a page; a walk that ends has what did not change, once and in order."""
        prefix, spec = self.dice.choice(PREFIXES), self.dice.choice(SPECS)
        self.walks.append([Selection(prefix, spec), None, [], self.order, self.dice.choice((1, 30, 110))])
        for walk in self.walks[:]:
            selection, after, texts, begun, limit = walk
            with self.store.view() as view:
                page = view.parts(selection, after, limit, only_headers=False, is_exact=self.dice.random() < 0.5)
            texts += pieces.identity(page.parts).splitlines()
            walk[1] = page.next
            if page.next is None:
                self.walks.remove(walk)
                versions = [text for text in texts if b"<metadata>" in text]  # tombstones of two versions are alike
                assert len(set(versions)) == len(versions)
                unchanged = [
                    held.content
                    for held in self.listed(selection)
                    if held.order <= begun and (selection.set_spec is None or self.moved[held.name] <= begun)
                ]
                assert [text for text in texts if text in set(unchanged)] == unchanged

    def listed(self, selection):
        return sorted(
            (
                held
                for (name, prefix), held in self.records.items()
                if prefix == selection.metadata_prefix
                and (selection.set_spec is None or selection.set_spec in self.sets[name])
                and (selection.from_ or 0) <= held.second <= (selection.until or 2**40)
            ),
            key=lambda held: (held.second, held.order),
        )

    def shown(self, selection):
        """Return what a list shows: its records, and those that left the set where these are shown."""
        spec, shown = selection.set_spec, []
        for held in self.listed(replace(selection, set_spec=None)):
            if spec in (None, *self.sets[held.name]):
                shown.append(held.content)
            elif self.shows_departed and spec in self.departed[held.name]:
                shown.append(as_departed(held.content))
        return shown

    def verify(self):
        assert self.store.check() == ()
        seconds = sorted({held.second for held in self.records.values()})
        bounds = sorted(self.dice.sample(seconds, 2)) if len(seconds) > 1 else (None, None)
        with self.store.view() as view:
            for prefix in PREFIXES:
                for spec in SPECS:
                    for first, last in ((None, None), bounds):
                        self._verify_list(view, Selection(prefix, spec, first, last))
            for (name, prefix), held in self.dice.sample(sorted(self.records.items()), min(9, len(self.records))):
                stored = view.record(f"oai:gateway.example.org:laro/{name}", prefix)
                assert stored == (held.content, held.second, held.digest, held.is_deleted)

    def _verify_list(self, view, selection):
        expected = self.shown(selection)
        assert view.count(selection) == len(expected)
        assert list(view.page(selection, None, 10_000).records) == expected
        for only_headers in (False, True):
            after, texts, limit = None, [], self.dice.choice((3, 60, 130, 1000))
            while True:
                is_exact = self.dice.random() < 0.5
                page = view.parts(selection, after, limit, only_headers=only_headers, is_exact=is_exact)
                text, play = pieces.identity(page.parts), 0 if is_exact else limit // 4
                assert page.size <= limit + play
                assert page.next is None or page.size >= limit - play
                assert limit >= SMALL_PAGE or len(page.parts) == page.size
                assert gzip.decompress(pieces.gzip(page.parts)) == zlib.decompress(pieces.deflate(page.parts)) == text
                assert zstandard.ZstdDecompressor().decompress(pieces.zstd(page.parts)) == text
                assert text.count(b"\n") == page.size
                texts += text.splitlines()
                after = page.next
                if after is None:
                    break
            headers = [content[8 : content.index(b"</header>") + 9] for content in expected]
            assert texts == (headers if only_headers else expected)
        if selection.set_spec is None and selection.from_ is not None:
            living = [held.second for held in self.listed(selection) if not held.is_deleted]
            assert [second for _, second in view.entries(selection, 10_000)] == living
            assert [second for _, second in view.entries(selection, 5, 7)] == living[7:12]
        if selection.from_ is None:
            numbers = {
                self.numbers[name]
                for (name, prefix), held in self.records.items()
                if prefix == selection.metadata_prefix
                and not held.is_deleted
                and (selection.set_spec is None or selection.set_spec in self.sets[name])
            }
            assert {resource.item for resource in view.resources(selection, 0, 10_000, 10_000)} == numbers
            ranges = view.resource_ranges(selection, 7)
            assert ranges == tuple(sorted({(number - 1) // 7 for number in numbers}))


def _with_ancestors(specs):
    for spec in specs:
        parts = spec.split(":")
        yield from (":".join(parts[:depth]) for depth in range(len(parts), 0, -1))


def check_history(path, clocks, seed, steps):
    history = History(path, clocks, seed)
    try:
        others = (history.change_own_lists, history.walk, history.interrupt, history.snapshot, history.erase)
        deeds = (*[history.publish] * 4, *[history.tidy] * 2, *others, history.reopen)
        history.verify()
        history.publish()
        for number in range(1, steps):
            history.dice.choice(deeds)()
            if number % 10 == 0 or number == steps - 1:
                history.verify()
        with history.store._file.reading() as session:
            orphans = session.one("select count(*) from body where id not in (select body from block)")
        assert orphans == (0,)
    finally:
        history.store.close()


def test_every_list_is_that_of_the_model_after_some_steps(path, clocks):
    check_history(path, clocks, 0, 15)


@pytest.mark.slow
@pytest.mark.unmeasured
def test_every_list_is_that_of_the_model(path, clocks):
    check_history(path, clocks, SEED, 60)
