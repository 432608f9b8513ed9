"""The holdings: the records of a gateway, or the objects of a mirror, as works with or without a file."""

from collections.abc import Iterator

from gateway.core import xmlio
from gateway.core.errors import NotXml, StoreDamaged
from gateway.core.model import Work
from gateway.core.names import FULLTEXT
from gateway.core.typed_links import SUPPLEMENT_FILE
from gateway.formats import reader_of
from gateway.store.base import Store
from harvester.audit.compare import Difference, HeldWork, differences, held_of, title_key
from harvester.audit.crossref import Deposited
from harvester.audit.crossref_list import Scope
from harvester.audit.ledger import Ledger
from harvester.fulltext.works import work_of
from harvester.mirror.folder import MirrorFolder
from harvester.mirror.inventory import NAME, read
from harvester.mirror.object_state import DOCUMENT
from harvester.mirror.read_components import METADATA

_BATCH = 500


def of_store(store: Store, sources: tuple[str, ...]) -> Iterator[HeldWork]:
    """Return all published records of some sources, or of all sources.

    Raise NotXml when a stored record cannot be read.
    """
    after = 0
    while batch := store.items(None, after, _BATCH):
        after = batch[-1][1].number
        for source, state in batch:
            if state.is_deleted or (sources and source not in sources):
                continue
            work = work_of(store, state.identifier, state.upstream)
            if work is not None:
                has_file = FULLTEXT in store.item_sets(state.number)
                yield held_of(state.identifier, work, has_file=has_file)


def of_mirror(place: MirrorFolder) -> Iterator[HeldWork]:
    """Return every object of a mirror that is not deleted.

    It has a file if one is stored that is neither metadata nor a supplement. Raise StoreDamaged for an object that
    cannot be read.
    """
    for folder in place.root.objects():
        try:
            inventory = read((folder / NAME).read_bytes())
            holding = place.holding(inventory)
            if holding is None or holding.is_deleted:
                continue
            content = (folder / inventory.place(DOCUMENT)).read_bytes()
        except (StoreDamaged, OSError, KeyError) as error:
            raise StoreDamaged(f"{folder} cannot be read; run `harvester mirror audit`: {error}") from error
        has_file = any(file.is_good and file.type not in (METADATA, SUPPLEMENT_FILE) for file in holding.files)
        yield held_of(holding.identifier, _work(holding.identifier, content), has_file=has_file)


def _work(identifier: str, document: bytes) -> Work:
    """Return the work of a document; for an unreadable document, a work without statements."""
    try:
        root = xmlio.parse(document)
    except NotXml:
        return Work(upstream=identifier)
    work = reader_of(xmlio.name_of(root)[0]).read(root, document) or Work()
    return work._replace(upstream=identifier)


def matched_works(
    held: Iterator[HeldWork], ledger: Ledger, scope: Scope
) -> Iterator[tuple[HeldWork, Deposited | None, tuple[Difference, ...]]]:
    """Return the stored records in the scope, each with its work, or None when Crossref does not list it.

    A record without a listed DOI is found by its title, if that is long enough to be no other's. If only a part of the
    list was requested, a missing work proves nothing.
    """
    for item in held:
        work = next(filter(None, map(ledger.work, item.dois)), None) or _titled(item, ledger)
        if work is not None or (not scope.since and scope.holds(item.dois, item.issns)):
            yield item, work, differences(item, work)


def _titled(held: HeldWork, ledger: Ledger) -> Deposited | None:
    """Return the work with the title of a record, unless its dates or ISSNs disagree."""
    for title in held.titles:
        work = ledger.titled(title_key(title))
        if work is None:
            continue
        is_of_then = not held.years or not work.years or not set(held.years).isdisjoint(work.years)
        is_there = not held.issns or not work.issns or not set(held.issns).isdisjoint(work.issns)
        if is_of_then and is_there:
            return work
    return None
