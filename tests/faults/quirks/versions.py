"""Quirks of lists that bring a record more than once, and of sources that seem to delete what they have."""

import re

from gateway.core.model import RunOutcome
from tests.faults.editing import edited, token_of
from tests.faults.site import Asked, Said, Serve, Stage
from tests.faults.table import Promise, quirk

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
