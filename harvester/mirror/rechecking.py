"""A recheck: the files that are held are asked for again, so that one that was replaced in place is noticed.

    objects of which something is due -> conditional requests, sometimes whole ones -> a version where bytes changed

What a server answers is compared with what is held: 304, or the same bytes, leave everything as it is. Other bytes that
nothing contradicts are the next version. Where the document contradicts them, or nothing comes, the record is asked for
once more, for it may have changed without a new datestamp. If that settles nothing, the file is reported, and what is
held stays: as the present state where it has the digest that the document states, else as an earlier one. A server that
cannot be reached now says nothing of its files: they are due again.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from gateway.errors import AnswerError, FetchError, GatewayError, RemoteError, StoreDamaged, TryLater
from gateway.model import Cursor
from gateway.xmltext import parse_utc_datetime, utc_datetime
from harvester.mirror.answers import Answers
from harvester.mirror.catalogue import entries
from harvester.mirror.collected import Collected
from harvester.mirror.collecting import collect
from harvester.mirror.keeping import Keeping
from harvester.mirror.lanes import Job
from harvester.mirror.mirroring import Mirroring, Result
from harvester.mirror.planning import Want, has_digests
from harvester.mirror.receipt import Change
from harvester.mirror.rechecked import Rechecked, Unasked, differs, is_checkable
from harvester.mirror.rechecks import Check, Known, Round, Selection, first_due
from harvester.mirror.reconsidering import as_it_was
from harvester.mirror.running import received_from
from harvester.mirror.sent import Sent, with_newer
from harvester.mirror.verifying import Fate
from harvester.stopping import StopAsked
from harvester.wire.urls import host_of

_BATCH = 100  # objects that are rechecked together
_NEVER = 1 << 62  # when nothing is due
_MOST_FAILURES = 3  # of the provider in a row; then it is asked for no further record in this run
# What says nothing of the file: its server cannot be asked now.
_PASSING = frozenset((Fate.UNREACHABLE, Fate.TRY_LATER, Fate.DISALLOWED))
_SAME = frozenset((Fate.FETCHED, Fate.KEPT))


@dataclass(slots=True)
class Rechecking(Mirroring):
    """A run that asks again for what is held: what is due by a period, or all. In some rounds it asks for it whole."""

    every: int = field(kw_only=True)  # 0: nobody has said how often
    is_all: bool = field(kw_only=True)
    whole_every: int = field(kw_only=True)
    round: Round | None = field(default=None, init=False)  # when all is asked for
    unchecked: Unasked = field(default_factory=Unasked, init=False)  # files that could not be asked for
    unlearned: Unasked = field(default_factory=Unasked, init=False)  # objects whose records could not be asked for
    failures: int = field(default=0, init=False)  # of the provider, one after the other, asked for single records
    answered: set[tuple[str, str]] = field(default_factory=set, init=False)  # files, by object and path

    def rechecked(self) -> None:
        """Recheck whatever is due."""
        with self.noted():
            self.rechecks.take(entries(self.place.catalogue.file))
            if self.is_all:
                self.round = self.rechecks.begun(self.now())
            if self.round and self.round.is_resumed:
                self.progress.say(f"The recheck that began at {utc_datetime(self.round.begun_at)} goes on.")
            self._recheck_each(
                self.rechecks.not_in(self.round) if self.round else self.rechecks.due(self.now(), self.every)
            )
            if self.round and not self.stop.is_asked:
                self.rechecks.end(self.round)
            self._tell_known()
            self.withdraw()
            if not self.stop.is_asked:
                self.receipt.doubts.extend(self.unchecked.sentences("Files"))
                self.receipt.doubts.extend(self.unlearned.sentences("Records of changed files"))
                self._say_when()

    def _say_when(self) -> None:
        """Tell when something is due next: a run that had nothing to do says nothing of the files."""
        at = self.rechecks.next_at(self.every) if self.every else None
        if at is not None and at < _NEVER:
            moment = utc_datetime(max(at, self.now()))
            self.place.notes.append(f"Each file is due every {self.place.recheck_every}; the next one at {moment}.")

    def _recheck_each(self, identifiers: Selection) -> None:
        count = len(identifiers)
        batch: list[Rechecked] = []
        for number, identifier in enumerate(identifiers):
            if self.stop.is_asked:
                break
            self.progress.show("rechecked", number, count)
            found = self._object(identifier)
            batch += [] if found is None else [found]
            if len(batch) == _BATCH:
                self._recheck(batch)
                batch = []
        self._recheck(batch)
        if not self.stop.is_asked:
            self.progress.show("rechecked", count, count)

    # -- what is due --

    def _object(self, identifier: str) -> Rechecked | None:
        """Return an object of which something is due; remember when something is, where nothing is now."""
        keeping = self.sound(identifier, partial(self.held_again, identifier))
        if keeping is not None and keeping.harmed:
            keeping = self._mended(keeping)
        if keeping is None:
            return None
        checks = self.rechecks.of(identifier, keeping.wants)
        due = tuple(each for each in keeping.wants if is_checkable(each) and self._is_due(identifier, each, checks))
        found = Rechecked(keeping, checks, due)
        if not due:
            self._note(found)
            return None
        return found

    def _mended(self, keeping: Keeping) -> Keeping | None:
        """Fetch again what an audit found harmed of an object; return it when that has come."""
        identifier = keeping.now.identifier
        self._collect([keeping])
        again = self.sound(identifier, partial(self.held_again, identifier))
        return None if again is None or again.harmed else again

    def _is_due(self, identifier: str, want: Want, checks: dict[str, Check]) -> bool:
        now = self.now()
        if self.round is not None:
            check = checks.get(want.path)
            return not (self.round.is_resumed and check and self.round.begun_at < check.at <= now)
        at = self._due_at(identifier, want, checks)
        return at <= now or at > now + self.every

    def _due_at(self, identifier: str, want: Want, checks: dict[str, Check]) -> int:
        """Return when a file is due; of one that could not be asked for, the last time counts."""
        if want.path in checks:
            return checks[want.path].at + self.every
        assert want.before is not None
        received_at = parse_utc_datetime(want.before.received_at)[0] if want.before.received_at else 0
        return first_due(identifier, want.path, received_at, self.every)

    def _note(self, found: Rechecked) -> None:
        """Remember the checks of an object."""
        wants = [each for each in found.keeping.wants if is_checkable(each)]
        due_at = min((self._due_at(found.identifier, each, found.checks) for each in wants), default=_NEVER)
        number = self.round.number if self.round and found.is_done else 0
        known = Known(self.every, due_at, number)
        self.rechecks.note(found.identifier, found.keeping.inventory.head, found.checks, known)

    # -- asking --

    def _recheck(self, batch: list[Rechecked]) -> None:
        objects = {each.identifier: each for each in batch}
        jobs = [self._asked(found, want) for found in batch for want in found.due]
        with suppress(StopAsked):  # what came before is settled
            for keeping, collected in self.lanes.results(jobs):
                found = objects[keeping.now.identifier]
                self._take(found, collected)
                if found.is_clear:  # killed later, it need not come again
                    self._finish(objects.pop(found.identifier))
                    self.rechecks.commit()
        left = list(objects.values())
        self._compare(left)
        for each in left:
            self._finish(each)
        self.rechecks.commit()

    def _compare(self, batch: list[Rechecked]) -> None:
        """Doubt short answers that came from many addresses of a host; the second time, also the first of them."""
        with Answers(self.place.doubtful.folder) as answers:
            for found in (*batch, *batch):
                for each in list(found.keeping.results.values()):
                    found.keeping.note(self.compared(found.keeping, each, answers))

    def _finish(self, found: Rechecked) -> None:
        """Settle an object, and remember it."""
        self._settle_what_came(found)
        for refused in found.refused.values():
            refused.file.unlink(missing_ok=True)
        self._note(found)

    def _settle_what_came(self, found: Rechecked) -> None:
        """Settle an object; when somebody asked to stop, what is good of it."""
        found.is_done = not (self.stop.is_asked and len(found.answered) < len(found.due))
        if self.stop.is_asked and not all(each.file.is_good for each in found.keeping.results.values()):
            found.undo()
            return
        try:
            self._settle(found)
        except StopAsked:
            found.undo()
            return
        before = found.keeping.before
        is_whole = before is not None and before.is_whole  # else a part of what is missing may wait there
        if is_whole and len(found.answered) == len(found.due):
            self.place.root.discard(found.identifier)

    def _asked(self, found: Rechecked, want: Want) -> Job[Result]:
        check = found.checks.get(want.path)
        round_now = check.rounds + 1 if check else 1
        is_whole = self.whole_every > 0 and round_now % self.whole_every == 0
        wanted = want.rechecked(check.sent if check else want.arrived)
        wanted = wanted.whole if is_whole else wanted
        aside, keeping = found.keeping.aside(want), found.keeping
        url = next(iter(want.component.addresses), "")
        return Job(host_of(url), lambda fetch: (keeping, collect(wanted, aside, fetch, self.limits)))

    # -- what it comes to --

    def _take(self, found: Rechecked, collected: Collected) -> None:
        """Take what became of one file that is held."""
        want = found.wanted[collected.want.path]
        held, now = want.before, collected.file
        assert held is not None
        if now.fate in _PASSING or collected.is_unasked:
            self.unchecked.add(f"{found.identifier} {want.path}", now.reason)
            return
        found.answered.add(want.path)
        self.answered.add((found.identifier, want.path))
        found.has_come = found.has_come or collected.incoming is not None
        is_same = now.fate in _SAME and now.sha512 == held.sha512
        sent = collected.sent
        suspect = collected.suspect
        if suspect is not None and held.accepted_at and suspect.file.sha512 == held.sha512:
            is_same, sent = True, (Sent(suspect.file.url, suspect.file.entity_tag, suspect.file.last_modified),)
            suspect.incoming.file.unlink(missing_ok=True)
        if collected.refused is not None:
            found.refused[want.path] = collected.refused
        if is_same and collected.incoming is not None:
            collected.incoming.file.unlink(missing_ok=True)
            self.receipt.bytes_fetched += now.size or 0
        found.checks[want.path] = self._check(found, want, sent)
        if is_same and held.is_good:
            return
        if is_same:  # it was gone, or something else, for a while
            found.keeping.note(Collected(want, held._replace(fate=Fate.KEPT, reason="", is_stale=False, rule="")))
        else:
            found.keeping.note(replace(collected, want=want))

    def _check(self, found: Rechecked, want: Want, sent: Iterable[Sent]) -> Check:
        assert want.before is not None
        before = found.checks.get(want.path)
        rounds, known = (before.rounds + 1, before.sent) if before else (1, want.arrived)
        return Check(want.before.sha512, self.now(), rounds, with_newer(known, sent, want.component.addresses))

    def _settle(self, found: Rechecked) -> None:
        """Give an object its next version when anything of it is not as it was."""
        keeping = found.keeping
        self.receipt.files[Fate.KEPT] += len(found.answered - keeping.results.keys())
        if not keeping.results:
            self.receipt.objects[Change.UNCHANGED] += found.is_done
            return
        if any(not each.file.is_good for each in keeping.results.values()) and self._is_renewed(found):
            return
        self._keep_what_is_stated(keeping)
        for want in keeping.wants:
            if want.path not in keeping.results:
                keeping.note(as_it_was(want))
        keeping.with_accepted()
        if keeping.lay_aside(self.now()):
            self.tried.add(found.identifier)
        if any(differs(each) for each in keeping.results.values()):
            self.counted(*keeping.commit(self.now(), self.user))
            self._follow(found)
        else:
            self.counted(Change.UNCHANGED, keeping.holding)

    def _keep_what_is_stated(self, keeping: Keeping) -> None:
        """Keep files as they are that have the digest which their document states, whatever their servers send now."""
        for path, each in list(keeping.results.items()):
            want = each.want
            if each.file.is_good or want.before is None or not has_digests(want.component, want.before):
                continue
            keeping.note(as_it_was(want))
            self._doubt(keeping, path, each.file.reason)

    def _doubt(self, keeping: Keeping, path: str, reason: str) -> None:
        why = f"{reason} What is held has the digest that the document states."
        self.receipt.doubts.append(f"{keeping.now.identifier}, {path}: {why}")

    def _tell_known(self) -> None:
        """Report files that this run has not asked for, and that contradicted their document the last time."""
        for identifier in self.rechecks.refusing():
            if self.stop.is_asked:
                return
            keeping = self._made(identifier)
            if keeping is None:  # a deleted object, or a damaged one, which is reported where it is read
                continue
            checks = self.rechecks.of(identifier, keeping.wants)
            for want in keeping.wants:
                known = checks[want.path].sent if want.path in checks else ()
                sent = [each for each in known if each.is_about(each.url, want.component)]
                is_good = want.before is not None and want.before.is_good
                is_told = (identifier, want.path) in self.answered
                if is_good and not is_told and sent and all(each.fate is not Fate.KEPT for each in sent):
                    self._doubt(keeping, want.path, sent[0].reason)

    def _follow(self, found: Rechecked) -> None:
        """Remember the checks of a version that was made just now: its files are those that came."""
        for path, each in found.keeping.results.items():
            if each.file.path and path in found.answered:
                found.checks[path] = found.checks[path]._replace(sha512=each.file.sha512)

    def _is_renewed(self, found: Rechecked) -> bool:
        """Ask for the record itself, and bring the object to what it says now; tell whether it says anything new."""
        if self.failures >= _MOST_FAILURES:
            self.unlearned.add(found.identifier)
            return False
        cursor = Cursor("", self.place.order.metadata_prefix)
        assert self.kind.single is not None
        try:
            page, slices = self.kind.single(self.options, cursor, found.identifier, self.fetch)
        except RemoteError:  # it has answered
            self.failures = 0
            return False
        except (FetchError, AnswerError) as error:
            self.failures += _MOST_FAILURES if isinstance(error, TryLater) else 1
            self.unlearned.add(found.identifier, str(error))
            return False
        self.failures = 0
        living = [each for each in slices if not each.is_deleted and not each.problem]
        if not living:
            self.receipt.doubts.append(f"{found.identifier} is not there any more; `harvester mirror` tells of it.")
            return False
        before = found.keeping.before
        keeping = self.sound(found.identifier, lambda: self.object(received_from(page, living[0])))
        if keeping is None or before is None or keeping.now.document_sha256 == before.document_sha256:
            return False
        planned = (want._replace(refused=found.refused.get(want.path)) for want in keeping.wants)
        self._collect([replace(keeping, wants=tuple(planned))])
        found.keeping = self._made(found.identifier) or keeping
        for want in found.keeping.wants:
            self._renew(found, want)
        return True

    def _renew(self, found: Rechecked, want: Want) -> None:
        """Remember of a file that was asked for again because of its record what came of it."""
        check = found.checks.get(want.path)
        if check is None or want.before is None or check.is_of(want.before):
            return
        sent = with_newer((), want.arrived, want.component.addresses)
        found.checks[want.path] = check._replace(sha512=want.before.sha512, at=self.now(), sent=sent)

    def _made(self, identifier: str) -> Keeping | None:
        try:
            return self.held_again(identifier)
        except (GatewayError, StoreDamaged, OSError):
            return None
