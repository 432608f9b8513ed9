"""Maps the payloads of one item to its records. It is pure, so any process may do it, without a store.

`prepare` reads the richest payload into a Work, lets every format write its fragment, and adds the about containers.
The header is added later, when the datestamp is known (`record`).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b, sha256
from typing import NamedTuple

from gateway.core.errors import NotAWork, UnusableRecord, unforeseen
from gateway.core.model import Content, FileLink, Lack, Lacking, Work
from gateway.core.names import FULLTEXT, SOURCES, local_identifier, local_set
from gateway.core.takedowns import Takedowns
from gateway.core.xmltext import NO_NAMESPACE, escape, is_legal, utc_datetime
from gateway.formats import oai_didl, written
from gateway.publish import provenance, resourcesync_abouts, withholding
from gateway.publish.payloads import Given, Read, best_first, guarded, standing_alone, with_known_files, work_of
from gateway.publish.payloads import read as read_payload
from gateway.publish.provenance import Origin
from gateway.publish.withholding import Forbidden

_DIGEST_BYTES = 16
_NO_TAKEDOWNS = Takedowns()
_NEEDED = ((Lack.TITLE, "title"), (Lack.DATE, "date"), (Lack.AUTHOR, "creator"))
# Elements with text, in a valid oai_dc.
_STATED = {name: re.compile(rb"<(?:[\w.-]+:)?%b\b[^<>]*>\s*[^\s<]" % name.encode()) for _, name in _NEEDED}
_NOT_TEXT = b"< \t\n\r\f\v"


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """The facts about a source that publication needs.

    `formats` has (schema, namespace) of each metadataPrefix that the source announces. `rights` is the address of a
    rights statement for all its records. `prefer` has the prefixes to read the Work from first. `fields` has the names
    of the fields of its payloads, for formats in which they differ (Solr). `apart`: none of its payloads stands for our
    optional formats.
    """

    name: str
    base_url: str
    domain: str
    formats: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    rights: str = ""
    prefer: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    apart: bool = False


class Made(NamedTuple):
    """Our formats: those that every item has, and optional ones (`formats_made`) that are no longer made."""

    prefixes: tuple[str, ...] = ("oai_dc", "oai_didl")
    withdrawn: tuple[str, ...] = ()


class Task(NamedTuple):
    """One item to map. `held_sets` are its sets so far: a deletion that names no sets keeps them.

    `files` are its known files besides those in its record. `published` are the prefixes of its records; None: the item
    is new. An item that is taken down gets tombstones only in these prefixes. `made` are our formats.
    """

    facts: SourceFacts
    upstream: str
    given: tuple[Given, ...]
    held_sets: tuple[str, ...] = ()
    files: tuple[FileLink, ...] = ()
    published: tuple[str, ...] | None = None
    takedowns: Takedowns = _NO_TAKEDOWNS
    made: Made = Made()


class Fragment(NamedTuple):
    """One record without its header: `body` is everything between the header and the end tag of the record.

    `length` and `sha256` are those of its metadata alone.
    """

    metadata_prefix: str
    digest: bytes
    is_deleted: bool
    body: bytes
    length: int = 0
    sha256: bytes = b""


class Prepared(NamedTuple):
    """The result of a task: the records, or the reasons why there are none, as (upstream prefix, sentence).

    `is_withheld`: the item, or a part of it, is taken down. `contents` are the files to which its DIDL refers.
    `lacking`: what the record lacks; None: nothing. With problems it is set if no payload describes a work. `cite_as`
    is the DOI of its work, as a URI.
    """

    upstream: str
    identifier: str
    is_deleted: bool
    sets: tuple[str, ...]
    fragments: tuple[Fragment, ...]
    problems: tuple[tuple[str, str], ...] = ()
    is_withheld: bool = False
    contents: tuple[Content, ...] = ()
    lacking: Lacking | None = None
    cite_as: str = ""


def prepare(task: Task) -> Prepared:
    """Return the records of one item. It raises nothing because of the contents of a payload: that is a problem."""
    try:
        return _prepared(task)
    except Exception as error:
        problems = tuple((given.metadata_prefix, unforeseen(error)) for given in task.given if not given.is_deleted)
        if not problems:  # a deletion has no contents that could be wrong
            raise
        return Prepared(task.upstream, "", False, (), (), problems)


def _prepared(task: Task) -> Prepared:
    identifier = local_identifier(task.facts.domain, task.facts.name, task.upstream)
    if task.takedowns.names_item(identifier, task.facts.name, task.upstream):
        return _taken_down(task, identifier)
    live = [given for given in task.given if not given.is_deleted]
    known = _forbidden(task, live)
    read, problems, others = [], [], 0
    may_glance = known is None and len(live) == 1 and not _are_optional(task.made.prefixes)
    for given in live:
        try:
            read.append(
                read_payload(given, may_glance and not task.takedowns.may_concern(given.content), task.facts.fields)
            )
        except UnusableRecord as error:
            problems.append((given.metadata_prefix, str(error)))
            others += isinstance(error, NotAWork)
    if problems:
        no_work = Lacking(live[0].metadata_prefix, Lack.WORK) if others == len(live) else None
        return Prepared(task.upstream, identifier, False, (), (), tuple(problems), lacking=no_work)
    if any(record.work is not None and task.takedowns.names_work(task.upstream, record.work) for record in read):
        return _taken_down(task, identifier)
    if not live:
        return _tombstones(task, identifier)
    return _permitted(task, identifier, read, known)


@lru_cache(maxsize=16)
def _are_optional(prefixes: tuple[str, ...]) -> bool:
    """Return whether one of our formats needs more of a work than `glance` reads."""
    return any(written()[prefix].is_optional for prefix in prefixes)


def _permitted(task: Task, identifier: str, read: list[Read], known: Forbidden | None) -> Prepared:
    """Return the records of an item that is not deleted, without the parts that are taken down."""
    ordered = best_first(task.facts.prefer, read)
    work = work_of(task.upstream, ordered)
    if known is not None:
        known = known.with_files(work.all_files)
        ordered = [_quiet(record, known) for record in ordered]
    if files := withholding.permitted(task.files, known):
        work = with_known_files(work, files)
    work = withholding.without(work, known)
    sets = _sets(task, has_files=bool(work.files))
    fragments = _fragments(task, ordered, work, sets, known)
    contents = tuple(oai_didl.contents(work))
    return Prepared(
        task.upstream,
        identifier,
        False,
        sets,
        fragments,
        is_withheld=known is not None,
        contents=contents,
        lacking=_lacking(ordered[0], work),
        cite_as=next((uri for uri in work.identifiers if uri.startswith("https://doi.org/")), ""),
    )


def _lacking(best: Read, work: Work) -> Lacking | None:
    lacks = [lack for lack, name in _NEEDED if not (_states(work.oai_dc, name) if work.oai_dc else work.texts(name))]
    if best.by_fallback:
        lacks.append(Lack.READER)
    return Lacking(best.given.metadata_prefix, Lack(sum(lacks))) if lacks else None


def _states(content: bytes, name: str) -> bool:
    """Return whether a valid oai_dc has an element with text; in its usual spelling, without a regular expression."""
    tag = b"<dc:%b>" % name.encode()
    place = content.find(tag) + len(tag)
    is_plain = place >= len(tag) and content[place : place + 1] not in _NOT_TEXT
    return is_plain or _STATED[name].search(content) is not None


def _forbidden(task: Task, live: Iterable[Given]) -> Forbidden | None:
    """Return what must not be published of an item; None if no takedown concerns it."""
    if task.takedowns.is_empty:
        return None
    known = Forbidden(task.takedowns).with_files(task.files)
    contents = (content for given in live for content in (given.content, *given.abouts))
    return known if any(map(known.names, task.files)) or any(map(known.mentions, contents)) else None


def _quiet(read: Read, known: Forbidden) -> Read:
    """Return a payload without the abouts that contain something that is taken down."""
    abouts = tuple(about for about in read.given.abouts if not known.mentions(about))
    return read._replace(given=read.given._replace(abouts=abouts))


def record(identifier: str, datestamp: int, sets: tuple[str, ...], fragment: Fragment) -> bytes:
    """Return the whole `<record>` of a fragment (OAI-PMH 2.0 §2.5)."""
    status = ' status="deleted"' if fragment.is_deleted else ""
    head = (
        f"<record><header{status}><identifier>{escape(identifier)}</identifier>"
        f"<datestamp>{_utc_datetime(datestamp)}</datestamp>{_specs(sets)}</header>"
    )
    return b"".join((head.encode(), fragment.body, b"</record>"))


_utc_datetime = lru_cache(maxsize=4096)(utc_datetime)  # records of one page have the same time


@lru_cache(maxsize=4096)
def _specs(sets: tuple[str, ...]) -> str:
    return "".join(f"<setSpec>{spec}</setSpec>" for spec in sets)


# --- writing ------------------------------------------------------------------------------------------------------


def _fragments(
    task: Task, read: list[Read], work: Work, sets: tuple[str, ...], known: Forbidden | None
) -> tuple[Fragment, ...]:
    """Return one fragment for each prefix: a payload that is served unchanged, else ours, else a tombstone."""
    if len(read) == len(task.given) == 1 and not read[0].given.exposed and not task.made.withdrawn:
        return tuple(_ours(task, list(task.made.prefixes), read, work, sets, known))
    passed = _passed_through(task, read, sets, known)
    living = {fragment.metadata_prefix for fragment in passed if not fragment.is_deleted}
    ours = _ours(task, [prefix for prefix in task.made.prefixes if prefix not in living], read, work, sets, known)
    there = living.union(fragment.metadata_prefix for fragment in ours)
    gone = [prefix for prefix in task.made.withdrawn if prefix in (task.published or ()) and prefix not in there]
    others = {fragment.metadata_prefix: fragment for fragment in passed if fragment.metadata_prefix not in there}
    others |= {prefix: tombstone(prefix, sets) for prefix in gone}
    return *ours, *(fragment for fragment in passed if not fragment.is_deleted), *others.values()


def _ours(
    task: Task, prefixes: list[str], read: list[Read], work: Work, sets: tuple[str, ...], forbidden: Forbidden | None
) -> list[Fragment]:
    """Return the fragments of formats that we write for every item.

    Of an optional one, a payload of the same namespace in which a work can be read is served unchanged instead.
    """
    origin = next(iter([record for record in read if record.work is not None and record.work.oai_dc]), read[0])
    saying = _Saying(task.facts, task.upstream, origin, sets)
    fragments = []
    for prefix in prefixes:
        known = written()[prefix]
        assert known.write is not None
        if known.is_optional and not task.facts.apart and (same := _of_namespace(read, known.namespace, forbidden)):
            own = _Saying(task.facts, task.upstream, same, sets)
            fragments.append(own.fragment(prefix, same.content, is_altered=same.given.is_repaired))
            continue
        content = known.write(work)
        is_carried = content == origin.content and not origin.given.is_repaired
        fragments.append(saying.fragment(prefix, content, is_altered=not is_carried))
    return fragments


def _of_namespace(read: list[Read], namespace: str, known: Forbidden | None) -> Read | None:
    """Return the first payload of a namespace with a title that is served unchanged, if nothing forbids it."""
    for record in read:
        has_title = record.namespace == namespace and record.work is not None and record.work.texts("title")
        is_own = has_title and record.given.exposed and namespace.encode() in record.content  # not a stated profile
        if is_own and not (known is not None and known.mentions(record.content)):
            return record
    return None


def _passed_through(task: Task, read: list[Read], sets: tuple[str, ...], known: Forbidden | None) -> list[Fragment]:
    """Return the payloads that are served unchanged, and tombstones for those that are deleted or withheld."""
    exposed = [given for given in task.given if given.exposed]
    if not exposed:
        return []
    withheld = [record for record in read if known is not None and known.mentions(record.content)]
    fragments = [
        _Saying(task.facts, task.upstream, record, sets).fragment(
            record.given.exposed, record.content, is_altered=record.given.is_repaired
        )
        for record in read
        if record.given.exposed and record not in withheld
    ]
    gone = [given.exposed for given in exposed if given.is_deleted]
    gone += [record.given.exposed for record in withheld if record.given.exposed in (task.published or ())]
    return fragments + [tombstone(prefix, sets) for prefix in gone]


class _Saying:
    """The about containers of all records that are made of one payload: provenance, rights, and others."""

    __slots__ = ("_abouts", "_meant")

    def __init__(self, facts: SourceFacts, upstream: str, read: Read, sets: tuple[str, ...]) -> None:
        given = read.given
        namespace = _namespace(facts, read)
        stated = provenance.NOTHING
        if given.abouts:
            others = resourcesync_abouts.others(given.abouts)
            stated = provenance.read(standing_alone(about, given.declarations) for about in others)
            before = None if stated.origin else resourcesync_abouts.republished(given.abouts, namespace)
            stated = stated if before is None else stated._replace(origin=provenance.described(before))
        carried = tuple([b"<about>%b</about>" % guarded(*other) for other in stated.others])
        rights = stated.rights or (provenance.rights_reference(facts.rights) if facts.rights else "")
        rights = provenance.rights_container(rights) if rights else ""
        datestamp = provenance.datestamp_of(given.datestamp, given.received_at)
        origin = Origin(facts.base_url, upstream, datestamp, namespace, _utc_datetime(given.received_at))
        self._abouts = provenance.containers(origin, stated.origin, rights, carried)
        # Everything except the harvestDate, which changes although nothing is new.
        meant = (facts.base_url, given.datestamp, namespace, stated.origin, rights, *sets)
        self._meant = b"\0".join(("\0".join(meant).encode("utf-8", "surrogatepass"), *carried))

    def fragment(self, prefix: str, content: bytes, *, is_altered: bool) -> Fragment:
        """Return the metadata and abouts of a record, and their digest without the harvestDate."""
        digest = blake2b(self._meant, digest_size=_DIGEST_BYTES, salt=b"altered" if is_altered else b"")
        digest.update(content)
        body = b"".join((b"<metadata>", content, b"</metadata>", self._abouts[is_altered]))
        return Fragment(prefix, digest.digest(), False, body, len(content), sha256(content).digest())


def _namespace(facts: SourceFacts, read: Read) -> str:
    """Return the namespace for the provenance: that of the payload, else of its format, else the address for none."""
    _, announced = facts.formats.get(read.given.metadata_prefix, ("", ""))
    return read.namespace or announced.strip() or NO_NAMESPACE


def _tombstones(task: Task, identifier: str) -> Prepared:
    """Return the tombstones of an item that its source has deleted in every format; none if it was never published."""
    if task.published == ():
        return Prepared(task.upstream, identifier, True, (), ())
    stated = _sets(task, has_files=False)
    sets = most_specific({*stated, *task.held_sets})
    prefixes = [*task.made.prefixes, *(given.exposed for given in task.given if given.exposed)]
    prefixes += [prefix for prefix in task.made.withdrawn if prefix in (task.published or ())]
    fragments = tuple(tombstone(prefix, sets) for prefix in dict.fromkeys(prefixes))
    return Prepared(task.upstream, identifier, True, sets, fragments)


def _taken_down(task: Task, identifier: str) -> Prepared:
    """Return the tombstones of an item that is taken down, in the formats and sets in which it was published."""
    was_published = identifier in task.takedowns.hit_items  # perhaps by a store that is lost
    prefixes = task.published or (task.made.prefixes if was_published else ())
    sets = (most_specific(set(task.held_sets)) or _sets(task, has_files=False)) if prefixes else ()
    fragments = tuple(tombstone(prefix, sets) for prefix in prefixes)
    return Prepared(task.upstream, identifier, True, sets, fragments, is_withheld=True)


def tombstone(prefix: str, sets: tuple[str, ...]) -> Fragment:
    """Return the fragment of a deleted record: it has no metadata and no about (OAI-PMH 2.0 §2.5.1)."""
    digest = blake2b(repr(sets).encode(), digest_size=_DIGEST_BYTES).digest()
    return Fragment(prefix, digest, True, b"")


def _sets(task: Task, *, has_files: bool) -> tuple[str, ...]:
    """Return the most specific sets of an item (OAI-PMH 2.0 §2.6): that of its source or sets below it, fulltext."""
    counted = [given.sets for given in task.given if not given.is_deleted] or [given.sets for given in task.given]
    return _local_sets(task.facts.name, tuple(counted), FULLTEXT if has_files else "")


@lru_cache(maxsize=4096)  # the records of a source share a few sets
def _local_sets(name: str, counted: tuple[tuple[str, ...], ...], fulltext: str) -> tuple[str, ...]:
    specs = {local_set(name, spec) for sets in counted for spec in sets if spec}
    if not specs:
        specs = {f"{SOURCES}:{name}"}
    if fulltext:
        specs.add(fulltext)
    return most_specific(specs)


def most_specific(specs: set[str]) -> tuple[str, ...]:
    """Return the sets that have no other one of them below, sorted; the set of everything is in no header."""
    above = {spec[:place] for spec in specs for place, character in enumerate(spec) if character == ":"}
    return tuple(sorted(specs - above - {SOURCES}))


def is_legal_identifier(upstream: str) -> bool:
    """Return whether an identifier of a source can be used: it is not blank, and XML allows its characters."""
    return bool(upstream.strip()) and is_legal(upstream)
