"""The rules of two runs: what is closed stays the same, and what changed between them is in a Change List."""

from __future__ import annotations

from harvester.validate.resourcesync.inventory import Inventory, key_of
from harvester.validate.resourcesync.memory import Before
from harvester.validate.resourcesync.model import Document
from harvester.validate.resourcesync.values import moment
from harvester.validate.resourcesync.walk import Set, Walk

_PACKAGES = ("resourcedump-manifest", "changedump-manifest")


def judge_again(walk: Walk) -> None:
    """Compare a walk that has ended with what an earlier run saw, and keep what this one saw."""
    memory = walk.memory
    if not memory.is_kept:
        return
    for document in walk.documents:
        before, now = memory.before.get(document.url), memory.now(document.url)
        if before is None or now is None:
            continue
        if document.capability in _PACKAGES:
            if (before.at, before.until) == (now.at, now.until):  # a package of another state may have this address
                changed = [] if before.digest == now.digest else ["It has the times and not the bytes of before."]
                walk.judged.faults(document.shown, "again.package", changed)
        else:
            _document(walk, document, before, now)
    inventories: dict[str, Inventory] = {}
    for resource_set in walk.sets:
        root = resource_set.roots.get("resourcelist")
        if root is None or walk.limit:
            continue
        inventories[root.url] = resource_set.observed.inventory
        if resource_set.observed.before is not None:
            _resources(walk, resource_set, root, memory.before.get(root.url))
    memory.keep(inventories)


def _document(walk: Walk, document: Document, before: Before, now: Before) -> None:
    if before.until and document.kind is not None and document.kind.required == "from":
        sentence = f"It was closed at {before.until}, and has other bytes than before."
        changed = [] if before.digest == now.digest else [sentence]
        walk.judged.faults(document.shown, "again.closed", changed)
    one, other = moment(before.at), moment(now.at)
    if one is not None and other is not None:
        goes_back = [f"at was {before.at}, and is {now.at}."] if other < one else []
        walk.judged.faults(document.shown, "again.at", goes_back)


def _resources(walk: Walk, resource_set: Set, root: Document, before: Before | None) -> None:
    observed = resource_set.observed
    if "changelist" not in resource_set.roots:
        for rule in ("again.changes", "again.deletions"):
            walk.judged.skip(rule, "The source has no Change List.")
        return
    since = moment(before.at) if before is not None else None
    keys = observed.changed_keys
    unlisted = [loc for loc in observed.changed_names if not _is_announced(keys, key_of(loc), since)]
    sentences = (f"{loc} changed since the run before, and no Change List has that." for loc in unlisted)
    walk.judged.faults(root.shown, "again.changes", sentences)
    assert observed.before is not None
    gone = [key for key in observed.before.keys() if observed.inventory.value(key) is None]  # noqa: SIM118
    silent = sum(key not in observed.deleted_keys for key in gone)
    sentence = f"{silent} resources left the list since the run before, and no Change List deletes them."
    walk.judged.faults(root.shown, "again.deletions", [sentence] if silent else [])


def _is_announced(changed_keys: dict[int, float | None], key: int, since: float | None) -> bool:
    if key not in changed_keys:
        return False
    changed = changed_keys[key]
    return changed is None or since is None or changed >= since
