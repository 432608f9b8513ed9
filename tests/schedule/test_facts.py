"""What is due is the same, whether the facts are read for all sources at once, or asked for each source as it is."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from time import time

from gateway.core.instance_folder import DISCOVERY, INBOX, STORE, SUBSCRIPTIONS
from gateway.core.model import Run, Subscription, SubscriptionState
from harvester.harvest.clock import is_past
from harvester.harvest.facts import RECENT_RUNS, Facts
from harvester.harvest.instance import opened
from harvester.schedule.stages import STAGES
from tests.opening import open_discovery, open_subscriptions
from tests.seeds import SEED

_SOURCES, _ROUNDS = 50, 20  # 1,000 histories
_DAY = 86_400
_OUTCOMES = ["succeeded", "succeeded_with_errors", "failed", "stopped", "try_later", "running"]
_OPTIONS = ["every", "sweep_every", "discover_every", "recheck_every"]


class AllRuns(Facts):
    """The facts of a source, with all the runs that count: the plain way."""

    def runs(self, source: str, stage: str) -> Sequence[Run]:
        runs = self.instance.inbox.runs(source, RECENT_RUNS, stage)
        return [run for run in runs if is_past(run)] if runs and is_past(runs[0]) else []


class History:
    """Fifty sources to which anything may happen, as rows of the databases and edits of sources.toml."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.dice = folder, Random(SEED)
        self.entries: dict[str, str] = {}
        self.number = 0

    def go_on(self) -> None:
        """Let something happen to some of the sources; the clock may have been wrong meanwhile."""
        for name in (f"s{number}" for number in range(_SOURCES)):
            if self.dice.random() < 0.5:
                self._happen(name)
        (self.folder / "sources.toml").write_text("\n".join(self.entries.values()))

    def _happen(self, name: str) -> None:
        happenings = (self._edit, self._run, self._receive, self._publish, self._announce)
        self.dice.choice((*happenings, self._search, self._recheck, self._offer))(name)

    def _edit(self, name: str) -> None:
        periods = {option: self.dice.choice(("", "1h", "1d", "4w")) for option in _OPTIONS}
        lines = [f'{option} = "{period}"' for option, period in periods.items() if period]
        lines += self.dice.sample(['hours = "21:00-05:00"', 'notify_inbox = "https://x.example.org/inbox"'], 1)
        self.entries[name] = "\n".join((f'[{name}]\nurl = "https://{name}.example.org/oai"', *lines, ""))
        if self.dice.random() < 0.1:  # somebody deletes it
            del self.entries[name]

    def _run(self, name: str) -> None:
        for _ in range(self.dice.choice((1, 1, 3, 30))):
            at, outcome = self._moment(), self.dice.choice(_OUTCOMES)
            stage = self.dice.choice((*(stage.name for stage in STAGES), "part"))
            ended = None if outcome == "running" else at + 60
            columns = "source, stage, started_at, ended_at, outcome, is_complete, counts, reasons"
            self._insert(INBOX, f"run ({columns})", name, stage, at, ended, outcome, 1, "{}", "[]")

    def _receive(self, name: str) -> None:
        self.number += 1
        columns = "id, source, verb, url, received_at, status, headers, metadata_prefix, set_spec, repairs"
        page = (self.number, name, "ListRecords", "", 1, 200, "[]", "oai_dc", "", "[]")
        slices = (self.dice.choice((0, 1)), b"", b"", b"")
        self._insert(INBOX, f"page ({columns}, slice_count, slices, body, repaired)", *page, *slices)

    def _publish(self, name: str) -> None:
        position, items = self.dice.choice((0, self.number - 1, self.number)), self.dice.choice((0, 7))
        facts = (name, "", "oai_pmh", 0, max(position, 0), items)
        self._insert(STORE, "source (name, base_url, kind, is_removed, position, items)", *facts)

    def _announce(self, name: str) -> None:
        state = self.dice.choice(("asked", "active", "denied", "ending", "ended"))
        notified_at = self.dice.choice((0, min(self._moment(), int(time()))))
        columns = "subscription (token, source, topic, hub, secret, state, asked_at, tries, lease_seconds, until, "
        facts = ("https://hub", "secret", state, self._moment(), self.dice.choice((0, 1, 5)), _DAY, self._moment())
        self.number += 1
        topic = self.dice.choice("ab")
        self._insert(
            SUBSCRIPTIONS, f"{columns}notified_at, reason)", f"t{self.number}", name, topic, *facts, notified_at, ""
        )

    def _search(self, name: str) -> None:
        changed, published = self.dice.choice(((0, 0), (2, 1), (2, 2)))
        search = (f"oai:g:{name}/{self.dice.choice('ab')}", name, "1", "due", 0, changed, published)
        self._insert(DISCOVERY, "search (identifier, source, upstream, state, due, changed, published)", *search)

    def _recheck(self, name: str) -> None:
        due = self.dice.choice((0, self._moment()))
        recheck = (
            f"oai:g:{name}/1",
            self.dice.choice("ab"),
            name,
            "host",
            "00",
            0,
            0,
            0,
            due,
            0,
            0,
            0,
            *("",) * 4,
            0,
            0,
            "",
        )
        self._insert(DISCOVERY, "look", *recheck)

    def _offer(self, name: str) -> None:
        columns = "identifier, sha256, way, source, outcome, at, tries, next_at, status, place, location, problem"
        offer = (f"oai:g:{name}/1", "00", "inbox", name, "retrying", 0, 1, self._moment(), 503, "", "", "")
        self._insert(DISCOVERY, f"offer ({columns})", *offer)

    def _moment(self) -> int:
        return int(time()) + self.dice.choice((-40 * _DAY, -_DAY, -3600, -60, 0, 3600, 400 * _DAY))

    def _insert(self, file: str, columns: str, *values: object) -> None:
        with closing(sqlite3.connect(self.folder / file)) as connection, connection:
            connection.execute("pragma synchronous = off")
            connection.execute(f"insert or replace into {columns} values ({', '.join('?' * len(values))})", values)


def test_a_snapshot_of_all_sources_says_what_is_due_as_each_source_does(instance: Path) -> None:
    history = History(instance)
    open_discovery(instance).close()
    with closing(open_subscriptions(instance)) as subscriptions:
        subscriptions.ask(Subscription("t", "s0", "a", "https://hub.example.org", "secret", SubscriptionState.ASKED, 0))
    due = set()
    with opened(str(instance)) as house:
        for _ in range(_ROUNDS):
            history.go_on()
            entries, now, of_all = house.sources.entries(), time() + history.dice.randrange(_DAY), Facts(house)
            for entry in entries.values():
                ways = (of_all, Facts(house, entry.name), AllRuns(house, entry.name))
                for stage in STAGES:
                    moments = [stage.due_at(facts, entry, now) for facts in ways]
                    assert len(set(moments)) == 1, (stage.name, entry, moments)
                    due.update({stage.name} if moments[0] is not None else set())
    assert due == {stage.name for stage in STAGES}
