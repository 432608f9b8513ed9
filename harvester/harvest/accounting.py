"""The account of a run: its received records, their outcomes, and the proof that no record of its lists is missing.

The proof has the announced and the received records, and with what they were compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from gateway.core.errors import unforeseen
from gateway.core.model import Cursor, RunOutcome, Selection, SetDescription
from gateway.core.states import BEFORE, COMPARED, has_no_title, names_compared, of_lacks, of_unused
from gateway.publish.publish import local_set
from gateway.publish.unused import keep_unused
from harvester.harvest.admission import doubts_of_empty_set
from harvester.harvest.instance import Instance
from harvester.harvest.list_progress import Unlisted, report_waiting
from harvester.harvest.publishing.publication import OUTCOMES_OF_RECORDS, Publication, gone_back_in_words
from harvester.harvest.run_lifecycle import ANNOUNCED, Conclusion, RunOptions, SourceRun, lists_of
from harvester.harvest.sources_toml import SourceEntry
from harvester.harvest.windows import label_of
from harvester.sources import UNFETCHED, Compared, Step

_IN_ORDER = tuple(Compared)  # the least first
# The verbs of pages with separate documents: resources of ResourceSync, files, documents of Solr.
_BY_THEMSELVES = frozenset(("Resource", "file", "select"))
MOST_NAMED = 10  # unusable documents among the reasons of a run; `harvester quarantine` lists all


@dataclass(slots=True)
class Proof:
    """The proof of the lists of a run that have ended.

    `compared` is the weakest comparison of any list. `announced` is the sum of their announced sizes; a list without
    one counts with its received records. If no list has one, there is no number.
    """

    compared: Compared | None = None
    announced: int = 0
    is_announced: bool = False
    names: int = 0  # records that were seen to be named
    received: int = 0
    before: int = 0  # records that earlier runs of these lists received

    def end(self, step: Step, received: int) -> None:
        """Take the last step of a list or a window; `received` is the number of its records in this run."""
        if step.compared is not None and not step.cursor.window:
            self.compared = min(
                (comparison for comparison in (self.compared, step.compared) if comparison), key=_IN_ORDER.index
            )
        earlier = max(0, step.received - received)
        self.received += received
        self.before += earlier
        self.names = min(self.names + step.names, self.received + self.before)
        announced = [size for size in step.announced if size is not None]
        self.is_announced = self.is_announced or bool(announced)
        self.announced += max(0, max(announced) - earlier) if announced else received

    @property
    def counts(self) -> dict[str, int]:
        """The counts for the run."""
        announced = {ANNOUNCED: self.announced} if self.is_announced else {}
        before = {BEFORE: self.before} if self.before else {}
        return announced | before | ({f"{COMPARED}{self.compared}": self.names} if self.compared else {})


def proved(source: str, counts: Mapping[str, int], proof: Proof, *, is_complete: bool) -> str:
    """Return the last sentences of a run: whether anything is missing, and the proof. They claim what was compared."""
    compared = f" {_compared(source, proof)}" if is_complete and proof.compared else ""
    return f"{_missing(counts, proof, is_complete=is_complete)}.{compared}"


def _missing(counts: Mapping[str, int], proof: Proof, *, is_complete: bool) -> str:
    if counts.get("missing"):
        return "What could not be fetched is missing"
    if counts.get("waiting"):
        return "Records whose deletions wait are still published"
    if counts.get("unlisted"):
        return "It is not shown that the stored records still exist"
    if not is_complete:
        return "It is not shown that nothing is missing"
    left_out = counts.get("left_out", 0)
    if left_out and not counts.get("received"):
        return f"It lists no metadata: {left_out} resources were left out, because no readable metadata describes them"
    what = "No record is missing" if counts.get("damaged_pages") else "Nothing is missing"
    if proof.compared in (Compared.NOTHING, Compared.PART, Compared.NAMES):
        what = "No gap was found"
    but = " but what is in quarantine" if counts.get("quarantined") else ""
    since = " since the last harvest, by its dates" if proof.compared is Compared.CHANGES else ""
    without = f"; {left_out} resources that no readable metadata describes were left out" if left_out else ""
    names = ""
    if proof.compared is Compared.PART:
        names = f"; {names_compared(proof.names, proof.received + proof.before)}"
    return f"{what}{but}{since}{without}{names}"


def _compared(source: str, proof: Proof) -> str:
    """Return with what the records were compared."""
    sweep = f"`harvester source sweep {source}` compares all"
    if proof.compared in (Compared.NAMES, Compared.WHOLE):
        but = "; no number and no date shows that these are all" if proof.compared is Compared.NAMES else ""
        return f"The records were compared with all that ListIdentifiers names{but}."
    if proof.compared is Compared.CHANGES:
        return f"The records were compared with what ListIdentifiers names of the dates asked for; {sweep}."
    if proof.compared is Compared.PART:
        counts = f"{proof.announced} records were announced" if proof.is_announced else "No number was announced"
        return f"{counts}; {sweep}."
    if proof.is_announced:
        return "The records were compared with the counts alone, because ListIdentifiers gives no names."
    return "Only the ends of its lists say so: it announces no counts, and ListIdentifiers gives no names."


def count_step(counts: Counter[str], step: Step) -> None:
    """Add one step to the counts of a run."""
    counts["pages"] += 1
    counts["received"] += len(step.slices)
    counts["deleted"] += sum(record.is_deleted for record in step.slices)
    counts["repaired_pages"] += bool(step.page.repairs)
    counts["damaged_pages"] += bool(step.losses)
    counts["unusable"] += sum(bool(record.problem) for record in step.slices)
    if step.left_out:
        counts["left_out"] += step.left_out


def count_published(run: SourceRun, publication: Publication) -> None:
    """Set the outcomes of the received records among the counts of a run."""
    run.log.counts.update({name: publication.counts[name] for name in OUTCOMES_OF_RECORDS})


def report_quarantined(run: SourceRun, number: int) -> None:
    """Note how many records of a run are in quarantine, if any."""
    if number > 0:
        reason = f"Records in quarantine: {number}; `harvester quarantine {run.log.source}` shows why."
        run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, reason)


@dataclass(slots=True)
class Accounting:
    """The account of one harvest in progress."""

    run: SourceRun
    instance: Instance
    entry: SourceEntry
    run_options: RunOptions
    sets: Callable[[], tuple[SetDescription, ...]] = tuple  # asks for the sets of the source; none: they are not known
    lists_left: int = 0  # lists and parts of lists that are not shown to be complete
    is_finished: bool = False  # each list was harvested or noted as failed, and its records are published
    unusable: dict[str, str] = field(default_factory=dict)  # the reasons of some unusable documents, by identifier
    proof: Proof = field(default_factory=Proof)

    def step(self, step: Step, page: int) -> None:
        """Count a step that was received as page number `page`, and note faults of the source in it."""
        log, label = self.run.log, label_of(step.cursor)
        count_step(log.counts, step)
        if step.is_last and step.cursor.window:
            self.proof.end(step, step.received)
        for note in step.notes:
            log.note(f"{label}, page {page}: {note}", aloud=False)
        self._name_unusable(step, label)
        for repair in step.page.repairs:
            log.note(f"{label}, page {page} was repaired: {repair}", aloud=False)
        if step.losses:
            self.run.outcomes.append(RunOutcome.SUCCEEDED_WITH_ERRORS)
            log.add_warnings(f"{label}, page {page}: {loss}" for loss in step.losses)

    def _name_unusable(self, step: Step, label: str) -> None:
        """Note unusable single documents: each requested record, and some documents."""
        unusable = [(record.identifier, record.problem) for record in step.slices if record.problem]
        if step.page.verb == "GetRecord":
            self.run.log.add_warnings(f"{label}: {identifier}: {problem}" for identifier, problem in unusable)
        elif step.page.verb in _BY_THEMSELVES:
            for identifier, problem in unusable[: MOST_NAMED - len(self.unusable)]:
                self.unusable.setdefault(identifier, problem if identifier in problem else f"{identifier}: {problem}")

    def lose_window(self, outcome: RunOutcome, reason: str) -> None:
        """Note that a window of a list failed."""
        self.lists_left += 1
        self.run.fail(outcome, reason)

    def end_list(self, step: Step, *, in_list: int, in_windows: int) -> None:
        """Note the end of a list by its last step. `in_list` and `in_windows` are the records received in this run."""
        self.proof.end(step, in_list)
        label = label_of(step.cursor)
        announced = "" if step.announced[1] is None else f" of {step.announced[1]} announced"
        self.run.log.note(f"{label}: the list ended ({step.end}) with {step.received} records{announced}.")
        doubts = step.doubts or (() if step.is_complete else (f"the list ended with {step.end}.",))
        if not in_list + in_windows and (doubts_of_set := self._doubts_of_set(step.cursor)):
            doubts = (*doubts, *doubts_of_set)
            if not self.run_options.has_window:
                self.instance.inbox.put_cursor(replace(step.cursor, state=""))  # a later set is harvested whole
        if not doubts:
            self.lists_left -= 1
            return
        self.run.log.add_warnings(f"{label}: {doubt}" for doubt in doubts)
        self.run.outcomes.append(RunOutcome.SUCCEEDED_WITH_ERRORS)

    def _doubts_of_set(self, cursor: Cursor) -> tuple[str, ...]:
        """Return why a set may not exist. A set of which records are stored exists."""
        with self.instance.store.view() as view:
            is_held = view.count(Selection("oai_dc", local_set(cursor.source, cursor.set_spec)))
        return () if is_held else doubts_of_empty_set(cursor.set_spec, self.sets())

    def close(self, publication: Publication) -> None:
        """Check that each received record has an outcome.

        Raise PageLost when the inbox lacks the page of a missing record.
        """
        count_published(self.run, publication)
        log, published = self.run.log, publication.counts
        if published["older_versions"]:
            log.note(f"Versions that are older than others in the same list, left out: {published['older_versions']}.")
        if published["gone_back"]:
            log.add_warnings((gone_back_in_words(publication),))
        if self.run.stop.is_asked:
            return  # the next run publishes the rest
        missing = log.counts["received"] - sum(published[name] for name in OUTCOMES_OF_RECORDS)
        if missing:
            self.run.fail(RunOutcome.FAILED, f"It is not known what became of {missing} received records.")
            self.lists_left += 1
        report_quarantined(self.run, published["quarantined"])
        self._report_lacks()
        self._report_missing()

    def _report_lacks(self) -> None:
        """Report what the records of the source lack; without any title, its format is probably not understood."""
        store, name = self.instance.store, self.entry.name
        lacks, counts = store.lack_counts((name,)).get(name, ()), store.counts(name)
        try:
            keep_unused(store, self.instance.inbox, name)
        except Exception as error:  # noqa: BLE001 - such as a damaged page, which must not end this harvest
            self.run.log.note(f"What no reader uses is not known. {unforeseen(error)}")
        for sentence in (*of_lacks(lacks), *of_unused(store.unused((name,)).get(name, ()))):
            self.run.log.note(sentence)
        if has_no_title(lacks, counts["items"] - counts["deleted"]):
            reason = "No item has a title. The format is probably not understood; name another one with --format."
            self.run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, reason)

    def _report_missing(self) -> None:
        """Report the number of records of these lists that could not be fetched in any run."""
        lists, name = frozenset(lists_of(self.entry, self.run_options)), self.entry.name
        missing = sum(
            (cursor.metadata_prefix, cursor.set_spec) in lists for cursor, _ in unfetched(self.instance, name)
        )
        if missing:
            self.run.log.counts["missing"] = missing
            self.lists_left += 1
            reason = f"Records that could not be fetched: {missing}; `harvester run {name} --retry-failed` asks again."
            self.run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, reason)

    def report_unlisted(self, records: Unlisted) -> None:
        """Report stored records that a full harvest did not list, if they are many."""
        if records.are_many(self.instance.settings.share("sweep_most_share")):
            self.run.log.counts["unlisted"] += records.unlisted
            self.lists_left += 1
            self.run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, records.reason(self.entry.name))

    def conclude(self) -> Conclusion:
        """Return whether the run is complete, and a sentence with the proof."""
        report_waiting(self.instance, self.run)
        self.run.log.add_warnings(self.unusable.values())
        counts = self.run.log.counts
        counts.update(self.proof.counts)
        is_complete = self.is_finished and self.lists_left == 0 and not counts["waiting"]
        return Conclusion(is_complete, proved(self.entry.name, counts, self.proof, is_complete=is_complete))


# --- The missing records of a source: those in quarantine because they could not be fetched --------------------------


def unfetched(instance: Instance, source: str) -> Iterator[tuple[Cursor, str]]:
    """Return the identifiers of missing records, oldest first, each with its list.

    Raise PageLost when the inbox lacks a page.
    """

    @lru_cache(maxsize=1)  # hundreds of them may lie on one page
    def cursor(page: int, metadata_prefix: str) -> Cursor:
        return instance.inbox.cursor(source, metadata_prefix, instance.inbox.page(page).page.set_spec)

    for bad in instance.store.quarantined(source):
        if bad.reason.startswith(UNFETCHED):
            yield cursor(bad.page, bad.metadata_prefix), bad.identifier
