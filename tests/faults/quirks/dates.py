"""Quirks of dates: granularities that lie, clocks of their own, and lists that do not keep to what was asked."""

import re

from tests.faults.editing import edited, refused, size_of
from tests.faults.site import Asked, Said, Serve, Stage
from tests.faults.source import DAY, LISTS, Record, Source, moment
from tests.faults.table import Promise, quirk

_BOUNDS = ("from", "until")
_LOCAL_HOURS = 5


def _has_days(asked: Asked) -> bool:
    return any(len(asked.arguments.get(name, "")) == len("2024-06-01") for name in _BOUNDS)


def _days(source: Source) -> None:
    source.granularity = DAY


def _behind(source: Source) -> None:
    utc = source.now
    source.now = lambda: utc() - _LOCAL_HOURS * 3600


def _is_days_later(stage: Stage) -> bool:
    """Tell whether the second harvest has begun."""
    began = float(stage.kept.setdefault("began", str(stage.clock()).encode()))
    return stage.clock() > began + 2 * 86_400


@quirk(Promise.WHOLE, 18, is_again=True)
def granularity_in_odd_case(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """t3.digizeitschriften.de (metha ece12946, read 2026-11)."""
    return edited(serve(asked), rb"(?<=<granularity>)[^<]+", lambda match: match[0].lower())


@quirk(Promise.WHOLE, 19, is_again=True)
def earliest_datestamp_with_a_time_zone(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """metha b81f93d1 (read 2026-11)."""
    return edited(serve(asked), rb"(<earliestDatestamp>[^<]*)Z", rb"\1+01:00")


@quirk(Promise.WHOLE, 20, is_again=True)
def earliest_datestamp_is_missing(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """shell-oaiharvester#7 (read 2026-11)."""
    return edited(serve(asked), rb"<earliestDatestamp>[^<]*</earliestDatestamp>", b"")


@quirk(Promise.WHOLE, 20, is_again=True)
def from_before_the_start_of_the_server_is_refused(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """dataverse#9309 (read 2026-11)."""
    answer = edited(serve(asked), rb"(?<=<earliestDatestamp>)[^<]*", b"2023-10-01T00:00:00Z")
    is_early = asked.arguments.get("from", "9") < "2023-10-01"
    return refused(answer, "badArgument", "from is before the earliestDatestamp.") if is_early else answer


@quirk(Promise.WHOLE, 21, is_again=True, prepare=_days)
def day_server_refuses_the_seconds_it_announces(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """nakala (dataverse#11020, read 2026-11)."""
    return edited(serve(asked), rb"(?<=<granularity>)[^<]+", b"YYYY-MM-DDThh:mm:ssZ")


@quirk(Promise.WHOLE, 21, is_again=True)
def second_server_refuses_the_days_it_announces(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """Repositories in oadoi (2026-01), which asks them again with T00:00:00Z; metha's README."""
    answer = edited(serve(asked), rb"(?<=<granularity>)[^<]+", DAY.encode())
    return refused(answer, "badArgument", "Seconds are wanted.") if _has_days(asked) else answer


@quirk(Promise.WHOLE, 22, is_again=True, hides="dates")
def from_and_until_are_ignored(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """zvdd.org (metha -no-intervals), DOAJ (fatcat), culture-hub#643 (read 2026-11)."""
    return serve(asked.with_arguments(**{"from": None, "until": None}))


@quirk(Promise.WHOLE, 22, is_again=True)
def from_and_until_are_refused(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """zvdd.org (metha -no-intervals, 2026-03): no selective harvest, so every harvest is of the whole list."""
    answer = serve(asked)
    has_dates = any(name in asked.arguments for name in _BOUNDS)
    return refused(answer, "badArgument", "noDates: there is no selective harvest here.") if has_dates else answer


@quirk(Promise.WHOLE, 23, is_again=True, needs="dates")
def nothing_comes_without_dates(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """LearningRegistry#60 (read 2026-11)."""
    answer = serve(asked)
    is_open = asked.verb in LISTS and not asked.token and not any(name in asked.arguments for name in _BOUNDS)
    return refused(answer, "noRecordsMatch", "Nothing.") if is_open else answer


@quirk(Promise.WHOLE, 24, is_again=True, prepare=_behind)
def datestamps_are_local_time(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """vufind#1350, DOAJ#786 (read 2026-11)."""
    return edited(serve(asked), rb"(?<=<responseDate>)[^<]*", moment(stage.clock()).encode())


@quirk(Promise.WHOLE, 25, is_again=True)
def record_appears_after_its_datestamp(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """HydraNorth#1255 (read 2026-11)."""
    if _is_days_later(stage) and stage.is_first("bitten"):
        late = Record("oai:faults:late", "Late", moment(float(stage.kept["began"]) - 3600))
        stage.source.held[late.identifier] = late
    return serve(asked)


@quirk(Promise.WHOLE, 26)
def list_is_in_no_order(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """vufindharvest#7 (read 2026-11): the newest first on every page."""

    def turned(match: re.Match[bytes]) -> bytes:
        return b"".join(reversed(re.findall(rb"(?s)<record>.*?</record>\n", match[0])))

    return edited(serve(asked), rb"(?s)(<record>.*?</record>\n)+", turned)


@quirk(Promise.WHOLE, 27, hides="datestamps")
def datestamps_are_no_dates(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """pyoai's tolerant_datestamp_to_datetime (2022), openalex's parse_datestamp (2026-03)."""
    wrong = iter([b"0000-00-00", b"yesterday", b"2020-13-45T99:00:00Z", b"", b" 2020-01-01 00:00:00.0 "] * 100)
    return edited(serve(asked), rb"(?<=<datestamp>)[^<]*", lambda _: next(wrong))


@quirk(Promise.WHOLE, 28, is_again=True)
def every_record_is_stamped_anew(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """arXiv (info.arxiv.org/help/oa, read 2026-11): every record was touched, several times."""
    if _is_days_later(stage) and stage.is_first("bitten"):
        for record in list(stage.source.held.values()):
            stage.source.put(record)
    return serve(asked)


@quirk(Promise.WHOLE, 29, hides="names completeListSize")  # a list that would announce its size is refused
def window_is_too_large_for_http(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """DNB (metha#6, read 2026-11): HTTP 413 when too much matches."""
    answer = serve(asked)
    is_large = asked.verb in LISTS and b"<resumptionToken" in answer.body
    return answer._replace(status=413, body=b"Request Entity Too Large") if is_large else answer


@quirk(Promise.WHOLE, 10, 17, entry={"slice": "month"}, hides="completeListSize")
def windows_match_nothing_in_passing(asked: Asked, serve: Serve, stage: Stage) -> Said:
    """HAL and Primo (infrae/pyoai#8, dpla/ingestion3#777, read 2026-11) in windows."""
    answer = serve(asked)
    if not (asked.is_list and "until" in asked.arguments and size_of(answer)):
        return answer
    stage.seen["windows"] += 1
    is_hit = not stage.seen["windows"] % 3 and stage.is_first(asked.query)
    return refused(answer, "noRecordsMatch", "Nothing.") if is_hit else answer
