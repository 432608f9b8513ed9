"""What each document of ResourceSync 1.1 carries (Z39.99 §8 to §13 and Appendix A; ResourceSync Archives 1.0)."""

from typing import NamedTuple

_SINCE = ("at", "completed")
_WINDOW = ("from", "until")
_REPRESENTATION = ("hash", "length", "type", "encoding")
_CHANGED = ("change", "datetime")


class Kind(NamedTuple):
    """A kind of document.

    `required` and `times` are attributes of its `rs:md`: the time that it must have, and those that it may have.
    `entries` are the attributes of `rs:md` in its entries, and `parts` those in the entries of its index.
    `up` is the capability of the document that its `up` link leads to; empty: it needs none.
    """

    name: str
    section: str
    required: str = ""
    times: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    parts: tuple[str, ...] | None = None  # None: there is no index of such documents
    up: str = "capabilitylist"
    lists: str = ""  # the entries are `documents` or `packages`; else resources
    changes: bool = False
    is_manifest: bool = False


KINDS: dict[str, Kind] = {
    "description": Kind(
        "Source Description",
        "§8",
        entries=("capability", *_REPRESENTATION),
        parts=("capability", *_REPRESENTATION),
        up="",
        lists="documents",
    ),
    "capabilitylist": Kind(
        "Capability List", "§9", entries=("capability", *_REPRESENTATION), up="description", lists="documents"
    ),
    "resourcelist": Kind("Resource List", "§10.1", "at", _SINCE, _REPRESENTATION, (*_SINCE, *_REPRESENTATION)),
    "resourcedump": Kind(
        "Resource Dump", "§11", "at", _SINCE, (*_REPRESENTATION, *_SINCE), (*_SINCE, *_REPRESENTATION), lists="packages"
    ),
    "resourcedump-manifest": Kind(
        "Resource Dump Manifest", "§11", "at", _SINCE, (*_REPRESENTATION, "path"), is_manifest=True
    ),
    "changelist": Kind(
        "Change List",
        "§12.1",
        "from",
        _WINDOW,
        (*_REPRESENTATION, *_CHANGED),
        (*_WINDOW, *_REPRESENTATION),
        changes=True,
    ),
    "changedump": Kind(
        "Change Dump",
        "§13",
        "from",
        _WINDOW,
        (*_REPRESENTATION, *_WINDOW),
        (*_WINDOW, *_REPRESENTATION),
        lists="packages",
    ),
    "changedump-manifest": Kind(
        "Change Dump Manifest",
        "§13",
        "from",
        _WINDOW,
        (*_REPRESENTATION, *_CHANGED, "path"),
        changes=True,
        is_manifest=True,
    ),
    "change-notification": Kind(
        "Change Notification", "§12.1", "from", _WINDOW, (*_REPRESENTATION, *_CHANGED), changes=True
    ),
    "framework-notification": Kind(
        "Framework Notification",
        "§12.1",
        times=_WINDOW,
        entries=(*_REPRESENTATION, *_CHANGED, "capability", *_SINCE, *_WINDOW),
        up="",
        changes=True,
    ),
    **{
        f"{of}-archive": Kind(
            f"{name} Archive", "Archives §2", entries=(*times, *_REPRESENTATION), parts=(*times,), lists="documents"
        )
        for of, name, times in (
            ("resourcelist", "Resource List", _SINCE),
            ("resourcedump", "Resource Dump", _SINCE),
            ("changelist", "Change List", _WINDOW),
            ("changedump", "Change Dump", _WINDOW),
        )
    },
}

# What earlier versions, and programs with errors, wrote, and the sentence about it.
OLDER_CAPABILITIES = {
    "resourcesync": ("description", "ResourceSync 0.9 had this for a Source Description."),
    "capability": ("capabilitylist", "No version has this; a Capability List is a capabilitylist."),
    "changenotification": ("change-notification", "No version has this without a hyphen."),
}
OLDER_RELATIONS = {"resourcesync": "ResourceSync 0.5 and 0.9 had this; since 1.0 the relation is up."}
OLDER_TIMES = {"from": "ResourceSync 0.9 had from and until for every document."}
OLDER_ATTRIBUTES = {"modified": "ResourceSync 0.5 had this for the time of a list; since 0.9 it is at or from."}

MD_ATTRIBUTES = frozenset((*_SINCE, *_WINDOW, *_REPRESENTATION, *_CHANGED, "capability", "path"))
LN_ATTRIBUTES = frozenset((*_REPRESENTATION, "href", "rel", "modified", "path", "pri", "profile"))
TIMES = (*_SINCE, *_WINDOW)


def older(sentence: str, known: str | tuple[str, str] | None) -> str:
    """Return a sentence with what earlier versions had, if they had it."""
    if known is None:
        return sentence
    return f"{sentence} {known if isinstance(known, str) else known[1]}"
