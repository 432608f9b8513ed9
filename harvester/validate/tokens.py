"""Checks of flow control: resumptionTokens and their attributes (OAI-PMH 2.0 §3.5), in every list with tokens."""

from collections.abc import Iterator

from gateway.core.xmltext import utc_datetime
from harvester.validate.answer import Token, elements, text
from harvester.validate.check import Checks, Finding, Findings, Undecided, Verdict
from harvester.validate.client import Exchange, encoded
from harvester.validate.repository import Repository, Walk, second_of

_MOST_DIGITS = 15  # of a plausible number
_ATTRIBUTES = {"cursor", "completeListSize", "expirationDate"}
CHECKS = Checks[Repository]("OAI-PMH 2.0")


def _partitioned(repository: Repository) -> Iterator[Walk]:
    """Return the lists that have a token. Raise Undecided when there are none."""
    walks = [walk for walk in repository.walks if walk.tokens]
    if not walks:
        raise Undecided("Every list came in one answer.")
    return iter(walks)


def _marked(repository: Repository) -> Iterator[tuple[Exchange, Token]]:
    """Return every answer of those lists that has a token element."""
    for walk in _partitioned(repository):
        for page in walk.pages:
            if (token := page.read().token) is not None:
                yield page, token


@CHECKS.add("tokens.works", "§3.5", "A token returns the next part of the list.")
def _works(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        if walk.broken is not None and walk.broken.read().errors:
            yield Finding(walk.broken, f"A token of {walk.verb} is refused.")


@CHECKS.add("tokens.progress", "§3.5", "No token of a list occurs twice.")
def _progress(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        if walk.repeated:
            yield Finding(walk.pages[-1], "A token occurs a second time: the list loops.")


@CHECKS.add(
    "tokens.form", "§3.2.1", "At most one resumptionToken, as the last element, with only its three attributes."
)
def _form(repository: Repository) -> Findings:
    for walk in repository.walks:
        for page in walk.pages:
            yield from _wrong_form(page, walk.verb)


def _wrong_form(page: Exchange, verb: str) -> Findings:
    token_elements = page.read().token_elements
    if len(token_elements) > 1:
        yield Finding(page, f"There are {len(token_elements)} resumptionToken elements.")
    elif token_elements and elements(page.content(verb))[-1] is not token_elements[0]:
        yield Finding(page, "The resumptionToken is not the last element.")
    elif token_elements and not _ATTRIBUTES.issuperset(map(str, token_elements[0].attrib)):
        yield Finding(page, f"The resumptionToken has other attributes: {sorted(map(str, token_elements[0].attrib))}.")


@CHECKS.add("tokens.cursor", "§3.5", "The cursor counts what was returned before, from 0.")
def _cursor(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        received = 0
        for page in walk.pages:
            token = page.read().token
            if token is not None and token.cursor not in (None, str(received)):
                yield Finding(page, f"The cursor is {token.cursor}, but {received} entries came before this answer.")
            received += page.read().size


@CHECKS.add("tokens.size", "§3.5", "completeListSize is the number of entries of the list.", Verdict.WARNING)
def _size(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        least = walk.received if walk.is_complete else walk.received + 1
        for page in walk.pages:
            token = page.read().token
            if token is not None and token.complete_list_size is not None and not _is_size(token, least, walk):
                came = str(walk.received) if walk.is_complete else f"more than {walk.received}"
                yield Finding(page, f"completeListSize is {token.complete_list_size}, but {came} entries came.")


def _is_size(token: Token, least: int, walk: Walk) -> bool:
    size = token.complete_list_size or ""
    if not (size.isascii() and size.isdigit() and len(size) <= _MOST_DIGITS):
        return False
    return int(size) == least if walk.is_complete else int(size) >= least


@CHECKS.add(
    "tokens.counts", "practice of the field", "Each resumptionToken has cursor and completeListSize.", Verdict.WARNING
)
def _counts_stated(repository: Repository) -> Findings:
    for page, token in _marked(repository):
        if token.cursor is None or token.complete_list_size is None:
            yield Finding(page, "The resumptionToken lacks cursor or completeListSize.")


@CHECKS.add("tokens.empty-last", "§3.5", "The answer that completes a list has an empty resumptionToken.")
def _empty_last(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        if walk.is_complete and walk.pages[-1].read().token is None:
            yield Finding(walk.pages[-1], "The answer that completes the list has no empty resumptionToken.")


@CHECKS.add(
    "tokens.none-in-complete", "§3.5", "A list that comes in one answer has no resumptionToken.", Verdict.WARNING
)
def _none_in_complete(repository: Repository) -> Findings:
    for exchange in repository.conversation.exchanges:
        answer = exchange.answer
        is_first = "resumptionToken" not in dict(exchange.arguments)
        if answer is not None and is_first and answer.token is not None and not answer.token.text:
            yield Finding(exchange, "A list that came in one answer has a resumptionToken.")


def _repeated(repository: Repository, wanted: int, place: int) -> Findings:
    """Repeat the request for the page at `place`, for lists with at least `wanted` pages."""
    walks = [walk for walk in _partitioned(repository) if len(walk.pages) >= wanted]
    if not walks:
        raise Undecided(f"No list was followed for {wanted} answers.")
    for walk in walks:
        page = walk.pages[place]
        again = repository.ask_again(walk.verb, resumptionToken=dict(page.arguments)["resumptionToken"])
        if not _is_same(repository, page, again):
            yield Finding(again, "The same token does not return the same part of the list again.")


def _is_same(repository: Repository, page: Exchange, again: Exchange) -> bool:
    one, other = ([text(element, "setSpec") for element in of.read().sets] for of in (page, again))
    if one != other:
        return False
    missing = [header for header in page.read().headers if header not in again.read().headers]
    return all(repository.has_changed(header) for header in missing)


@CHECKS.add("tokens.idempotent", "§3.5.1", "The most recent token returns the same part of the list again.")
def _idempotent(repository: Repository) -> Findings:
    return _repeated(repository, 2, -1)


@CHECKS.add("tokens.earlier", "guidelines for repositories §5.3", "An earlier token is valid as well.", Verdict.WARNING)
def _earlier(repository: Repository) -> Findings:
    return _repeated(repository, 3, 1)


@CHECKS.add("tokens.tampered", "§3.6", "A changed token: badResumptionToken.")
def _tampered(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        token = walk.tokens[0]
        middle = len(token) // 2
        other = "A" if token[middle] != "A" else "B"
        exchange = repository.ask(walk.verb, resumptionToken=f"{token[:middle]}{other}{token[middle + 1 :]}")
        if "badResumptionToken" not in exchange.read().codes:
            yield Finding(exchange, "A token with one character changed is not answered with badResumptionToken.")


_OTHER_VERB = {"ListRecords": "ListIdentifiers", "ListIdentifiers": "ListRecords", "ListSets": "ListRecords"}


@CHECKS.add("tokens.other-verb", "§3.5", "A token of another verb: badResumptionToken.")
def _other_verb(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        exchange = repository.ask(_OTHER_VERB[walk.verb], resumptionToken=walk.tokens[0])
        if "badResumptionToken" not in exchange.read().codes:
            yield Finding(exchange, f"A token of {walk.verb} is accepted by another verb.")


@CHECKS.add("tokens.exclusive", "§4.5", "Another argument beside a token: badArgument or badResumptionToken.")
def _exclusive(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        if walk.verb != "ListSets":
            exchange = repository.ask(walk.verb, resumptionToken=walk.tokens[0], metadataPrefix="oai_dc")
            if not exchange.read().codes & {"badArgument", "badResumptionToken"}:
                yield Finding(exchange, "Another argument beside the token is accepted.")


@CHECKS.add("tokens.repeated", "§3.6", "The same token twice in one request: badArgument.")
def _twice(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        argument = encoded({"resumptionToken": walk.tokens[0]})
        exchange = repository.conversation.ask(f"verb={walk.verb}&{argument}&{argument}")
        if "badArgument" not in exchange.read().codes:
            yield Finding(exchange, "A repeated resumptionToken is not answered with badArgument.")


def _expiring(repository: Repository) -> Iterator[tuple[Exchange, Token, str]]:
    dated_tokens = [
        (page, token, token.expiration_date) for page, token in _marked(repository) if token.expiration_date is not None
    ]
    if not dated_tokens:
        raise Undecided("No token has an expirationDate.")
    return iter(dated_tokens)


@CHECKS.add("tokens.expiration-form", "§3.3.2", "An expirationDate is YYYY-MM-DDThh:mm:ssZ.")
def _expiration_form(repository: Repository) -> Findings:
    for page, _, date in _expiring(repository):
        if second_of(date) is None or "T" not in date:
            yield Finding(page, f"The expirationDate {date!r} is not YYYY-MM-DDThh:mm:ssZ.")


@CHECKS.add(
    "tokens.expiration-life",
    "practice of the field",
    "A token is valid for a day (at least 23 hours).",
    Verdict.WARNING,
)
def _expiration_life(repository: Repository) -> Findings:
    for page, token, date in _expiring(repository):
        end, now = second_of(date), second_of(page.read().response_date)
        if token.text and end is not None and now is not None and end - now < repository.limits.token_seconds:
            yield Finding(page, f"The token expires at {date}; it is {utc_datetime(now)}.")


@CHECKS.add(
    "tokens.page-size", "practice of the field", "An incomplete answer has at least 100 records.", Verdict.WARNING
)
def _page_size(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        for page in walk.pages:
            token = page.read().token
            if (
                walk.verb != "ListSets"
                and token is not None
                and token.text
                and page.read().size < repository.limits.least_page
            ):
                yield Finding(page, f"An incomplete answer has {page.read().size} entries.")
