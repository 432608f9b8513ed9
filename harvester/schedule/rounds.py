"""Rounds of work on a whole instance, which `tend` runs: once, or in a thread while something else goes on."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from traceback import format_exception
from typing import ClassVar, TypeAlias

from gateway.core.errors import GatewayError
from harvester.harvest.instance import Instance
from harvester.runtime.exit_status import SourceLocked, Status, status_of_error, worst
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Progress

Part: TypeAlias = Callable[[], Counter[str]]


class Rounds(ABC):
    """The rounds of one kind of work. One process at a time runs them, and each error is reported once.

    `ended` gets the counts of each round that has done anything.
    """

    name: ClassVar[str]  # in messages
    lock_name: ClassVar[str]  # with a dot, which no name of a source has
    pause_seconds: ClassVar[float] = 60.0

    def __init__(
        self, instance: Instance, progress: Progress, stop: Stop, ended: Callable[[Counter[str]], None] = lambda _: None
    ) -> None:
        self._instance, self._progress, self._stop, self._ended = instance, progress, stop, ended
        self._complaints: frozenset[str] = frozenset()
        self._found: list[str] = []  # complaints of this round
        self.status = Status.SUCCEEDED  # of the last round

    @abstractmethod
    def _parts(self) -> Iterable[Part]:
        """Return the parts of a round, each of which returns counts; none: there is nothing to do."""

    @abstractmethod
    def _words(self, counts: Counter[str]) -> str:
        """Return what a round with these counts has done, as a sentence; empty: nothing worth a word."""

    def run(self) -> Counter[str]:
        """Run one round, and return its counts. An error is reported, and ends only its part.

        Nothing is done while another process runs a round. `status` says how the round ended.
        """
        counts: Counter[str] = Counter()
        self._found, self.status = [], Status.SUCCEEDED
        with self._reported():
            if parts := list(self._parts()):
                with self._instance.lock(self.lock_name):
                    for part in parts:
                        with self._reported():
                            counts.update({name: count for name, count in part().items() if count})
        for complaint in dict.fromkeys(self._found):
            if complaint not in self._complaints:
                self._progress.fail(f"{self.name}: {complaint}")
        self._complaints = frozenset(self._found)
        if words := self._words(counts):
            self._progress.say(f"{self.name}: {words}")
            self._ended(counts)
        return counts

    def _complain(self, complaint: str, status: Status) -> None:
        self._found.append(complaint)
        self.status = worst([self.status, status])

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except SourceLocked:
            self.status = Status.LOCKED
        except GatewayError as error:
            self._complain(str(error), status_of_error(error))
        except Exception as error:  # noqa: BLE001 - a fault here never stops harvests
            self._complain(f"a fault of this program.\n{''.join(format_exception(error)).rstrip()}", Status.FAILED)

    @contextmanager
    def repeated(self) -> Iterator[None]:
        """Run rounds in a thread, as long as the block lasts and no stop is asked for.

        After a round that has calls left for the next one, that begins at once.
        """
        is_over = Event()

        def work() -> None:
            while not is_over.is_set() and not self._stop.is_asked:
                if not self.run()["left"]:
                    is_over.wait(self.pause_seconds)

        thread = Thread(target=work, name=self.name, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()


class CompactionRounds(Rounds):
    """Compaction of the store while there is time for it: all blocks that are worth it, as small as they can be.

    Publishers make blocks anew too, but for some milliseconds only.
    """

    name = "compaction"
    lock_name = "store.compaction"

    def _parts(self) -> Iterable[Part]:
        return (self._round,)

    def _round(self) -> Counter[str]:
        counts = self._instance.store.compact(is_thorough=True, is_stopped=lambda: self._stop.is_asked)._asdict()
        del counts["is_complete"], counts["kept_free"]
        if counts["damaged"]:
            complaint = f"{counts['damaged']} blocks of the store are damaged; `gateway check` names them."
            self._complain(complaint, Status.WITH_ERRORS)
        return Counter(counts)

    def _words(self, counts: Counter[str]) -> str:
        if not (counts["blocks"] or counts["smaller_by"]):
            return ""
        smaller = f" The file is {counts['smaller_by']} bytes smaller." if counts["smaller_by"] else ""
        return f"{counts['blocks']} blocks were made anew, {counts['bytes']} bytes freed.{smaller}"
