"""`POST /review/decide`: accept, reject or undo one file, given the number of the decision that was looked at.

`/review/batch` shows first which files a decision touches, then decides on all of them at once. The form has the
numbers of the decisions that were shown. A file on which somebody has decided since is left out, and named. All files
are one entry of the list of decisions, and undone together.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from types import SimpleNamespace
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

from flask import Response, request

from gateway.core.errors import DecisionRefused
from gateway.core.model import Decision, ListedCopy
from gateway.core.xmltext import clean
from gateway.fulltext.deciding import Decide, undoing
from gateway.fulltext.decisions import RULE
from gateway.review.copy_rows import Row, row_of
from gateway.review.frame import ReviewPages, number_in, numbers_in, own_address, page, refused, see_other
from gateway.review.list_arguments import asked_of
from gateway.review.listing import MOST, Listing, can_undo
from gateway.review.sessions import signed_in
from gateway.store.base import Discovery

VERBS: Final = ("accept", "reject", "undo")
_DIGEST_LETTERS: Final = 64
_LONGEST = 2_000  # characters of a query that every proxy lets pass


class Wish(NamedTuple):
    """What the user wants: a verb, on the copy of the decision with a number, for its bytes, and why."""

    verb: str
    number: int
    sha256: str
    reason: str


class Touched(NamedTuple):
    """The files that a decision touches, and those that it leaves out because something changed meanwhile."""

    rows: tuple[Row, ...]
    left_out: tuple[Row, ...] = ()
    has_more: bool = False


class BatchPage:
    """Decides on many files."""

    def __init__(
        self,
        listing: Listing,
        discovery: Callable[[], Discovery],
        decide: Decide,
        pages: ReviewPages,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._listing, self._discovery, self._decide = listing, discovery, decide
        self._pages, self._clock = pages, clock

    def preview(self) -> Response:
        """Answer with all files that would be decided on. Raise QueryRefused for a filter that is none."""
        verb = request.args.get("verb", "")
        return self._preview(request.args, verb, self._touched(verb)) if verb in VERBS else self._no_verdict()

    def selected(self) -> Response:
        """Lead to the page of the files that were selected in a list; answer with it if its address is too long."""
        form = request.form
        verb = form.get("batch") or form.get("enter", "")
        if verb not in VERBS:
            return self._no_verdict()
        texts = [(name, form.get(name, "")) for name in ("reason", "comment", "next")]
        query = urlencode([("verb", verb), *(("number", number) for number in form.getlist("number")), *texts])
        if len(query) <= _LONGEST:
            return see_other(f"{self._pages.site.root}/review/batch?{query}")
        return self._preview(form, verb, self._numbered(numbers_in(form.getlist("number"), MOST), verb))

    def _preview(self, arguments: Mapping[str, str], verb: str, touched: Touched) -> Response:
        body = self._pages.render(
            "batch.html",
            tab="copies",
            verb=verb,
            touched=touched,
            most=MOST,
            numbers=" ".join(str(row.number) for row in touched.rows),
            reason=arguments.get("reason", ""),
            comment=arguments.get("comment", ""),
            next=self._next(arguments),
        )
        return page(body)

    def decide(self) -> Response:
        """Decide on the files that were shown, and lead back; or say which were left out, and why."""
        form, texts = request.form, self._pages.texts.review_list
        verb = form.get("verb", "")
        if verb not in VERBS:
            return self._no_verdict()
        discovery = self._discovery()
        touched = self._numbered(numbers_in(form.getlist("numbers"), MOST), verb)
        try:
            reason = reason_of(verb, form.get("reason", ""), form.get("comment", ""), self._pages.texts.review_reasons)
            decided = self._decide(*self._decisions(discovery, touched.rows, verb, reason))
        except DecisionRefused as error:
            return refused(self._pages, HTTPStatus.CONFLICT, texts.nothing_decided, str(error), self._next(form))
        not_written = {(decision.identifier, decision.url) for decision in (*decided.met, *decided.changed)}
        now = discovery.copies_of_decisions([row.number for row in touched.rows])
        missed = [listed for listed in now if (listed.copy.identifier, listed.copy.url) in not_written]
        newest = max((listed.decision.number for listed in now if listed not in missed), default=0)
        address = self._next(form)
        following = with_done(address, newest) if decided.written else address
        left_out = (*touched.left_out, *self._listing.rows(missed))
        if not left_out and decided.written:
            return see_other(following)
        if not decided.written and left_out and all(_is_so(row, verb) for row in left_out):  # the form was sent twice
            return see_other(with_done(address, max(row.number for row in left_out)))
        body = self._pages.render(
            "batch_done.html", tab="copies", verb=verb, count=len(decided.written), left_out=left_out, next=following
        )
        return page(body, HTTPStatus.OK if decided.written else HTTPStatus.CONFLICT)

    def _touched(self, verb: str) -> Touched:
        """Return the files that the address names: selected ones, those of an entry, or all that a filter chooses."""
        if request.args.get("all"):
            rows = self._listing.all(asked_of(request.args), signed_in(), MOST + 1)
            decided = [row for row in rows[:MOST] if row.number]
            return Touched(self._possible(decided, verb), has_more=len(rows) > MOST)
        numbers = numbers_in(request.args.getlist("number"), MOST)
        if entry := number_in(request.args.get("entry", "")):
            numbers = tuple(decision.number for decision in self._discovery().decisions_of_entry(entry))
        return self._numbered(numbers, verb)

    def _numbered(self, numbers: tuple[int, ...], verb: str) -> Touched:
        """Return the files of decisions; those with a newer decision, or with nothing to undo, are left out.

        Files of sources of others are never named.
        """
        mine = [
            copy for copy in self._discovery().copies_of_decisions(numbers) if signed_in().may_decide(copy.copy.source)
        ]
        known = frozenset(numbers)
        rows = self._listing.rows([listed for listed in mine if listed.decision.number in known])
        changed = self._listing.rows([listed for listed in mine if listed.decision.number not in known])
        possible = self._possible(rows, verb)
        return Touched(possible, (*changed, *(row for row in rows if row not in possible)))

    def _possible(self, rows: Iterable[Row], verb: str) -> tuple[Row, ...]:
        """Return the rows that a verb fits: as the command, `undo` leaves decisions of rules, and undone ones."""
        if verb != "undo":
            return tuple(rows)
        discovery = self._discovery()
        return tuple(row for row in rows if _is_undoable(row.listed, discovery))

    def _decisions(self, discovery: Discovery, rows: Iterable[Row], verb: str, reason: str) -> list[Decision]:
        """Return the decisions on files. Raise DecisionRefused if one cannot be undone."""
        user, at = signed_in(), int(self._clock())
        decisions = []
        for row in rows:
            last = row.listed.decision
            if verb == "undo":
                following = undoing(discovery.history(last.identifier, last.url))
            else:
                following = last._replace(verdict=verb, reason=reason, is_undoing=False)
            decisions.append(following._replace(number=last.number, decided_by=user.name, at=at))
        return decisions

    def _next(self, arguments: Mapping[str, str]) -> str:
        return own_address(self._pages.site.root, arguments.get("next", ""))

    def _no_verdict(self) -> Response:
        texts = self._pages.texts.review_list
        return refused(
            self._pages, HTTPStatus.BAD_REQUEST, texts.no_verdict, texts.no_verdict_hint, self._next(request.values)
        )


class DecidePage(BatchPage):
    """Decides on one file, or leads to the page of the selected ones."""

    def answer(self) -> Response:
        """Decide, and lead back; or say what happened meanwhile, and ask again."""
        if request.form.get("batch") or request.form.get("enter"):
            return self.selected()
        try:
            return self._answer(self._wish())
        except DecisionRefused as error:
            sentence = self._pages.texts.review_list.nothing_decided
            return self._no(HTTPStatus.CONFLICT, sentence, str(error))

    def _answer(self, wish: Wish) -> Response:
        """Decide. Raise DecisionRefused."""
        discovery, texts = self._discovery(), self._pages.texts.review_list
        listed = next(iter(discovery.copies_of_decisions((wish.number,))), None)
        if listed is None or wish.verb not in VERBS or not signed_in().may_decide(listed.copy.source):
            return self._refused(listed, wish)
        if self._listing.is_withdrawn(listed):
            return self._no(HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS, texts.taken_down)
        if listed.decision.number != wish.number:
            return self._race(listed, wish)
        decided = self._decide(self._decision(discovery, listed, wish))
        (now,) = discovery.copies_of_decisions((wish.number,))
        if decided.met:
            return self._race(now, wish)
        if decided.changed:
            return self._no(HTTPStatus.CONFLICT, texts.other_bytes, texts.other_bytes_hint)
        return see_other(with_done(self._next(request.form), now.decision.number))

    def _no(self, status: int, sentence: str, hint: str = "") -> Response:
        return refused(self._pages, status, sentence, hint, self._next(request.form))

    def _refused(self, listed: ListedCopy | None, wish: Wish) -> Response:
        """Answer that the form is none of ours, or that the user may not do this."""
        texts = self._pages.texts.review_list
        if wish.verb not in VERBS:
            return self._no_verdict()
        if listed is None:
            return self._no(HTTPStatus.NOT_FOUND, texts.unknown_file, texts.unknown_file_hint)
        return self._no(HTTPStatus.FORBIDDEN, texts.not_yours, texts.not_yours_hint)

    def _wish(self) -> Wish:
        """Return what the form asks for. A button of a list has all in its value, `accept 12`."""
        form = request.form
        verb, number, sha256 = (*form.get("row", "").split(), "", "", "")[:3]
        if not verb:
            verb, number, sha256 = (form.get(name, "") for name in ("verdict", "number", "sha256"))
        is_digest = len(sha256) == _DIGEST_LETTERS and sha256.isalnum()
        lists, given = self._pages.texts.review_reasons, (form.get("reason", ""), form.get("comment", ""))
        reason = "" if verb == "undo" else reason_of(verb, *given, lists)
        return Wish(verb, number_in(number), sha256.lower() if is_digest else "", reason)

    def _decision(self, discovery: Discovery, listed: ListedCopy, wish: Wish) -> Decision:
        """Return the decision that the user wants. Raise DecisionRefused if nothing is left to undo."""
        user, at = signed_in(), int(self._clock())
        if wish.verb == "undo":
            history = discovery.history(listed.copy.identifier, listed.copy.url)
            known = [decision for decision in history if decision.number <= wish.number]
            return undoing(known)._replace(decided_by=user.name, at=at)
        return listed.decision._replace(
            sha256=wish.sha256 or listed.decision.sha256,
            verdict=wish.verb,
            reason=wish.reason,
            decided_by=user.name,
            at=at,
            is_undoing=False,
        )

    def _race(self, listed: ListedCopy, wish: Wish) -> Response:
        """Answer with the decision that was made meanwhile, beside the one that was wanted.

        If it is that of the same form, which was sent twice, lead back.
        """
        if self._is_repeated(listed, wish):
            return see_other(with_done(self._next(request.form), listed.decision.number))
        body = self._pages.render(
            "race.html",
            tab="copies",
            row=row_of(listed, None),
            wish=wish,
            reason=request.form.get("reason", ""),
            comment=request.form.get("comment", ""),
            next=self._next(request.form),
        )
        return page(body, HTTPStatus.CONFLICT)

    def _is_repeated(self, listed: ListedCopy, wish: Wish) -> bool:
        """Return whether the decision in force is what the user wants, and was made by the user on the same one."""
        *before, last = self._discovery().history(listed.copy.identifier, listed.copy.url)
        if last.decided_by != signed_in().name or not before or before[-1].number != wish.number:
            return False
        if wish.verb == "undo":
            return last.is_undoing
        return not last.is_undoing and (last.verdict, last.reason) == (wish.verb, wish.reason)


def _is_undoable(listed: ListedCopy, discovery: Discovery) -> bool:
    copy, decision = listed
    if decision.decided_by == RULE or decision.is_undoing:
        return False
    return can_undo(discovery.history(copy.identifier, copy.url))


def _is_so(row: Row, verb: str) -> bool:
    """Return whether the decision in force on a file is what the user wants, and was made by the user."""
    last = row.listed.decision
    verdict = "undo" if last.is_undoing else last.verdict
    return (last.decided_by, verdict) == (signed_in().name, verb)


def with_done(address: str, number: int) -> str:
    """Return an address of ours with the number of the decision that was made."""
    path, _, query = address.partition("?")
    arguments = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != "done"]
    return f"{path}?{urlencode([*arguments, ('done', str(number))])}"


# --- Why a person accepted or rejected a file: a reason of a list, a comment, or both; stored as one text. Pure ------

MOST_COMMENT = 2_000  # characters
_OPPOSITES: Final = {"accept": "reject", "reject": "accept"}
NONE_GIVEN = "No reason was given."  # as the command stores it


def reason_of(verb: str, key: str, comment: str, lists: SimpleNamespace) -> str:
    """Return the text of a reason to do something, and of a comment.

    `lists` has `accept` and `reject`, with a sentence for each key. Raise DecisionRefused if the reason is on no list,
    or on that of the opposite, or if the comment is too long.
    """
    sentence = vars(lists.accept).get(key) or vars(lists.reject).get(key) if key else ""
    if sentence is None:
        raise DecisionRefused(f"{key[:40]!r} is not one of the reasons. Choose one of the list.")
    opposite = _OPPOSITES.get(verb)
    if opposite and key in vars(getattr(lists, opposite)):
        raise DecisionRefused(f"{sentence!r} is a reason to {opposite}. Choose a reason to {verb}, or none.")
    comment = " ".join(clean(comment).split())
    if len(comment) > MOST_COMMENT:
        raise DecisionRefused(f"The comment has {len(comment):,} characters; at most {MOST_COMMENT:,} are stored.")
    return " ".join(filter(None, (sentence, comment))) or NONE_GIVEN
