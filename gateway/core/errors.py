"""The tree of errors. Every expected failure that leaves one of our functions is one of these, with its cause attached.

GatewayError
├── ConfigurationError          a setting, a source or an option is wrong; the sentence names it
│   └── DecisionRefused         a person's decision on a file cannot be made; the sentence says why
├── StoreError                  the store cannot do what was asked
│   ├── StoreMissing            there is no store here yet; `gateway init` makes one
│   ├── StoreTooNew             a newer release wrote this database
│   ├── StoreBusy               another process holds the write lock for too long
│   ├── ClockAhead              the clock has jumped far ahead, and nothing explains it; nothing is published
│   ├── StoreUnwritable         disk full, read-only file or folder
│   ├── StoreDamaged            the database contradicts itself
│   │   └── PageLost            the inbox lacks a published page: the inbox was lost, or is an older copy
│   ├── IntentExpired           a publication took longer than its intent may live; repeat it
│   ├── PositionMoved           another process published these pages meanwhile; read the position again
│   ├── FilesChanged            another process changed the files of a source meanwhile; read its items again
│   │   └── TakedownsChanged    the list of takedowns was changed meanwhile; read the items again
│   └── TakedownsUnreadable     the list of takedowns is damaged or lost; nothing is published and no file is served
├── SearchError                 a search cannot be answered
│   ├── QueryRefused            the query is too long, or has a value that no query may have
│   ├── SearchUnavailable       the search index is missing, damaged, of another release, or switched off
│   └── IndexDamaged            the search index cannot be written because it is damaged or of another release
├── OaiError                    an answer of the protocol, sent with HTTP 200 (OAI-PMH 2.0 §3.6)
│   ├── BadVerb  BadArgument  BadResumptionToken  CannotDisseminateFormat
│   └── IdDoesNotExist  NoRecordsMatch  NoMetadataFormats  NoSetHierarchy
├── UnusableRecord              one record cannot be used; it goes to quarantine with this sentence
│   └── NotAWork                it describes a person, a conference, or something else that is not published
├── FetchError                  a request brought no usable answer
│   ├── AddressRefused          the address guard refused the address
│   ├── ConnectionFailed        no connection, or it broke
│   │   ├── NameUnknown         the host name has no address
│   │   └── TlsFailed           the server could not prove its identity
│   ├── AddressTakenDown        the address, or the file at it, is taken down
│   ├── RobotsDenied            robots.txt forbids the request
│   ├── AnswerTooLarge          more bytes than the limit
│   ├── AnswerTooSlow           the deadline of the whole request passed
│   ├── TryLater                503 or 429 with a longer wait than is allowed
│   └── RemoteRefuses           401, 403, 404 and other final refusals
└── AnswerError                 bytes arrived and are not what the protocol promises
    ├── NotXml                  not XML, even after repair
    │   └── NoContent           an empty body, or a status without a body, instead of an answer
    ├── NotOaiPmh               XML, or HTML, but no OAI-PMH answer
    ├── NotResourceSync         XML, but not the list, index or manifest that is needed
    ├── NotSolr                 a document, but no answer of Solr to `select`
    ├── NotStaticRepository     a document that breaks the rules of Static Repositories
    └── RemoteError             the remote answered with errors of its protocol; `codes` lists them
        └── DatesRefused        it refuses the dates of the request in every granularity
"""

from pathlib import Path
from traceback import extract_tb


class GatewayError(Exception):
    """Any failure that this program expects; its text is a message for people."""


class ConfigurationError(GatewayError):
    """A setting, a source or an option is wrong; the message names it."""


class DecisionRefused(ConfigurationError):
    """A decision of a person on a file cannot be made; nothing was written."""


class StoreError(GatewayError):
    """The store cannot do what was asked."""


class StoreMissing(StoreError):
    """There is no store at this place; `gateway init` makes one."""


class StoreTooNew(StoreError):
    """The database was written by a newer release than this one."""


class StoreBusy(StoreError):
    """Another process held the write lock for longer than we wait."""


class ClockAhead(StoreError):
    """The clock has jumped far ahead without a known reason; published records would have future datestamps."""


class StoreUnwritable(StoreError):
    """The disk is full, or the file or its folder cannot be written."""


class StoreDamaged(StoreError):
    """The database contradicts itself or is not a database."""


