"""`harvester mirror`: mirror complex objects and their files, as OCFL; accept, import, request and audit files."""

import os
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from gateway.core.errors import ConfigurationError, StoreUnwritable
from gateway.core.model import RunOutcome
from gateway.core.program import say
from harvester.commands import mirror_session
from harvester.commands.options import DIRECTORY, Given, date_option, flag, many, option, schedule, text
from harvester.commands.output import is_json, with_json, write_rows
from harvester.harvest.access import kind_of
from harvester.harvest.sources_toml import checked_url
from harvester.mirror.audit_mirror import compared, held, incomplete, listed
from harvester.mirror.audit_object import MENDABLE, AuditFinding, Finding
from harvester.mirror.doubtful_files import DoubtfulFile
from harvester.mirror.folder import MirrorFolder, Order
from harvester.mirror.harvest_objects import MirrorRun
from harvester.mirror.instance_memory import InstanceMemory
from harvester.mirror.judge_again import AcceptRun
from harvester.mirror.object_state import Holding
from harvester.mirror.open_folder import audited, check
from harvester.mirror.package import ImportRun
from harvester.mirror.receipt import Receipt
from harvester.mirror.recheck import RecheckRun
from harvester.mirror.unpack_package import UnpackLimits, unpacked
from harvester.mirror.verify import Fate
from harvester.runtime.durations import NEVER, is_duration, seconds_of
from harvester.runtime.exit_status import Status, recording_errors, status_of_end, status_of_parts, worst
from harvester.schedule.notifications.notify import notify_of_mirror
from harvester.sources import Options

_OF_THE_MEMORY = frozenset((Finding.ALTERED, Finding.INCOMPLETE))  # the only findings of an older copy


class _Mirror(click.Group):
    """A group that mirrors when its first argument is not one of its commands."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Add `run` when the first argument is not a command."""
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Mirror, subcommand_metavar="BASEURL DIR | COMMAND")
def mirror() -> None:
    """Mirror complex objects (DIDL, METS) and their files in a folder.

    `harvester mirror BASEURL DIR` updates DIR to the state of the provider: the first time with all records, then with
    those that changed. `harvester mirror run --help` shows its options. The command needs no instance folder.
    """


@mirror.command()
@click.argument("base_url", metavar="BASEURL")
@click.argument("folder", metavar="DIR", type=DIRECTORY)
@option("--format PREFIX", "metadata_prefix", "The metadataPrefix to harvest.", default="oai_didl", show_default=True)
@many("--set SPEC", "sets", "Harvest this setSpec only; may be repeated.")
@option("--incremental/--full", "Harvest the records that changed since the last run, or all.", default=True)
@option(
    "--robots/--no-robots",
    "obeys_robots",
    "Obey robots.txt for files (the default). The choice is stored.",
    default=None,
)
@flag("--retry-failed", "Only fetch the missing files again.")
@flag("--yes", "Apply deletions, waiting ones too, and accept much shorter lists.")
@flag("--accept-identity", "Continue although the provider identifies itself as another repository.")
@mirror_session.remote_options
@with_json
def run(
    ctx: click.Context, /, base_url: str, folder: Path, incremental: bool, retry_failed: bool, **given: Given
) -> None:
    """Update DIR to the state of the provider at BASEURL.

    DIR/ocfl has the objects. The last line on stderr is the receipt; DIR/receipts has it as a document. The exit status
    is 3 if something is missing. After an interruption, the same command continues.
    """
    if retry_failed:
        if not incremental:
            raise click.UsageError("--full requests all records, --retry-failed none. Give only one of them.")
        check(folder)
    with mirror_session.session(ctx, folder, may_begin=True) as work:
        remote = mirror_session.remote_of(work, base_url, given)
        place = work.opened(Order(remote.entry.url, given["metadata_prefix"], given["sets"]))
        remote = remote.of(place)
        if given["obeys_robots"] is not None:
            place.obeys_robots = given["obeys_robots"]
        name = "mirror --retry-failed" if retry_failed else "mirror" if incremental else "mirror --full"
        place.ready(name)
        place.save()
        guard = work.guard(place, lets_deletions_pass=given["yes"], accepts_identity=given["accept_identity"])
        with mirror_session.mirror_run(remote, place, name, guard, MirrorRun) as mirroring:
            if retry_failed:
                mirroring.retried()
            else:
                mirroring.whole(is_full=not incremental)
        notify_of_mirror(place, work.settings, is_whole=not retry_failed)
    mirror_session.report(ctx, place, mirroring)


