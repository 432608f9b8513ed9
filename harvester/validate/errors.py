"""Checks of illegal requests and their error codes (OAI-PMH 2.0 §3.6): a table."""

from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote

from harvester.validate.check import Checks, Finding, Findings, Verdict
from harvester.validate.repository import Repository

_VERB = ("badVerb",)
_ARGUMENT = ("badArgument",)
_TOKEN = ("badResumptionToken",)
_EITHER = ("badArgument", "badResumptionToken")
_ITEM = ("idDoesNotExist",)
_NO_ITEM = ("badArgument", "idDoesNotExist")
_FORMAT = ("cannotDisseminateFormat",)
_NO_FORMAT = ("badArgument", "cannotDisseminateFormat")


class Illegal(NamedTuple):
    """One illegal request. `{identifier}` in the query is an existing item; the answer must have one of `codes`."""

    name: str
    query: str
    codes: tuple[str, ...]
    what: str


_DC = "metadataPrefix=oai_dc"
_RECORD = f"verb=GetRecord&{_DC}"
CHECKS = Checks[Repository]("OAI-PMH 2.0")

ILLEGAL: tuple[Illegal, ...] = (
    Illegal("verb-missing", "", _VERB, "No argument at all"),
    Illegal("verb-junk-key", "junk", _VERB, "An unknown argument and no verb"),
    Illegal("verb-unknown", "verb=junk", _VERB, "An unknown verb"),
    Illegal("verb-case", "verb=identify", _VERB, "A verb in another case"),
    Illegal("verb-empty", "verb=", _VERB, "An empty verb"),
    Illegal("verb-repeated", "verb=Identify&verb=Identify", _VERB, "A repeated verb"),
    Illegal("identify-argument", f"verb=Identify&{_DC}", _ARGUMENT, "An argument of Identify, which has none"),
    Illegal(
        "formats-argument", f"verb=ListMetadataFormats&{_DC}", _ARGUMENT, "An illegal argument of ListMetadataFormats"
    ),
    Illegal(
        "formats-unknown-item",
        "verb=ListMetadataFormats&identifier=oai%3Ano-such.example%3A0",
        _ITEM,
        "ListMetadataFormats of an item that does not exist",
    ),
    Illegal("sets-argument", f"verb=ListSets&{_DC}", _ARGUMENT, "An illegal argument of ListSets"),
    Illegal(
        "sets-token", "verb=ListSets&resumptionToken=junk", (*_TOKEN, "noSetHierarchy"), "A invalid token of ListSets"
    ),
    Illegal("get-nothing", "verb=GetRecord", _ARGUMENT, "GetRecord without arguments"),
    Illegal("get-no-identifier", _RECORD, _ARGUMENT, "GetRecord without identifier"),
    Illegal("get-no-prefix", "verb=GetRecord&identifier={identifier}", _ARGUMENT, "GetRecord without metadataPrefix"),
    Illegal("get-empty-identifier", f"{_RECORD}&identifier=", _NO_ITEM, "GetRecord with an empty identifier"),
    Illegal(
        "get-empty-prefix",
        "verb=GetRecord&identifier={identifier}&metadataPrefix=",
        _NO_FORMAT,
        "GetRecord with an empty metadataPrefix",
    ),
    Illegal(
        "get-illegal-identifier",
        f"{_RECORD}&identifier=invalid%22id",
        _NO_ITEM,
        "GetRecord with a quotation mark in the identifier",
    ),
    Illegal(
        "get-unknown-item",
        f"{_RECORD}&identifier=oai%3Ano-such.example%3A0",
        _ITEM,
        "GetRecord of an item that does not exist",
    ),
    Illegal(
        "get-unknown-prefix",
        "verb=GetRecord&identifier={identifier}&metadataPrefix=no-such",
        _FORMAT,
        "GetRecord in a format that does not exist",
    ),
    Illegal(
        "get-repeated",
        f"{_RECORD}&identifier={{identifier}}&identifier={{identifier}}",
        _ARGUMENT,
        "GetRecord with a repeated identifier",
    ),
    Illegal(
        "get-argument",
        f"{_RECORD}&identifier={{identifier}}&until=2000-01-01",
        _ARGUMENT,
        "GetRecord with an argument of another verb",
    ),
    Illegal(
        "get-control-character", f"{_RECORD}&identifier=oai%3Aa%01b", _NO_ITEM, "An identifier with a control character"
    ),
    Illegal("get-not-utf-8", f"{_RECORD}&identifier=oai%3Aa%FF", _NO_ITEM, "An identifier that is not UTF-8"),
    Illegal("identifiers-bare", "verb=ListIdentifiers", _ARGUMENT, "ListIdentifiers without metadataPrefix"),
    Illegal(
        "identifiers-from", f"verb=ListIdentifiers&{_DC}&from=junk", _ARGUMENT, "ListIdentifiers with a invalid from"
    ),
    Illegal(
        "identifiers-until", f"verb=ListIdentifiers&{_DC}&until=junk", _ARGUMENT, "ListIdentifiers with a invalid until"
    ),
    Illegal(
        "identifiers-token", "verb=ListIdentifiers&resumptionToken=junk", _TOKEN, "A invalid token of ListIdentifiers"
    ),
    Illegal(
        "identifiers-token-until",
        "verb=ListIdentifiers&resumptionToken=junk&until=2000-02-05",
        _EITHER,
        "ListIdentifiers with a invalid token and until",
    ),
    Illegal(
        "identifiers-prefix",
        "verb=ListIdentifiers&metadataPrefix=no-such",
        _FORMAT,
        "ListIdentifiers in a format that does not exist",
    ),
    Illegal(
        "identifiers-empty-from", f"verb=ListIdentifiers&{_DC}&from=", _ARGUMENT, "ListIdentifiers with an empty from"
    ),
    Illegal(
        "identifiers-repeated",
        f"verb=ListIdentifiers&{_DC}&{_DC}",
        _ARGUMENT,
        "ListIdentifiers with a repeated metadataPrefix",
    ),
    Illegal(
        "identifiers-argument",
        f"verb=ListIdentifiers&{_DC}&junk=1",
        _ARGUMENT,
        "ListIdentifiers with an unknown argument",
    ),
    Illegal("records-bare", "verb=ListRecords", _ARGUMENT, "ListRecords without metadataPrefix"),
    Illegal("records-from", f"verb=ListRecords&{_DC}&from=junk", _ARGUMENT, "ListRecords with a invalid from"),
    Illegal("records-until", f"verb=ListRecords&{_DC}&until=junk", _ARGUMENT, "ListRecords with a invalid until"),
    Illegal("records-token", "verb=ListRecords&resumptionToken=junk", _TOKEN, "A invalid token of ListRecords"),
    Illegal(
        "records-token-until",
        f"verb=ListRecords&{_DC}&resumptionToken=junk&until=1990-01-10",
        _EITHER,
        "ListRecords with a invalid token and other arguments",
    ),
    Illegal("records-empty-token", "verb=ListRecords&resumptionToken=", _EITHER, "ListRecords with an empty token"),
    Illegal(
        "records-prefix",
        "verb=ListRecords&metadataPrefix=no-such",
        _FORMAT,
        "ListRecords in a format that does not exist",
    ),
    Illegal(
        "records-empty-prefix",
        "verb=ListRecords&metadataPrefix=",
        _NO_FORMAT,
        "ListRecords with an empty metadataPrefix",
    ),
    Illegal("records-empty-until", f"verb=ListRecords&{_DC}&until=", _ARGUMENT, "ListRecords with an empty until"),
    Illegal(
        "records-empty-set",
        f"verb=ListRecords&{_DC}&set=",
        (*_ARGUMENT, "noRecordsMatch", "noSetHierarchy"),
        "ListRecords with an empty set",
    ),
    Illegal(
        "records-unknown-set",
        f"verb=ListRecords&{_DC}&set=no-such-set",
        (*_ARGUMENT, "noRecordsMatch", "noSetHierarchy"),
        "ListRecords of a set that does not exist",
    ),
    Illegal(
        "records-repeated",
        f"verb=ListRecords&{_DC}&from=2000-01-01&from=2000-01-01",
        _ARGUMENT,
        "ListRecords with a repeated from",
    ),
    Illegal(
        "records-argument",
        f"verb=ListRecords&{_DC}&identifier={{identifier}}",
        _ARGUMENT,
        "ListRecords with an argument of another verb",
    ),
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
