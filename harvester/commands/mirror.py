"""`harvester mirror`: complex objects and their files, kept in a folder as OCFL, in step with their provider."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial, reduce
from pathlib import Path
from typing import TypeVar

import click

from gateway.errors import ConfigurationError
from gateway.model import RunOutcome
from gateway.program import say
from gateway.settings import Settings, instance_folder, load
from gateway.xmltext import utc_datetime
from harvester.commands.options import Function, Given, access_options, access_table, date, schedule
from harvester.commands.output import json_option, write_json, write_rows
from harvester.kinds import fetcher, kind_of, with_address
from harvester.locks import lock
from harvester.mirror.auditing import compared, incomplete, listed
from harvester.mirror.collecting import Limits
from harvester.mirror.findings import MENDABLE, Finding, Found
from harvester.mirror.guarding import Guard
from harvester.mirror.held import HeldInMirror
from harvester.mirror.holding import Holding
from harvester.mirror.importing import Importing
from harvester.mirror.inventory import PROGRAM, User
from harvester.mirror.lanes import Lanes
from harvester.mirror.mirroring import Mirroring, Result
from harvester.mirror.ocfl import telling
from harvester.mirror.place import Order, Place, audited, check, opened
from harvester.mirror.receipt import Receipt
from harvester.mirror.rechecking import Rechecking
from harvester.mirror.rechecks import Rechecks
from harvester.mirror.reconsidering import Accepting
from harvester.mirror.robots import Robots
from harvester.mirror.soundness import held
from harvester.mirror.unpacking import Room, unpacked
from harvester.mirror.witness import Witness
from harvester.notifying.mirrors import notify_of_mirror
from harvester.outcomes import Status, noting, status_of, worst
from harvester.progress import Progress, progress
from harvester.sources import Options
from harvester.sources._budget import Budget
from harvester.sources_file import SourceEntry, checked_url, entry_from
from harvester.stopping import Stop, listening
from harvester.tending.due import NEVER, is_duration, seconds_of
from harvester.web import Pace
from harvester.wire.http import Fetch

_OF_THE_MEMORY = frozenset((Finding.ALTERED, Finding.INCOMPLETE))  # no other is, when an older copy has come back
_DIRECTORY = click.Path(path_type=Path, file_okay=False)


class _Mirror(click.Group):
    """A group that mirrors when its first argument is not one of its commands."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Let `run` be understood."""
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Mirror, subcommand_metavar="BASEURL DIR | COMMAND")
def mirror() -> None:
    """Keep complex objects (DIDL, METS) and their files in a folder, in step.

    `harvester mirror BASEURL DIR` brings DIR up to what the provider has: the first time everything, then what has
    changed. `harvester mirror run --help` shows its options. Needs no instance folder.
    """


@dataclass(frozen=True, slots=True)
class _Remote:
    """How a provider is reached: by one fetcher, and by one for each lane, all at one pace."""

    settings: Settings
    entry: SourceEntry
    stop: Stop
    pace: Pace

    def of(self, place: Place) -> _Remote:
        """Return how the provider of a mirror is reached: at the class of address that it had the first time."""
        entry = with_address(replace(self.entry, address=place.address))
        if entry.address and not place.address:
            place.address = entry.address
        return replace(self, entry=entry)

    @contextmanager
    def fetcher(self) -> Iterator[Fetch]:
        with fetcher(self.settings, self.entry, self.stop, self.pace) as fetch:
            yield fetch


def _remote(settings: Settings, stop: Stop, base_url: str, given: Given) -> _Remote:
    table = {**access_table(base_url, given), "allow": list(given["allow"])}
    if given["delay_seconds"] is not None:
        table["delay_seconds"] = given["delay_seconds"]
    return _Remote(settings, entry_from("mirror", table), stop, Pace())


_REMOTE = (
    click.option("--allow", multiple=True, metavar="HOST[:PORT]", help="A host, address or network it may lead to."),
    click.option("--delay", "delay_seconds", type=click.FloatRange(min=0), help="Seconds between requests to a host."),
)


def _remote_options(function: Function) -> Function:
    return access_options(reduce(lambda wrapped, option: option(wrapped), reversed(_REMOTE), function))


