"""The rows of the tables of sources, sets and formats, made of what the store says. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple, TypeAlias

from gateway.core.model import Format, Run, SetDescription, Source, SourceCounts
from gateway.core.names import set_label
from gateway.core.secret_arguments import secret_argument
from gateway.core.states import State, of_run, of_source
from gateway.store.base import Inbox, View

# A path of this machine, which only its administrators see.
_PATH = re.compile(r"(?<![\w:/.])/[\w.-]+/")


class Harvest(NamedTuple):
    """One harvest of a source. `state`, `tone`, `headline` and `sentence` are those of its State, for the public."""

    source: str
    started_at: int
    ended_at: int | None
    state: str
    tone: str
    headline: str
    sentence: str
    received: int
    changed: int
    deleted: int
    refused: int


def harvest_of(run: Run, inbox: Inbox) -> Harvest:
    """Return a run as people read it."""
    state, counts = _for_the_public(of_run(run, has_died=inbox.has_died(run))), run.counts
    return Harvest(
        source=run.source,
        started_at=run.started_at,
        ended_at=run.ended_at,
        state=state.name,
        tone=state.shape,
        headline=state.headline,
        sentence=state.sentence,
        received=counts.get("received", 0),
        changed=counts.get("published", 0),
        deleted=counts.get("deleted", 0),
        refused=counts.get("quarantined", 0),
    )


def _for_the_public(state: State) -> State:
    """Return a state without a sentence with a path of this machine, and without the command to use next."""
    return state._replace(sentence="" if _PATH.search(state.sentence) else state.sentence, next_step="")


def trend(values: Iterable[int]) -> str:
    """Return the key of the words for a row of numbers: rising, falling, even, or none."""
    row = list(values)
    if len(row) < 2 or not any(row):  # noqa: PLR2004 - one value has no trend
        return "none"
    half = len(row) // 2
    before, after = sum(row[:half]) / half, sum(row[-half:]) / half
    if after > before * 1.2:
        return "rising"
    return "falling" if after < before * 0.8 else "even"


# Counts the items of each source that were searched for.
Searched: TypeAlias = Callable[[], Mapping[str, int]]

MOST_SOURCES = 500  # in one answer as JSON
_DEEPEST = 1_000  # colons in a setSpec


class SourceRow(NamedTuple):
    """One source: how many living records it has, how many of them with full text, and its last harvest.

    `state` is how it stands; None: the runs cannot be read.
    `title` is the repositoryName that it gives, empty if it gives none. `base_url` is empty if it contains a secret.
    For `searched` records without a file of their own a file was searched for.
    """

    name: str
    title: str
    base_url: str
    kind: str
    is_removed: bool
    records: int
    deleted: int
    fulltext: int
    last: Harvest | None
    state: State | None
    searched: int = 0


class SetRow(NamedTuple):
    """One set; `records` is the number of its records, deleted ones included, None: not counted."""

    spec: str
    name: str
    depth: int
    records: int | None = None


class FormatRow(NamedTuple):
    """One metadata format; `records` is the number of its records, deleted ones included."""

    metadata_prefix: str
    schema: str
    namespace: str
    source: str
    records: int


def source_rows(
    listed: Iterable[tuple[Source, SourceCounts]], inbox: Inbox | None, searched: Mapping[str, int]
) -> list[SourceRow]:
    """Return the rows of some sources, in their order; `searched` counts searched items by source."""
    rows = []
    for source, count in listed:
        identity = inbox.identity(source.name) if inbox else None
        last = next(iter(inbox.runs(source.name, 1, "harvest")), None) if inbox else None
        stands = of_source(source, last, has_died=bool(inbox and last and inbox.has_died(last)))
        rows.append(
            SourceRow(
                source.name,
                identity.latest.repository_name if identity else "",
                "" if secret_argument(source.base_url) else source.base_url,
                source.kind,
                source.is_removed,
                count.living,
                count.deleted,
                count.fulltext,
                harvest_of(last, inbox) if inbox and last else None,
                _for_the_public(stands) if inbox or source.is_removed else None,
                searched.get(source.name, 0),
            )
        )
    return rows


def sources_after(url: str, name: str | None) -> str | None:
    """Return the address of the JSON of the sources after a name; None: there are no more."""
    return None if name is None else f"{url}/sources.json?after={name}"


def harvests_of(inbox: Inbox | None, name: str, limit: int) -> list[Harvest]:
    """Return the last harvests of a source, the newest first; none if the inbox cannot be read."""
    return [harvest_of(run, inbox) for run in inbox.runs(name, limit, "harvest")] if inbox else []


def format_rows(formats: Iterable[Format], counts: Mapping[str, int]) -> list[FormatRow]:
    """Return the rows of the formats, in their order."""
    return [
        FormatRow(known.metadata_prefix, known.schema, known.namespace, known.source, counts[known.metadata_prefix])
        for known in formats
    ]


def set_rows(sets: Iterable[SetDescription], counts: Mapping[str, int] | None = None) -> list[SetRow]:
    """Return the rows of the sets; a set without a name of its own has the spec of its source as its name."""
    return [
        SetRow(
            entry.spec,
            set_label(entry.spec, entry.name),
            entry.spec.count(":"),
            None if counts is None else counts[entry.spec],
        )
        for entry in sets
    ]


def set_path(spec: str) -> list[str]:
    """Return the specs of the sets above a set, the highest first."""
    parts = spec.split(":")[:-1] if spec else []
    return [":".join(parts[: place + 1]) for place in range(len(parts))]


def children_of(view: View, spec: str, after: str | None, most: int) -> tuple[list[SetDescription], bool]:
    """Return the sets below a set (empty: all sets), and whether there are more.

    They are as many whole levels as have at most `most` sets, each set before those below it and before the next one.
    If the first level has more, those of it that follow the set `after` are returned, at most `most`.
    """
    depth = spec.count(":") + 1 if spec else 0
    if after is not None:
        level = list(islice(_level(view, spec, after, depth), most + 1))
        return level[:most], len(level) > most
    every = list(islice(_level(view, spec, None, _DEEPEST), most + 1))
    if len(every) <= most:
        return _as_tree(every), False
    shown: list[SetDescription] = []
    while len(level := list(islice(_level(view, spec, None, depth), most + 1))) <= most:
        shown, depth = level, depth + 1
    return (_as_tree(shown), False) if shown else (level[:most], True)


def _as_tree(sets: Iterable[SetDescription]) -> list[SetDescription]:
    """Return sets in the order of a tree: by its specs, `a-b` would stand between `a` and `a:c`."""
    return sorted(sets, key=lambda entry: entry.spec.split(":"))


def _level(view: View, spec: str, after: str | None, depth: int) -> Iterator[SetDescription]:
    """Yield the sets below a set, with at most `depth` colons in their specs.

    Deeper sets are not read: their specs begin with one of these and a colon, and sort before a semicolon there.
    """
    last = after if after is not None else (f"{spec}:" if spec else None)
    while following := view.sets(last, 1):
        (entry,) = following
        if spec and not entry.spec.startswith(f"{spec}:"):
            return
        if entry.spec.count(":") <= depth:
            yield entry
            last = entry.spec
        else:
            last = ":".join(entry.spec.split(":")[: depth + 1]) + ";"
