"""From the payloads of one item to its records: pure, so that any process may do it. The store is not known here.

`prepare` reads the richest payload into a Work, lets every format write its fragment, and adds what each record says
about itself. The header is added later, when the datestamp is known (`record`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from gateway import known_files, provenance, related, withholding, xmlio
from gateway.errors import NotXml, UnusableRecord, unforeseen
from gateway.formats import glancing, namespace_told, reader_of, written
from gateway.model import FileLink, Work
from gateway.names import FULLTEXT, SOURCES, local_identifier, local_set
from gateway.namespaces import guarded, standing_alone
from gateway.provenance import Origin
from gateway.takedowns import Takedowns
from gateway.withholding import Forbidden
from gateway.xmltext import DC, NO_NAMESPACE, OAI_DC, escape, is_legal, utc_datetime

_DIGEST_BYTES = 16
_NO_TAKEDOWNS = Takedowns()


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What publication must know of a source.

    `formats` gives (schema, namespace) of each upstream metadataPrefix as the source announces them; `rights` the
    address of a rights statement for all its records; `prefer` the upstream prefixes to read the Work from first;
    `fields` how the fields of its payloads are called where every source calls them otherwise.
    """

    name: str
    base_url: str
    domain: str
    formats: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    rights: str = ""
    prefer: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)


class Given(NamedTuple):
    """One payload of an item. `exposed` is the prefix under which it is passed through; empty: it is not."""

    metadata_prefix: str
    exposed: str
    content: bytes
    declarations: tuple[tuple[str, str], ...]
    datestamp: str
    sets: tuple[str, ...]
    is_deleted: bool
    abouts: tuple[bytes, ...]
    received_at: int
    is_repaired: bool


class Task(NamedTuple):
    """One item to be mapped. `held_sets` are the sets it was in: what is deleted without a word of them stays there.

    `files` is what is known of its files besides what its upstream says. `published` are the prefixes of its records;
    None: the item is new. What is taken down is never exposed where nothing was published.
    """

    facts: SourceFacts
    upstream: str
    given: tuple[Given, ...]
    held_sets: tuple[str, ...] = ()
    files: tuple[FileLink, ...] = ()
    published: tuple[str, ...] | None = None
    takedowns: Takedowns = _NO_TAKEDOWNS


class Fragment(NamedTuple):
    """One record without its header: `body` is everything between header and the end of the record."""

    metadata_prefix: str
    digest: bytes
    is_deleted: bool
    body: bytes


class Prepared(NamedTuple):
    """What became of a task: its records, or the reasons (upstream prefix, sentence) why there are none.

    `is_withheld`: the item, or something of it, is taken down.
    """

    upstream: str
    identifier: str
    is_deleted: bool
    sets: tuple[str, ...]
    fragments: tuple[Fragment, ...]
    problems: tuple[tuple[str, str], ...] = ()
    is_withheld: bool = False


class _Read(NamedTuple):
    given: Given
    content: bytes
    namespace: str
    rank: int
    work: Work | None


def prepare(task: Task) -> Prepared:
    """Map one item. Never raises for what a payload holds: that becomes a problem."""
    try:
        return _prepared(task)
    except Exception as error:
        problems = tuple((given.metadata_prefix, unforeseen(error)) for given in task.given if not given.is_deleted)
        if not problems:  # a deletion says nothing that could be wrong
            raise
        return Prepared(task.upstream, "", False, (), (), problems)


