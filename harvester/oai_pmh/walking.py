"""One list of a repository, walked from where its cursor stands to the proof that nothing is missing.

    pages -> (the next window) -> check -> end
      |            ^                ^
      +- ladder ---+- singly -------+

A list is walked from its first request to the empty resumptionToken. Where a source does not give what it promised, the
list goes one rung down (`ladder`) and on from there; every such step is committed with the answer that caused it.
Where the source's numbers do not fit what came, ListIdentifiers decides (`roll`). A list never ends as whole because
nothing more came.
"""

from __future__ import annotations

from collections.abc import Iterator

from gateway.model import Cursor
from harvester.oai_pmh.pages import page
from harvester.oai_pmh.singly import singly
from harvester.oai_pmh.walk import Walk
from harvester.sources import Options, Step
from harvester.wire.http import Fetch
from harvester.wire.list_state import Rung


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
        for step in (page(walk),) if walk.state.rung == Rung.PAGES else singly(walk):
            yield step
            is_over = step.is_last
        if walk.doom is not None:
            raise walk.doom
