"""What a ResourceSync source says of itself, and whether an address is one."""

from __future__ import annotations

from urllib.parse import urlsplit

from gateway.errors import AnswerError, NotResourceSync
from harvester.resourcesync.finding import LISTS, NO_BEGINNING, Found, ResourceSet, find
from harvester.sources import Description, Options, Recognised
from harvester.wire.dates import SECONDS
from harvester.wire.http import Fetch, Fetched
from harvester.wire.resourcesync import read

_TELLS_DELETIONS = ("changelist", "changedump")


def describe(options: Options, fetch: Fetch) -> Description:
    """Find the sets of resources. Raise what `find` raises."""
    found = find(options, fetch)
    tells = all(any(name in each.lists for name in _TELLS_DELETIONS) for each in found.sets)
    return Description(
        tuple(found.pages),
        "",
        found.sets[0].url if len(found.sets) == 1 else options.url,
        SECONDS,
        "",
        "transient" if tells else "no",
        (),
        (),  # a resource may be in several of its sets, and no list tells of which
        tuple(found.notes),
    )


def recognise(fetched: Fetched, fetch: Fetch) -> Recognised | None:
    """Tell whether an address, or what it leads to, is a ResourceSync source.

    Raise NotResourceSync for one that cannot be harvested, since it tells of changes alone.
    """
    try:
        found = find(Options("", fetched.url), fetch)
    except NotResourceSync:
        return None
    if not any(each.has_beginning for each in found.sets):
        raise NotResourceSync(NO_BEGINNING.format(found.sets[0].url))
    return Recognised(_sentence(found), {"url": fetched.url, "kind": "resourcesync"}, not _is_document(fetched))


def _is_document(fetched: Fetched) -> bool:
    try:
        read(fetched.body, fetched.url)
    except AnswerError:
        return False
    return True


def _sentence(found: Found) -> str:
    first = found.sets[0]
    host = urlsplit(first.url).netloc
    if len(found.sets) == 1:
        return f"A ResourceSync source at {host} with {_told(first)}."
    return f"A ResourceSync source at {host} with {len(found.sets)} sets of resources; the first has {_told(first)}."


def _told(each: ResourceSet) -> str:
    names = dict(zip(LISTS, ("a Resource List", "a Resource Dump", "a Change List", "a Change Dump"), strict=True))
    return ", ".join(names[name] for name in each.lists if name in names)
