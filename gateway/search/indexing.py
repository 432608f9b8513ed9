"""Where publication meets the search index: a store for publishing whose publications are also written to the index.

It also completes what an earlier release did not store of its records.

The index never blocks or fails a publication. What is withdrawn leaves it at once. The rest follows in small parts, and
is completed when the store is closed; what is left then, the next command does. If much is published, a child process
follows (`index_process`), so that the index takes its time on another processor.
"""

import gc
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Final

from gateway.core import xmlio
from gateway.core.children import Child, Orders, program
from gateway.core.errors import ConfigurationError, StoreError, StoreUnwritable
from gateway.core.model import Content, Publication, Work
from gateway.core.settings import Settings, load
from gateway.core.waiting import leave_with_parent
from gateway.formats import oai_dc, oai_didl
from gateway.publish import descriptions
from gateway.publish.descriptions import metadata_of
from gateway.search.base import IndexState
from gateway.search.following import LINES, IndexKeeper
from gateway.search.sqlite_reader import open_search
from gateway.store.base import Databases, Store

SHARE: Final = 0.08  # of the time since the store was opened, that following the publications may take
_STEP_SECONDS = 0.1  # of the index, for a thousand lines of the log of changes
# For a process that publishes much: records make no cycles, and collections take a twentieth of the time.
OBJECTS_BEFORE_COLLECTION: Final = 100_000
_FEW = 50  # items, which the index follows in milliseconds
_MANY = 3_000  # items; their entries take about as long as the start of a child process
_FILLED = 500  # items in one transaction, which holds the lock for some 50 ms
_PROGRESS_SECONDS = 30.0
_PAUSE_SECONDS = 0.2  # of the child process that has written everything, and of its parent that waits for it
_TIDY_SECONDS = 60.0  # makes some 30,000 blocks anew on a quiet machine
_PATIENCE_SECONDS = 10.0  # of a server, for another process that writes the index
_TURN_SECONDS = 0.02
_CHILD_TURN_SECONDS = 0.005  # a process that removes items tries more often
_CHILD_LINES = 3 * LINES  # of the log of changes, that the child process writes at once: larger steps are not faster
_MOST_LINES = 10 * LINES  # of the log of changes, that a server writes: a second
_FAILED = (
    "The search index was not written: %s Publication is not affected, and the next command that publishes tries "
    "again. If this message repeats, run `gateway index --anew`."
)

log = logging.getLogger("gateway.search")

Progress = Callable[[int, int], None]


def describe(record: bytes) -> Work:
    """Return the Work of a published record in oai_dc, with the statements that the index has, at least.

    Raise NotXml.
    """
    return _described(record, is_brief=True)


def describe_all(record: bytes) -> Work:
    """Return the Work of a published record in oai_dc, with only its statements if it is plain, as nearly all are.

    Raise NotXml.
    """
    return _described(record, is_brief=False)


def _described(record: bytes, *, is_brief: bool) -> Work:
    content = record.partition(b"<metadata>")[2].rpartition(b"</metadata>")[0]
    statements = oai_dc.skim(content, is_brief=is_brief)
    if statements is not None:
        return Work(statements)
    return oai_dc.read(xmlio.parse(content), b"") or Work()


def read_resource(prefix: str, record: bytes) -> tuple[bytes, tuple[Content, ...] | None]:
    """Return the metadata of a published record, and the files to which it refers; None if it is no DIDL of ours."""
    metadata = metadata_of(record)
    if prefix != "oai_didl":
        return metadata, None
    if metadata.count(b"<didl:Component>") == metadata.count(oai_didl.START_PAGE.encode()):
        return metadata, ()  # it refers to the page of the item at most
    return metadata, tuple(oai_didl.contents(descriptions.describe(record).work))


def _sentence(error: Exception) -> str:
    """Return the message of an error with one full stop; ours have one already."""
    return f"{str(error).removesuffix('.')}."


