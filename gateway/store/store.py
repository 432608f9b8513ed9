"""The store on SQLite, the embedded default: `Databases.store` makes or opens it in a folder.

Writing is here; reading is in `view`, the rows of a publication in `publish`, the rules of the clock in
`clock`.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import astuple
from hashlib import sha256
from math import inf
from pathlib import Path
from time import monotonic
from typing import TypeAlias

from gateway.core.ceiling import Answered
from gateway.core.clock import MAX_JUMP_SECONDS, HostClock
from gateway.core.errors import (
    ClockAhead,
    FilesChanged,
    IntentExpired,
    PositionMoved,
    StoreBusy,
    StoreError,
    StoreUnwritable,
    TakedownsChanged,
    TakedownsUnreadable,
)
from gateway.core.instance_folder import Instance, LastChange
from gateway.core.model import Compacted, Content, Format, Intent, Key, Publication, SetDescription, Source
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Takedowns
from gateway.core.waiting import PATIENCE_SECONDS
from gateway.store.block_reader import Blocks
from gateway.store.check import credentials, findings
from gateway.store.compaction import Compaction
from gateway.store.connecting import connect, connect_clock, connect_locks
from gateway.store.connector import Session
from gateway.store.damage import OPEN_FACT, damaged_with_superseded, erase_superseded, finish_erasure, give_up
from gateway.store.items import StoredItems, add_format
from gateway.store.own_lists import make, today, want
from gateway.store.publish import Packed, add_collections, packed, write
from gateway.store.queries import load
from gateway.store.rows import ancestors, content_rows
from gateway.store.view import View

SQL = load("store")

INTENT_SECONDS = 60  # a killed publisher delays the horizon for so long; a running one needs less than a second
_ABANDON_SECONDS = 5.0  # an intent delays answers for a minute at most, and the caller may have been interrupted
_LACKING_FACT = "resources_lack_until"  # the number of the last item whose records may lack their SHA-256
_COMPACTION_SECONDS = 0.05  # after a publication
_NOTE_SECONDS = 0.1  # a reader waits no longer for the lock
TAKEDOWNS_FACT = "takedowns"  # the name of a fact: a JSON list of the keys of the takedowns that were applied

# Returns, of a prefix and a record in it, the bytes between `<metadata>` and `</metadata>`, and the files to which it
# refers; None: the record is no DIDL of ours.
ReadResource: TypeAlias = Callable[[str, bytes], tuple[bytes, tuple[Content, ...] | None]]
Step = Callable[[str], None]


def _pass(_name: str) -> None:
    """Do nothing between two steps; a test stops or kills the process here, or changes its clocks."""


class Store(StoredItems):
    """The database of what is published. Safe for threads and processes."""

    def __init__(
        self,
        path: Path,
        *,
        create: bool = False,
        url: str = "",
        clock: HostClock | None = None,
        show_departed: bool = False,
        intent_seconds: int = INTENT_SECONDS,
        busy_seconds: float = PATIENCE_SECONDS,
        max_jump_seconds: int = MAX_JUMP_SECONDS,
        only_reads: bool = False,
        published: Callable[[Publication], None] = lambda _: None,
        step: Step = _pass,
    ) -> None:
        """Open or make the file; `step` is called with the name of each step of the promise about datestamps.

        `published` is called with each publication that was committed.
        """
        self._show_departed = show_departed
        self._intent_seconds = intent_seconds
        self._step = step
        self._only_reads = only_reads
        self._noted: dict[tuple[int, int], int] = {}
        self._published = published
        super().__init__(
            connect(path, "store", create=create, url=url, busy_seconds=busy_seconds, only_reads=only_reads)
        )
        self._file.convert(step)
        self.locks = connect_locks(url)  # what machines hold in turn
        self._compaction = Compaction(self._file, step)
        self._instance = Instance(path.parent)
        self._takedowns, self._trusted = TakedownFile(path.parent), Takedowns()
        self._time = connect_clock(self._file, clock, max_jump_seconds or inf, step, url=url)
        self._made_at = int(self.fact("made_at") or self._time.make())
        self._time.lift()
        self._answered = Answered(f"{path.absolute()} {self._made_at}")

    def clock_problem(self) -> str:
        """Return a message if the clock of this machine, or of the database server, is not accepted; else nothing."""
        try:
            with self._file.reading() as session:
                self._time.check(session)
        except ClockAhead as error:
            return str(error)
        return ""

    def standstill(self) -> str:
        """Return a message if datestamps stand still because a clock went back, else an empty string."""
        with self._file.reading() as session:
            return self._time.standstill(session)

    def believe(self) -> None:
        """Accept the clock, however far it has jumped. Raise ClockAhead if only this process has it."""
        self._time.believe()

    # -- reading -------------------------------------------------------------------------------------------------

    @contextmanager
    def view(self) -> Iterator[View]:
        """Open one snapshot. It is cheap; use it for one answer only."""
        with self._file.reading() as session:
            horizon = self._time.horizon(session, self._answered)
            view = View(session, horizon, self._made_at, show_departed=self._show_departed)
            yield view
        self._note(view.wanted)

    def _note(self, wanted: Iterable[tuple[int, int]]) -> None:
        """Note which lists are wanted, once a day; if the store cannot be written now, the next page does it."""
        day = today()
        new = [place for place in wanted if self._noted.get(place) != day]
        if not new or self._only_reads:
            return
        with suppress(StoreBusy, StoreUnwritable):
            with self._file.writing(_NOTE_SECONDS) as session:
                for place in new:
                    want(session, *place, day)
            self._noted.update(dict.fromkeys(new, day))

    # -- publishing ----------------------------------------------------------------------------------------------

    def intend(self) -> Intent:
        """Commit an intent and return it: until `publish` or `abandon`, no horizon passes its datestamp.

        The datestamp is the clock of the store after that commit. It is never below an earlier datestamp or horizon. An
        intent expires after a minute; then any process may remove it. Raise ClockAhead if the clock has jumped ahead
        without a known reason.

        Its watermark is the clock inside the lock, its datestamp the clock after the commit. So a reader that did not
        see the intent has answered an earlier second, even if this process was blocked in between.
        """
        with self._file.writing() as session:
            self._step("intent locked")
            self._time.check(session)
            watermark = self._time.tidy(session)
            expires = watermark + self._intent_seconds
            number: int = session.execute(SQL["intent_add"], (watermark, expires)).fetchone()[0]
            self._step("intent written")
        self._step("intent committed")
        datestamp = self._time.datestamp(watermark)
        self._step("datestamp taken")
        return Intent(number, datestamp)

    def publish(self, intent: Intent, publication: Publication, ready: Callable[[], None] = lambda: None) -> int:
        """Write everything in one transaction, remove the intent, and return how many records got the datestamp.

        `ready` is called when everything is prepared, before the transaction begins; an exception in it ends this.

        Records whose stored digest and deleted flag equal the given ones stay unchanged. For every written record, the
        former one, its memberships and tallies are replaced, and the log of changes gets a line. Nothing is written and
        the intent is removed if an error is raised. These are IntentExpired (also if a record has a later datestamp
        already), PositionMoved, FilesChanged (the publication has another edition of the files) and TakedownsChanged.
        """
        made = packed(publication.changes)
        self._step("publication packed")
        self._await(ready, intent)
        try:
            with self._file.writing() as session:
                self._step("publication locked")
                stamped = self._write(session, intent, publication, made)
                last = self._last_change(session)
                self._step("publication written")
        except (IntentExpired, PositionMoved, FilesChanged):
            with suppress(StoreBusy, StoreUnwritable):  # then the intent expires
                self.abandon(intent)
            raise
        self._note_change(last)
        self._step("publication committed")
        self._published(publication)
        with suppress(StoreError):  # the records are published; the next publication, or `tend`, does it
            self._compaction.run(self._horizon(), _COMPACTION_SECONDS)
        return stamped

    def _await(self, ready: Callable[[], None], intent: Intent) -> None:
        try:
            ready()
        except BaseException:
            with suppress(StoreBusy, StoreUnwritable):  # then the intent expires
                self.abandon(intent)
            raise

    def compact(
        self,
        seconds: float = inf,
        *,
        is_thorough: bool = False,
        is_stopped: Callable[[], bool] = lambda: False,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> Compacted:
        """Tidy what updates and small publications have left, in steps of milliseconds; return what was done.

        It ends after so many `seconds`, or when `is_stopped`; the next call goes on. With `is_thorough`, everything is
        tidied and made as small as it can be, and damaged blocks are tried again. `progress` is called with how many
        blocks were looked at, and of how many. Raise StoreError.
        """
        ends, horizon = monotonic() + seconds, self._horizon()
        done = self._compaction.run(horizon, seconds, is_thorough=is_thorough, is_stopped=is_stopped, progress=progress)
        made = make(self._file, self._horizon, lambda: not is_stopped() and monotonic() < ends, self._step)
        done = done._replace(blocks=done.blocks + made)
        if not is_thorough or not done.is_complete:
            return done
        shrunk = self._file.shrink(ends - monotonic(), is_stopped, self._step)
        return done._replace(is_complete=shrunk.is_complete, smaller_by=shrunk.bytes, kept_free=shrunk.kept_free)

    def vacuum(self) -> int:
        """Write everything anew, so that the disk has all that is free; return by how many bytes the store is smaller.

        Others read meanwhile, and writers wait. It needs the space of the store twice more. Raise StoreError.
        """
        return self._file.vacuum()

    def erase_superseded(self) -> int:
        """Remove from the file all records that have newer versions.

        The log may have them until `finish_erasure` returns True. Return how many damaged parts of the file may still
        have some. Raise StoreError.
        """
        return erase_superseded(self._file)

    def damaged_with_superseded(self) -> int:
        """Return how many damaged parts of the file may have superseded records, as far as that is known."""
        with self._file.reading() as session:
            return damaged_with_superseded(session)

    def has_open_erasure(self) -> bool:
        """Return whether the file or its log may still have what was erased: a reader prevented `finish_erasure`."""
        return bool(self.fact(OPEN_FACT))

    def _horizon(self) -> int:
        with self.view() as view:
            return view.horizon

    def _write(self, session: Session, intent: Intent, publication: Publication, made: Packed) -> int:
        if not session.execute(SQL["intent_remove"], (intent.number,)).rowcount:
            raise IntentExpired("The intent expired before the publication was complete. Nothing was written.")
        self._step("intent removed")
        if publication.position is not None:
            _move(session, publication.source, publication.position)
        if publication.takedowns not in (None, self._takedowns.revision()):
            raise TakedownsChanged("The list of takedowns was changed meanwhile. Nothing was written.")
        edition = publication.edition
        if edition is not None and session.one(SQL["edition"], (publication.source,)) not in ((edition,), None):
            raise FilesChanged(f"Another process has changed the known files of {publication.source}.")
        return write(session, intent.datestamp, publication, made)

    def abandon(self, intent: Intent) -> None:
        """Remove an intent without publishing. If it cannot be removed within seconds, it expires."""
        with suppress(StoreBusy), self._file.writing(_ABANDON_SECONDS) as session:
            session.execute(SQL["intent_remove"], (intent.number,))

    def advance(self, source: str, before: int, after: int) -> None:
        """Move the position of a source without writing records. Raise PositionMoved if it is not at `before`."""
        with self._file.writing() as session:
            _move(session, source, (before, after))

    # -- takedowns -----------------------------------------------------------------------------------------------

    def takedowns(self) -> Takedowns:
        """Return the takedowns in force; the list is read again if it has changed.

        Raise TakedownsUnreadable if it is damaged, or lacks entries that were applied to this store.
        """
        takedowns = self._takedowns.read()
        if takedowns is not self._trusted:
            lost = {*json.loads(self.fact(TAKEDOWNS_FACT) or "[]")} - {takedown.key for takedown in takedowns.listed}
            if lost and self._takedowns.read() is not takedowns:
                return self.takedowns()  # another process has added and applied them meanwhile
            if lost:
                raise TakedownsUnreadable(
                    f"Nothing is published and no file is served, because the list of takedowns {self._takedowns.path} "
                    f"lacks entries that were applied: {', '.join(sorted(lost))}. Restore the list from a backup, or "
                    "add them again with `harvester takedown add`."
                )
            self._trusted = takedowns
        return takedowns

    def unsynced(self) -> AbstractContextManager[None]:
        """Wait for no disk inside the block. If power fails, the last publications may be undone, whole and in order.

        The first change after the block makes all of them durable. It is for a store that nobody is served from.
        """
        return self._file.unsynced()

    def finish_erasure(self) -> bool:
        """Write the write-ahead log into the file and empty it; return False if a reader prevents that."""
        return finish_erasure(self._file)

    # -- sources, formats, sets ----------------------------------------------------------------------------------

    def add_source(self, source: Source) -> None:
        """Add a source, or replace the one with the same name."""
        with self._file.writing() as session:
            former = {"name": source.name, "base_url": source.base_url, "kind": source.kind}
            session.execute(SQL["source_put_former"], {**former, "until": self._time.now(session)})
            session.execute(SQL["source_put"], astuple(source))

    def add_format(self, wanted: Format) -> Format:
        """Return the format with the source and upstream prefix of `wanted`; add it if it is missing.

        `wanted.metadata_prefix` is used if it is free. It is also used if the format with that prefix has the same
        namespace and is not another format of that source. Otherwise the prefix becomes `<prefix>.<source>`. Our own
        formats have no source; one is replaced if the version is higher.
        """
        with self._file.writing() as session:
            return add_format(session, wanted)

    def formats_of(self, source: str) -> tuple[Format, ...]:
        """Return the formats of a source, sorted by upstream prefix."""
        return tuple(Format(*row) for row in self._file.rows(SQL["formats_of_source"], (source,)))

    def add_sets(self, sets: Iterable[SetDescription]) -> None:
        """Add sets and their missing ancestors, or change their names and descriptions."""
        wanted = tuple(sets)
        with self._file.writing() as session:
            session.executemany(
                SQL["collection_put"],
                [(collection.spec, collection.name, collection.description) for collection in wanted],
            )
            add_collections(session, {above for collection in wanted for above in ancestors(collection.spec)})

    def fill_resources(self, limit: int, read: ReadResource) -> int:
        """Store what `Resource` and `contents` have of at most `limit` items that an earlier release wrote.

        Return how many items may still lack theirs; 0: none.
        """
        if not self.fact(_LACKING_FACT):
            return 0
        with self._file.writing() as session:
            (text,) = session.one(SQL["fact"], (_LACKING_FACT,)) or ("",)
            until = int(text or 0)
            after = max(0, until - limit)
            blocks = Blocks(session)
            for prefix, number, item, *key in session.execute(
                SQL["unfilled"], {"after": after, "until": until}
            ).fetchall():
                metadata, contents = read(prefix, blocks.record(number, Key(*key)))
                session.execute(SQL["resource_put"], (number, item, len(metadata), sha256(metadata).digest()))
                if contents is not None:
                    session.execute(SQL["contents_remove"], (item,))
                    session.executemany(SQL["content_add"], content_rows(item, contents))
            session.execute(SQL["remember"], (_LACKING_FACT, str(after or "")))
        return after

    # -- clock, facts, checks ------------------------------------------------------------------------------------

    def fact(self, name: str) -> str:
        """Return a stored fact, such as the domain of the repository; an empty string if it is unknown."""
        row = self._file.one(SQL["fact"], (name,))
        return row[0] if row else ""

    def remember(self, name: str, value: str) -> None:
        """Store a fact; it replaces the former value."""
        with self._file.writing() as session:
            session.execute(SQL["remember"], (name, value))
            last = self._last_change(session)
        self._note_change(last)

    def _last_change(self, session: Session) -> LastChange:
        ((number, made_at, epoch),) = session.execute(SQL["change_last_of_store"])
        return LastChange(number, made_at, epoch)

    def _note_change(self, last: LastChange) -> None:
        """Note the last change, which is committed; what does not wait for the disk may still be undone."""
        if not self._file.is_unsynced:
            self._instance.note_change(last)

    def changes_lost(self) -> str:
        """Return a message if the store had later changes than it has now, else an empty string."""
        with self._file.reading() as session:
            return self._instance.changes_lost(self._last_change(session))

    def check(self, *, is_whole: bool = False) -> tuple[str, ...]:
        """Return a message for each problem of the store; empty if it is sound.

        `is_whole`: read every record, and not only a sample; name all items whose records are damaged.
        """
        problems: list[str] = []
        try:
            with self._file.reading() as session:
                session.begin()
                problems.extend(findings(self._file, session, is_whole=is_whole))
        except StoreError as error:
            problems.append(str(error))
        return tuple(problems)

    def credentials(self, *, is_whole: bool = False) -> str:
        """Return a message if addresses of files have a user and a password (`is_whole`: or any in records)."""
        with self._file.reading() as session:
            return credentials(session, is_whole=is_whole)

    def give_up_damaged(self) -> int:
        """Let records that can no longer be read count as changed: their digests are empty. Return how many these are.

        Everything is read. What is damaged and has only copies is dropped. Raise StoreError.
        """
        return give_up(self._file)


def _move(session: Session, source: str, position: tuple[int, int]) -> None:
    before, after = position
    if not session.execute(SQL["position_move"], {"source": source, "before": before, "after": after}).rowcount:
        raise PositionMoved(f"Another process has published the pages of {source} after {before}.")