class PageLost(StoreDamaged):
    """The inbox lacks a published page; its records must be harvested again, or the inbox restored."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"The inbox was lost or is an older copy: the published page {number} is not in it. Restore it with "
            "`gateway restore`, or harvest everything again with `harvester run --all --full`."
        )


class IntentExpired(StoreError):
    """The intent of a publication was removed before its records were written; nothing was written."""


class PositionMoved(StoreError):
    """Another process moved the position of the source in the inbox; nothing was written."""


class FilesChanged(StoreError):
    """Another process changed what is known of the files of a source; nothing was written."""


class TakedownsChanged(FilesChanged):
    """The list of takedowns was changed while records were made; nothing was written."""


class TakedownsUnreadable(StoreError):
    """The list of takedowns is damaged or lost, so nothing is published and no file is served."""


class SearchError(GatewayError):
    """A search cannot be answered."""


class QueryRefused(SearchError):
    """The query is too long, or has a value that no query may have; the message says which."""


class SearchUnavailable(SearchError):
    """The search index is missing, damaged, of another release, or switched off."""


class IndexDamaged(SearchError):
    """The search index is damaged, or of another release; it must be made anew."""


class OaiError(GatewayError):
    """One `<error>` of an OAI-PMH answer (OAI-PMH 2.0 §3.6); every class has its code and its default sentence."""

    code = ""
    sentence = ""

    def __init__(self, sentence: str = "") -> None:
        super().__init__(sentence or self.sentence)


class BadVerb(OaiError):
    """The verb is missing, repeated or unknown."""

    code = "badVerb"
    sentence = "The request has no legal verb."


class BadArgument(OaiError):
    """An argument is missing, illegal, repeated, or has an illegal value."""

    code = "badArgument"
    sentence = "The request has an illegal or missing argument."


class BadResumptionToken(OaiError):
    """The token is not one of ours, was changed, has expired, or belongs to another verb."""

    code = "badResumptionToken"
    sentence = "The resumptionToken is not valid for this request."


class CannotDisseminateFormat(OaiError):
    """The metadata format is not supported by the item or by the repository."""

    code = "cannotDisseminateFormat"
    sentence = "The metadataPrefix is not supported by the item or by the repository."


class IdDoesNotExist(OaiError):
    """The identifier is unknown here."""

    code = "idDoesNotExist"
    sentence = "The identifier is unknown in this repository."


class NoRecordsMatch(OaiError):
    """The combination of from, until, set and metadataPrefix gives an empty list."""

    code = "noRecordsMatch"
    sentence = "No record matches this combination of from, until, set and metadataPrefix."


class NoMetadataFormats(OaiError):
    """The item has no metadata format."""

    code = "noMetadataFormats"
    sentence = "The item has no metadata formats: it is deleted."


class NoSetHierarchy(OaiError):
    """The repository has no sets."""

    code = "noSetHierarchy"
    sentence = "This repository does not support sets."


class UnusableRecord(GatewayError):
    """One record cannot be used; quarantine shows its message to administrators."""


class NotAWork(UnusableRecord):
    """A record describes something else than a work, such as `a person`. It is stored, counted, and not published."""

    def __init__(self, what: str) -> None:
        super().__init__(f"It describes {what}, which is not a work, so it is not published.")


class FetchError(GatewayError):
    """A request got no usable answer."""


class AddressRefused(FetchError):
    """The address guard refused the address, or a redirect to it."""


class ConnectionFailed(FetchError):
    """No connection could be made, or it broke before the answer was complete."""


class NameUnknown(ConnectionFailed):
    """The name of the host has no address."""


class TlsFailed(ConnectionFailed):
    """The server could not prove its identity, or the two sides support no common version of TLS."""


class AddressTakenDown(FetchError):
    """The address, or the file at it, is taken down here."""


class RobotsDenied(FetchError):
    """The robots.txt of the host forbids the request (RFC 9309)."""


class AnswerTooLarge(FetchError):
    """The answer has more bytes than the limit, as sent or decompressed."""


class AnswerTooSlow(FetchError):
    """The deadline of the whole request has passed."""


class TryLater(FetchError):
    """The remote asks for a longer wait than is allowed now (HTTP 503 or 429 with Retry-After)."""


class RemoteRefuses(FetchError):
    """The remote refuses the request for good (HTTP 401, 403, 404 …)."""


class AnswerError(GatewayError):
    """Bytes arrived that are no answer of the protocol."""


class NotXml(AnswerError):
    """The bytes are not XML, even after repair."""


class NoContent(NotXml):
    """The body of the answer is empty."""


class NotOaiPmh(AnswerError):
    """The document is no OAI-PMH answer."""


class NotResourceSync(AnswerError):
    """The document is no ResourceSync document, or not of the kind that is needed here."""


class NotSolr(AnswerError):
    """The document is no answer of a Solr index, or lacks what a harvest needs."""


class NotStaticRepository(AnswerError):
    """The document is no OAI Static Repository, or breaks the rules of that guideline."""


class RemoteError(AnswerError):
    """The remote answered with errors of its protocol; `errors` has pairs of code and sentence."""

    def __init__(self, errors: tuple[tuple[str, str], ...]) -> None:
        self.errors = errors
        super().__init__("; ".join(f"{code}: {text}" if text else code for code, text in errors))

    @property
    def codes(self) -> frozenset[str]:
        """The error codes of the answer."""
        return frozenset(code for code, _ in self.errors)


class DatesRefused(RemoteError):
    """The remote refused the dates of a request in every granularity."""


_MOST_SHOWN = 200  # characters of the message of a foreign error


def unforeseen(error: Exception) -> str:
    """Return a message about an unexpected error: its class, the line that raised it, and its text."""
    places = [frame for frame in extract_tb(error.__traceback__) if f"{_ROOT}/" in frame.filename]
    where = f" at {Path(places[-1].filename).name}:{places[-1].lineno}" if places else ""
    message = " ".join(str(error).encode("utf-8", "backslashreplace").decode().split())[:_MOST_SHOWN]
    return f"This program has a fault: {type(error).__name__}{where} ({message}). Please report it with this record."


_ROOT = Path(__file__).parent.parent.parent
