"""The clock of the store on SQLite: its anchor is a row of the store; its ceiling is also in a file beside it.

`clock` has the rules. This module reads and writes the anchor, and refuses a clock that has jumped.
"""

from collections.abc import Callable
from contextlib import suppress

from gateway.core.ceiling import Answered, Ceiling
from gateway.core.clock import (
    Anchor,
    ClockTime,
    HostClock,
    Moment,
    clock_time,
    first,
    held,
    is_false,
    lifted,
    unexplained,
)
from gateway.core.errors import ClockAhead, StoreBusy, StoreDamaged, StoreUnwritable
from gateway.store.connector import Connector, Session
from gateway.store.queries import load

SQL = load("store")

_HOUSEKEEPING_SECONDS = 0.25  # a reader waits no longer for the lock: an older horizon is correct too
_DAY = 86_400
_FALSE = (
    "The clock of this process differs from that of its host by {:.1f} days, so nothing is published. Start the "
    "command without the program that changes its clock."
)
_AHEAD = (
    "The clock of this machine has jumped {:.1f} days ahead without a known reason, so nothing is published. Set it; "
    "if it is right, because the machine was off or the repository was not used, run `gateway clock --accept`."
)


class StoreClock:
    """The clock of one store. A clock that is more than `max_jump` seconds ahead without a reason is not accepted.

    Every method may raise StoreError.
    """

    def __init__(self, file: Connector, host: HostClock, max_jump: float, step: Callable[[str], None]) -> None:
        self._file, self._host, self._max_jump, self._step = file, host, max_jump, step
        self._ceiling = Ceiling(file.path)

    def make(self) -> int:
        """Make the anchor of a new store, and return the second in which the store was made."""
        moment, answered = self._host.moment(), self._ceiling.read()
        if answered and moment.wall - answered > self._max_jump:  # `check` refuses it, as for an existing store
            moment = moment._replace(wall=float(answered))
        anchor = lifted(first(moment), moment, answered)
        with self._file.writing() as session:  # if another process was faster, its clock counts
            if session.execute(SQL["clock_make"], anchor).rowcount:
                self._ceiling.write(anchor.ceiling)
            session.execute(SQL["fact_make"], ("made_at", str(int(anchor.wall))))
            row = session.one(SQL["fact"], ("made_at",))
        return int(row[0]) if row else 0

    def lift(self) -> None:
        """Continue above every second that a former store may have answered; this one may be an older copy."""
        try:
            with self._file.reading() as session:
                anchor, _ = anchor_of(session)
        except StoreDamaged:
            return  # `check` and every read report the damage
        answered = self._ceiling.read()
        if answered > anchor.ceiling:
            with self._file.writing() as session:  # the lock is for both: the file and the store
                anchor, _ = anchor_of(session)
                if self._ceiling.read() > anchor.ceiling:
                    self._lift(session, anchor._replace(ceiling=self._ceiling.read()))
        elif answered < anchor.ceiling:  # an earlier release wrote no such file
            with suppress(StoreBusy, StoreUnwritable), self._file.writing(_HOUSEKEEPING_SECONDS) as session:
                self._ceiling.write(max(self._ceiling.read(), anchor_of(session)[0].ceiling))

    def _lift(self, session: Session, anchor: Anchor) -> None:
        """Write a raised anchor; a wall clock that is not accepted is not used."""
        moment = self._host.moment()
        ahead = self._ahead(anchor, moment)
        if not is_false(anchor, moment, self._host.uptime()):
            moment = moment._replace(wall=0.0) if ahead else moment
            self._keep(session, lifted(anchor, moment, anchor.ceiling))

    def _keep(self, session: Session, anchor: Anchor) -> None:
        """Write an anchor. Its ceiling is written to the file first, so the file is never below the store."""
        if anchor.ceiling > self._ceiling.read():
            self._ceiling.write(anchor.ceiling)
        session.execute(SQL["clock_set"], anchor)

    # -- reading the clock ---------------------------------------------------------------------------------------

    def now(self, session: Session) -> int:
        """Return the second, outside of any transaction; expired intents are removed too."""
        anchor, expires = anchor_of(session)
        reading = self._read_clock(anchor)
        if reading.anchor == anchor and (expires is None or reading.second < expires):
            return reading.second
        try:
            with self._file.writing(_HOUSEKEEPING_SECONDS) as writer:
                return self.tidy(writer)
        except (StoreBusy, StoreUnwritable):
            return reading.safe

    def datestamp(self, watermark: int) -> int:  # noqa: ARG002 - that of PostgreSQL is the datestamp
        """Return the datestamp of an intent that is committed: the second after the commit."""
        with self._file.reading() as session:
            return self.now(session)

    def horizon(self, session: Session, answered: Answered) -> int:
        """Begin a snapshot and return its horizon. The clock is read first, then the snapshot, then the intents."""
        highest = answered.highest()
        now = self.now(session)
        self._step("clock told")
        session.begin()
        (watermark,) = session.one(SQL["watermark"]) or (None,)
        self._step("snapshot taken")
        horizon = now if watermark is None else min(now, max(watermark, highest))
        answered.note(horizon)
        return horizon

    def tidy(self, session: Session) -> int:
        """Return the second inside a write transaction, which writes the anchor and removes expired intents."""
        anchor, _ = anchor_of(session)
        reading = self._read_clock(anchor)
        self._step("anchor read")
        if reading.anchor != anchor:
            self._keep(session, reading.anchor)
        session.execute(SQL["intents_expire"], (reading.second,))
        return reading.second

    def _read_clock(self, anchor: Anchor) -> ClockTime:
        moment = self._host.moment()
        reading = clock_time(anchor, moment)
        if reading.anchor == anchor or not self._ahead(anchor, moment):
            return reading
        return held(anchor, moment, self._host.uptime())

    # -- jumps ---------------------------------------------------------------------------------------------------

    def _ahead(self, anchor: Anchor, moment: Moment) -> float:
        """Return by how many seconds a clock that is not accepted is ahead; 0 if it is accepted."""
        ahead = unexplained(anchor, moment, self._host.uptime())
        return ahead if ahead > self._max_jump else 0.0

    def check(self, session: Session) -> None:
        """Raise ClockAhead if the clock has jumped ahead and is not accepted."""
        anchor, moment = anchor_of(session)[0], self._host.moment()
        if ahead := self._ahead(anchor, moment):
            verdict = _FALSE if is_false(anchor, moment, self._host.uptime()) else _AHEAD
            raise ClockAhead(verdict.format(ahead / _DAY))

    def standstill(self, session: Session) -> str:  # noqa: ARG002 - its anchor runs on
        """Return an empty string: the seconds never stand still for long, whatever the wall clock does."""
        return ""

    def believe(self) -> None:
        """Accept the wall clock, however far ahead it is. Raise ClockAhead if the host has another one."""
        with self._file.writing() as session:
            anchor, moment = anchor_of(session)[0], self._host.moment()
            if is_false(anchor, moment, self._host.uptime()):
                self.check(session)
            self._keep(session, lifted(anchor, moment, anchor.ceiling))


def anchor_of(session: Session) -> tuple[Anchor, int | None]:
    """Return the anchor in the store, and the second in which the first intent expires (None: there is none)."""
    row = session.one(SQL["clock"])
    assert row is not None, "the store's making wrote the anchor"
    return Anchor(*row[:4]), row[4]
