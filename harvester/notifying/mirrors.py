"""What of a mirror needs a person: seen in its folder, where what was told is remembered too."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from gateway.model import RunOutcome
from gateway.settings import Settings
from harvester.mirror.doubtful import count
from harvester.mirror.place import Place
from harvester.notifying.concerns import FAILED, MOST_STOPPED, Concern, Need
from harvester.notifying.notifying import notify


def notify_of_mirror(place: Place, settings: Settings, *, is_whole: bool) -> None:
    """Send the notice that is due of a mirror after a run, if one is.

    Only a run that `is_whole` has asked the provider for everything, and can tell that the mirror is well again.
    """
    concerns = tuple(_concerns(place, settings))
    if concerns or is_whole:
        notify(settings, str(place.folder.absolute()), concerns, folder=place.folder)


def _concerns(place: Place, settings: Settings) -> Iterator[Concern]:
    yield from _failing(place.folder, settings.number("notify_after_failures"))
    if waiting := len(place.waiting):
        yield Concern(
            Need.DELETIONS,
            f"Deletions that wait for a decision: {waiting}; these objects are still held. "
            f"{place.command('--yes')} lets them pass.",
        )
    if changed := place.identity_changes:
        yield Concern(Need.IDENTITY, " ".join(changed))
    if doubtful := count(place.folder):
        yield Concern(
            Need.DOUBTFUL,
            f"Files that may not be what they should be: {doubtful}. The last receipt in {place.folder}/receipts names "
            "them; `harvester mirror accept` takes one for good.",
        )


def _failing(folder: Path, most: int) -> Iterator[Concern]:
    """Return the concern that the last runs failed, by their receipts."""
    files = sorted((folder / "receipts").glob("*.json"), key=_moment, reverse=True)[: most + MOST_STOPPED]
    read = (_read(each) for each in files)
    # A run that was stopped says neither that the provider fails nor that it is well.
    last = list(islice((each for each in read if each[0] is not RunOutcome.STOPPED), most))
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
