"""Compaction of the store while there is time for it: all of it, and as small as it can be. `tend` calls it.

Publishers make blocks anew too, but for some milliseconds only. One process at a time does it here.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from traceback import format_exception
from typing import Final

from gateway.core.errors import GatewayError
from harvester.harvest.instance import Instance
from harvester.runtime.exit_status import SourceLocked, Status, status_of_error
from harvester.runtime.interrupts import Stop
from harvester.runtime.locks import lock
from harvester.runtime.progress import Progress
from harvester.schedule.due import repeated

_LOCK: Final = "store.compaction"  # no name of a source has a dot
_PAUSE_SECONDS: Final = 60.0


class CompactionRounds:
    """The rounds of one instance, each of which makes all blocks anew that are worth it."""

    def __init__(
        self, instance: Instance, progress: Progress, stop: Stop, ended: Callable[[Counter[str]], None] = lambda _: None
    ) -> None:
        """Take the instance. `ended` gets the counts of each round that has any."""
        self._instance, self._progress, self._stop, self._ended = instance, progress, stop, ended
        self._complaint = ""
        self.status = Status.SUCCEEDED  # of the last round

    def run(self) -> Counter[str]:
        """Run one round; return how many blocks were made anew, how many bytes this freed, and those of the file.

        An error is reported. Nothing is done while another process runs a round. `status` says how the round ended.
        """
        counts: Counter[str] = Counter()
        complaint = ""
        self.status = Status.SUCCEEDED
        try:
            with lock(self._instance.folder, _LOCK):
                counts = self._round()
        except SourceLocked:
            self.status = Status.LOCKED
        except GatewayError as error:
            complaint, self.status = str(error), status_of_error(error)
        except Exception as error:  # noqa: BLE001 - a fault here never stops harvests
            complaint = f"a fault of this program.\n{''.join(format_exception(error)).rstrip()}"
            self.status = Status.FAILED
        if counts["damaged"]:
            complaint = f"{counts['damaged']} blocks of the store are damaged; `gateway check` names them."
            self.status = Status.WITH_ERRORS
        if complaint not in ("", self._complaint):
            self._progress.fail(f"compaction: {complaint}")
        self._complaint = complaint
        if counts["blocks"] or counts["smaller_by"]:
            smaller = f" The file is {counts['smaller_by']} bytes smaller." if counts["smaller_by"] else ""
            made = f"{counts['blocks']} blocks were made anew, {counts['bytes']} bytes freed."
            self._progress.say(f"compaction: {made}{smaller}")
            self._ended(counts)
        return counts

    def _round(self) -> Counter[str]:
        done = self._instance.store.compact(is_thorough=True, is_stopped=lambda: self._stop.is_asked)
        counts = done._asdict()
        del counts["is_complete"], counts["kept_free"]
        return Counter({name: number for name, number in counts.items() if number})

    def repeated(self) -> AbstractContextManager[None]:
        """Run rounds in a thread, as long as the block lasts."""

        def run() -> bool:
            self.run()
            return False

        return repeated(run, self._stop, "compaction", _PAUSE_SECONDS)
