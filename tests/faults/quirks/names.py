"""Quirks of ListRecords that ListIdentifiers or an announced number brings to light, and records that come again."""

import re

from gateway.core.model import RunOutcome
from tests.faults.editing import edited, refused, token_of, with_token
from tests.faults.site import Asked, Said, Serve, Stage
from tests.faults.source import LISTS
from tests.faults.table import Promise, quirk

_EVERY, _AT = 12, 5  # which records are left out: five of sixty
_SHOWN = 10  # records before a list stops


def _without_size(answer: Said) -> Said:
    return edited(answer, rb' (completeListSize|cursor)="[^"]*"', b"")


def _left_out(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Answer ListRecords as if five records were not there."""
    if not asked.is_list:
        return serve(asked)
    stage.seen["bitten"] = 1
    held = stage.source.held
    stage.source.held = {name: record for at, (name, record) in enumerate(held.items()) if at % _EVERY != _AT}
    try:
        return serve(asked)
    finally:
        stage.source.held = held


@quirk(Promise.WHOLE, needs="names")
def list_leaves_out_what_is_named_and_its_size_fits(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Audit of 2026-11: ListRecords omits 5 of 65 that ListIdentifiers names, and announces 60."""
    return _left_out(asked, serve, stage)


@quirk(Promise.HONEST, outcome=RunOutcome.SUCCEEDED_WITH_ERRORS, lost=4, says="could not be fetched", needs="names")
def list_leaves_out_what_is_named_and_get_record_does_not_know(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """ufal/clarin-dspace#977 and an audit of 2026-11 together: what ListRecords omits cannot be had."""
    answer = _left_out(asked, serve, stage)
    number = asked.arguments.get("identifier", "")[-5:]
    is_hidden = asked.verb == "GetRecord" and number.isdigit() and int(number) % _EVERY == _AT
    return refused(answer, "idDoesNotExist", "There is no such item.") if is_hidden else answer


@quirk(
    Promise.HONEST,
    outcome=RunOutcome.SUCCEEDED_WITH_ERRORS,
    lost=50,
    says="announced 60",
    needs="completeListSize ListRecords",
)
def list_stops_far_before_its_size_and_so_do_the_names(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Audit of 2026-11: 101 of 2,460,909; ListIdentifiers tells no number and names the same ones."""
    if asked.verb not in LISTS:
        return serve(asked)
    shown = set(list(stage.source.held)[:_SHOWN])
    answer = edited(
        serve(asked),
        rb"(?s)<(record|header)\b.*?</\1>\n?",
        lambda match: match[0] if any(name.encode() in match[0] for name in shown) else b"",
    )
    answer = with_token(answer, "") if token_of(answer) else answer
    return answer if asked.is_list else _without_size(answer)


_OLD = b"2010-01-01T00:00:00Z"
_SECOND_HARVEST = "2024-05-20"  # asks from then on; the windows of a first one may begin in January
_RECORD = re.compile(rb"(?s)<record><header>(?P<head>.*?)</header>(?P<rest>.*?)</record>\n")
_ANY = re.compile(rb"(?s)<record><header[^>]*>(?P<head>.*?)</header>.*?</record>\n")
_LIVING, _GONE = b"<record><header>%b</header>%b</record>\n", b'<record><header status="deleted">%b</header></record>\n'


def _dated(head: bytes, datestamp: bytes) -> bytes:
    """Return the inside of a header with another datestamp, as long as the one it has."""
    return re.sub(rb"(?<=<datestamp>)[^<]*", lambda match: datestamp[: len(match[0])] if match[0] else b"", head)


@quirk(Promise.WHOLE, 70, needs="datestamps")
def older_versions_come_later_in_the_list(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """No endpoint as yet: twenty records went back to texts of 2010 (audit, 2026-11)."""
    answer = serve(asked)
    if not asked.is_list:
        return answer
    for match in _RECORD.finditer(answer.body):
        older = _LIVING % (_dated(match["head"], _OLD), match["rest"].replace(b"Work", b"Draft"))
        stage.kept["older"] = stage.kept.get("older", b"") + older
    if token_of(answer):
        return answer
    older = b"".join([match[0] for match in _ANY.finditer(stage.kept.pop("older"))][:20])
    return edited(answer, rb"(</record>\n)(?!<record>)", lambda match: match[1] + older, count=1)


@quirk(Promise.HONEST, 69, outcome=RunOutcome.SUCCEEDED_WITH_ERRORS, says="wait for a decision", is_again=True)
def everything_is_deleted_at_once(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """No endpoint as yet: 60 of 60 records became tombstones, exit 0 (audit, 2026-11)."""
    from_ = asked.arguments.get("from", "")
    if asked.is_list and from_ > _SECOND_HARVEST:
        stage.kept["deleted at"] = from_.encode()
    at = stage.kept.get("deleted at")
    if not asked.is_list or at is None:
        return serve(asked)
    whole = serve(asked.with_arguments(**{"from": None}))
    return edited(whole, _ANY.pattern, lambda match: _GONE % _dated(match["head"], at))