@mirror.command()
@click.argument("folder", metavar="DIR", type=DIRECTORY)
@click.argument("url", metavar="URL")
@with_json
def accept(ctx: click.Context, /, folder: Path, url: str) -> None:
    """Accept a doubtful file that came from URL.

    The receipt of a run names the doubtful files and the reasons. URL may also be the identifier of an object; then all
    its files are accepted. The same bytes from the same URL are not doubtful again. If many addresses of a host sent
    the same answer, all of them are accepted. Bytes that have changed since they arrived are refused.
    """
    with mirror_session.session(ctx, folder) as work:
        place = work.opened()
        receipt = mirror_session.receipt_of(place, "accept", url)
        accepting = AcceptRun(place, receipt, work.shown, work.clock, stop=work.stop, user=work.user)
        accepted = accepting.accepted(url)
    rows = [
        {"identifier": doubt.identifier, "url": doubt.file.url, "rule": doubt.rule, "is_held": doubt.is_kept}
        for doubt in accepted
    ]
    shown = rows if is_json() else [{**row, "is_stored": row["is_held"]} for row in rows]
    write_rows(shown, "identifier url rule is_stored")
    left = sum(not doubt.is_kept for doubt in accepted)
    later = f" {left} of them are not stored: {_reason(receipt, accepted)}" if left else ""
    say(f"{len(accepted)} files are accepted.{later}{receipt.proof}")
    is_done = accepting.outcome is RunOutcome.SUCCEEDED_WITH_ERRORS and not accepting.has_damage  # others are missing
    ctx.exit(int(Status.SUCCEEDED if is_done else accepting.status))


def _reason(receipt: Receipt, accepted: list[DoubtfulFile]) -> str:
    """Return why accepted files are not stored."""
    identifiers = {doubt.identifier for doubt in accepted if not doubt.is_kept}
    damages = (
        str(missing["reason"])
        for missing in receipt.missing
        if missing["identifier"] in identifiers and missing["fate"] == Fate.UNREADABLE
    )
    return " ".join([*receipt.doubts, *damages]) or "their bytes were not kept; the next run fetches them."


@mirror.command("import")
@click.argument("folder", metavar="DIR", type=DIRECTORY)
@click.argument("source", metavar="FROM", type=click.Path(path_type=Path, exists=True))
@text("--provider BASEURL", "The provider of a new mirror.")
@option("--format", "metadata_prefix", "With --provider: its metadataPrefix.", default="oai_didl", show_default=True)
@many("--set SPEC", "sets", "With --provider: a setSpec; may be repeated.")
@date_option("--date", "since", "The date of the package.")
@flag("--yes", "Apply all deletions of the package.")
@with_json
def import_(ctx: click.Context, /, folder: Path, source: Path, provider: str, **given: Given) -> None:
    """Import a delivered package as the first state of DIR: a folder, tar or zip of OAI records and their files.

    A bag (BagIt) is verified first, and refused if it is not valid. Files that the package lacks are reported missing.
    `harvester mirror BASEURL DIR` then continues from the date of the package. A package may delete no larger share of
    the mirror than a run may; further deletions wait for --yes.
    """
    order = Order(checked_url(provider), given["metadata_prefix"], given["sets"]) if provider else None
    with mirror_session.session(ctx, folder, may_begin=order is not None) as work:
        place = work.opened(order)
        receipt = mirror_session.receipt_of(place, "import", str(source))
        room = UnpackLimits(
            work.settings.number("fetch_file_max_bytes"),
            work.settings.number("unpack_max_ratio"),
            work.settings.number("unpack_min_free_bytes"),
        )
        guard = work.guard(place, lets_deletions_pass=given["yes"])
        with unpacked(source, folder / "aside", room, place.order.metadata_prefix) as package:
            importing = ImportRun(
                place, receipt, work.shown, work.clock, package, guard, stop=work.stop, user=work.user
            )
            importing.whole(given["since"])
    mirror_session.report(ctx, place, importing)


