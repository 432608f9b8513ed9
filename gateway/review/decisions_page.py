"""`/review/decisions`: all decisions, the newest first; what one person decided at once is one entry."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from itertools import filterfalse
from typing import Final, NamedTuple
from urllib.parse import urlencode

from flask import Response, request

from gateway.core.errors import QueryRefused
from gateway.core.model import VERDICTS, Decision, DecisionFilter, ListedCopy, User
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.deciding import Withdrawn
from gateway.pages.shown import bare_revealed, shortened
from gateway.review.copy_rows import file_name
from gateway.review.frame import ReviewPages, form_asked, item_address, list_answer, number_in, page
from gateway.review.listing import MOST, Entry, Listing, entries_of, sources_of, status_of
from gateway.review.sessions import signed_in
from gateway.store.base import Discovery, Store

PAGE: Final = 50
_DATA_PAGE: Final = 1_000
_BEGIN: Final = (1 << 53, 0)
_PLACES: Final = ("after", "before")
_MOST_LETTERS: Final = 300
_MOST_TITLE: Final = 200
_TONES: Final = {"accept": "good", "reject": "bad"}
COLUMNS: Final = (
    "number", "at", "decided_by", "verdict", "is_undoing", "reason", "identifier", "url", "sha256", "title", "source",
)  # fmt: skip


class AskedDecisions(NamedTuple):
    """A page of decisions: who decided, the source, the verdict, the first and the last day, and its place.

    `after` is the decision before the page, `before` that after it (None: the page is not asked for so).
    """

    by: str = ""
    source: str = ""
    verdict: str = ""
    since: str = ""
    until: str = ""
    after: tuple[int, int] = _BEGIN
    before: tuple[int, int] | None = None

    @property
    def is_filtered(self) -> bool:
        """Return whether a filter is in force."""
        return any(self[:5])

    def query(self, after: str = "", before: str = "") -> str:
        """Return the arguments of the address; without a place, of the first page."""
        values = {**self._asdict(), "after": after, "before": before}
        return urlencode([(name, value) for name, value in values.items() if value])


class EntryPage(NamedTuple):
    """The entries of a page, and the places that the pages before and after it have; empty: there is none."""

    entries: list[Entry]
    before: str
    after: str


class ShownEntry(NamedTuple):
    """An entry as the page shows it. `is_in_force`: one of its decisions is the last one on its file."""

    entry: Entry
    title: str
    file_name: str
    item_address: str
    tone: str
    at: str
    is_in_force: bool


class DecisionsPage:
    """Answers with pages of the list."""

    def __init__(self, discovery: Callable[[], Discovery], store: Store, pages: ReviewPages) -> None:
        self._discovery, self._store, self._pages = discovery, store, pages
        self._listing = Listing(store, discovery)
        self._root = pages.site.root

    def html(self) -> Response:
        """Answer with the page for people. Raise QueryRefused for a filter that is none."""
        asked, user = asked_of(request.args), signed_in()
        listed, withdrawn = self._entries(asked, user), self._withdrawn()
        entries = [shown for entry in listed.entries if (shown := entry.without(withdrawn.has))]
        decided = [decision for entry in entries for decision in entry.decisions]
        in_force = {copy.decision.number for copy in self._copies(decided).values()}
        with self._store.view() as view:
            sources = [source.name for source in view.sources() if user.may_decide(source.name)]
        base = f"{self._root}/review/decisions?"
        address = (base + asked.query(*(request.args.get(name, "") for name in _PLACES))).rstrip("?")
        body = self._pages.render(
            "decisions.html",
            tab="decisions",
            asked=asked,
            entries=self._shown(entries, in_force),
            sources=sources,
            verdicts=VERDICTS,
            address=address,
            status=status_of(self._discovery, self._listing, user, request.args.get("done", "")),
            status_next=address,
            previous_url=base + asked.query(before=listed.before) if listed.before else "",
            next_url=base + asked.query(listed.after) if listed.after else "",
            forms=[(name.upper(), f"{self._root}/review/decisions.{name}?{asked.query()}") for name in ("json", "csv")],
        )
        return page(body)

    def _entries(self, asked: AskedDecisions, user: User) -> EntryPage:
        """Return the entries of a page. If too few are before a place, that of the first page."""
        decisions = self._decisions(asked, user, MOST)
        entries, is_whole = list(entries_of(decisions)), len(decisions) < MOST
        if asked.before is not None and is_whole and len(entries) <= PAGE:
            return self._entries(asked._replace(before=None, after=_BEGIN), user)
        is_cut = len(entries) > PAGE
        if asked.before is not None:
            entries = entries[-PAGE:] if is_cut else entries[1:] or entries  # the newest one may go on
            return EntryPage(entries, _place(entries[0].newest), _place(entries[-1].oldest))
        if is_cut:
            entries = entries[:PAGE]
        elif not is_whole:
            entries = entries[:-1] or entries  # the oldest one may go on
        before = _place(entries[0].newest) if entries and asked.after != _BEGIN else ""
        return EntryPage(entries, before, _place(entries[-1].oldest) if is_cut or not is_whole else "")

    def _decisions(self, asked: AskedDecisions, user: User, limit: int) -> tuple[tuple[Decision, int], ...]:
        """Return decisions with the numbers of their entries."""
        sources = sources_of(user, asked.source)
        if not sources:
            return ()
        wanted = DecisionFilter(
            asked.by,
            asked.verdict,
            () if sources == ("",) else sources,
            _second(asked.since) if asked.since else 0,
            _second(asked.until) + 86_400 if asked.until else 1 << 53,
        )
        place, is_back = asked.before or asked.after, asked.before is not None
        return self._discovery().latest_decisions(wanted, place, limit, is_back=is_back)

    def _copies(self, decisions: list[Decision]) -> dict[tuple[str, str], ListedCopy]:
        listed = self._discovery().copies_of_decisions([decision.number for decision in decisions])
        return {(copy.copy.identifier, copy.copy.url): copy for copy in listed}

    def _withdrawn(self) -> Withdrawn:
        return Withdrawn(self._store, self._discovery())

    def _shown(self, entries: list[Entry], in_force: set[int]) -> list[ShownEntry]:
        copies = self._copies([entry.newest for entry in entries])
        shown = []
        for entry in entries:
            newest = entry.newest
            copy = copies[newest.identifier, newest.url].copy
            shown.append(
                ShownEntry(
                    entry,
                    shortened(bare_revealed(copy.title), _MOST_TITLE),
                    file_name(newest.url),
                    item_address(self._root, newest.identifier),
                    _TONES.get(newest.verdict, "neutral"),
                    utc_datetime(newest.at),
                    any(decision.number in in_force for decision in entry.decisions),
                )
            )
        return shown

    def data(self) -> Response:
        """Answer with a page of decisions as data, and the address of the next one."""
        asked = asked_of(request.args)
        decisions = [decision for decision, _ in self._decisions(asked, signed_in(), _DATA_PAGE + 1)]
        has_more, decisions = len(decisions) > _DATA_PAGE, decisions[:_DATA_PAGE]
        copies = self._copies(decisions)
        rows = []
        for decision in filterfalse(self._withdrawn().has, decisions):
            copy = copies[decision.identifier, decision.url].copy
            facts = decision._asdict() | {"title": copy.title, "source": copy.source, "at": utc_datetime(decision.at)}
            rows.append({name: facts[name] for name in COLUMNS})
        following = (
            f"{self._root}/review/decisions.{form_asked()}?{asked.query(_place(decisions[-1]))}" if has_more else ""
        )
        return list_answer("decisions", COLUMNS, rows, following)


def asked_of(arguments: Mapping[str, str]) -> AskedDecisions:
    """Return what the arguments of an address ask for. Raise QueryRefused."""
    verdict = arguments.get("verdict", "")
    if verdict not in ("", *VERDICTS):
        raise QueryRefused(f"The verdict {verdict[:40]!r} is none. Use review, accept or reject.")
    texts = {name: arguments.get(name, "").strip() for name in ("by", "source", "since", "until")}
    for name, text in texts.items():
        if len(text) > _MOST_LETTERS:
            raise QueryRefused(f"The filter {name} is longer than {_MOST_LETTERS} characters. Use a shorter one.")
    for name in ("since", "until"):
        if texts[name]:
            _second(texts[name])
    after, before = (arguments.get(name, "") for name in _PLACES)
    if after and before:
        raise QueryRefused("A page begins after a decision or ends before one; leave out `after` or `before`.")
    return AskedDecisions(
        **texts,
        verdict=verdict,
        after=_place_in(after) if after else _BEGIN,
        before=_place_in(before) if before else None,
    )


def _place(decision: Decision) -> str:
    """Return the place of a decision in the list as a text."""
    return f"{decision.at}.{decision.number}"


def _place_in(text: str) -> tuple[int, int]:
    at, _, number = text.partition(".")
    return number_in(at), number_in(number)


def _second(day: str) -> int:
    """Return the first second of a day. Raise QueryRefused."""
    try:
        parsed = date.fromisoformat(day)
        return int((datetime(parsed.year, parsed.month, parsed.day, tzinfo=UTC) - _EPOCH) / timedelta(seconds=1))
    except ValueError:
        raise QueryRefused(f"{day[:40]!r} is no day. Write it as 2026-11-26.") from None


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