def _prepared(task: Task) -> Prepared:
    identifier = local_identifier(task.facts.domain, task.facts.name, task.upstream)
    if task.takedowns.names_item(identifier, task.facts.name, task.upstream):
        return _taken_down(task, identifier)
    live = [given for given in task.given if not given.is_deleted]
    known = _forbidden(task, live)
    read, problems = [], []
    for given in live:
        try:
            may_glance = known is None and len(live) == 1 and not task.takedowns.may_concern(given.content)
            read.append(_read(given, may_glance, task.facts.fields))
        except UnusableRecord as error:
            problems.append((given.metadata_prefix, str(error)))
    if problems:
        return Prepared(task.upstream, identifier, False, (), (), tuple(problems))
    if any(each.work is not None and task.takedowns.names_work(task.upstream, each.work) for each in read):
        return _taken_down(task, identifier)
    if not live:
        return _tombstones(task, identifier)
    return _permitted(task, identifier, read, known)


def _permitted(task: Task, identifier: str, read: list[_Read], known: Forbidden | None) -> Prepared:
    """Return the records of an item that lives, without what is taken down of it."""
    best_first = _best_first(task, read)
    work = _work(task, best_first)
    if known is not None:
        known = known.with_files(work.files)
        best_first = read = [_quiet(each, known) for each in best_first]
    if files := withholding.permitted(task.files, known):
        work = known_files.completed(work, files)
    work = withholding.without(work, known)
    sets = _sets(task, has_files=bool(work.files))
    fragments = (*_ours(task, best_first, work, sets), *_passed_through(task, read, sets, known))
    return Prepared(task.upstream, identifier, False, sets, fragments, is_withheld=known is not None)


def _forbidden(task: Task, live: Iterable[Given]) -> Forbidden | None:
    """Return what must not be told of an item; None when takedowns have nothing to do with it."""
    if task.takedowns.is_empty:
        return None
    known = Forbidden(task.takedowns).with_files(task.files)
    contents = (content for given in live for content in (given.content, *given.abouts))
    return known if any(map(known.names, task.files)) or any(map(known.mentions, contents)) else None


def _quiet(read: _Read, known: Forbidden) -> _Read:
    """Return a payload without the abouts that tell what is taken down."""
    abouts = tuple(each for each in read.given.abouts if not known.mentions(each))
    return read._replace(given=read.given._replace(abouts=abouts))


def record(identifier: str, datestamp: int, sets: tuple[str, ...], fragment: Fragment) -> bytes:
    """Return the whole `<record>` of a fragment (OAI-PMH 2.0 §2.5)."""
    status = ' status="deleted"' if fragment.is_deleted else ""
    head = (
        f"<record><header{status}><identifier>{escape(identifier)}</identifier>"
        f"<datestamp>{_told(datestamp)}</datestamp>{_specs(sets)}</header>"
    )
    return b"".join((head.encode(), fragment.body, b"</record>"))


_told = lru_cache(maxsize=4096)(utc_datetime)  # what comes together has one time


@lru_cache(maxsize=4096)
def _specs(sets: tuple[str, ...]) -> str:
    return "".join(f"<setSpec>{spec}</setSpec>" for spec in sets)


# --- reading ------------------------------------------------------------------------------------------------------


def _read(given: Given, is_only: bool, fields: Mapping[str, str]) -> _Read:
    """Read a payload; what is the only one of its item, and not passed through, may be read at a glance."""
    content = standing_alone(given.content, given.declarations)
    if is_only and not given.exposed:
        for known in glancing():
            assert known.glance is not None
            if (work := known.glance(content)) is not None:
                return _Read(given, content, known.namespace, known.rank, related.completed(work, given.abouts))
    try:
        root = xmlio.parse(content)
    except NotXml as error:
        raise UnusableRecord(f"The metadata cannot be used. {error}") from error
    namespace, _ = xmlio.name_of(root)
    if given.exposed:
        content = guarded(content, root)
    reader = reader_of(namespace)
    told = "" if reader.namespaces else namespace_told(related.profiles(given.abouts))
    if told and (work := _read_as(told, namespace, root)):
        return _Read(given, content, told, reader_of(told).rank, related.completed(work, given.abouts))
    work = reader.read_by(root, content, fields) if reader.read_by else reader.read(root, content)
    return _Read(given, content, namespace, reader.rank, work and related.completed(work, given.abouts))


