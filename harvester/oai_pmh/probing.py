"""Ends for which the source's word is all there is: a glance at ListIdentifiers tells whether it names any more.

That is an answer without records, and the end of a list whose size was never told. What is named and has not come leads
down the ladder. A source that has no ListIdentifiers is believed.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from gateway.errors import NotOaiPmh, RemoteError, RemoteRefuses
from gateway.model import RawPage, Slice
from gateway.xmltext import utc_datetime
from harvester.oai_pmh.descent import one_rung_down
from harvester.oai_pmh.naming import Naming
from harvester.oai_pmh.walk import Walk
from harvester.sources import Step
from harvester.sources._asking import PASSING, PATIENCE
from harvester.wire.dates import DAY, SECONDS, moment_of
from harvester.wire.list_state import Rung
from harvester.wire.oai_pmh import ResumptionToken
from harvester.wire.windows import Window

_OF_EVERY_ITEM = "oai_dc"  # the format that every item has
_MOST_ANSWERS = 4  # of a list in which what has come stands first


class _Glance(NamedTuple):
    """What was seen: the name of a record that has not come, or none; whether there is nothing else to be seen."""

    unseen: str
    has_ended: bool


_NOTHING = _Glance("", has_ended=False)
_NO_NAMES = _Glance("", has_ended=True)  # the source has no ListIdentifiers, or one that says nothing of this format


def nothing_shown(walk: Walk, page: RawPage) -> Step | None:
    """Return the step behind an answer without records where ListIdentifiers names some; None where it names none.

    As many as fit into one answer are asked for one by one; more are asked for in halves.
    """
    here = walk.state.here
    try:
        seen = _glance(walk, here, here)
    except PASSING as ill:
        walk.notes.append(f"Nothing comes {here.in_words}, and ListIdentifiers does not say the same. {ill}")
        walk.doubt()
        return None
    if not seen.unseen:
        return None
    error = NotOaiPmh(f"Nothing comes {here.in_words}, and ListIdentifiers names {seen.unseen} there.")
    if not seen.has_ended:
        return one_rung_down(walk, error, page)
    walk.notes.append(f"{error} It is asked for record by record.")
    walk.state = replace(walk.state, rung=Rung.SINGLY.value)
    return walk.step(page)


def end_shown(walk: Walk, page: RawPage, slices: tuple[Slice, ...], token: ResumptionToken | None) -> Step | None:
    """Return the step behind a last page where ListIdentifiers names what is dated later; None where it names nothing.

    That can be asked of a list in the order of its dates only. Where it cannot be told, a last token that is no empty
    one, but white space, is a doubt.
    """
    rest = Window(walk.state.last, walk.state.here.until)
    # What was added while the list was walked comes with the next one.
    there = Window(rest.from_, utc_datetime(walk.state.first))
    try:
        seen = _glance(walk, rest, there) if rest.from_ and not walk.state.ignores_dates else _NOTHING
    except PASSING:
        seen = _NOTHING
    if seen.unseen:
        told = f"The list ended at {rest.from_}, and ListIdentifiers names {seen.unseen}, which has not come."
        return one_rung_down(walk, NotOaiPmh(told), page, slices)
    if not seen.has_ended and token and token.is_blank:
        walk.doubt()
    return None


def _glance(walk: Walk, window: Window, dated: Window) -> _Glance:
    """Look whether ListIdentifiers names in a window what is `dated` so and has not come.

    Where the dates are refused, there is nothing to be seen. In OAI-PMH 1.x it names the records of every format. Raise
    what may be wrong with one request.
    """
    state = replace(walk.state, window=str(window))
    if state.is_first_generation and walk.cursor.metadata_prefix != _OF_EVERY_ITEM:
        return _NO_NAMES
    other = SECONDS if walk.granularity() == DAY else DAY
    for each in (state, replace(state, granularity=other)):
        try:
            return _looked(walk, Naming(walk.options, walk.cursor, walk.fetch, each, PATIENCE), dated)
        except RemoteRefuses:
            return _NO_NAMES
        except RemoteError as error:
            if "badArgument" not in str(error):
                return _NO_NAMES
    return _NOTHING if any(window) else _NO_NAMES


def _looked(walk: Walk, naming: Naming, dated: Window) -> _Glance:
    for answer in islice(naming.answers(), _MOST_ANSWERS):
        named = [each.identifier for each in answer.slices if each.identifier and _is_in(dated, each.datestamp)]
        if all(each in walk.arrivals.all for each in named):
            continue
        if not walk.arrivals.recall():
            return _NOTHING  # nobody knows what came before
        unseen = next((each for each in named if each not in walk.arrivals.all), "")
        if unseen:
            return _Glance(unseen, naming.has_ended)
    return _Glance("", naming.has_ended)


def _is_in(window: Window, datestamp: str) -> bool:
    """Tell whether a record is dated in a window; one without a date that can be read may be."""
    moment = moment_of(datestamp)
    if moment is None:
        return True
    written = utc_datetime(moment)[: len(datestamp)]
    from_, until = window.from_[: len(written)], window.until[: len(written)]
    return from_ <= written and (not until or written <= until)
