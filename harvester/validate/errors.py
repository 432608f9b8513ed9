"""Checks of illegal requests and their error codes (OAI-PMH 2.0 §3.6), and of HTTP (§3.1).

`illegal_requests.toml` is the table of illegal requests.
"""

from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote

from gateway.core.words import table
from harvester.validate.answer import canonical, texts
from harvester.validate.check import Check, Checks, Finding, Findings, Undecided
from harvester.validate.client import Exchange, encoded
from harvester.validate.repository import RULES, Repository

_NO_ITEM = ("badArgument", "idDoesNotExist")


class Illegal(NamedTuple):
    """One illegal request. `{identifier}` in the query is an existing item; the answer must have one of `codes`."""

    name: str
    query: str
    codes: tuple[str, ...]
    what: str


_RECORD = "verb=GetRecord&metadataPrefix=oai_dc"
CHECKS = Checks[Repository](RULES)

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


CHECKS.extend(
    Check(f"errors.{one.name}", "OAI-PMH 2.0 §3.6", f"{one.what}: {' or '.join(one.codes)}.", _refused(one))
    for one in ILLEGAL
)

# An unknown argument, two invalid dates, and no metadataPrefix: four errors.
_FOURFOLD = "verb=ListRecords&from=junk&until=rubbish&junk=1"
_REASONS = 4


@CHECKS.add("errors.all")
def _all_reported(repository: Repository) -> Findings:
    exchange = repository.conversation.ask(_FOURFOLD)
    errors = exchange.read().errors
    if len(set(errors)) < _REASONS:
        yield Finding(exchange, f"The request has {_REASONS} errors, but {len(set(errors))} are reported.")


_LONG = 100_000


@CHECKS.add("errors.long-argument")
def _long(repository: Repository) -> Findings:
    exchange = repository.conversation.ask(f"{_RECORD}&identifier=oai%3A{'a' * _LONG}", method="POST")
    if not exchange.read().codes.intersection(_NO_ITEM):
        yield Finding(exchange, "A long argument is not answered with badArgument or idDoesNotExist.")


# --- HTTP (OAI-PMH 2.0 §3.1): POST, HEAD, compression, redirects ------------------------------------------------------

# Encodings that every HTTP library can decode; others in Identify cannot be checked.
_ENCODINGS = ("gzip", "deflate")


def _post_same(verb: str, arguments: Callable[[Repository], dict[str, str]]) -> Callable[[Repository], Findings]:
    """Return a check that POST returns the same as GET."""

    def check(repository: Repository) -> Findings:
        query = encoded({"verb": verb, **arguments(repository)})
        by_get = repository.conversation.ask(query)
        by_post = repository.conversation.ask(query, method="POST")
        by_get.content(verb)
        by_post.read()
        if not by_post.holds(verb) or canonical(by_get.content(verb)) != canonical(by_post.content(verb)):
            yield Finding(by_post, f"{verb} by POST returns something else than by GET.")

    return check


def _post_headers(repository: Repository, query: str) -> Findings:
    by_get, by_post = (repository.conversation.ask(query, method=method) for method in ("GET", "POST"))
    headers = by_post.read().headers
    missing = [header for header in by_get.read().headers if header not in headers]
    if not all(repository.has_changed(header) for header in missing):
        yield Finding(by_post, "ListIdentifiers by POST lists something else than by GET.")


@CHECKS.add("http.redirect")
def _redirect(repository: Repository) -> Findings:
    exchange = repository.ask("Identify")
    if exchange.fetched is not None and exchange.fetched.url != exchange.request.url:
        yield Finding(exchange, f"The answer came from {exchange.fetched.url}.")


CHECKS.add("http.post-identify")(_post_same("Identify", lambda _: {}))
CHECKS.add("http.post-get-record")(
    _post_same(
        "GetRecord", lambda repository: {"identifier": repository.example.identifier, "metadataPrefix": "oai_dc"}
    )
)


@CHECKS.add("http.post-list")
def _post_list(repository: Repository) -> Findings:
    return _post_headers(repository, encoded({"verb": "ListIdentifiers", "metadataPrefix": "oai_dc"}))


@CHECKS.add("http.post-token")
def _post_token(repository: Repository) -> Findings:
    tokens = repository.identifiers.tokens
    if not tokens:
        raise Undecided("ListIdentifiers came in one answer.")
    return _post_headers(repository, encoded({"verb": "ListIdentifiers", "resumptionToken": tokens[0]}))


@CHECKS.add("http.post-error")
def _post_error(repository: Repository) -> Findings:
    exchange = repository.conversation.ask("verb=junk", method="POST")
    if "badVerb" not in exchange.read().codes:
        yield Finding(exchange, "An unknown verb by POST is not answered with badVerb.")


@CHECKS.add("http.head")
def _head(repository: Repository) -> Findings:
    exchange = repository.conversation.ask("verb=Identify", method="HEAD")
    if exchange.fetched is None:
        raise Undecided(f"HEAD brought {exchange.came}.")
    by_get = repository.ask("Identify")
    if (exchange.status, exchange.header("Content-Type")) != (by_get.status, by_get.header("Content-Type")):
        yield Finding(exchange, f"HEAD differs from GET: {by_get.came}.")


def _in_encoding(repository: Repository, encoding: str) -> Exchange:
    exchange = repository.conversation.ask("verb=Identify", headers=(("Accept-Encoding", encoding),))
    exchange.read()
    return exchange


def _declared(repository: Repository) -> tuple[str, ...]:
    return texts(repository.identify, "compression")


@CHECKS.add("http.compression")
def _compression_true(repository: Repository) -> Findings:
    declared = [name for name in _ENCODINGS if name in _declared(repository)]
    if not declared:
        raise Undecided("Identify lists neither gzip nor deflate.")
    for name in declared:
        exchange = _in_encoding(repository, name)
        if exchange.header("Content-Encoding").lower() != name:
            yield Finding(exchange, f"Identify lists {name}, but the answer is not compressed with it.")
        elif canonical(exchange.content("Identify")) != canonical(repository.identify):
            yield Finding(exchange, f"The answer in {name} differs from the uncompressed one.")


@CHECKS.add("http.compression-listed")
def _listed_compression(repository: Repository) -> Findings:
    declared = _declared(repository)
    for name in _ENCODINGS:
        exchange = _in_encoding(repository, name)
        if exchange.header("Content-Encoding").lower() == name and name not in declared:
            yield Finding(exchange, f"The answer is compressed with {name}, but Identify does not list it.")


@CHECKS.add("http.identity")
def _identity(repository: Repository) -> Findings:
    exchange = _in_encoding(repository, "identity")
    if exchange.header("Content-Encoding").lower() not in ("", "identity"):
        yield Finding(exchange, f"The answer is compressed with {exchange.header('Content-Encoding')}.")
