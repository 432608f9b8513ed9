"""Checks of flow control: resumptionTokens and their attributes (OAI-PMH 2.0 §3.5), in every list with tokens."""

from collections.abc import Iterator

from gateway.core.xmltext import utc_datetime
from harvester.validate.answer import Token, elements, text
from harvester.validate.check import Checks, Finding, Findings, Undecided
from harvester.validate.client import Exchange, encoded
from harvester.validate.repository import RULES, Repository, Walk, second_of

_MOST_DIGITS = 15  # of a plausible number
_ATTRIBUTES = {"cursor", "completeListSize", "expirationDate"}
CHECKS = Checks[Repository](RULES)


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


_list = CHECKS.each(lambda repository: ((walk.pages[-1], walk) for walk in _partitioned(repository)))
_token = CHECKS.each(_marked)


@CHECKS.add("tokens.works")
def _works(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        if walk.broken is not None and walk.broken.read().errors:
            yield Finding(walk.broken, f"A token of {walk.verb} is refused.")


_list("tokens.progress")(lambda walk: walk.repeated and "A token occurs a second time: the list loops.")


@CHECKS.add("tokens.form")
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


@CHECKS.add("tokens.cursor")
def _cursor(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        received = 0
        for page in walk.pages:
            token = page.read().token
            if token is not None and token.cursor not in (None, str(received)):
                yield Finding(page, f"The cursor is {token.cursor}, but {received} entries came before this answer.")
            received += page.read().size


@CHECKS.add("tokens.size")
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


@CHECKS.add("tokens.counts")
def _counts_stated(repository: Repository) -> Findings:
    for page, token in _marked(repository):
        if token.cursor is None or token.complete_list_size is None:
            yield Finding(page, "The resumptionToken lacks cursor or completeListSize.")


_list("tokens.empty-last")(
    lambda walk: (
        walk.is_complete
        and walk.pages[-1].read().token is None
        and "The answer that completes the list has no empty resumptionToken."
    )
)


@CHECKS.add("tokens.none-in-complete")
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


@CHECKS.add("tokens.idempotent")
def _idempotent(repository: Repository) -> Findings:
    return _repeated(repository, 2, -1)


@CHECKS.add("tokens.earlier")
def _earlier(repository: Repository) -> Findings:
    return _repeated(repository, 3, 1)


def _refused(exchange: Exchange, sentence: str, *codes: str) -> Findings:
    """Yield a finding unless an answer has one of the codes."""
    if not exchange.read().codes.intersection(codes):
        yield Finding(exchange, sentence)


@CHECKS.add("tokens.tampered")
def _tampered(repository: Repository) -> Findings:
    sentence = "A token with one character changed is not answered with badResumptionToken."
    for walk in _partitioned(repository):
        token, middle = walk.tokens[0], len(walk.tokens[0]) // 2
        other = "A" if token[middle] != "A" else "B"
        changed = f"{token[:middle]}{other}{token[middle + 1 :]}"
        yield from _refused(repository.ask(walk.verb, resumptionToken=changed), sentence, "badResumptionToken")


_OTHER_VERB = {"ListRecords": "ListIdentifiers", "ListIdentifiers": "ListRecords", "ListSets": "ListRecords"}


@CHECKS.add("tokens.other-verb")
def _other_verb(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        exchange = repository.ask(_OTHER_VERB[walk.verb], resumptionToken=walk.tokens[0])
        yield from _refused(exchange, f"A token of {walk.verb} is accepted by another verb.", "badResumptionToken")


@CHECKS.add("tokens.exclusive")
def _exclusive(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        if walk.verb != "ListSets":
            exchange = repository.ask(walk.verb, resumptionToken=walk.tokens[0], metadataPrefix="oai_dc")
            sentence = "Another argument beside the token is accepted."
            yield from _refused(exchange, sentence, "badArgument", "badResumptionToken")


@CHECKS.add("tokens.repeated")
def _twice(repository: Repository) -> Findings:
    for walk in _partitioned(repository):
        argument = encoded({"resumptionToken": walk.tokens[0]})
        exchange = repository.conversation.ask(f"verb={walk.verb}&{argument}&{argument}")
        yield from _refused(exchange, "A repeated resumptionToken is not answered with badArgument.", "badArgument")


def _expiring(repository: Repository) -> Iterator[tuple[Exchange, Token, str]]:
    dated_tokens = [
        (page, token, token.expiration_date) for page, token in _marked(repository) if token.expiration_date is not None
    ]
    if not dated_tokens:
        raise Undecided("No token has an expirationDate.")
    return iter(dated_tokens)


CHECKS.each(_expiring)("tokens.expiration-form")(
    lambda _, date: (
        (second_of(date) is None or "T" not in date) and f"The expirationDate {date!r} is not YYYY-MM-DDThh:mm:ssZ."
    )
)


@CHECKS.add("tokens.expiration-life")
def _expiration_life(repository: Repository) -> Findings:
    for page, token, date in _expiring(repository):
        end, now = second_of(date), second_of(page.read().response_date)
        if token.text and end is not None and now is not None and end - now < repository.limits.token_seconds:
            yield Finding(page, f"The token expires at {date}; it is {utc_datetime(now)}.")


@CHECKS.add("tokens.page-size")
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
