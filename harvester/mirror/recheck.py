"""A recheck requests stored files again. So it finds files that were replaced while their record did not change.

    objects with due files -> requests, conditional (RFC 9110 §13) or not -> a version where bytes changed

Status 304, or the same bytes, change nothing. Other bytes that agree with the document become the next version. If they
contradict the document, or the file is gone, the record is requested, because it may have changed without a new
datestamp. If the record is the same, the file is reported, and the stored file stays. It is the present state if it has
the digest that the document states, else an earlier state. If a server cannot be reached, its files stay due.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from gateway.core.errors import AnswerError, FetchError, GatewayError, RemoteError, StoreDamaged, TryLater
from gateway.core.model import Cursor
from gateway.core.xmltext import parse_utc_datetime, utc_datetime
from harvester.http.messages import Fetch
from harvester.mirror.caches import Answers, Check, NextCheck, Round, Selection, first_due
from harvester.mirror.catalogue import entries
from harvester.mirror.file_plan import ContradictoryAnswer, LastAnswer, PlannedFile, has_digests, with_newer
from harvester.mirror.harvest_objects import MirrorRun, Result
from harvester.mirror.judge_again import SHORT, as_it_was
from harvester.mirror.judge_file import Collected
from harvester.mirror.object_versions import PendingVersion
from harvester.mirror.receipt import Change
from harvester.mirror.run import received_from
from harvester.mirror.verify import PASSING, Fate
from harvester.runtime.interrupts import StopAsked
from harvester.runtime.worker_pool import Job

_MOST_NAMES = 5
_BATCH = 100  # objects in one batch
_NEVER = 1 << 62  # a moment that never comes
_MOST_FAILURES = 3  # in a row; then this run requests no further record from the provider
_SAME = frozenset((Fate.FETCHED, Fate.KEPT))


@dataclass(slots=True)
class UncheckedFiles:
    """Files or records that could not be requested: their number, the first names, and the first reason."""

    count: int = 0
    names: list[str] = field(default_factory=list)
    reason: str = ""

    def add(self, name: str, reason: str = "") -> None:
        """Count one more."""
        self.count += 1
        self.reason = self.reason or reason
        if len(self.names) < _MOST_NAMES:
            self.names.append(name)

    def sentences(self, what: str) -> Iterator[str]:
        """Return a sentence with the number and the reason, if there are any."""
        if self.count:
            more = ", …" if self.count > len(self.names) else ""
            yield f"{what} that could not be requested: {self.count} ({', '.join(self.names)}{more}). {self.reason}"


@dataclass(slots=True)
class ObjectRecheck:
    """The recheck of one object: its last checks, its due files, and their answers."""

    pending: PendingVersion
    checks: dict[str, Check]
    due: tuple[PlannedFile, ...]
    answered: set[str] = field(default_factory=set)  # paths for which the server has answered
    # received bytes that contradict the document, by path
    refused: dict[str, ContradictoryAnswer] = field(default_factory=dict)
    wanted: dict[str, PlannedFile] = field(init=False)  # the due files, by path
    known: dict[str, Check] = field(init=False)  # the checks before this run
    has_come: bool = False  # bytes were received
    is_done: bool = True  # all due files were requested and settled

    def __post_init__(self) -> None:
        self.wanted = {planned.path: planned for planned in self.due}
        self.known = dict(self.checks)

    @property
    def identifier(self) -> str:
        """The identifier of the object."""
        return self.pending.now.identifier

    @property
    def is_clear(self) -> bool:
        """Return whether all due files were answered and are good, and no later answer can make them doubtful."""
        results = self.pending.results.values()
        is_good = all(result.file.is_good and not is_short(result) for result in results)
        return self.has_come and is_good and len(self.answered) == len(self.due)

    def undo(self) -> None:
        """Forget results that could not be settled: the files stay due."""
        for path in self.pending.results:
            self.checks.pop(path, None)
            if path in self.known:
                self.checks[path] = self.known[path]
        self.answered -= self.pending.results.keys()
        self.pending.results.clear()
        self.is_done = False


def is_short(collected: Collected) -> bool:
    """Return whether received bytes must be compared with the answers of other addresses."""
    return collected.incoming is not None and (collected.file.size or 0) <= SHORT


def is_checkable(planned: PlannedFile) -> bool:
    """Return whether a file is stored and has an HTTP address. Other runs request missing files."""
    return planned.component.content is None and bool(
        planned.before and planned.before.path and planned.component.addresses
    )


def differs(collected: Collected) -> bool:
    """Return whether a file, or its outcome, differs from the stored state."""
    before, now = collected.planned.before, collected.file
    if before is None or now.sha512 != before.sha512:
        return True
    return (now.is_good, now.is_stale) != (before.is_good, before.is_stale) or (
        not now.is_good and (now.fate, now.rule) != (before.fate, before.rule)
    )


@dataclass(slots=True)
class RecheckRun(MirrorRun):
    """A run that requests stored files again: those that are due, or all.

    `every` is the period in seconds. Each `whole_every`th request of a file is unconditional; 0: none is.
    """

    every: int = field(kw_only=True)  # seconds; 0: there is no period
    is_all: bool = field(kw_only=True)
    whole_every: int = field(kw_only=True)
    round: Round | None = field(default=None, init=False)  # set when all files are requested
    unchecked: UncheckedFiles = field(default_factory=UncheckedFiles, init=False)  # files that could not be requested
    # objects whose records could not be requested
    unlearned: UncheckedFiles = field(default_factory=UncheckedFiles, init=False)
    failures: int = field(default=0, init=False)  # failed requests for single records in a row
    answered: set[tuple[str, str]] = field(default_factory=set, init=False)  # files, by object and path

    def rechecked(self) -> None:
        """Recheck all due files, and write the receipt. Raise StoreUnwritable when the schedule cannot be written.

        Raise the errors of `recorded`.
        """
        with self.recorded():
            self.rechecks.take(entries(self.place.catalogue.file))
            if self.is_all:
                self.round = self.rechecks.begun(self.now())
            if self.round and self.round.is_resumed:
                self.progress.say(f"The recheck that began at {utc_datetime(self.round.begun_at)} is continued.")
            self._recheck_objects(
                self.rechecks.not_in(self.round) if self.round else self.rechecks.due(self.now(), self.every)
            )
            if self.round and not self.stop.is_asked:
                self.rechecks.end(self.round)
            self._report_known()
            self.withdraw()
            if not self.stop.is_asked:
                self.receipt.doubts.extend(self.unchecked.sentences("Files"))
                self.receipt.doubts.extend(self.unlearned.sentences("Records of changed files"))
                self._note_next_due()

    def _note_next_due(self) -> None:
        """Note when the next file is due."""
        at = self.rechecks.next_at(self.every) if self.every else None
        if at is not None and at < _NEVER:
            moment = utc_datetime(max(at, self.now()))
            self.place.notes.append(f"Each file is due every {self.place.recheck_every}; the next one at {moment}.")

    def _recheck_objects(self, identifiers: Selection) -> None:
        count = len(identifiers)
        batch: list[ObjectRecheck] = []
        for number, identifier in enumerate(identifiers):
            if self.stop.is_asked:
                break
            self.progress.show("rechecked", number, count)
            checked = self._object(identifier)
            batch += [] if checked is None else [checked]
            if len(batch) == _BATCH:
                self._recheck(batch)
                batch = []
        self._recheck(batch)
        if not self.stop.is_asked:
            self.progress.show("rechecked", count, count)

    # -- due files --

    def _object(self, identifier: str) -> ObjectRecheck | None:
        """Return an object with due files; else None, and the time when a file is due is stored."""
        pending = self.sound(identifier, partial(self.held_again, identifier))
        if pending is not None and pending.harmed:
            pending = self._mended(pending)
        if pending is None:
            return None
        checks = self.rechecks.of(identifier, pending.planned_files)
        due = tuple(
            planned
            for planned in pending.planned_files
            if is_checkable(planned) and self._is_due(identifier, planned, checks)
        )
        checked = ObjectRecheck(pending, checks, due)
        if not due:
            self._note(checked)
            return None
        return checked

    def _mended(self, pending: PendingVersion) -> PendingVersion | None:
        """Fetch the damaged files of an object again; return the object when it is repaired."""
        identifier = pending.now.identifier
        self._collect([pending])
        again = self.sound(identifier, partial(self.held_again, identifier))
        return None if again is None or again.harmed else again

    def _is_due(self, identifier: str, planned: PlannedFile, checks: dict[str, Check]) -> bool:
        now = self.now()
        if self.round is not None:
            check = checks.get(planned.path)
            return not (self.round.is_resumed and check and self.round.begun_at < check.at <= now)
        at = self._due_at(identifier, planned, checks)
        return at <= now or at > now + self.every

    def _due_at(self, identifier: str, planned: PlannedFile, checks: dict[str, Check]) -> int:
        """Return the second since 1970 at which a file is due. A file that could not be requested stays due."""
        if planned.path in checks:
            return checks[planned.path].at + self.every
        assert planned.before is not None
        received_at = parse_utc_datetime(planned.before.received_at)[0] if planned.before.received_at else 0
        return first_due(identifier, planned.path, received_at, self.every)

    def _note(self, checked: ObjectRecheck) -> None:
        """Store the checks of an object."""
        planned_files = [planned for planned in checked.pending.planned_files if is_checkable(planned)]
        due_at = min(
            (self._due_at(checked.identifier, planned, checked.checks) for planned in planned_files), default=_NEVER
        )
        number = self.round.number if self.round and checked.is_done else 0
        known = NextCheck(self.every, due_at, number)
        self.rechecks.note(checked.identifier, checked.pending.inventory.head, checked.checks, known)

    # -- requests --

    def _recheck(self, batch: list[ObjectRecheck]) -> None:
        objects = {checked.identifier: checked for checked in batch}
        for job in [self._asked(checked, planned) for checked in batch for planned in checked.due]:
            self.pool.add(job)
        with suppress(StopAsked):  # the earlier results are settled
            for _, (pending, collected) in self.pool.results():
                checked = objects[pending.now.identifier]
                self._take(checked, collected)
                if checked.is_clear:  # after a kill it is not requested again
                    self._finish(objects.pop(checked.identifier))
                    self.rechecks.commit()
        left = list(objects.values())
        self._compare(left)
        for identifier in left:
            self._finish(identifier)
        self.rechecks.commit()

    def _compare(self, batch: list[ObjectRecheck]) -> None:
        """Mark short answers of many addresses of a host as doubtful. The second pass finds the first of them."""
        with Answers(self.place.doubtful.folder) as answers:
            for checked in (*batch, *batch):
                for result in list(checked.pending.results.values()):
                    checked.pending.note(self.compared(checked.pending, result, answers))

    def _finish(self, checked: ObjectRecheck) -> None:
        """Settle an object, and store its checks."""
        self._settle_received(checked)
        for refused in checked.refused.values():
            refused.file.unlink(missing_ok=True)
        self._note(checked)

    def _settle_received(self, checked: ObjectRecheck) -> None:
        """Settle an object. When the run is stopped, it is settled only if all its received files are good."""
        checked.is_done = not (self.stop.is_asked and len(checked.answered) < len(checked.due))
        if self.stop.is_asked and not all(result.file.is_good for result in checked.pending.results.values()):
            checked.undo()
            return
        try:
            self._settle(checked)
        except StopAsked:
            checked.undo()
            return
        before = checked.pending.before
        is_whole = before is not None and before.is_whole  # else a part of a missing file may be there
        if is_whole and len(checked.answered) == len(checked.due):
            self.place.root.discard(checked.identifier)

    def _asked(self, checked: ObjectRecheck, planned: PlannedFile) -> Job[Fetch, Result]:
        check = checked.checks.get(planned.path)
        round_now = check.rounds + 1 if check else 1
        is_whole = self.whole_every > 0 and round_now % self.whole_every == 0
        wanted = planned.rechecked(check.sent if check else planned.arrived)
        wanted = wanted.whole if is_whole else wanted
        return self._job(checked.pending, wanted)

    # -- results --

    def _take(self, checked: ObjectRecheck, collected: Collected) -> None:
        """Take the outcome of one stored file."""
        planned = checked.wanted[collected.planned.path]
        held, now = planned.before, collected.file
        assert held is not None
        if now.fate in PASSING or collected.is_unasked:
            self.unchecked.add(f"{checked.identifier} {planned.path}", now.reason)
            return
        checked.answered.add(planned.path)
        self.answered.add((checked.identifier, planned.path))
        checked.has_come = checked.has_come or collected.incoming is not None
        is_same = now.fate in _SAME and now.sha512 == held.sha512
        sent = collected.sent
        suspect = collected.suspect
        if suspect is not None and held.accepted_at and suspect.file.sha512 == held.sha512:
            is_same, sent = True, (LastAnswer(suspect.file.url, suspect.file.entity_tag, suspect.file.last_modified),)
            suspect.incoming.file.unlink(missing_ok=True)
        if collected.refused is not None:
            checked.refused[planned.path] = collected.refused
        if is_same and collected.incoming is not None:
            collected.incoming.file.unlink(missing_ok=True)
            self.receipt.bytes_fetched += now.size or 0
        checked.checks[planned.path] = self._check(checked, planned, sent)
        if is_same and held.is_good:
            return
        if is_same:  # the server had lost or replaced it for a time
            checked.pending.note(Collected(planned, held._replace(fate=Fate.KEPT, reason="", is_stale=False, rule="")))
        else:
            checked.pending.note(replace(collected, planned=planned))

    def _check(self, checked: ObjectRecheck, planned: PlannedFile, sent: Iterable[LastAnswer]) -> Check:
        assert planned.before is not None
        before = checked.checks.get(planned.path)
        rounds, known = (before.rounds + 1, before.sent) if before else (1, planned.arrived)
        return Check(planned.before.sha512, self.now(), rounds, with_newer(known, sent, planned.component.addresses))

    def _settle(self, checked: ObjectRecheck) -> None:
        """Write the next version of an object when a file of it has changed."""
        pending = checked.pending
        self.receipt.files[Fate.KEPT] += len(checked.answered - pending.results.keys())
        if not pending.results:
            self.receipt.objects[Change.UNCHANGED] += checked.is_done
            return
        if any(not result.file.is_good for result in pending.results.values()) and self._is_renewed(checked):
            return
        self._keep_what_is_stated(pending)
        for planned in pending.planned_files:
            if planned.path not in pending.results:
                pending.note(as_it_was(planned))
        pending.with_accepted()
        if pending.lay_aside(self.now()):
            self.tried.add(checked.identifier)
        if any(differs(result) for result in pending.results.values()):
            self.counted(*pending.commit(self.now(), self.user))
            self._follow(checked)
        else:
            self.counted(Change.UNCHANGED, pending.holding)

    def _keep_what_is_stated(self, pending: PendingVersion) -> None:
        """Keep files with the stated digest unchanged, whatever their servers send now."""
        for path, result in list(pending.results.items()):
            planned = result.planned
            if result.file.is_good or planned.before is None or not has_digests(planned.component, planned.before):
                continue
            pending.note(as_it_was(planned))
            self._doubt(pending, path, result.file.reason)

    def _doubt(self, pending: PendingVersion, path: str, reason: str) -> None:
        why = f"{reason} The stored file has the digest that the document states."
        self.receipt.doubts.append(f"{pending.now.identifier}, {path}: {why}")

    def _report_known(self) -> None:
        """Report files that contradicted their document at the last check, and were not requested in this run."""
        for identifier in self.rechecks.refusing():
            if self.stop.is_asked:
                return
            pending = self._made(identifier)
            if pending is None:  # a deleted object, or a damaged one, which is reported where it is read
                continue
            checks = self.rechecks.of(identifier, pending.planned_files)
            for planned in pending.planned_files:
                known = checks[planned.path].sent if planned.path in checks else ()
                sent = [answer for answer in known if answer.is_about(answer.url, planned.component)]
                is_good = planned.before is not None and planned.before.is_good
                is_answered = (identifier, planned.path) in self.answered
                if is_good and not is_answered and sent and all(answer.fate is not Fate.KEPT for answer in sent):
                    self._doubt(pending, planned.path, sent[0].reason)

    def _follow(self, checked: ObjectRecheck) -> None:
        """Attach the checks to the new version of an object."""
        for path, result in checked.pending.results.items():
            if result.file.path and path in checked.answered:
                checked.checks[path] = checked.checks[path]._replace(sha512=result.file.sha512)

    def _is_renewed(self, checked: ObjectRecheck) -> bool:
        """Request the record of an object, and update the object. Return whether the record has changed."""
        if self.failures >= _MOST_FAILURES:
            self.unlearned.add(checked.identifier)
            return False
        cursor = Cursor("", self.place.order.metadata_prefix)
        assert self.kind.single is not None
        try:
            page, slices = self.kind.single(self.options, cursor, checked.identifier, self.fetch)
        except RemoteError:  # the provider has answered
            self.failures = 0
            return False
        except (FetchError, AnswerError) as error:
            self.failures += _MOST_FAILURES if isinstance(error, TryLater) else 1
            self.unlearned.add(checked.identifier, str(error))
            return False
        self.failures = 0
        living = [record for record in slices if not record.is_deleted and not record.problem]
        if not living:
            self.receipt.doubts.append(
                f"{checked.identifier} is no longer at the provider; `harvester mirror` reports it."
            )
            return False
        before = checked.pending.before
        pending = self.sound(checked.identifier, lambda: self.object(received_from(page, living[0])))
        if pending is None or before is None or pending.now.document_sha256 == before.document_sha256:
            return False
        planned_files = (
            planned._replace(refused=checked.refused.get(planned.path)) for planned in pending.planned_files
        )
        self._collect([replace(pending, planned_files=tuple(planned_files))])
        checked.pending = self._made(checked.identifier) or pending
        for planned in checked.pending.planned_files:
            self._renew(checked, planned)
        return True

    def _renew(self, checked: ObjectRecheck, planned: PlannedFile) -> None:
        """Store the check of a file that was requested again after its record changed."""
        check = checked.checks.get(planned.path)
        if check is None or planned.before is None or check.is_of(planned.before):
            return
        sent = with_newer((), planned.arrived, planned.component.addresses)
        checked.checks[planned.path] = check._replace(sha512=planned.before.sha512, at=self.now(), sent=sent)

    def _made(self, identifier: str) -> PendingVersion | None:
        try:
            return self.held_again(identifier)
        except (GatewayError, StoreDamaged, OSError):
            return None
