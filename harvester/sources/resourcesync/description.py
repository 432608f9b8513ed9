"""The description of a ResourceSync source, and its recognition at an address."""

from __future__ import annotations

from urllib.parse import urlsplit

from gateway.errors import AnswerError, NotResourceSync
from harvester.http.dates import SECONDS
from harvester.http.messages import Fetch, Fetched
from harvester.sources import Description, Options, Recognised
from harvester.sources.resourcesync.documents import read
from harvester.sources.resourcesync.find_lists import LISTS, NO_BEGINNING, Found, ResourceSet, find

_TELLS_DELETIONS = ("changelist", "changedump")


def describe(options: Options, fetch: Fetch) -> Description:
    """Return the description with the sets of resources. Raise the errors of `find`."""
    lists = find(options, fetch)
    tells = all(any(name in resource_set.lists for name in _TELLS_DELETIONS) for resource_set in lists.sets)
    return Description(
        tuple(lists.pages),
        "",
        lists.sets[0].url if len(lists.sets) == 1 else options.url,
        SECONDS,
        "",
        "transient" if tells else "no",
        (),
        (),  # a resource may be in several sets, and no list says in which
        tuple(lists.notes),
    )


def recognise(fetched: Fetched, fetch: Fetch) -> Recognised | None:
    """Return the ResourceSync source at an address, or to which the address leads; else None.

    Raise NotResourceSync for a source that only announces changes: it cannot be harvested. Raise the errors of
    `fetch`.
    """
    try:
        lists = find(Options("", fetched.url), fetch)
    except NotResourceSync:
        return None
    if not any(resource_set.has_beginning for resource_set in lists.sets):
        raise NotResourceSync(NO_BEGINNING.format(lists.sets[0].url))
    return Recognised(_sentence(lists), {"url": fetched.url, "kind": "resourcesync"}, not _is_document(fetched))


def _is_document(fetched: Fetched) -> bool:
    try:
        read(fetched.body, fetched.url)
    except AnswerError:
        return False
    return True


def _sentence(lists: Found) -> str:
    first = lists.sets[0]
    host = urlsplit(first.url).netloc
    if len(lists.sets) == 1:
        return f"A ResourceSync source at {host} with {_list_names(first)}."
    return (
        f"A ResourceSync source at {host} with {len(lists.sets)} sets of resources; the first has {_list_names(first)}."
    )


def _list_names(resource_set: ResourceSet) -> str:
    names = dict(zip(LISTS, ("a Resource List", "a Resource Dump", "a Change List", "a Change Dump"), strict=True))
    return ", ".join(names[name] for name in resource_set.lists if name in names)
