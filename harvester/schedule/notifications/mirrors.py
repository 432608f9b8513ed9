"""The reasons why a mirror needs a person. Its folder also stores which notices were sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from gateway.core.model import RunOutcome
from gateway.core.settings import Settings
from harvester.mirror.doubtful_files import count
from harvester.mirror.folder import MirrorFolder
from harvester.schedule.notifications.notify import notify
from harvester.schedule.notifications.reasons import FAILED, MOST_STOPPED, Concern, Need


def notify_of_mirror(place: MirrorFolder, settings: Settings, *, is_whole: bool) -> None:
    """Send the notice that is due of a mirror after a run, if one is.

    With `is_whole`, the run harvested all changes; only such a run can end a concern.
    """
    concerns = tuple(_concerns(place, settings))
    if concerns or is_whole:
        notify(settings, str(place.folder.absolute()), concerns, folder=place.folder)


def _concerns(place: MirrorFolder, settings: Settings) -> Iterator[Concern]:
    yield from _failing(place.folder, settings.number("notify_after_failures"))
    if waiting := len(place.waiting):
        yield Concern(
            Need.DELETIONS,
            f"Deletions that wait for a decision: {waiting}; these objects are still stored. "
            f"{place.command('--yes')} confirms them.",
        )
    if changed := place.identity_changes:
        yield Concern(Need.IDENTITY, " ".join(changed))
    if doubtful := count(place.folder):
        yield Concern(
            Need.DOUBTFUL,
            f"Doubtful files: {doubtful}. The last receipt in {place.folder}/receipts names "
            "them; `harvester mirror accept` accepts one.",
        )


def _failing(folder: Path, most: int) -> Iterator[Concern]:
    """Return the concern that the last runs failed, by their receipts."""
    files = sorted((folder / "receipts").glob("*.json"), key=_moment, reverse=True)[: most + MOST_STOPPED]
    read = (_read(file) for file in files)
    # A stopped run shows neither a failure nor a success.
    last = list(islice((run for run in read if run[0] is not RunOutcome.STOPPED), most))
    if most and len(last) == most and all(outcome in FAILED for outcome, _ in last):
        yield Concern(Need.FAILING, f"The last {most} runs failed. {' '.join(last[0][1][:3])}")


def _moment(receipt: Path) -> tuple[str, int]:
    """Return when a run began, by the name of its receipt; of several in one second, when it was written."""
    return receipt.name.partition("Z")[0], receipt.stat().st_mtime_ns


def _read(file: Path) -> tuple[RunOutcome | None, Sequence[str]]:
    try:
        document = json.loads(file.read_bytes())
        return RunOutcome(document["outcome"]), tuple(map(str, document["doubts"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None, ()
