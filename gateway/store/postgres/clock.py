"""The clock of the store on PostgreSQL: a row with the last second, for all machines. It is only ever raised.

Machines have no monotonic clock in common, and the clock of the server may be set. So the second is data: a transaction
that has the lock of the schema raises it to the time of the server. `intend` raises it, and the row is watermark and
datestamp. A horizon is the row or the lowest watermark in one snapshot; a reader raises a row that is a second old
first. Proof that no publication gets a datestamp below a horizon:

* Write transactions are committed one after the other, so a snapshot has all of them up to a certain one, also on a
  replica. Consider a publication after that one.
* If its intent is in the snapshot too, its datestamp is a watermark there; if the intent was removed by then, the
  publication writes nothing. Otherwise, the intent raised the row later, so its datestamp is not below the row in the
  snapshot. In both cases, the datestamp is not below the horizon.
* For the same reasons, no later snapshot of the server has a lower horizon.

The row also has the *history* that it is of: the identifier of the server's data, and its timeline. Both change when a
copy of the data (a restore, a promoted replica) takes their place, whose row may lack seconds that were answered. Its
first writer raises the row once: by a minute, to the time of the server, and to the last second in `answered-until`,
which each machine writes before it answers. Open intents end. If the copy lacks more than a minute, a machine that
could not write `answered-until`, or has not opened the copy yet, may have answered later seconds.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from gateway.core.ceiling import Answered, Ceiling
from gateway.core.clock import AHEAD_SECONDS, CEILING_SECONDS, HostClock
from gateway.core.errors import ClockAhead, StoreBusy, StoreUnwritable
from gateway.store.connector import Connector, Session
from gateway.store.queries import load

SQL = load("store")

_HOUSEKEEPING_SECONDS: Final = 0.25  # a reader waits no longer for the lock: an older horizon is correct too
_RENUMBER: Final = load("postgres/store")["intents_renumber"]
_NEVER: Final = 2**62
_DAY: Final = 86_400
_AHEAD: Final = (
    "The clock of the database server has jumped {:.1f} days ahead without a known reason, so nothing is published. "
    "Set it; if it is right, because the repository was not used or was restored, run `gateway clock --accept`."
)
_BEHIND: Final = (
    "The clock of the database server is {} seconds behind the last second of the store, so datestamps and "
    "responseDates stand still until it has caught up. Set it if it is wrong."
)


class _Row(NamedTuple):
    """The row of the clock and the intents in one snapshot. `here` is the history of the server; None: a replica."""

    second: int
    history: str
    here: str | None
    time: int
    expires: int | None
    watermark: int | None

    @property
    def is_copied(self) -> bool:
        """Return whether the row is of another history, as after a restore or the promotion of a replica."""
        return bool(self.history and self.here) and self.history != self.here


class PostgresClock:
    """The clock of one store, with the methods of `StoreClock`.

    A time of the server that is more than `max_jump` seconds ahead is not accepted. Every method may raise StoreError.
    """

    def __init__(self, file: Connector, host: HostClock | None, max_jump: float, step: Callable[[str], None]) -> None:
        """Use the time of the server, or that of a `host` instead; `step` is that of `Store`."""
        self._file, self._host, self._max_jump, self._step = file, host, max_jump, step
        self._ceiling = Ceiling(file.path)

    def make(self) -> int:
        """Make the row of a new store, and return the second in which the store was made."""
        with self._file.writing() as session:  # if another process was faster, its row counts
            session.execute(SQL["clock_make"])
            session.execute(SQL["fact_make"], ("made_at", str(self.tidy(session))))
            row = session.one(SQL["fact"], ("made_at",))
        return int(row[0]) if row else 0

    def lift(self) -> None:
        """Continue above every second that this machine may have answered from a former store."""
        with self._file.reading() as session:
            if self._is_due(self._row(session), self._ceiling.read()):
                self._is_raised()

    # -- raising -------------------------------------------------------------------------------------------------

    def _row(self, session: Session) -> _Row:
        row = session.one(SQL["clock"])
        assert row is not None, "the store's making wrote the row"
        return _Row(*row) if self._host is None else _Row(*row)._replace(time=int(self._host.wall()))

    def _raised(self, row: _Row, answered: int) -> tuple[int, int]:
        """Return the second to which the row is raised, and by how much a time that is not accepted is ahead (else 0).

        A copied row may lack a minute, as that of a replica does.
        """
        least = max(row.second + (CEILING_SECONDS if row.is_copied else 0), answered)
        if least and row.time - least > self._max_jump:  # 0: the store is being made
            return least, row.time - least
        return max(least, row.time), 0

    def _is_due(self, row: _Row, answered: int) -> bool:
        second, _ = self._raised(row, answered)
        is_old = (second, row.here) != (row.second, row.history) or (row.expires is not None and row.expires <= second)
        return row.here is not None and is_old

    def _is_raised(self) -> bool:
        """Raise the row if the lock is free soon; return whether that was done."""
        with suppress(StoreBusy, StoreUnwritable), self._file.writing(_HOUSEKEEPING_SECONDS) as session:
            self.tidy(session)
            return True
        return False

    def tidy(self, session: Session) -> int:
        """Raise the row inside a write transaction, remove expired intents, and return the second."""
        row = self._row(session)
        self._step("anchor read")
        return self._keep(session, row, self._raised(row, self._ceiling.read())[0])

    def _keep(self, session: Session, row: _Row, second: int) -> int:
        """Write the second. No intent of another history counts, and no number of one is given again."""
        if (second, row.here) != (row.second, row.history):
            session.execute(SQL["clock_set"], (second, row.here))
        if row.is_copied:
            session.execute(_RENUMBER)
        session.execute(SQL["intents_expire"], (_NEVER if row.is_copied else second,))
        return second

    # -- reading the clock ---------------------------------------------------------------------------------------

    def now(self, session: Session) -> int:
        """Return the second to which the row would be raised now."""
        return self._raised(self._row(session), self._ceiling.read())[0]

    def datestamp(self, watermark: int) -> int:
        """Return the datestamp of an intent that is committed: its watermark, because both are the row."""
        return watermark

    def horizon(self, session: Session, answered: Answered) -> int:
        """Begin a snapshot and return its horizon, which is the row or the lowest watermark, both in the snapshot.

        A row that is a second old is raised first, if the lock is free soon. The horizon is in `answered-until` before
        it is answered, unless that file cannot be written now.
        """
        highest = answered.highest()
        row = self._snapshot(session)
        if self._is_due(row, highest) and self._is_raised():
            session.rollback()
            row = self._snapshot(session)
        self._step("snapshot taken")
        horizon = row.second if row.watermark is None else min(row.second, row.watermark)
        if horizon > highest:
            with suppress(StoreBusy, StoreUnwritable):
                self._ceiling.lift(horizon)
                answered.note(horizon)
        return horizon

    def _snapshot(self, session: Session) -> _Row:
        self._step("clock told")
        session.begin()
        return self._row(session)

    # -- jumps ---------------------------------------------------------------------------------------------------

    def check(self, session: Session) -> None:
        """Raise ClockAhead if the time of the server has jumped ahead and is not accepted."""
        _, ahead = self._raised(self._row(session), self._ceiling.read())
        if ahead:
            raise ClockAhead(_AHEAD.format(ahead / _DAY))

    def standstill(self, session: Session) -> str:
        """Return a message if the seconds stand still because the time of the server went back, else an empty one."""
        row = self._row(session)
        behind = row.second - row.time
        return _BEHIND.format(behind) if behind > AHEAD_SECONDS else ""

    def believe(self) -> None:
        """Accept the time of the server, however far ahead it is."""
        with self._file.writing() as session:
            row = self._row(session)
            self._keep(session, row, max(row.time, self._raised(row, self._ceiling.read())[0]))
