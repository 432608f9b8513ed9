"""The message of a new version in the inventory of an object (OCFL 1.1 §3.5.3.1). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from harvester.mirror.object_state import DOCUMENT, RECEIVED

_MOST_NAMES = 5


def described(before: Mapping[str, str], after: Mapping[str, str], *, is_deleted: bool) -> str:
    """Return which files of an object changed; both states are SHA-512 by logical path.

    `received.json` changes in each version. It is named only when nothing else has changed.
    """
    if is_deleted:
        return f"deleted{_named(before.keys() - {RECEIVED})}"
    if DOCUMENT not in before:
        return f"created{_named(after.keys() - {RECEIVED})}"
    parts = [f"{word}{_named(names)}" for word, names in _changed(before, after) if names]
    return "; ".join(parts) or f"replaced: {RECEIVED}"


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, set[str]]]:
    yield "created", after.keys() - before.keys()
    yield "replaced", {name for name in after.keys() & before.keys() - {RECEIVED} if after[name] != before[name]}
    yield "withdrawn", before.keys() - after.keys()


def _named(names: set[str]) -> str:
    first = ", ".join(islice(sorted(names), _MOST_NAMES))
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f": {first}{more}" if names else ""
