"""The store's clock on SQLite: its anchor is a row of the store, its ceiling stands in a file beside it as well.

What the clock says is worked out in `clock`; here it is read, kept, and refused when it has jumped.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from gateway.errors import ClockAhead, StoreBusy, StoreDamaged, StoreUnwritable
from gateway.store.ceiling import Ceiling
from gateway.store.clock import Anchor, HostClock, Moment, Telling, first, held, is_false, lifted, tell, unexplained
from gateway.store.queries import load
from gateway.store.sqlite_file import Session, SqliteFile

SQL = load("sqlite")

_HOUSEKEEPING_SECONDS = 0.25  # a reader waits no longer for the lock: older answers are right as well
_DAY = 86_400
_FALSE = (
    "This process is given another clock than its host has, by {:.1f} days. Nothing is published with it; start the "
    "command without the program that changes its clock."
)
_AHEAD = (
    "The clock of this machine has jumped {:.1f} days ahead and nothing explains it, so nothing is published. Set the "
    "clock; if it is right, because the machine was off or the repository was not used, run `gateway clock --accept`."
)


class SqliteClock:
    """The clock of one store. A clock that is more than `max_jump` seconds ahead for no reason is not believed."""

    def __init__(self, file: SqliteFile, host: HostClock, max_jump: float, step: Callable[[str], None]) -> None:
        """Take the store's file and the clocks of the host; `step` is called as `SqliteStore` says."""
        self._file, self._host, self._max_jump, self._step = file, host, max_jump, step
        self._ceiling = Ceiling(file.path)

    def make(self) -> int:
        """Make the anchor of a new store, and return the second of its making."""
        moment, answered = self._host.moment(), self._ceiling.read()
        if answered and moment.wall - answered > self._max_jump:  # `check` refuses it, as of a store that was there
            moment = moment._replace(wall=float(answered))
        anchor = lifted(first(moment), moment, answered)
        with self._file.writing() as session:  # if another process was faster, its clock counts
            if session.execute(SQL["clock_make"], anchor).rowcount:
                self._ceiling.write(anchor.ceiling)
            session.execute(SQL["fact_make"], ("made_at", str(int(anchor.wall))))
            row = session.one(SQL["fact"], ("made_at",))
        return int(row[0]) if row else 0

    def lift(self) -> None:
        """Go on above what an earlier store of this repository may have answered; this one may be an older copy."""
        try:
            with self._file.reading() as session:
                anchor, _ = anchor_of(session)
        except StoreDamaged:
            return  # `check` says what is damaged, and reading does
        answered = self._ceiling.read()
        if answered > anchor.ceiling:
            with self._file.writing() as session:  # the lock is for both: the file and the store
                anchor, _ = anchor_of(session)
                if self._ceiling.read() > anchor.ceiling:
                    self._lift(session, anchor._replace(ceiling=self._ceiling.read()))
        elif answered < anchor.ceiling:  # an earlier release kept no such file
            with suppress(StoreBusy, StoreUnwritable), self._file.writing(_HOUSEKEEPING_SECONDS) as session:
                self._ceiling.write(max(self._ceiling.read(), anchor_of(session)[0].ceiling))

    def _lift(self, session: Session, anchor: Anchor) -> None:
        """Keep an anchor that was raised; a wall clock that is not believed has no part in it."""
        moment = self._host.moment()
        ahead = self._ahead(anchor, moment)
        if not is_false(anchor, moment, self._host.uptime()):
            moment = moment._replace(wall=0.0) if ahead else moment
            self._keep(session, lifted(anchor, moment, anchor.ceiling))

    def _keep(self, session: Session, anchor: Anchor) -> None:
        """Keep another anchor. Its ceiling goes into the file first: the file is never below the store."""
        if anchor.ceiling > self._ceiling.read():
            self._ceiling.write(anchor.ceiling)
        session.execute(SQL["clock_set"], anchor)

    # -- telling -------------------------------------------------------------------------------------------------

    def now(self, session: Session) -> int:
        """Tell the clock, outside of any transaction; an intent that has lived too long is removed on the way."""
        anchor, expires = anchor_of(session)
        telling = self._tell(anchor)
        if telling.anchor == anchor and (expires is None or telling.second < expires):
            return telling.second
        try:
            with self._file.writing(_HOUSEKEEPING_SECONDS) as writer:
                return self.tidy(writer)
        except (StoreBusy, StoreUnwritable):
            return telling.safe

    def tidy(self, session: Session) -> int:
        """Tell the clock inside a write transaction, which keeps the anchor and removes dead intents."""
        anchor, _ = anchor_of(session)
        telling = self._tell(anchor)
        self._step("anchor read")
        if telling.anchor != anchor:
            self._keep(session, telling.anchor)
        session.execute(SQL["intents_expire"], (telling.second,))
        return telling.second

    def _tell(self, anchor: Anchor) -> Telling:
        moment = self._host.moment()
        telling = tell(anchor, moment)
        if telling.anchor == anchor or not self._ahead(anchor, moment):
            return telling
        return held(anchor, moment, self._host.uptime())

    # -- jumps ---------------------------------------------------------------------------------------------------

    def _ahead(self, anchor: Anchor, moment: Moment) -> float:
        """Return by how many seconds a clock is ahead that is not believed; 0 when it is."""
        ahead = unexplained(anchor, moment, self._host.uptime())
        return ahead if ahead > self._max_jump else 0.0

    def check(self, session: Session) -> None:
        """Raise ClockAhead when the clock has jumped ahead and is not believed."""
        anchor, moment = anchor_of(session)[0], self._host.moment()
        if ahead := self._ahead(anchor, moment):
            told = _FALSE if is_false(anchor, moment, self._host.uptime()) else _AHEAD
            raise ClockAhead(told.format(ahead / _DAY))

    def believe(self) -> None:
        """Believe the wall clock, however far ahead it is. Raise ClockAhead when the host has another one."""
        with self._file.writing() as session:
            anchor, moment = anchor_of(session)[0], self._host.moment()
            if is_false(anchor, moment, self._host.uptime()):
                self.check(session)
            self._keep(session, lifted(anchor, moment, anchor.ceiling))


def anchor_of(session: Session) -> tuple[Anchor, int | None]:
    """Return the anchor that the store keeps, and when the first of its intents expires."""
    row = session.one(SQL["clock"])
    assert row is not None, "the store's making wrote the anchor"
    return Anchor(*row[:4]), row[4]
