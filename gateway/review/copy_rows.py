"""One row of the list of copies: for the page, and for programs as JSON and CSV. Pure."""

from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from gateway.core.model import Candidate, ListedCopy
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.decisions import RULE
from gateway.fulltext.search_result import UNNAMED
from gateway.pages.shown import bare_revealed, host, revealed, shortened

_MOST_NAME = 80
_MOST_TITLE = 300
_MOST_AUTHORS = 200
_MOST_EVIDENCE = 300
# The tone of the chip of a colour of RoMEO, and of a verdict; the word stands beside it.
_COLOURS: Final = {"green": "good", "blue": "good", "yellow": "caution", "white": "bad"}
_VERDICTS: Final = {"accept": "good", "reject": "bad"}

# The columns of CSV, and the fields of JSON, in their order.
COLUMNS: Final = (
    "identifier", "title", "authors", "source", "url", "file_name", "sha256", "size", "score", "colour", "version",
    "embargo", "license", "kind", "host", "step", "evidence", "outcome", "verdict", "reason", "decided_by",
    "decided_at", "number",
)  # fmt: skip


class Row(NamedTuple):
    """A copy as the list shows it. Texts are shown as they are, with their hidden characters named.

    `number` is that of the decision in force; 0: there is none. `embargo` is the day on which it ends, or empty.
    `tone` is that of the colour, `verdict_tone` that of the verdict. `can_undo`: a person has decided, and
    that can be taken back.
    """

    listed: ListedCopy
    title: str
    authors: str
    file_name: str
    evidence: str
    embargo: str
    has_unstated_embargo: bool
    tone: str
    verdict_tone: str
    decided_at: str
    reason: str
    decided_by: str
    is_by_rule: bool
    can_undo: bool = False

    @property
    def number(self) -> int:
        """The number of the decision in force."""
        return self.listed.decision.number

    @property
    def bytes(self) -> str:
        """The SHA-256 of the copy behind a space, if it has other bytes than those decided on; else empty."""
        copy, decision = self.listed
        return f" {copy.sha256}" if copy.sha256 and copy.sha256 != decision.sha256 else ""


def row_of(listed: ListedCopy, candidate: Candidate | None) -> Row:
    """Return the row of a copy; `candidate` is None if the last search did not check the copy."""
    copy, decision = listed
    open_from = candidate.open_from if candidate else ""
    return Row(
        listed,
        shortened(bare_revealed(copy.title), _MOST_TITLE),
        shortened(bare_revealed(copy.authors), _MOST_AUTHORS),
        file_name(copy.url),
        shortened(revealed(candidate.evidence), _MOST_EVIDENCE) if candidate else "",
        "" if open_from == UNNAMED else open_from,
        open_from == UNNAMED,
        _COLOURS.get(copy.colour, "neutral"),
        _VERDICTS.get(decision.verdict, "neutral"),
        utc_datetime(decision.at) if decision.at else "",
        revealed(decision.reason),
        revealed(decision.decided_by),
        decision.decided_by in (RULE, ""),
    )


def facts_of(row: Row) -> dict[str, object]:
    """Return a row as data: the texts as they are stored, but for those that only a page shortens."""
    copy, decision = row.listed
    facts = decision._asdict() | copy._asdict() | {"size": copy.size or None}
    return {name: facts[name] if name in facts else getattr(row, name) for name in COLUMNS}


def file_name(url: str) -> str:
    """Return the last part of the path of an address with its hidden characters shown, else the host."""
    try:
        path = urlsplit(url).path
    except ValueError:
        path = ""
    tail = revealed(unquote(path.rstrip("/").rpartition("/")[2]))
    return shortened(tail or revealed(host(url)), _MOST_NAME)
