"""What a stage of one source works with, from its first request to its recorded end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields, replace
from time import time
from typing import Any, TypeAlias

from harvester.harvest.instance import Instance
from harvester.harvest.publishing.publication import Publication
from harvester.harvest.run_lifecycle import Clock, RunOptions, SourceRun, learned_of, run_lifecycle, source_options
from harvester.harvest.sources_toml import SourceEntry
from harvester.http.messages import Fetch
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Progress
from harvester.sources import Options, SourceKind

Fetcher: TypeAlias = Callable[[], AbstractContextManager[Fetch]]


@dataclass
class SourceSession:
    """One source and its kind, the instance that stores its answers, what sends requests, and what a command has asked.

    `fetcher` opens further connections, one for each parallel window of the entry; None: there is one connection.
    """

    instance: Instance
    entry: SourceEntry
    kind: SourceKind
    fetch: Fetch
    run_options: RunOptions = field(default_factory=RunOptions)
    progress: Progress = field(default_factory=Progress)
    stop: Stop = field(default_factory=Stop)
    clock: Clock = time
    fetcher: Fetcher | None = None

    def shared(self) -> dict[str, Any]:
        """Return the values of this session, for a part of the stage that has it too."""
        return {one.name: getattr(self, one.name) for one in fields(SourceSession)}

    def options(self, overlap_seconds: int = 0) -> Options:
        """Return the options of its lists, with what earlier lists have learned of the source."""
        options = source_options(self.entry, self.instance.settings, overlap_seconds, self.run_options)
        return replace(options, known=learned_of(self.instance, self.kind, self.entry.name))

    def publication(self) -> Publication:
        """Return the publication of what arrives."""
        return Publication(self.instance, self.entry, self.progress, self.stop)

    def recorded(self, stage: str) -> AbstractContextManager[SourceRun]:
        """Return the run of a stage, as `run_lifecycle` does."""
        most = self.run_options.max_records
        return run_lifecycle(
            self.instance, self.entry.name, stage, self.progress, self.stop, clock=self.clock, max_records=most
        )