def _read_as(told: str, namespace: str, root: xmlio.Element) -> Work | None:
    """Read a payload, whose own namespace tells nothing, by the one that is told; None when nothing is found so."""
    elements = DC if told == OAI_DC else told  # whose children are in a namespace of their own
    same = xmlio.renamed(root, namespace, elements)
    work = reader_of(elements).read(same, b"")
    return work if work and work.statements else None


def _best_first(task: Task, read: list[_Read]) -> list[_Read]:
    """Return the payloads by preference of the source's settings, then by richness; what nobody could read is last."""
    if len(read) == 1:
        return read
    prefer = {prefix: place for place, prefix in enumerate(task.facts.prefer)}

    def order(each: _Read) -> tuple[bool, int, int]:
        is_mute = each.work is None or not each.work.statements
        return is_mute, prefer.get(each.given.metadata_prefix, len(prefer)), -each.rank

    return sorted(read, key=order)


def _work(task: Task, read: list[_Read]) -> Work:
    """Return the Work of the first payload; what it lacks, the others may still know."""
    works = [each.work for each in read if each.work is not None] or [Work()]
    best = works[0]
    if len(works) == 1:
        return Work(*best[:5], _modified(read), task.upstream, best.oai_dc)
    return Work(
        statements=best.statements,
        identifiers=next((work.identifiers for work in works if work.identifiers), ()),
        landing_page=next((work.landing_page for work in works if work.landing_page), ""),
        files=_first_of_each(file for work in works for file in work.files),
        license=best.license,
        modified=_modified(read),
        upstream=task.upstream,
        oai_dc=next((work.oai_dc for work in works if work.oai_dc), b""),
    )


def _first_of_each(files: Iterable[FileLink]) -> tuple[FileLink, ...]:
    found: dict[str, FileLink] = {}
    for file in files:
        found.setdefault(file.url, file)
    return tuple(found.values())


def _modified(read: list[_Read]) -> str:
    return max([provenance.datestamp_of(each.given.datestamp, each.given.received_at) for each in read], default="")


# --- writing ------------------------------------------------------------------------------------------------------


def _ours(task: Task, read: list[_Read], work: Work, sets: tuple[str, ...]) -> list[Fragment]:
    """Return the fragments of the formats that exist for every item."""
    origin = next(iter([each for each in read if each.work is not None and each.work.oai_dc]), read[0])
    saying = _Saying(task.facts, task.upstream, origin, sets)
    fragments = []
    for prefix, known in written().items():
        assert known.write is not None
        content = known.write(work)
        is_carried = content == origin.content and not origin.given.is_repaired
        fragments.append(saying.fragment(prefix, content, is_altered=not is_carried))
    return fragments


def _passed_through(task: Task, read: list[_Read], sets: tuple[str, ...], known: Forbidden | None) -> list[Fragment]:
    """Return the payloads that are re-exposed as they came, and tombstones for those that are gone or withheld."""
    exposed = [given for given in task.given if given.exposed]
    if not exposed:
        return []
    withheld = [each for each in read if known is not None and known.mentions(each.content)]
    fragments = [
        _Saying(task.facts, task.upstream, each, sets).fragment(
            each.given.exposed, each.content, is_altered=each.given.is_repaired
        )
        for each in read
        if each.given.exposed and each not in withheld
    ]
    gone = [given.exposed for given in exposed if given.is_deleted]
    gone += [each.given.exposed for each in withheld if each.given.exposed in (task.published or ())]
    return fragments + [tombstone(prefix, sets) for prefix in gone]


