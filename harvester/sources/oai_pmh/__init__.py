"""OAI-PMH repositories: what they say of themselves, and their lists.

A list is walked from its first request to the empty resumptionToken. `transitions.py` has its states and how it gets
from one to another. Where a source does not give what it promised, a fallback step follows (`fallback_rules`). Every
step is committed with the answer that caused it. Where the source's numbers do not fit what came, ListIdentifiers
decides (`all_identifiers`). A list never ends as whole because nothing more came.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from gateway.core.model import Cursor
from harvester.http.messages import Fetch
from harvester.sources import Option, Options, SourceKind, Step
from harvester.sources.oai_pmh.description import channels, describe, recognise, with_sets
from harvester.sources.oai_pmh.end_of_list import left
from harvester.sources.oai_pmh.get_records import record_by_record
from harvester.sources.oai_pmh.headers import is_elsewhere, listed, single
from harvester.sources.oai_pmh.list_records import next_page
from harvester.sources.oai_pmh.list_state import Phase
from harvester.sources.oai_pmh.profile import OPTIONS, learned, profile, taught
from harvester.sources.oai_pmh.transitions import asks_for_all, begins_anew
from harvester.sources.oai_pmh.walk import Walk

_WORK: Mapping[Phase, Callable[[Walk], Iterable[Step]]] = {
    Phase.PAGES: lambda walk: (next_page(walk),),
    Phase.WINDOW: lambda walk: (next_page(walk),),
    Phase.SINGLY: record_by_record,
    Phase.CHECK: record_by_record,
}


def changes(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Step]:
    """Walk one list from where its cursor stands.

    Raise ConfigurationError for dates that are none, RemoteError for errors of the protocol that mean no end of the
    list, NotXml, NotOaiPmh and what `fetch` raises.
    """
    walk = Walk(options, cursor, fetch)
    is_over = False
    while not is_over:
        if not walk.may_ask_no_more:
            walk.check_budget()
        for step in _WORK[walk.state.position.phase](walk):
            yield step
            is_over = step.is_last
        if walk.fatal_error is not None:
            raise walk.fatal_error


SOURCE = SourceKind(
    name="oai_pmh",
    sentence="A repository that speaks OAI-PMH 2.0, 1.1 or 1.0.",
    options=(
        Option("url", "The base URL; arguments of the protocol in it are dropped, the server's own are kept."),
        Option("formats", "The metadataPrefixes to harvest, each as a list of its own."),
        Option("sets", "The setSpecs to harvest, each as a list of its own; none: the whole repository."),
        Option("from", "Nothing older is asked for."),
        Option("until", "Nothing newer is asked for."),
        Option("overlap_seconds", "How far a harvest reaches back before the first answer of the last complete one."),
        *OPTIONS,
    ),
    describe=describe,
    sets=with_sets,
    taught=taught,
    changes=changes,
    listed=listed,
    is_listed_anew=True,
    single=single,
    is_elsewhere=is_elsewhere,
    left=left,
    learned=learned,
    profile=profile,
    recognise=recognise,
    channels=channels,
    begins_anew=begins_anew,
    asks_for_all=asks_for_all,
)
