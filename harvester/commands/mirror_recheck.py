"""`harvester mirror recheck DIR`: request the files of a mirror again, to find replaced ones."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from gateway.core.errors import ConfigurationError
from harvester.commands.mirror_session import DIRECTORY, mirror_run, remote_of, remote_options, report, session
from harvester.commands.options import Given, schedule
from harvester.commands.output import json_option
from harvester.mirror.folder import MirrorFolder
from harvester.mirror.recheck import RecheckRun
from harvester.runtime.durations import NEVER, is_duration, seconds_of
from harvester.schedule.notifications.mirrors import notify_of_mirror


@click.command()
@click.argument("folder", metavar="DIR", type=DIRECTORY)
@click.option(
    "--every",
    default="",
    callback=schedule,
    metavar="TIME",
    help="How often each file is due, such as 30d. It is stored in mirror.json; `never` removes it.",
)
@click.option("--all", "is_all", is_flag=True, help="Request every file now, due or not.")
@remote_options
@json_option
@click.pass_context
def recheck(ctx: click.Context, /, folder: Path, every: str, is_all: bool, as_json: bool, **given: Given) -> None:
    """Check whether files in DIR were replaced at their servers.

    With --every, now or in an earlier call, only files that are due are requested; call it daily, for example. Without
    it, every file is requested. Requests are conditional. Once in `recheck_whole_every` rounds a file is fetched whole,
    because servers may be wrong about what has changed. Changed bytes become the next version of their object. A file
    that is gone, or that contradicts its document, is reported, and the stored file stays. After an interruption, the
    same command continues.
    """
    with session(ctx, folder) as work:
        place = work.opened()
        remote = remote_of(work, place.order.base_url, given).of(place)
        place.ready("recheck")
        place.recheck_every = "" if every == NEVER else every or place.recheck_every
        seconds = _period(place)
        place.save()
        rounds = work.settings.number("recheck_whole_every")
        made = partial(RecheckRun, every=seconds, is_all=is_all or not seconds, whole_every=rounds)
        with mirror_run(remote, place, "recheck", work.guard(place), made) as rechecking:
            rechecking.rechecked()
        notify_of_mirror(place, work.settings, is_whole=False)
    report(ctx, place, rechecking, as_json=as_json)


def _period(place: MirrorFolder) -> int:
    """Return the period of rechecks in seconds; 0: there is none. Raise ConfigurationError."""
    every = place.recheck_every
    if every and not is_duration(every):
        raise ConfigurationError(
            f"{place.folder / 'mirror.json'} has the recheck_every {every!r}; it is a duration such as 30d, or empty. "
            "`harvester mirror recheck` with --every writes it."
        )
    return seconds_of(every) if every else 0
