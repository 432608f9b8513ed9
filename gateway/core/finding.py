"""The findings of `gateway check` and `harvester check`: one line each, and one exit status for all of them.

`gateway check` starts `harvester check` as a program and writes its lines too, because the gateway does not know the
harvester.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import click

from gateway.core.errors import GatewayError
from gateway.core.program import is_quiet, write_json
from gateway.core.statuses import Status

ONLY_HARVESTS = "--only-harvests"  # the option of `harvester check` that leaves out what `gateway check` looks at


class Finding(NamedTuple):
    """The result of one check. With a problem, a command cannot work correctly; a warning needs attention."""

    level: Literal["fine", "warning", "problem"]
    sentence: str


def guarded(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings; what ends the check that makes them is a problem too."""
    try:
        yield from findings
    except GatewayError as error:
        yield Finding("problem", str(error))
    except (LookupError, TypeError, ValueError, OSError) as error:  # because of what a damaged row may contain
        yield Finding("problem", f"A file of the instance is damaged: {error!r}. Restore it with `gateway restore`.")


def write_findings(findings: Iterable[Finding], *, as_json: bool) -> Status:
    """Write each finding once, and return the exit status: FAILED if one is a problem."""
    written = set[Finding]()
    for finding in findings:
        if finding not in written and as_json:
            write_json(finding._asdict())
        elif finding not in written and (finding.level == "problem" or not is_quiet()):
            click.echo(f"{finding.level:8} {finding.sentence}", err=True)
        written.add(finding)
    return Status.FAILED if any(finding.level == "problem" for finding in written) else Status.SUCCEEDED


def of_harvester(folder: Path) -> Iterator[Finding]:
    """Start `harvester check` on an instance, and yield its findings; that it fails is a problem too."""
    words = (sys.executable, "-m", "harvester", "--instance", str(folder), "check", ONLY_HARVESTS, "--json")
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - no word is foreign
        yield from (Finding(**json.loads(line)) for line in done.stdout.splitlines())
    except (OSError, ValueError, TypeError) as error:
        yield Finding("problem", f"`harvester check` could not be read: {error}.")
        return
    if done.returncode not in (Status.SUCCEEDED, Status.FAILED):
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        yield Finding("problem", f"`harvester check` ended with status {done.returncode}: {last}")