class Following:
    """A store that is open for publishing, and the index that follows it."""

    def __init__(self, settings: Settings, keeper: IndexKeeper | None = None, *, has_child: bool = False) -> None:
        """Take the settings; nothing is opened yet. With `has_child`, a child process follows if much is published."""
        self._folder = settings.instance
        self._keeper = keeper or IndexKeeper(settings.instance, describe)
        self._is_on = settings.is_on("browse_search")
        self._has_child = has_child and self._is_on
        self._lock = Lock()
        self._child: Child | None = None
        self._items = 0  # that were published
        self._begun_at = monotonic()
        self._spent_seconds = 0.0
        self._reported = ""
        self.store: Store  # set when it is open

    def note(self, publication: Publication) -> None:
        """Follow a publication that was committed: remove withdrawn items at once, and write the rest if there is time.

        It raises nothing.
        """
        if not self._is_on or not publication.changes:
            return
        begun_at = monotonic()
        try:
            if gone := [change.identifier for change in publication.changes if change.is_deleted]:
                self._keeper.remove(gone)
            self.expect(len(publication.changes))
            if self._child is None and self._has_time(len(publication.changes), begun_at):
                self._keeper.advance(self.store)
        except Exception as error:  # noqa: BLE001 - publication must not fail because of something derived from it
            self._report(error)
        self._spent_seconds += monotonic() - begun_at

    def expect(self, items: int) -> None:
        """Note that so many items are published, perhaps by another process; after many, a child process follows.

        It raises nothing: without a child process, this one completes the index.
        """
        with self._lock:
            self._items += items
            if not self._has_child or self._child is not None or self._items < _MANY:
                return
            try:
                self._child = Child(program(__name__, "follow", str(self._folder)))
            except OSError as error:
                self._has_child = False
                self._report(error)

    def _has_time(self, changes: int, now: float) -> bool:
        """Return whether another step of the index keeps its share; the first few items are followed at once."""
        if not self._spent_seconds and changes <= _FEW:
            return True
        return self._spent_seconds + _STEP_SECONDS <= SHARE * (now - self._begun_at)

    def complete(self, is_stopped: Callable[[], bool] = lambda: False) -> None:
        """Write everything that is published and not in the index, and what an earlier release did not store.

        Then tidy the blocks of the store. It raises nothing; Ctrl-C stops it.
        """
        try:
            if self._is_on:
                self._await_child(is_stopped)
                self._complete(is_stopped)
            else:
                self._keeper.delete()
            self._fill(is_stopped)
        except KeyboardInterrupt:
            log.warning("The search index is not complete. The next command that publishes continues.")
        except Exception as error:  # noqa: BLE001 - as above
            self._report(error)
        else:
            if not is_stopped():
                self._tidy(is_stopped)

    def _await_child(self, is_stopped: Callable[[], bool]) -> None:
        if self._child is None:
            return
        reported_at = monotonic()
        self._child.finish()
        while not is_stopped() and self._child.hear(_PAUSE_SECONDS) is not None:
            reported_at = self._reported_at(reported_at)
        self.close()

    def close(self) -> None:
        """End the child process, if there is one. What it has left, the next command does."""
        with self._lock:
            self._has_child = False
            if self._child is not None:
                self._child.kill()
                self._child = None

    def _tidy(self, is_stopped: Callable[[], bool]) -> None:
        """Make the blocks anew in which the publications have left holes: they are slow to serve.

        What is left after a minute, the next command or `harvester tend` does. So it is after Ctrl-C or an error.
        """
        with suppress(StoreError, KeyboardInterrupt):
            self.store.compact(_TIDY_SECONDS, is_stopped=is_stopped)

    def _report(self, error: Exception) -> None:
        """Log an error, once if it repeats with each publication."""
        if str(error) != self._reported:
            self._reported = str(error)
            log.error(_FAILED, _sentence(error))

    def _complete(self, is_stopped: Callable[[], bool]) -> None:
        reported_at = monotonic()
        while not is_stopped() and not self._keeper.advance(self.store):
            reported_at = self._reported_at(reported_at)

    def _reported_at(self, before: float) -> float:
        """Report the progress if it is time; return when it was reported last."""
        if monotonic() - before <= _PROGRESS_SECONDS:
            return before
        log.info(
            "The search index is being written: %d of %d changes.", self._keeper.position(), last_change(self.store)
        )
        return monotonic()

    def _fill(self, is_stopped: Callable[[], bool]) -> None:
        """Complete what lists of resources need of the records of an earlier release. The next command continues."""
        reported_at = monotonic()
        while not is_stopped() and (left := self.store.fill_resources(_FILLED, read_resource)):
            if monotonic() - reported_at > _PROGRESS_SECONDS:
                reported_at = monotonic()
                log.info("The sizes and hashes of records are being stored: %d items are left.", left)


