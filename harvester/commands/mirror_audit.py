"""`harvester mirror audit DIR`: hash a whole mirror, and compare it with its catalogue and its provider."""

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import click

from gateway.core.errors import StoreUnwritable
from gateway.core.model import RunOutcome
from gateway.core.program import say
from harvester.commands.mirror_session import (
    DIRECTORY,
    Remote,
    Session,
    receipt_of,
    remote_of,
    remote_options,
    say_notes,
    session,
)
from harvester.commands.options import Given
from harvester.commands.output import with_json, write_rows
from harvester.harvest.access import kind_of
from harvester.mirror.audit_mirror import compared, held, incomplete, listed
from harvester.mirror.audit_object import MENDABLE, AuditFinding, Finding
from harvester.mirror.folder import MirrorFolder
from harvester.mirror.instance_memory import InstanceMemory
from harvester.mirror.object_state import Holding
from harvester.mirror.open_folder import audited
from harvester.runtime.exit_status import recording_errors, status_of_end, status_of_parts, worst
from harvester.sources import Options

_OF_THE_MEMORY = frozenset((Finding.ALTERED, Finding.INCOMPLETE))  # the only findings of an older copy


@click.command()
@click.argument("folder", metavar="DIR", type=DIRECTORY)
@click.option("--offline", is_flag=True, help="Do not ask the provider.")
@click.option(
    "--expect", "expected", default="", metavar="SHA256", help="The SHA-256 of the catalogue that you stored."
)
@click.option("--accept", is_flag=True, help="Make a new catalogue of the present content, and accept it.")
@remote_options
@with_json
def audit(
    ctx: click.Context, /, folder: Path, offline: bool, expected: str, accept: bool, as_json: bool, **given: Given
) -> None:
    """Hash every file in DIR, and compare the mirror with its catalogue and with its provider.

    Each line reports one fault: corrupt, lost, strange, damaged, altered, unconfirmed or incomplete; missing, extra or
    stale. The exit status is 3 if there is any. The audit changes no object, and DIR may be on a read-only disk.
    `harvester mirror --retry-failed` fetches corrupt and lost files again.

    Every run ends with the SHA-256 of the catalogue. Store it elsewhere: with --expect it proves that the catalogue is
    that one, or one that has grown from it. If there is an instance folder, its mirrors.json has the SHA-256 of each
    mirror, and every run and audit compares it. Without either, an older copy of the whole DIR is not recognised.
    """
    is_writable = os.access(folder, os.W_OK)
    with session(ctx, folder, has_lock=is_writable) as work:
        place = audited(folder, is_writable=is_writable)
        place.evidence = InstanceMemory(work.settings.instance)
        remote = remote_of(work, place.order.base_url, given).of(place)
        findings, objects = _hashed(place, work, expected, is_writable=is_writable)
        proof = _accept(place, findings) if accept else ""
        differences, outcome, doubts = ([], RunOutcome.SUCCEEDED, []) if offline else _compared(place, remote, objects)
        findings += differences
    say_notes(place)
    write_rows([finding._asdict() for finding in findings], ("finding", "identifier", "reason"), as_json=as_json)
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
    receipt = receipt_of(place, "audit --accept")
    receipt.ended_at = receipt.started_at
    receipt.doubts = [f"Accepted: {finding.finding} {finding.identifier}: {finding.reason}" for finding in objects]
    receipt.outcome = RunOutcome.SUCCEEDED_WITH_ERRORS if objects else RunOutcome.SUCCEEDED
    place.keep(receipt)
    return receipt.proof


def _compared(
    place: MirrorFolder, remote: Remote, holdings: list[Holding]
) -> tuple[list[AuditFinding], RunOutcome, list[str]]:
    """Return the differences from the provider, the outcome of its harvest, and why they may be incomplete."""
    ended: list[tuple[RunOutcome, str]] = []
    with recording_errors(lambda outcome, reason: ended.append((outcome, reason))), remote.fetcher() as fetch:
        now, doubts = listed(place, kind_of(remote.entry.kind), Options("", place.order.base_url), fetch)
        return list(compared(holdings, now, is_whole=not doubts)), RunOutcome.SUCCEEDED, doubts
    ((outcome, reason),) = ended
    return [], outcome, [reason]


def _hashed(
    place: MirrorFolder, work: Session, expected: str, *, is_writable: bool
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