@mirror.command()
@click.argument("base_url", metavar="BASEURL")
@click.argument("folder", metavar="DIR", type=_DIRECTORY)
@click.option(
    "--format", "metadata_prefix", default="oai_didl", show_default=True, metavar="PREFIX", help="What to ask for."
)
@click.option("--set", "sets", multiple=True, metavar="SPEC", help="A setSpec; may be repeated.")
@click.option("--incremental/--full", default=True, help="Ask for what has changed since the last run; or everything.")
@click.option(
    "--robots/--no-robots",
    "obeys_robots",
    default=None,
    help="Whether robots.txt is obeyed for files; remembered, and yes unless told otherwise.",
)
@click.option("--retry-failed", is_flag=True, help="Only try again the files that are missing.")
@click.option("--yes", is_flag=True, help="Let deletions pass, also those that wait, and lists that are much shorter.")
@click.option("--accept-identity", is_flag=True, help="Go on though the provider says that it is another repository.")
@_remote_options
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    /,
    base_url: str,
    folder: Path,
    incremental: bool,
    retry_failed: bool,
    as_json: bool,
    **given: Given,
) -> None:
    """Bring DIR up to what the provider at BASEURL has.

    The objects lie in DIR/ocfl. The receipt is the last line on stderr, and a document in DIR/receipts. The exit status
    is 3 when something is missing. Interrupted, the same command goes on where it stopped.
    """
    settings = load(instance_folder(ctx.find_root().obj))
    if retry_failed:
        if not incremental:
            raise click.UsageError(
                "--full asks for every record, --retry-failed for none: only one of them can be given."
            )
        check(folder)
    with telling(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with lock(folder, "mirror"), listening(Stop()) as stop, progress() as shown:
        remote = _remote(settings, stop, base_url, given)
        place = _opened(folder, settings, Order(remote.entry.url, given["metadata_prefix"], given["sets"]))
        remote = remote.of(place)
        if given["obeys_robots"] is not None:
            place.obeys_robots = given["obeys_robots"]
        name = "mirror --retry-failed" if retry_failed else "mirror" if incremental else "mirror --full"
        place.ready(name)
        place.save()
        guard = Guard(place, settings.share("sweep_most_share"), given["yes"], given["accept_identity"])
        with _mirroring(remote, place, name, shown, guard, Mirroring) as work:
            if retry_failed:
                work.retried()
            else:
                work.whole(is_full=not incremental)
        notify_of_mirror(place, settings, is_whole=not retry_failed)
    _say_notes(place)
    say(work.receipt.line(place.command("--yes")))
    if as_json:
        write_json(work.receipt.as_data())
    ctx.exit(int(status_of(work.receipt.outcome)))


@mirror.command()
@click.argument("folder", metavar="DIR", type=_DIRECTORY)
@click.option("--offline", is_flag=True, help="Do not ask the provider what it has now.")
@click.option(
    "--expect", "expected", default="", metavar="SHA256", help="A digest of the catalogue that you have kept."
)
@click.option("--accept", is_flag=True, help="Make the catalogue anew from what is here, as it should be from now on.")
@_remote_options
@json_option
@click.pass_context
def audit(
    ctx: click.Context, /, folder: Path, offline: bool, expected: str, accept: bool, as_json: bool, **given: Given
) -> None:
    """Hash everything in DIR again, and compare it with its catalogue and with what its provider has now.

    A line for each thing that is not as it should be: corrupt, lost, strange, damaged, altered, unconfirmed,
    incomplete; missing, extra, stale. The exit status is 3 when there is one. No object is changed, and DIR may be on a
    disk that cannot be written; `harvester mirror --retry-failed` fetches again what is corrupt or lost.

    Every run ends with the SHA-256 of the catalogue. Kept elsewhere, and given with --expect, it proves that the
    catalogue is still that one, or one that has grown from it. An instance folder, where there is one, keeps that of
    each mirror in mirrors.json, which every run and audit reads. Without either, an older copy of the whole DIR is not
    recognised.
    """
    settings = load(instance_folder(ctx.find_root().obj))
    check(folder)
    is_writable = os.access(folder, os.W_OK)
    with lock(folder, "mirror") if is_writable else nullcontext(), listening(Stop()) as stop, progress() as shown:
        place = audited(folder, is_writable=is_writable)
        place.witness = Witness(settings.instance)
        remote = _remote(settings, stop, place.order.base_url, given).of(place)
        found, count = _hashed(place, stop, shown, expected, is_writable=is_writable)
        proof = _accept(place, found) if accept else ""
        differences, outcome, doubts = ([], RunOutcome.SUCCEEDED, []) if offline else _compared(place, remote, count)
        found += differences
    _say_notes(place)
    write_rows([each._asdict() for each in found], ("finding", "identifier", "reason"), as_json=as_json)
    told = ", ".join(f"{number} {name}" for name, number in Counter(str(each.finding) for each in found).items())
    good, in_doubt = "everything is as it should be", ""
    if doubts:
        good, in_doubt = "nothing wrong was found", f" In doubt: {' '.join(doubts)}"
    say(f"{len(count)} objects: {told or good}.{in_doubt}{proof}")
    ctx.exit(int(worst([status_of(outcome), Status.WITH_ERRORS if found or doubts else Status.SUCCEEDED])))


def _accept(place: Place, found: list[Found]) -> str:
    """Make the catalogue anew from what is here; a receipt tells what was found before. Return its proof.

    A catalogue that only differs from what the instance remembers goes on: other instances may remember it.
    """
    order = place.order
    place.notes.clear()
    findings = Counter(each.finding for each in found)
    if not place.is_as_remembered and findings[Finding.ALTERED] == 1 and not {*findings} - _OF_THE_MEMORY:
        place.take_catalogue()
    else:
        place.take_what_is_here()
    receipt = Receipt("audit --accept", order.base_url, order.metadata_prefix, _now(), order.sets, ended_at=_now())
    receipt.doubts = [f"Accepted: {each.finding} {each.identifier}: {each.reason}" for each in found]
    receipt.outcome = RunOutcome.SUCCEEDED_WITH_ERRORS if found else RunOutcome.SUCCEEDED
    place.keep(receipt)
    return receipt.proof


def _compared(place: Place, remote: _Remote, holdings: list[Holding]) -> tuple[list[Found], RunOutcome, list[str]]:
    """Return how the provider differs, how asking it ended, and why that may not be all: hashing was not in vain."""
    ended: list[tuple[RunOutcome, str]] = []
    with noting(lambda outcome, reason: ended.append((outcome, reason))), remote.fetcher() as fetch:
        now, doubts = listed(place, kind_of(remote.entry.kind), Options("", place.order.base_url), fetch)
        return list(compared(holdings, now, is_whole=not doubts)), RunOutcome.SUCCEEDED, doubts
    ((outcome, reason),) = ended
    return [], outcome, [reason]


def _hashed(
    place: Place, stop: Stop, shown: Progress, expected: str, *, is_writable: bool
) -> tuple[list[Found], list[Holding]]:
    """Return what is wrong with what is held, and what is known of each object without its files.

    What can be mended is remembered, if it can be.
    """
    found: list[Found] = []
    holdings: list[Holding] = []
    for each in held(place, stop, expected):
        if isinstance(each, Found):
            found.append(each)
            if each.finding in MENDABLE and is_writable:
                place.mark(each.identifier, is_whole=False)
            continue
        found += incomplete(each)
        if not each.is_whole and is_writable:
            place.mark(each.identifier, is_whole=False)
        holdings.append(replace(each, files=()))
        shown.show("hashed", len(holdings), None)
    return found, holdings


@mirror.command("import")
@click.argument("folder", metavar="DIR", type=_DIRECTORY)
@click.argument("source", metavar="FROM", type=click.Path(path_type=Path, exists=True))
@click.option("--provider", default="", metavar="BASEURL", help="Whose mirror DIR is to be, when it is none yet.")
@click.option("--format", "metadata_prefix", default="oai_didl", show_default=True, help="With --provider.")
@click.option("--set", "sets", multiple=True, metavar="SPEC", help="With --provider; may be repeated.")
@click.option("--date", "since", default="", callback=date, metavar="DATE", help="When the package was made.")
@click.option("--yes", is_flag=True, help="Let all deletions in the package pass.")
@json_option
@click.pass_context
def import_(ctx: click.Context, /, folder: Path, source: Path, provider: str, as_json: bool, **given: Given) -> None:
    """Take a delivered package as the baseline of DIR: a folder, tar or zip of OAI records and their files.

    A bag (BagIt) is verified first, and refused when it is not good. What the package lacks is told as missing, and
    `harvester mirror BASEURL DIR` goes on from its date. A package may not delete more of what is held than a run of
    the provider may: what is beyond waits for a person.
    """
    settings = load(instance_folder(ctx.find_root().obj))
    order = Order(checked_url(provider), given["metadata_prefix"], given["sets"]) if provider else None
    if order is None:
        check(folder)
    with telling(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with lock(folder, "mirror"), listening(Stop()) as stop, progress() as shown:
        place = _opened(folder, settings, order)
        ours = place.order
        receipt = Receipt("import", ours.base_url, ours.metadata_prefix, _now(), ours.sets, [str(source)])
        room = Room(
            settings.number("fetch_file_max_bytes"),
            settings.number("unpack_max_ratio"),
            settings.number("unpack_min_free_bytes"),
        )
        with unpacked(source, folder / "aside", room, ours.metadata_prefix) as package:
            guard = Guard(place, settings.share("sweep_most_share"), given["yes"])
            work = Importing(place, receipt, shown, stop, time.time, package, guard, user=_user(settings))
            work.whole(given["since"])
    _say_notes(place)
    say(receipt.line(place.command("--yes")))
    if as_json:
        write_json(receipt.as_data())
    ctx.exit(int(status_of(receipt.outcome)))


@mirror.command()
@click.argument("folder", metavar="DIR", type=_DIRECTORY)
@click.argument("url", metavar="URL")
@json_option
@click.pass_context
def accept(ctx: click.Context, /, folder: Path, url: str, as_json: bool) -> None:
    """Take what came from URL for good, although it is doubtful.

    The receipt of a run names what is doubtful, and why. URL may also be the identifier of an object, for all of its
    files. The same bytes are not doubted again when they come from there; of one answer that came from many addresses
    of a host, all are accepted at once.
    """
    settings = load(instance_folder(ctx.find_root().obj))
    check(folder)
    with lock(folder, "mirror"), listening(Stop()) as stop, progress() as shown:
        place = _opened(folder, settings)
        ours = place.order
        receipt = Receipt("accept", ours.base_url, ours.metadata_prefix, _now(), ours.sets, [url])
        work = Accepting(place, receipt, shown, stop, time.time, user=_user(settings))
        found = work.accepted(url)
    rows = [
        {"identifier": each.identifier, "url": each.file.url, "rule": each.rule, "is_held": each.is_kept}
        for each in found
    ]
    write_rows(rows, ("identifier", "url", "rule", "is_held"), as_json=as_json)
    left = sum(not each.is_kept for each in found)
    later = f" The bytes of {left} were not kept; the next run fetches them." if left else ""
    say(f"{len(found)} files are accepted.{later}{receipt.proof}")
    is_done = receipt.outcome is RunOutcome.SUCCEEDED_WITH_ERRORS  # something else of these objects is missing
    ctx.exit(int(Status.SUCCEEDED if is_done else status_of(receipt.outcome)))


@mirror.command()
@click.argument("folder", metavar="DIR", type=_DIRECTORY)
@click.option(
    "--every",
    default="",
    callback=schedule,
    metavar="TIME",
    help="How often each file is due, such as 30d; kept in mirror.json. `never` forgets it.",
)
@click.option("--all", "is_all", is_flag=True, help="Ask for every file now, whatever is due.")
@_remote_options
@json_option
@click.pass_context
def recheck(ctx: click.Context, /, folder: Path, every: str, is_all: bool, as_json: bool, **given: Given) -> None:
    """Ask again for the files that DIR holds, so that one that was replaced in place is noticed.

    With --every, now or in an earlier call, what is due is asked for; to be called daily, for example. Else all is. The
    requests are conditional; each `recheck_whole_every` rounds a file is fetched whole, because servers may be wrong
    about what has changed. Bytes that have changed become the next version of their object. What is gone, or is not
    what its document states, is reported, and what is held stays. Interrupted, the same command goes on where it
    stopped.
    """
    settings = load(instance_folder(ctx.find_root().obj))
    check(folder)
    with lock(folder, "mirror"), listening(Stop()) as stop, progress() as shown:
        place = _opened(folder, settings)
        remote = _remote(settings, stop, place.order.base_url, given).of(place)
        place.ready("recheck")
        place.recheck_every = "" if every == NEVER else every or place.recheck_every
        seconds = _period(place)
        place.save()
        rounds = settings.number("recheck_whole_every")
        made = partial(Rechecking, every=seconds, is_all=is_all or not seconds, whole_every=rounds)
        guard = Guard(place, settings.share("sweep_most_share"))
        with _mirroring(remote, place, "recheck", shown, guard, made) as work:
            work.rechecked()
        notify_of_mirror(place, settings, is_whole=False)
    _say_notes(place)
    say(work.receipt.line(place.command("--yes")))
    if as_json:
        write_json(work.receipt.as_data())
    ctx.exit(int(status_of(work.receipt.outcome)))


def _period(place: Place) -> int:
    """Return how often files are due, in seconds; 0: nobody has said. Raise ConfigurationError."""
    every = place.recheck_every
    if every and not is_duration(every):
        raise ConfigurationError(
            f"{place.folder / 'mirror.json'} has the recheck_every {every!r}; it is a duration such as 30d, or empty. "
            "`harvester mirror recheck` with --every writes it."
        )
    return seconds_of(every) if every else 0


def _opened(folder: Path, settings: Settings, order: Order | None = None) -> Place:
    """Return the mirror in a folder, as the settings want it."""
    place = opened(folder, order)
    place.doubtful.most_bytes = settings.number("mirror_doubtful_max_bytes")
    place.witness = Witness(settings.instance)
    return place


_Work = TypeVar("_Work", bound=Mirroring)


@contextmanager
def _mirroring(
    remote: _Remote,
    place: Place,
    name: str,
    shown: Progress,
    guard: Guard,
    made: Callable[..., _Work],
) -> Iterator[_Work]:
    """Return a run, with everything that it works with."""
    settings, order = remote.settings, place.order
    threads, per_host = settings.number("mirror_threads"), settings.number("mirror_host_connections")
    robots = Robots(remote.stop.pause, time.monotonic, obeys=place.obeys_robots)
    most = settings.number("fetch_file_max_bytes")
    lanes: Lanes[Result] = Lanes(threads, per_host, remote.fetcher, remote.stop)
    with lanes, remote.fetcher() as fetch, Rechecks(place.folder) as rechecks:
        yield made(
            place=place,
            kind=kind_of(remote.entry.kind),
            options=Options(
                "",
                order.base_url,
                settings.number("harvest_overlap_seconds"),
                holdings=HeldInMirror(place),
                announced_tolerance=settings.share("announced_tolerance"),
                budget=Budget(settings.number("fallback_most_requests"), settings.seconds("fallback_most_seconds")),
            ),
            fetch=fetch,
            lanes=lanes,
            limits=Limits(
                most,
                robots.check,
                robots.failed,
                robots.busy,
                robots.heard,
                settings.number("mirror_whole_again_max_bytes"),
            ),
            receipt=Receipt(name, order.base_url, order.metadata_prefix, _now(), order.sets),
            progress=shown,
            stop=remote.stop,
            clock=time.time,
            user=_user(settings),
            guard=guard,
            rechecks=rechecks,
        )


def _user(settings: Settings) -> User:
    """Return who is named in inventories: whom the settings name, else the repository when it has a name of its own."""
    name, email = (settings.text(each) for each in ("repository_name", "admin_email"))
    is_named = settings.origins["repository_name"] != "default"
    has_address = settings.origins["admin_email"] != "default"
    return User(
        settings.text("mirror_user_name") or (name if is_named else PROGRAM.name),
        settings.text("mirror_user_address") or (f"mailto:{email}" if has_address else PROGRAM.address),
    )


def _say_notes(place: Place) -> None:
    for note in place.notes:
        say(note)


def _now() -> str:
    return utc_datetime(int(time.time()))
