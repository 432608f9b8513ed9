"""The shared parts of the `harvester mirror` commands: the folder, the provider, and the report of a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, NoReturn, TypeVar

import click

from gateway.core.program import say, write_json
from gateway.core.settings import Settings, instance_folder, load
from gateway.core.xmltext import utc_datetime
from harvester.commands.options import FiniteRange, Given, access_options, access_table, allow_option, option, options
from harvester.commands.output import is_json
from harvester.harvest.access import fetcher, kind_of, with_address
from harvester.harvest.sources_toml import SourceEntry, entry_from
from harvester.http.messages import Fetch
from harvester.http.retrying import Pace
from harvester.mirror.caches import RecheckSchedule
from harvester.mirror.fetch_file import Limits
from harvester.mirror.file_hosts import FileHosts
from harvester.mirror.folder import MirrorFolder, Order
from harvester.mirror.harvest_objects import HeldInMirror, MirrorRun, Result
from harvester.mirror.instance_memory import InstanceMemory
from harvester.mirror.inventory import PROGRAM, User
from harvester.mirror.open_folder import check, opened
from harvester.mirror.provider_guard import Guard
from harvester.mirror.receipt import Receipt
from harvester.mirror.run import Run
from harvester.runtime.durable_files import reporting_unwritable
from harvester.runtime.interrupts import Stop, listening
from harvester.runtime.locks import lock
from harvester.runtime.progress import Progress, progress
from harvester.runtime.worker_pool import WorkerPool
from harvester.sources import Options
from harvester.sources.budget import Budget


class Session(NamedTuple):
    """One command at work on the folder of a mirror."""

    folder: Path
    settings: Settings
    stop: Stop
    shown: Progress

    def clock(self) -> float:
        """Return the time, in seconds since 1970."""
        return time.time()

    def opened(self, order: Order | None = None) -> MirrorFolder:
        """Return the mirror in the folder; `order` is what a new one mirrors.

        Raise ConfigurationError if the folder is another mirror, StoreDamaged if its objects are gone.
        """
        place = opened(self.folder, order)
        place.doubtful.most_bytes = self.settings.number("mirror_doubtful_max_bytes")
        place.evidence = InstanceMemory(self.settings.instance)
        return place

    @property
    def user(self) -> User:
        """The author of versions: that of the settings, else the repository if it has a name."""
        settings = self.settings
        name, email = (settings.text(name) for name in ("repository_name", "admin_email"))
        is_named = settings.origins["repository_name"] != "default"
        has_address = settings.origins["admin_email"] != "default"
        return User(
            settings.text("mirror_user_name") or (name if is_named else PROGRAM.name),
            settings.text("mirror_user_address") or (f"mailto:{email}" if has_address else PROGRAM.address),
        )

    def guard(self, place: MirrorFolder, *, lets_deletions_pass: bool = False, accepts_identity: bool = False) -> Guard:
        """Return the guard against many deletions and another repository."""
        return Guard(place, self.settings.share("sweep_most_share"), lets_deletions_pass, accepts_identity)


@contextmanager
def session(ctx: click.Context, folder: Path, *, may_begin: bool = False, has_lock: bool = True) -> Iterator[Session]:
    """Lock the folder of a mirror, let signals ask to stop, and show progress.

    Raise ConfigurationError if the folder is no mirror; where one `may_begin`, it is made. Raise SourceLocked if
    another command works on it. Without a lock (`has_lock`), the command must not write.
    """
    settings = load(instance_folder(ctx.find_root().obj))
    if may_begin:
        with reporting_unwritable(folder):
            folder.mkdir(parents=True, exist_ok=True)
    else:
        check(folder)
    locked = lock(folder, "mirror") if has_lock else nullcontext()
    with locked, listening(Stop()) as stop, progress() as shown:
        yield Session(folder, settings, stop, shown)


def receipt_of(place: MirrorFolder, command: str, *asked: str) -> Receipt:
    """Return the receipt of a run that begins now."""
    order = place.order
    started_at = utc_datetime(int(time.time()))
    return Receipt(command, order.base_url, order.metadata_prefix, started_at, order.sets, list(asked))


def report(ctx: click.Context, place: MirrorFolder, run: Run) -> NoReturn:
    """Write the notes and the receipt of a run, and exit with its status."""
    say_notes(place)
    say(run.receipt.line(place.command("--yes")))
    if is_json():
        write_json(run.receipt.as_data())
    ctx.exit(int(run.status))


def say_notes(place: MirrorFolder) -> None:
    """Write the notes of opening the mirror."""
    for note in place.notes:
        say(note)


@dataclass(frozen=True, slots=True)
class Remote:
    """The access to a provider: one fetcher for lists, and one per thread for files, with a common pace."""

    session: Session
    entry: SourceEntry
    pace: Pace

    def of(self, place: MirrorFolder) -> Remote:
        """Return the access to the provider of a mirror, with its first class of address."""
        entry = with_address(replace(self.entry, address=place.address))
        if entry.address and not place.address:
            place.address = entry.address
        return replace(self, entry=entry)

    def fetcher(self) -> AbstractContextManager[Fetch]:
        """Return a fetcher of its own, which has its own connections."""
        return fetcher(self.session.settings, self.entry, self.session.stop, self.pace)


def remote_of(session: Session, base_url: str, given: Given) -> Remote:
    """Return how the provider at a base URL is reached, by the options that were given."""
    table = {**access_table(base_url, given), "allow": list(given["allow"])}
    if given["delay_seconds"] is not None:
        table["delay_seconds"] = given["delay_seconds"]
    return Remote(session, entry_from("mirror", table), Pace())


# The options that say how the provider is reached; `remote_of` reads them.
remote_options = options(
    access_options,
    allow_option,
    option("--delay", "delay_seconds", "Seconds between requests to a host.", type=FiniteRange(min=0)),
)


_Run = TypeVar("_Run", bound=MirrorRun)


@contextmanager
def mirror_run(
    remote: Remote, place: MirrorFolder, command: str, guard: Guard, made: Callable[..., _Run]
) -> Iterator[_Run]:
    """Return the run of a command that asks the provider. Its connections and threads end with the block."""
    settings, stop = remote.session.settings, remote.session.stop
    threads, per_host = settings.number("mirror_threads"), settings.number("mirror_host_connections")
    hosts = FileHosts(stop.pause, obeys_robots=place.obeys_robots)
    most = settings.number("fetch_file_max_bytes")
    pool = WorkerPool[Fetch, Result](threads, stop, remote.fetcher, per_key=per_host)
    with pool, remote.fetcher() as fetch, RecheckSchedule(place.folder) as rechecks:
        yield made(
            place=place,
            kind=kind_of(remote.entry.kind),
            options=Options(
                "",
                place.order.base_url,
                settings.number("harvest_overlap_seconds"),
                holdings=HeldInMirror(place),
                announced_tolerance=settings.share("announced_tolerance"),
                budget=Budget(settings.number("fallback_most_requests"), settings.seconds("fallback_most_seconds")),
            ),
            fetch=fetch,
            pool=pool,
            limits=Limits(most, hosts, settings.number("mirror_whole_again_max_bytes")),
            receipt=receipt_of(place, command),
            progress=remote.session.shown,
            stop=stop,
            clock=remote.session.clock,
            user=remote.session.user,
            guard=guard,
            rechecks=rechecks,
        )
