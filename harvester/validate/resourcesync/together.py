"""The rules of documents together: links up and to the index, indexes and their parts, and windows of changes."""

from collections.abc import Iterator
from itertools import pairwise

from harvester.validate.check import Undecided
from harvester.validate.resourcesync.kinds import TIMES
from harvester.validate.resourcesync.model import Document, Listed
from harvester.validate.resourcesync.reading import Attributes
from harvester.validate.resourcesync.values import latest, moment, other_times
from harvester.validate.resourcesync.walk import Set, Walk
from harvester.validate.signposting.declared import normal_form


class Together:
    """The rules of the documents of a walk."""

    def __init__(self, walk: Walk) -> None:
        self._walk, self._judged = walk, walk.judged

    def judge(self) -> None:
        """Judge all documents."""
        index_of = {normal_form(url): index for index, parts in self._walk.parts for url in _urls(parts)}
        for document in tuple(self._walk.documents):
            if document.kind is not None and document.kind.up:
                self._up(document, index_of)
            if document.kind is not None and not document.kind.is_manifest:
                self._index(document, index_of)
            if document.kind is not None and document.kind.lists == "packages" and not document.is_index:
                for listed in document.listed:
                    self._covers(document, listed.loc, listed.md)
        for index, parts in self._walk.parts:
            self._parts(index, parts)
        for resource_set in self._walk.sets:
            self._changes(resource_set)
            self._stale(resource_set)

    # -- up and index ---------------------------------------------------------------------------------------------

    def _linked(self, document: Document, rel: str) -> Document | None:
        """Return the document that the first link with a relation leads to; None when none can be read."""
        target = next(iter(document.linked(rel)), "")
        if not target:
            return None
        try:
            return self._walk.document(target)
        except Undecided as reason:
            self._walk.limit = str(reason)
            return None

    def _up(self, document: Document, index_of: dict[tuple[object, ...], Document]) -> None:
        assert document.kind is not None
        above = self._linked(document, "up")
        if above is None or not above.capability:
            return
        is_list = document.kind.up == "capabilitylist"
        rule = "up.capability-list" if is_list else "up.description"
        is_wrong = above.capability != document.kind.up
        sentence = f"up leads to {above.url}, whose capability is {above.capability}."
        self._judged.faults(document.shown, rule, [sentence] if is_wrong else [])
        if is_wrong or document.kind.is_manifest or not above.is_whole:
            return
        if document.kind.name.endswith("Notification"):  # the Capability List has the address of the topic
            return
        own = {normal_form(url) for url in document.urls}
        names = {normal_form(url) for url in document.linked("index")}
        index = index_of.get(normal_form(document.url))
        is_part, passed = index is not None, set[str]()
        while index is not None and index.url not in passed:
            passed.add(index.url)
            names |= {normal_form(url) for url in index.urls}
            index = index_of.get(normal_form(index.url))
        listed_names = {normal_form(listed.loc) for listed in above.listed}
        is_named = not own.isdisjoint(listed_names)
        is_listed = not names.isdisjoint(listed_names) or (is_named and not is_part)
        if not is_listed and (above.is_index or self._is_old(document)):
            return
        sentence = f"{above.url} lists neither this document nor its index."
        if is_named:
            sentence = f"{above.url} lists this part, and not its index."
        self._judged.faults(document.shown, "up.listed" if is_list else "up.described", [] if is_listed else [sentence])

    def _is_old(self, document: Document) -> bool:
        """Return whether an archive lists a document: a Capability List has only the archive."""
        names = {normal_form(url) for url in document.urls}
        if document.is_index:
            names |= {normal_form(listed.loc) for listed in document.listed}
        archives = (one for one in self._walk.documents if one.capability.endswith("-archive"))
        return any(normal_form(listed.loc) in names for archive in archives for listed in archive.listed)

    def _index(self, document: Document, index_of: dict[tuple[object, ...], Document]) -> None:
        index = index_of.get(normal_form(document.url))
        if index is not None:
            missing = [] if document.linked("index") else [f"{index.url} lists it, and it has no index link."]
            self._judged.faults(document.shown, "index.link", missing)
        if not document.linked("index"):
            return
        linked = self._linked(document, "index")
        if linked is None or not linked.is_whole:
            return
        names = {normal_form(url) for url in document.urls}
        is_listed = any(normal_form(listed.loc) in names for listed in linked.listed)
        if not is_listed and any(document.url in one.observed.inventory for one in self._walk.sets):
            return  # the index is written as a list, which another rule says
        wrong = [] if is_listed else [f"index leads to {linked.url}, which does not list it."]
        self._judged.faults(document.shown, "index.lists", wrong)

    # -- indexes --------------------------------------------------------------------------------------------------

    def _parts(self, index: Document, parts: list[tuple[Listed, Document]]) -> None:
        judged = self._judged
        for listed, part in parts:
            nested = [f"{index.url} lists the index {part.url}."] if part.is_index else []
            judged.faults(index.shown, "index.nested", nested)
            self._covers(index, part.url, part.md)
            self._times(index, listed, part)
        if index.kind is None or index.kind.required != "from":
            return
        order = [(listed.md.get("from") or part.md.get("from", ""), part) for listed, part in parts]
        begins = [(moment(text), text, part) for text, part in order]
        late = [
            f"{other.url} begins at {text}, before {one.url}."
            for (first, _, one), (then, text, other) in pairwise(begins)
            if first is not None and then is not None and then < first
        ]
        judged.faults(index.shown, "index.order", late)
        is_open = [part for _, part in parts if not part.md.get("until")]
        wrong = [f"{part.url} is open, and is not the last one." for part in is_open if part is not parts[-1][1]]
        judged.faults(index.shown, "index.open", wrong)

    def _covers(self, whole: Document, url: str, part: Attributes) -> None:
        """Judge whether a part begins and ends within the whole (Z39.99 Appendix A)."""
        times = TIMES[2:] if "from" in whole.md else TIMES[:2]
        begin, end = (moment(whole.md.get(name, "")) for name in times)
        if begin is not None and end is not None and end < begin:
            return  # another rule says so
        wrong = []
        for name in (name for name in TIMES if name in whole.md and name in part):
            is_begin = name in ("at", "from")
            of_whole, of_part = (moment, latest) if is_begin else (latest, moment)
            one, other = of_whole(whole.md[name]), of_part(part[name])
            if one is None or other is None:
                continue
            if (other < one) if is_begin else (other > one):
                when = "before" if is_begin else "after"
                wrong.append(f"{name} of {url} is {part[name]}, {when} {whole.md[name]} of {whole.url}.")
        self._judged.faults(whole.shown, "index.covers", wrong)

    def _times(self, index: Document, listed: Listed, part: Document) -> None:
        judged = self._judged
        others = other_times(listed.md, part.md)
        sentences = (f"{name} of {part.url} is {one} here, and {other} there." for name, one, other in others)
        judged.faults(index.shown, "index.times", sentences)
        if part.kind is not None and part.kind.required == "from" and not part.is_index:
            is_closed, is_stated = bool(part.md.get("until")), bool(listed.md.get("until"))
            state = "closed, and has no until here" if is_closed else "open, and has an until here"
            wrong = [f"{part.url} is {state}."] if is_closed != is_stated else []
            judged.faults(index.shown, "index.until", wrong)

    # -- changes --------------------------------------------------------------------------------------------------

    def _changes(self, resource_set: Set) -> None:
        changes = resource_set.roots.get("changelist")
        if changes is None:
            return
        parts = next((parts for index, parts in self._walk.parts if index is changes), None)
        lists = [changes] if parts is None else [part for _, part in parts]
        self._gaps(lists)
        resources = resource_set.roots.get("resourcelist")
        at = latest(resources.md.get("at", "")) if resources is not None else None
        begins = [begin for one in lists if (begin := moment(one.md.get("from", ""))) is not None]
        if resources is None or at is None or not begins:
            return
        is_late = min(begins) > at
        sentence = f"The first Change List begins after {resources.md['at']}, which is at of the Resource List."
        self._judged.faults(changes.shown, "changes.cover", [sentence] if is_late else [])

    def _stale(self, resource_set: Set) -> None:
        """Judge whether the Resource List has the last changes before it, if all of them were read."""
        root, observed = resource_set.roots.get("resourcelist"), resource_set.observed
        for document, sentence in observed.recreated:
            self._judged.faults(document.shown, "change.created", [sentence])
        if root is None or self._walk.limit or not observed.has_changes:
            return
        if not observed.is_stale_whole:
            for rule in ("changes.deletion", "changes.state"):
                self._judged.skip(rule, "There are too many changes.")
            return
        for rule in ("changes.deletion", "changes.state"):
            self._judged.faults(root.shown, rule, (text for name, text in observed.stale.values() if name == rule))

    def _gaps(self, lists: list[Document]) -> None:
        timed = sorted(
            (document for document in lists if moment(document.md.get("from", "")) is not None),
            key=lambda document: moment(document.md["from"]) or 0,
        )
        for one, other in pairwise(timed):
            until, begin = latest(one.md.get("until", "")), moment(other.md["from"])
            if until is not None and begin is not None:
                sentence = f"{one.url} ends at {one.md['until']}, and {other.url} begins at {other.md['from']}."
                self._judged.faults(other.shown, "changes.gap", [sentence] if begin > until else [])


def _urls(parts: list[tuple[Listed, Document]]) -> Iterator[str]:
    for listed, part in parts:
        yield listed.loc
        yield from part.urls