class _Saying:
    """What the records made of one payload say about themselves: where it comes from, and rights."""

    __slots__ = ("_abouts", "_meant")

    def __init__(self, facts: SourceFacts, upstream: str, read: _Read, sets: tuple[str, ...]) -> None:
        given = read.given
        namespace = _namespace(facts, read)
        said = provenance.NOTHING
        if given.abouts:
            said = provenance.read(standing_alone(each, given.declarations) for each in given.abouts)
            before = None if said.origin else related.republished(given.abouts, namespace)
            said = said if before is None else said._replace(origin=provenance.described(before))
        others = tuple([b"<about>%b</about>" % guarded(*each) for each in said.others])
        rights = said.rights or (provenance.rights_reference(facts.rights) if facts.rights else "")
        rights = provenance.rights_container(rights) if rights else ""
        datestamp = provenance.datestamp_of(given.datestamp, given.received_at)
        origin = Origin(facts.base_url, upstream, datestamp, namespace, _told(given.received_at))
        self._abouts = provenance.containers(origin, said.origin, rights, others)
        # Everything but the harvestDate, which changes without anything being new.
        meant = (facts.base_url, given.datestamp, namespace, said.origin, rights, *sets)
        self._meant = b"\0".join(("\0".join(meant).encode("utf-8", "surrogatepass"), *others))

    def fragment(self, prefix: str, content: bytes, *, is_altered: bool) -> Fragment:
        """Return a record's metadata and abouts, and the digest of what they say."""
        digest = blake2b(self._meant, digest_size=_DIGEST_BYTES, salt=b"altered" if is_altered else b"")
        digest.update(content)
        body = b"".join((b"<metadata>", content, b"</metadata>", self._abouts[is_altered]))
        return Fragment(prefix, digest.digest(), False, body)


def _namespace(facts: SourceFacts, read: _Read) -> str:
    """Return the namespace that provenance names: the payload's, else that of its format, else the sign for none."""
    _, announced = facts.formats.get(read.given.metadata_prefix, ("", ""))
    return read.namespace or announced.strip() or NO_NAMESPACE


def _tombstones(task: Task, identifier: str) -> Prepared:
    """Return the tombstones of an item that its source has deleted in every format; none where nothing was exposed."""
    if task.published == ():
        return Prepared(task.upstream, identifier, True, (), ())
    stated = _sets(task, has_files=False)
    sets = most_specific({*stated, *task.held_sets})
    prefixes = (*written(), *(given.exposed for given in task.given if given.exposed))
    return Prepared(task.upstream, identifier, True, sets, tuple(tombstone(prefix, sets) for prefix in prefixes))


def _taken_down(task: Task, identifier: str) -> Prepared:
    """Return the tombstones of an item that is taken down: in the formats and sets in which it was published."""
    was_published = identifier in task.takedowns.hit_items  # by a store that is lost, perhaps
    prefixes = task.published or (tuple(written()) if was_published else ())
    sets = (most_specific(set(task.held_sets)) or _sets(task, has_files=False)) if prefixes else ()
    fragments = tuple(tombstone(prefix, sets) for prefix in prefixes)
    return Prepared(task.upstream, identifier, True, sets, fragments, is_withheld=True)


def tombstone(prefix: str, sets: tuple[str, ...]) -> Fragment:
    """Return the fragment of a deleted record: it has no metadata and no about (OAI-PMH 2.0 §2.5.1)."""
    digest = blake2b(repr(sets).encode(), digest_size=_DIGEST_BYTES).digest()
    return Fragment(prefix, digest, True, b"")


def _sets(task: Task, *, has_files: bool) -> tuple[str, ...]:
    """Return the most specific sets of an item (OAI-PMH 2.0 §2.6): its source's, those the source names, fulltext."""
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
    """Return those sets that no other is below; the set of everything is in no header."""
    above = {spec[:place] for spec in specs for place, character in enumerate(spec) if character == ":"}
    return tuple(sorted(specs - above - {SOURCES}))


def is_legal_identifier(upstream: str) -> bool:
    """Tell whether an upstream identifier can stand in an answer of ours."""
    return bool(upstream.strip()) and is_legal(upstream)