class FollowingLater:
    """The index of a running server: a thread follows what its pages publish, so that no answer waits for it.

    What the thread leaves undone, the next command does.
    """

    def __init__(self, settings: Settings, keeper: IndexKeeper | None = None) -> None:
        """Take the settings; nothing is opened, and no thread runs yet."""
        self._keeper = keeper or IndexKeeper(settings.instance, describe)
        self._is_on = settings.is_on("browse_search")
        self._lock, self._thread = Lock(), Thread()
        self._gone: list[str] = []
        self._is_due = False
        self.store: Store  # set when it is open

    def note(self, publication: Publication) -> None:
        """Let the thread follow a publication that was committed. It raises nothing, and waits for nothing."""
        if not self._is_on or not publication.changes:
            return
        with self._lock:
            self._gone += [change.identifier for change in publication.changes if change.is_deleted]
            self._is_due = True
            if not self._thread.is_alive():
                self._thread = Thread(target=self._follow, name="search index", daemon=True)
                self._thread.start()

    def wait(self) -> None:
        """Return when the thread has nothing to do."""
        if self._thread.is_alive():
            self._thread.join()

    def _follow(self) -> None:
        while (gone := self._taken()) is not None:
            try:
                if gone:
                    self._keeper.remove(gone)
                self._advance()
            except Exception as error:  # noqa: BLE001 - as in `Following`
                log.error(_FAILED, _sentence(error))  # noqa: TRY400 - as there

    def _taken(self) -> list[str] | None:
        """Return the items that are gone since the last call; None if nothing was published, and the thread ends."""
        with self._lock:
            if not self._is_due:
                self._thread = Thread()
                return None
            self._is_due = False
            gone, self._gone = self._gone, []
            return gone

    def _advance(self) -> None:
        """Write what is published and not in the index, unless it is much. Another process may be doing it."""
        ends, wanted = monotonic() + _PATIENCE_SECONDS, last_change(self.store)
        while monotonic() < ends and 0 < wanted - self._keeper.position() <= _MOST_LINES:
            self._keeper.advance(self.store)
            sleep(_TURN_SECONDS)


@contextmanager
def following(
    settings: Settings, *, create: bool = False, only_reads: bool = False, completes: bool = True
) -> Iterator[Following]:
    """Open the store of an instance for publishing; the index follows. At the end of the block, both are complete.

    Without `completes`, the index may stay behind: for a child process, and for a command that must not wait. With
    `only_reads`, nothing is written. Raise the errors of `Databases.store`.
    """
    index = Following(settings, has_child=completes and not only_reads)
    store = Databases(settings).store(create=create, only_reads=only_reads, published=index.note)
    with closing(store), closing(index):
        index.store = store
        yield index
        if completes and not only_reads:
            index.complete()


def follow(folder: str) -> int:
    """Write the index of an instance folder in a child process, until standard input says that it is enough.

    Return the exit status. No error is reported: the parent process completes the index, and reports its own.
    """
    leave_with_parent()
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
    try:
        _follow(load(Path(folder)), Orders(sys.stdin.fileno()))
    except Exception:  # noqa: BLE001 - as above
        return 1
    return 0


def _follow(settings: Settings, orders: Orders) -> None:
    keeper = IndexKeeper(settings.instance, describe, lines=_CHILD_LINES)
    with closing(Databases(settings).store()) as store:
        is_complete = False
        while not orders.is_over and not (is_complete and orders.is_last):
            # Before the step, which then writes the rest. The pause lets others remove items in between.
            orders.receive(_PAUSE_SECONDS if is_complete else 0.0)
            sleep(_CHILD_TURN_SECONDS)
            is_complete = keeper.advance(store)


def make(settings: Settings, *, is_anew: bool, progress: Progress = lambda *_: None) -> IndexState:
    """Complete the index of an instance, or make it anew; return its state.

    `progress` is called with the number of lines of the log of changes that are written, and of all. Raise
    ConfigurationError if the index is switched off, SearchError if another process is making it, StoreUnwritable if it
    cannot be written, and another StoreError.
    """
    if not settings.is_on("browse_search"):
        raise ConfigurationError("There is no search index, because the setting browse_search is off. Switch it on.")
    try:
        return _made(settings, is_anew=is_anew, progress=progress)
    except OSError as error:
        where = error.filename or settings.instance
        raise StoreUnwritable(f"The search index was not written: {where}: {error.strerror}.") from error


def _made(settings: Settings, *, is_anew: bool, progress: Progress) -> IndexState:
    keeper = IndexKeeper(settings.instance, describe)
    with closing(Databases(settings).store()) as store:
        if is_anew:
            keeper.delete()
        while not keeper.advance(store):
            progress(keeper.position(), last_change(store))
        return open_search(settings.instance).state()


def last_change(store: Store) -> int:
    """Return the number of the last line of the log of changes; 0 if nothing was ever published. Raise StoreError."""
    with store.view() as view:
        return view.last_change()


def remove_index(folder: Path) -> None:
    """Delete the index of an instance, because its store is replaced. Raise StoreError, OSError."""
    IndexKeeper(folder, describe).delete()
