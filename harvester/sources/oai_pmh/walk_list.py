"""One list of a repository, walked from where its cursor stands to the proof that nothing is missing.

A list is walked from its first request to the empty resumptionToken. `transitions.py` has its states and how it gets
from one to another. Where a source does not give what it promised, a fallback step follows (`fallback_rules`). Every
step is committed with the answer that caused it. Where the source's numbers do not fit what came, ListIdentifiers
decides (`all_identifiers`). A list never ends as whole because nothing more came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from gateway.core.model import Cursor
from harvester.http.messages import Fetch
from harvester.sources import Options, Step
from harvester.sources.oai_pmh.get_records import record_by_record
from harvester.sources.oai_pmh.list_records import next_page
from harvester.sources.oai_pmh.list_state import Phase
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
