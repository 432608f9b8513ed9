"""Which copies a list shows: read from the arguments of an address, and written into one. Pure.

An address says everything: filters, order, and the copy after which a page begins. So it can be shared and stored as a
bookmark.
"""

import json
import math
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import urlencode

from gateway.core.errors import QueryRefused
from gateway.core.model import (
    ANY_VERDICT,
    VERDICTS,
    CopyFilter,
    CopyOrder,
    Decision,
    DocumentKind,
    FoundCopy,
    ListedCopy,
    Outcome,
)
from gateway.fulltext.policies import VERSIONS, Colour
from gateway.fulltext.review import UNKNOWN

_MOST_LETTERS = 300  # of a filter
_MOST_KEY = 20_000
_SCORES: Final = ("least_score", "most_score")
_TEXTS: Final = tuple(name for name in CopyFilter._fields if name not in (*_SCORES, "sources"))
_PARTS = 3  # of a key
# The arguments whose names are not those of the filter: forms have a `reason` too.
_NAMES: Final = {"reason": "reason_has"}

# The filters with closed lists of values.
_CLOSED: Final = {
    "colour": frozenset((*Colour, UNKNOWN)),
    "version": frozenset((*VERSIONS, UNKNOWN)),
    "kind": frozenset((*DocumentKind, UNKNOWN)),
    "outcome": frozenset(Outcome),
}


class Asked(NamedTuple):
    """A page of a list: the verdict of its copies (or `any`), the filter, the order, and where it begins.

    `after` is the copy before the page, `before` that after it; with neither, the page is the first one.
    """

    verdict: str = "review"
    wanted: CopyFilter = CopyFilter()
    order: CopyOrder = CopyOrder.IDENTIFIER
    after: ListedCopy | None = None
    before: ListedCopy | None = None

    @property
    def is_filtered(self) -> bool:
        """Return whether a filter is in force, besides the verdict."""
        return self.wanted != CopyFilter()


def asked_of(arguments: Mapping[str, str]) -> Asked:
    """Return what the arguments of an address ask for; unknown arguments do not matter. Raise QueryRefused."""
    verdict = arguments.get("verdict", "review")
    if verdict not in (ANY_VERDICT, *VERDICTS):
        raise QueryRefused(f"The verdict {verdict[:40]!r} is none. Use review, accept, reject or any.")
    order = _order(arguments.get("order", ""))
    after, before = (_key(name, arguments.get(name, ""), order) for name in ("after", "before"))
    if after and before:
        raise QueryRefused("A page begins after a copy or ends before one; leave out `after` or `before`.")
    texts = {name: _text(_NAMES.get(name, name), arguments) for name in _TEXTS}
    for name, values in _CLOSED.items():
        if texts[name] and texts[name] not in values:
            raise QueryRefused(f"The filter {name} has no value {texts[name][:40]!r}. Choose one of the page.")
    scores = {name: _score(name, arguments.get(name, "")) for name in _SCORES}
    wanted = CopyFilter(**{**texts, **scores})  # type: ignore[arg-type]
    return Asked(verdict, wanted, order, after, before)


def query_of(asked: Asked, **changes: str) -> str:
    """Return the arguments of an address as a query; what is not set is left out. `changes` replace arguments."""
    facts = asked.wanted._asdict()
    values = {
        "verdict": "" if asked.verdict == "review" else asked.verdict,
        **{_NAMES.get(name, name): facts[name] for name in _TEXTS},
        **{name: "" if facts[name] is None else str(facts[name]).removesuffix(".0") for name in _SCORES},
        "order": "" if asked.order is CopyOrder.IDENTIFIER else asked.order.value,
        "after": key_of(asked.after, asked.order),
        "before": key_of(asked.before, asked.order),
    }
    return urlencode([(name, value) for name, value in (values | changes).items() if value])


def filter_query(asked: Asked, **changes: str) -> str:
    """Return the query of the first page of the same list."""
    return query_of(asked._replace(after=None, before=None), **changes)


def key_of(listed: ListedCopy | None, order: CopyOrder) -> str:
    """Return the place of a copy in an order as one text; empty without a copy."""
    if listed is None:
        return ""
    values = {
        CopyOrder.IDENTIFIER: "",
        CopyOrder.SCORE: listed.copy.score,
        CopyOrder.TITLE: listed.copy.title,
        CopyOrder.DECIDED_AT: listed.decision.at,
    }
    return json.dumps([values[order], listed.copy.identifier, listed.copy.url], ensure_ascii=False)


def _key(name: str, text: str, order: CopyOrder) -> ListedCopy | None:
    """Return the copy that a key places. Raise QueryRefused."""
    if not text:
        return None
    try:
        parts = json.loads(text) if len(text) <= _MOST_KEY else None
    except (ValueError, RecursionError):
        parts = None
    if not isinstance(parts, list) or len(parts) != _PARTS or not all(map(_is_text, parts[1:])):
        raise _bad_key(name)
    value, identifier, url = parts
    score, title, at = None, "", 0
    if order is CopyOrder.SCORE and value is not None:
        score = _number(name, value)
    elif order is CopyOrder.TITLE:
        if not _is_text(value):
            raise _bad_key(name)
        title = value
    elif order is CopyOrder.DECIDED_AT:
        at = int(_number(name, value))
    return ListedCopy(
        FoundCopy(identifier, url, "", title=title, score=score), Decision(identifier, url, "", "", "", "", at)
    )


def _is_text(value: object) -> bool:
    """Return whether a value is a text that a database can store: JSON may have halves of surrogate pairs."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -1 <= value < 1 << 53:
        raise _bad_key(name)
    return value


def _bad_key(name: str) -> QueryRefused:
    return QueryRefused(f"The argument {name} is not one of a page of this list. Leave it out to get the first page.")


def _order(text: str) -> CopyOrder:
    try:
        return CopyOrder(text or CopyOrder.IDENTIFIER)
    except ValueError:
        orders = ", ".join(order.value for order in CopyOrder)
        raise QueryRefused(f"The order {text[:40]!r} is none. Use one of {orders}.") from None


def _text(name: str, arguments: Mapping[str, str]) -> str:
    text = arguments.get(name, "")
    if len(text) > _MOST_LETTERS:
        raise QueryRefused(f"The filter {name} is longer than {_MOST_LETTERS} characters. Use a shorter one.")
    return text.strip()


def _score(name: str, text: str) -> float | None:
    text = text.strip().replace(",", ".")
    if not text:
        return None
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not 0 <= score <= 1:
        raise QueryRefused(f"The filter {name} is a number from 0 to 1; {text[:40]!r} is none.")
    return score
