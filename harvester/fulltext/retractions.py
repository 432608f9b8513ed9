"""Retractions of works in the statements of services, titles, pages and files, as sentences for people. Pure.

A label (`RETRACTED`) and a statement about this very work (`This article has been retracted`) count. An article about
retractions, patients who were withdrawn and the title of another retracted work do not. Pages are read only if no
service names a file.
"""

import re

from harvester.fulltext.rights_words import may_have, quoted
from harvester.words import any_of, load

_WORDS = load("retractions")
_PARTS = _WORDS["parts"]

UPDATES: dict[str, str] = _WORDS["updates"]
_LONGEST_TYPE = 60  # characters of the type of an update
_NEAR = 20  # characters before a statement
# Updates that are the work itself again.
NEW_VERSIONS = frozenset(("new_version", "new_edition"))

# Titles; one of an article on retraction has no colon.
_TITLES = tuple(
    (
        update,
        re.compile(
            rf"[\s\[(]{{0,3}}(?:(?i:{words})[\])]?\s?[:|]|(?:{words.upper()})\s?[-\u2013\u2014])|[\[(](?i:{words})[\])]"
        ),
    )
    for update, words in ((update, any_of(words, _PARTS)) for update, words in _WORDS["titles"].items())
)
_JOINED = re.compile(r"[\s-]+")


def update_of(word: str) -> str:
    """Return the type of an update in one spelling: `Expression of concern` is `expression_of_concern`."""
    return _JOINED.sub("_", word[:_LONGEST_TYPE].strip().lower())


def by_update(update: str, service: str, notice: str = "", day: str = "") -> str:
    """Return the sentence for an update of one of these types, with the service, the notice and the day."""
    when = f" of {day}" if day else ""
    return f"{UPDATES[update]}: {service} names {notice or 'a notice'}{when}."


def by_notice(update: str, doi: str) -> str:
    """Return the sentence for a DOI of a record that is that of a notice about another DOI."""
    return f"The DOI of the record is that of a notice, and not of a work: Crossref names it as {update} {doi}."


def by_mark(service: str) -> str:
    """Return the sentence for a work that a service calls retracted, without a notice."""
    return f"{UPDATES['retraction']}: {service} marks it so."


def by_title(title: str, teller: str) -> str:
    """Return the sentence for a title that states a retraction; empty for any other title."""
    update = next((update for update, pattern in _TITLES if pattern.match(title)), "")
    return f"{UPDATES[update]}: {teller} gives a title that says so." if update else ""


# Statements about the document itself, in lower case with single spaces, by the type of update.
_STATEMENTS = tuple(
    (update, re.compile(rf"\b(?:{any_of(words, _PARTS)})")) for update, words in _WORDS["statements"].items()
)
_NOT_BEFORE = re.compile(rf"\b(?:{any_of(_WORDS['not_before'])})(?: (?:or not|that))?[\s,\"']{{1,3}}$")
_LABELS = tuple((update, any_of(words)) for update, words in _WORDS["labels"].items())  # alone on their line
_DAY = r"(?:on )?[\d./-]{8,10}|(?:on )?\d{1,2} [a-z]{3,9} \d{4}"  # after a label
_LABELLED = tuple(
    (
        update,
        re.compile(rf"\A\W{{0,4}}+(?:(?:[a-z]{{4,12}} )?status\W{{1,3}})?(?:{pattern})\W{{0,4}}(?:{_DAY})?\W{{0,2}}"),
    )
    for update, pattern in _LABELS
)
_AFTER_TITLE = re.compile(r"[\[(]([^\[\]()]{5,60})[\])]\s?(?:[|\u2013-].{0,80})?$")  # perhaps with the name of the site
# A label before a title.
_BEFORE_TITLE = tuple(
    (update, re.compile(rf"\A\W{{0,3}}+(?:{pattern})(?:(?: (?:to|of|for))?\s?[:\]]| ?[-\u2013\u2014] |\s?\|)"))
    for update, pattern in _LABELS
)


def label_in(line: str) -> str:
    """Return the type of update that a line in lower case is the label of; empty: it is none."""
    return next((update for update, pattern in _LABELLED if pattern.fullmatch(line)), "")


def label_before(title: str) -> str:
    """Return the type of update whose label is before a title in lower case; empty: none."""
    return next((update for update, pattern in _BEFORE_TITLE if pattern.match(title)), "")


def label_around(title: str) -> str:
    """Return the type of update whose label is before a title in lower case, or after it in brackets; empty: none."""
    match = _AFTER_TITLE.search(title)
    return label_before(title) or (label_in(match[1]) if match else "")


def statement_in(text: str) -> tuple[str, str]:
    """Return the type of update that a text in lower case states of its own document, and the statement; else empty."""
    for update, pattern in _STATEMENTS if may_have(text, _WORDS["hints"]["words"]) else ():
        for match in pattern.finditer(text):
            if not _NOT_BEFORE.search(text[max(0, match.start() - _NEAR) : match.start()]):
                return update, match[0]
    return "", ""


def by_statement(update: str, teller: str, quote: str) -> str:
    """Return the sentence for an update that a page or a file states in these words."""
    return f'{UPDATES[update]}: {teller} states "{quoted(quote)}".'


def is_notice(title: str) -> bool:
    """Return whether a title is that of a notice of retraction, or already has the label."""
    return bool(label_before(title.lower()) or label_in(title.lower()))
