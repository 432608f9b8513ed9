"""`harvester mirror accept DIR URL`: accept a doubtful file."""

from __future__ import annotations

from pathlib import Path

import click

from gateway.core.model import RunOutcome
from gateway.core.program import say
from harvester.commands.mirror_session import DIRECTORY, receipt_of, session
from harvester.commands.output import json_option, write_rows
from harvester.mirror.doubtful_files import DoubtfulFile
from harvester.mirror.judge_again import AcceptRun
from harvester.mirror.receipt import Receipt
from harvester.mirror.verify import Fate
from harvester.runtime.exit_status import Status


@click.command()
@click.argument("folder", metavar="DIR", type=DIRECTORY)
@click.argument("url", metavar="URL")
@json_option
@click.pass_context
def accept(ctx: click.Context, /, folder: Path, url: str, as_json: bool) -> None:
    """Accept a doubtful file that came from URL.

    The receipt of a run names the doubtful files and the reasons. URL may also be the identifier of an object; then all
    its files are accepted. The same bytes from the same URL are not doubtful again. If many addresses of a host sent
    the same answer, all of them are accepted. Bytes that have changed since they arrived are refused.
    """
    with session(ctx, folder) as work:
        place = work.opened()
        receipt = receipt_of(place, "accept", url)
        accepting = AcceptRun(place, receipt, work.shown, work.clock, stop=work.stop, user=work.user)
        accepted = accepting.accepted(url)
    rows = [
        {"identifier": doubt.identifier, "url": doubt.file.url, "rule": doubt.rule, "is_held": doubt.is_kept}
        for doubt in accepted
    ]
    shown = rows if as_json else [{**row, "is_stored": row["is_held"]} for row in rows]
    write_rows(shown, ("identifier", "url", "rule", "is_stored"), as_json=as_json)
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