@mirror.command()
@click.argument("folder", metavar="DIR", type=DIRECTORY)
@text(
    "--every TIME",
    "How often each file is due, such as 30d. It is stored in mirror.json; `never` removes it.",
    callback=schedule,
)
@flag("--all", "is_all", "Request every file now, due or not.")
@mirror_session.remote_options
@with_json
def recheck(ctx: click.Context, /, folder: Path, every: str, is_all: bool, **given: Given) -> None:
    """Check whether files in DIR were replaced at their servers.

    With --every, now or in an earlier call, only files that are due are requested; call it daily, for example. Without
    it, every file is requested. Requests are conditional. Once in `recheck_whole_every` rounds a file is fetched whole,
    because servers may be wrong about what has changed. Changed bytes become the next version of their object. A file
    that is gone, or that contradicts its document, is reported, and the stored file stays. After an interruption, the
    same command continues.
    """
    with mirror_session.session(ctx, folder) as work:
        place = work.opened()
        remote = mirror_session.remote_of(work, place.order.base_url, given).of(place)
        place.ready("recheck")
        place.recheck_every = "" if every == NEVER else every or place.recheck_every
        seconds = _period(place)
        place.save()
        rounds = work.settings.number("recheck_whole_every")
        made = partial(RecheckRun, every=seconds, is_all=is_all or not seconds, whole_every=rounds)
        with mirror_session.mirror_run(remote, place, "recheck", work.guard(place), made) as rechecking:
            rechecking.rechecked()
        notify_of_mirror(place, work.settings, is_whole=False)
    mirror_session.report(ctx, place, rechecking)


def _period(place: MirrorFolder) -> int:
    """Return the period of rechecks in seconds; 0: there is none. Raise ConfigurationError."""
    every = place.recheck_every
    if every and not is_duration(every):
        raise ConfigurationError(
            f"{place.folder / 'mirror.json'} has the recheck_every {every!r}; it is a duration such as 30d, or empty. "
            "`harvester mirror recheck` with --every writes it."
        )
    return seconds_of(every) if every else 0


@mirror.command()
@click.argument("folder", metavar="DIR", type=DIRECTORY)
@flag("--offline", "Do not ask the provider.")
@text("--expect SHA256", "expected", "The SHA-256 of the catalogue that you stored.")
@flag("--accept", "Make a new catalogue of the present content, and accept it.")
@mirror_session.remote_options
@with_json
def audit(ctx: click.Context, /, folder: Path, offline: bool, expected: str, accept: bool, **given: Given) -> None:
    """Hash every file in DIR, and compare the mirror with its catalogue and with its provider.

    Each line reports one fault: corrupt, lost, strange, damaged, altered, unconfirmed or incomplete; missing, extra or
    stale. The exit status is 3 if there is any. The audit changes no object, and DIR may be on a read-only disk.
    `harvester mirror --retry-failed` fetches corrupt and lost files again.

    Every run ends with the SHA-256 of the catalogue. Store it elsewhere: with --expect it proves that the catalogue is
    that one, or one that has grown from it. If there is an instance folder, its mirrors.json has the SHA-256 of each
    mirror, and every run and audit compares it. Without either, an older copy of the whole DIR is not recognised.
    """
    is_writable = os.access(folder, os.W_OK)
    with mirror_session.session(ctx, folder, has_lock=is_writable) as work:
        place = audited(folder, is_writable=is_writable)
        place.evidence = InstanceMemory(work.settings.instance)
        remote = mirror_session.remote_of(work, place.order.base_url, given).of(place)
        findings, objects = _hashed(place, work, expected, is_writable=is_writable)
        proof = _accept(place, findings) if accept else ""
        differences, outcome, doubts = ([], RunOutcome.SUCCEEDED, []) if offline else _compared(place, remote, objects)
        findings += differences
    mirror_session.say_notes(place)
    write_rows([finding._asdict() for finding in findings], "finding identifier reason")
    counts = ", ".join(
        f"{number} {name}" for name, number in Counter(str(finding.finding) for finding in findings).items()
    )
    good, in_doubt = "everything is as it should be", ""
    if doubts:
        good, in_doubt = "nothing wrong was found", f" In doubt: {' '.join(doubts)}"
    say(f"{len(objects)} objects: {counts or good}.{in_doubt}{proof}")
    compared = status_of_parts([outcome, *[RunOutcome.SUCCEEDED_WITH_ERRORS] * bool(doubts)])
    ctx.exit(int(worst([compared, status_of_end(has_findings=bool(findings))])))


