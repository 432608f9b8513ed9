"""Checks of illegal requests and their error codes (OAI-PMH 2.0 §3.6); `illegal_requests.toml` is their table."""

from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote

from gateway.core.words import table
from harvester.validate.check import Checks, Finding, Findings, Verdict
from harvester.validate.repository import Repository

_NO_ITEM = ("badArgument", "idDoesNotExist")


class Illegal(NamedTuple):
    """One illegal request. `{identifier}` in the query is an existing item; the answer must have one of `codes`."""

    name: str
    query: str
    codes: tuple[str, ...]
    what: str


_RECORD = "verb=GetRecord&metadataPrefix=oai_dc"
CHECKS = Checks[Repository]("OAI-PMH 2.0")

ILLEGAL = tuple(
    Illegal(name, row["query"], tuple(row["codes"]), row["what"])
    for name, row in table(__file__, "illegal_requests").items()
)


def _refused(illegal: Illegal) -> Callable[[Repository], Findings]:
    def check(repository: Repository) -> Findings:
        query = illegal.query
        if "{identifier}" in query:
            query = query.replace("{identifier}", quote(repository.example.identifier, safe=""))
        exchange = repository.conversation.ask(query)
        if not exchange.read().codes.intersection(illegal.codes):
            yield Finding(exchange, f"The answer is not {' or '.join(illegal.codes)}.")

    return check


for _illegal in ILLEGAL:
    CHECKS.add(f"errors.{_illegal.name}", "§3.6", f"{_illegal.what}: {' or '.join(_illegal.codes)}.")(
        _refused(_illegal)
    )

# An unknown argument, two invalid dates, and no metadataPrefix: four errors.
_FOURFOLD = "verb=ListRecords&from=junk&until=rubbish&junk=1"
_REASONS = 4


@CHECKS.add("errors.all", "§3.6", "All errors of a request are reported, each by itself.", Verdict.WARNING)
def _all_reported(repository: Repository) -> Findings:
    exchange = repository.conversation.ask(_FOURFOLD)
    errors = exchange.read().errors
    if len(set(errors)) < _REASONS:
        yield Finding(exchange, f"The request has {_REASONS} errors, but {len(set(errors))} are reported.")


_LONG = 100_000


@CHECKS.add(
    "errors.long-argument", "§3.1.1", "An identifier of 100,000 letters by POST: badArgument or idDoesNotExist."
)
def _long(repository: Repository) -> Findings:
    exchange = repository.conversation.ask(f"{_RECORD}&identifier=oai%3A{'a' * _LONG}", method="POST")
    if not exchange.read().codes.intersection(_NO_ITEM):
        yield Finding(exchange, "A long argument is not answered with badArgument or idDoesNotExist.")
