"""Checks of selective harvesting by datestamp (OAI-PMH 2.0 §2.7.1, §3.3.1)."""

from collections.abc import Callable

from harvester.validate.answer import Header
from harvester.validate.check import Checks, Finding, Findings, Undecided
from harvester.validate.client import Exchange
from harvester.validate.repository import RULES, Repository, Walk, second_of, stamp

_YEAR = 366 * 86_400
_DAY = 86_400
CHECKS = Checks[Repository](RULES)


def _not_listed(repository: Repository, verb: str, header: Header, from_: str, until: str) -> Findings:
    """Yield a finding when the record is not in the list of the window."""
    arguments = {"metadataPrefix": "oai_dc", "from_": from_, "until": until}
    exchange = repository.ask(verb, **arguments)
    if not exchange.read().errors:
        walk = repository.walk(verb, **arguments)
        if header in walk.headers:
            return
        if not walk.is_complete:
            raise Undecided(f"The list of {from_} to {until} is longer than the limit of pages.")
    if not repository.has_changed(header):
        yield Finding(exchange, f"{header.identifier} with {header.datestamp} is not in the list.")


@CHECKS.add("dates.exact")
def _exact(repository: Repository) -> Findings:
    header = repository.example
    yield from _not_listed(repository, "ListRecords", header, header.datestamp, header.datestamp)


@CHECKS.add("dates.day")
def _day(repository: Repository) -> Findings:
    header = repository.example
    day = header.datestamp[:10]
    yield from _not_listed(repository, "ListIdentifiers", header, day, day)


def _window(repository: Repository) -> tuple[Walk, tuple[int, int]]:
    """Return the list of the middle third of the received datestamps, and its bounds."""
    stamps = sorted({second for header in repository.records.headers if (second := second_of(header.datestamp))})
    if not stamps:
        raise Undecided("No legal datestamp was received.")
    bounds = stamps[len(stamps) // 3], stamps[2 * len(stamps) // 3]
    from_, until = (repository.stamp(second) for second in bounds)
    return repository.walk("ListIdentifiers", metadataPrefix="oai_dc", from_=from_, until=until), bounds


@CHECKS.add("dates.within")
def _nothing_else(repository: Repository) -> Findings:
    walk, (lower, upper) = _window(repository)
    for page in walk.pages:
        for header in page.read().headers:
            second = second_of(header.datestamp)
            if second is not None and not lower <= second <= upper:
                yield Finding(page, f"{header.identifier} with {header.datestamp} is outside.")


@CHECKS.add("dates.complete")
def _nothing_missing(repository: Repository) -> Findings:
    walk, (lower, upper) = _window(repository)
    if not walk.is_complete:
        raise Undecided("The list of the window is longer than the limit of pages.")
    listed = {header.identifier for header in walk.headers}
    for header in repository.records.headers:
        second = second_of(header.datestamp)
        is_inside = second is not None and lower <= second <= upper
        if is_inside and header.identifier not in listed and not repository.has_changed(header):
            yield Finding(walk.pages[-1], f"{header.identifier} with {header.datestamp} is missing.")


def _refused(name: str, code: str) -> Callable[[Callable[[Repository], list[Exchange]]], None]:
    """Declare the check that all answers have an error code. The next function sends the requests."""

    def declared(ask: Callable[[Repository], list[Exchange]]) -> None:
        exchanges = CHECKS.each(lambda repository: ((exchange, exchange) for exchange in ask(repository)))
        exchanges(name)(lambda exchange: code not in exchange.read().codes and f"The answer is not {code}.")

    return declared


def _list(repository: Repository, **arguments: str) -> Exchange:
    return repository.ask("ListIdentifiers", metadataPrefix="oai_dc", **arguments)


_refused("dates.mixed", "badArgument")(
    lambda repository: [_list(repository, from_="2002-02-05", until="2002-02-06T05:35:00Z")]
)


@_refused("dates.reversed", "badArgument")
def _reversed(repository: Repository) -> list[Exchange]:
    _, earliest = repository.earliest
    later, sooner = (repository.stamp(earliest + days * _DAY) for days in (2, 1))
    return [_list(repository, from_=later, until=sooner)]


_refused("dates.before-earliest", "noRecordsMatch")(
    lambda repository: [_list(repository, until=repository.stamp(repository.earliest[1] - _YEAR))]
)


@_refused("dates.future", "noRecordsMatch")
def _too_late(repository: Repository) -> list[Exchange]:
    now = second_of(repository.ask("Identify").read().response_date)
    if now is None:
        raise Undecided("The responseDate of Identify is illegal.")
    return [_list(repository, from_=repository.stamp(now + 10 * _YEAR))]


@CHECKS.add("dates.from-before-earliest")
def _from_before_earliest(repository: Repository) -> Findings:
    _, earliest = repository.earliest
    exchange = _list(repository, from_=repository.stamp(earliest - _YEAR))
    if exchange.read().errors and repository.records.headers:  # without any record, none can match
        yield Finding(exchange, "A from before the earliestDatestamp is refused.")


@_refused("dates.seconds-refused", "badArgument")
def _seconds(repository: Repository) -> list[Exchange]:
    if not repository.is_day_granular:
        raise Undecided("The repository's granularity is the second.")
    _, earliest = repository.earliest
    return [_list(repository, from_=stamp(earliest, is_day=False))]


_EXISTING = ("2003-02-30", "2003-13-01", "2003-01-01T24:61:00Z")
_FORMS = ("2020-1-1", "2020", "2020-01-01T00:00:00", "2020-01-01T00:00:00.5Z", "2020-01-01T00:00:00+01:00")
_refused("dates.existing", "badArgument")(lambda repository: [_list(repository, from_=date) for date in _EXISTING])
_refused("dates.form", "badArgument")(lambda repository: [_list(repository, until=date) for date in _FORMS])