def _accept(place: MirrorFolder, objects: list[AuditFinding]) -> str:
    """Make the catalogue again from the present content; a receipt has the earlier findings. Return its proof.

    A catalogue that only differs from the digest in the instance stays: other instances may have its digest.
    """
    place.notes.clear()
    findings = Counter(finding.finding for finding in objects)
    if not place.is_as_remembered and findings[Finding.ALTERED] == 1 and not {*findings} - _OF_THE_MEMORY:
        place.take_catalogue()
    else:
        place.take_what_is_here()
    receipt = mirror_session.receipt_of(place, "audit --accept")
    receipt.ended_at = receipt.started_at
    receipt.doubts = [f"Accepted: {finding.finding} {finding.identifier}: {finding.reason}" for finding in objects]
    receipt.outcome = RunOutcome.SUCCEEDED_WITH_ERRORS if objects else RunOutcome.SUCCEEDED
    place.keep(receipt)
    return receipt.proof


def _compared(
    place: MirrorFolder, remote: mirror_session.Remote, holdings: list[Holding]
) -> tuple[list[AuditFinding], RunOutcome, list[str]]:
    """Return the differences from the provider, the outcome of its harvest, and why they may be incomplete."""
    ended: list[tuple[RunOutcome, str]] = []
    with recording_errors(lambda outcome, reason: ended.append((outcome, reason))), remote.fetcher() as fetch:
        now, doubts = listed(place, kind_of(remote.entry.kind), Options("", place.order.base_url), fetch)
        return list(compared(holdings, now, is_whole=not doubts)), RunOutcome.SUCCEEDED, doubts
    ((outcome, reason),) = ended
    return [], outcome, [reason]


def _hashed(
    place: MirrorFolder, work: mirror_session.Session, expected: str, *, is_writable: bool
) -> tuple[list[AuditFinding], list[Holding]]:
    """Return the findings of the audit on disk, and the state of each object without its files.

    Repairable objects are noted, if the folder is writable.
    """
    findings: list[AuditFinding] = []
    holdings: list[Holding] = []
    for finding in held(place, work.stop, expected):
        if isinstance(finding, AuditFinding):
            findings.append(finding)
            if finding.finding in MENDABLE and is_writable:
                _mark(place, finding.identifier)
            continue
        findings += incomplete(finding)
        if not finding.is_whole and is_writable:
            _mark(place, finding.identifier)
        holdings.append(replace(finding, files=()))
        work.shown.show("hashed", len(holdings), None)
    return findings, holdings


def _mark(place: MirrorFolder, identifier: str) -> None:
    """Note that an object is not whole; say it when that cannot be noted."""
    try:
        place.failed.mark_without_line(identifier)
    except StoreUnwritable as error:
        if (note := f"The next run does not know what is missing: {error}") not in place.notes:
            place.notes.append(note)
