"""`harvester status`: show the state of every source. It only reads."""

from collections import Counter
from collections.abc import Sequence
from time import time
from typing import Any

import click

from gateway.core.logs import plain
from gateway.core.model import Run, RunOutcome, Source, WindowOutcome
from gateway.core.states import ATTENTION, DIED, NEVER, State, compared, facts_of_lacks, of_source
from gateway.core.statuses import Status
from gateway.core.takedowns import UNSETTLED
from gateway.hub.subscribers import failing
from harvester.commands.file_output import counted, counts_of_rechecks, unseen_in_words
from harvester.commands.output import is_json, moment, with_json, write_rows
from harvester.fulltext import substance
from harvester.harvest.clock import seconds_ahead
from harvester.harvest.facts import Facts, alarms_of, problems, unlisted, without_entry, without_schedules
from harvester.harvest.instance import Instance, opened
from harvester.harvest.repository_identity import differences, in_words
from harvester.harvest.run_lifecycle import ANNOUNCED, LEFT
from harvester.harvest.sources_toml import SourceEntry
from harvester.offer.files import offers_now
from harvester.schedule.stages import STAGES


@click.command()
@with_json
def status(ctx: click.Context) -> None:
    """Show the state of every source. The status is 3 if one of them needs attention.

    It shows the stored records, records that wait for publication, and the outcome or progress of the last run. It also
    shows when `harvester tend` works on the source again.
    """
    with opened(ctx.obj, only_reads=True) as instance:
        entries, facts = instance.sources.entries(), StatusFacts(instance)
        rows = [_standing(facts, entry, time()) for entry in entries.values()]
        rows += [_abandoned(facts, source) for source in unlisted(instance, entries)]
        unseen = filter(None, (facts.unseen(name, int(time())) for name in entries))
        open_erasure = (UNSETTLED,) if instance.store.has_open_erasure() else ()
        scheduled = without_schedules(facts, entries.values())
        failing_hub = failing(instance.subscribers.all()) if instance.settings.is_on("hub") else ()
        problems_ = (*scheduled, *problems(instance, entries), *unseen, *failing_hub, *open_erasure)
    columns = "source items deleted fulltext quarantined waiting unpublished last_run state compared announced"
    write_rows(rows, f"{columns} windows offers files due progress")
    doubtful = {row["source"]: row["state"] for row in rows if row["state"]["shape"] in ATTENTION}
    if not is_json():
        for name, state in doubtful.items():
            click.echo(plain(f"{name}: {State(**state).words}"), err=True)
        for row in rows:
            for sentence in filter(None, (lack["sentence"] for lack in (*row["lacking"], *row["unused"]))):
                click.echo(plain(f"{row['source']}: {sentence}"), err=True)
        for problem in problems_:
            click.echo(plain(problem), err=True)
    ctx.exit(int(Status.WITH_ERRORS if doubtful else Status.SUCCEEDED))


class StatusFacts(Facts):
    """The facts about all sources that `status` shows beside those on which schedules depend."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        inbox, has_searched = instance.inbox, instance.has_searched
        runs = sorted(self.last_runs.values(), key=lambda run: run.number)
        self.newest = {run.source: [run] for run in runs}  # of whatever stage
        self.windows, self.clocks = inbox.window_counts(), inbox.source_clocks()
        self.identities = inbox.differing_identities()
        self.lacks = instance.store.lack_counts(self._standings)
        self.unused = instance.store.unused(self._standings)
        self.alarms = [alarm for alarm in alarms_of(instance) if alarm.is_open]
        self.with_offers = instance.discovery().accepted_sources() if has_searched else frozenset()

    def unseen(self, source: str, at: int) -> str:
        """Return a sentence if files of a source could not be looked at for too long; else an empty string."""
        return "" if source not in self.next_rechecks else unseen_in_words(self.instance, source, at)


def _abandoned(facts: StatusFacts, source: Source) -> dict[str, Any]:
    """Return the state of a source that has no entry in sources.toml: nothing is due for it."""
    standing = _standing(facts, SourceEntry(source.name, source.base_url, source.kind), time())
    return standing | {"due": {}, "problems": [without_entry(source)]}


def _standing(facts: StatusFacts, entry: SourceEntry, now: float) -> dict[str, Any]:
    name, instance = entry.name, facts.instance
    newest, harvest = facts.newest.get(name, []), facts.last_runs.get((name, "harvest"))
    is_running = any(run.outcome is RunOutcome.RUNNING and not instance.inbox.has_died(run) for run in newest)
    last = newest if is_running or harvest is None else [harvest]
    has_died = any(map(instance.inbox.has_died, last))
    source = Source(name, entry.url, entry.kind)
    windows, known = facts.windows.get(name, Counter()), facts.identities.get(name)
    return {
        "source": name,
        **facts.counts(name),
        **facts_of_lacks(facts.lacks.get(name, ()), facts.unused.get(name, ())),
        "unpublished": facts.has_unpublished_pages(name),
        "last_run": moment(last[0].started_at) if last else None,
        "outcome": DIED if has_died else last[0].outcome.value if last else NEVER,
        "state": of_source(source, last[0] if last else None, has_died=has_died).facts(),
        "is_complete": last[0].is_complete if last else False,
        "compared": compared(last[0]) if last else "",
        "announced": _announced(last),
        "windows": {outcome.value: windows[outcome] for outcome in WindowOutcome if windows[outcome]},
        "offers": counted(offers_now(instance, name, has_inbox=bool(entry.notify_inbox)))
        if name in facts.with_offers
        else {},
        "files": {} if name not in facts.next_rechecks else counts_of_rechecks(instance, name, int(now)),
        "due": {} if is_running else _due(facts, entry, now),
        "progress": _progress(newest[0], now, windows[WindowOutcome.WAITING])
        if is_running
        # The log has the counts of a run whose process has not died.
        else {
            count: run.counts[count] for run in last if has_died for count in ("received", LEFT) if count in run.counts
        },
        "identity": [difference._asdict() for difference in differences(known)] if known else [],
        "clock_ahead": seconds_ahead(facts.clocks.get(name)),
        "problems": [
            *without_schedules(facts, (entry,)),
            *filter(None, [in_words(name, known), facts.unseen(name, int(now))]),
            *(substance.sentence(alarm) for alarm in facts.alarms if alarm.source == name),
        ],
    }


def _announced(last: Sequence[Run]) -> dict[str, int]:
    """Return how many records the lists of the last run announced, and how many came; nothing if none was announced."""
    counts = last[0].counts if last else {}
    return {name: counts.get(name, 0) for name in (ANNOUNCED, "received")} if ANNOUNCED in counts else {}


def _due(facts: Facts, entry: SourceEntry, now: float) -> dict[str, object]:
    """Return when each scheduled stage is due."""
    moments = ((stage.name, stage.due_at(facts, entry, now)) for stage in STAGES)
    return {name: "now" if at <= now else moment(int(at)) for name, at in moments if at is not None}


def _progress(run: Run, now: float, windows: int) -> dict[str, object]:
    """Return the progress of a running run: its counts, its speed, and when it will end at this speed.

    `windows` is how many of a sliced harvest are still waiting.
    """
    seconds = max(now - run.started_at, 1.0)
    received, done, left = run.counts.get("received", 0), run.counts.get("windows_done", 0), run.counts.get(LEFT)
    known: dict[str, object] = {"received": received, "a_second": round(received / seconds, 1)}
    if windows:
        return {**known, "ends_at": moment(int(now + seconds / done * windows))} if done else known
    if left is None or not received:
        return known
    return {**known, "left": left, "ends_at": moment(int(now + seconds / received * left))}
