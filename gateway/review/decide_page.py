"""`POST /review/decide`: accept, reject or undo one file, given the number of the decision that was looked at."""

import time
from collections.abc import Callable
from http import HTTPStatus
from types import SimpleNamespace
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

from flask import Response, request

from gateway.core.errors import DecisionRefused
from gateway.core.model import Decision, ListedCopy
from gateway.core.xmltext import clean
from gateway.fulltext.deciding import Decide, undoing
from gateway.review.copy_rows import row_of
from gateway.review.frame import ReviewPages, number_in, own_address, page, refused, see_other
from gateway.review.listing import Listing
from gateway.review.sessions import signed_in
from gateway.store.base import Discovery

VERBS: Final = ("accept", "reject", "undo")
_DIGEST_LETTERS: Final = 64


class Wish(NamedTuple):
    """What the user wants: a verb, on the copy of the decision with a number, for its bytes, and why."""

    verb: str
    number: int
    sha256: str
    reason: str


class DecidePage:
    """Decides on one file."""

    def __init__(
        self,
        listing: Listing,
        show_batch: Callable[[], Response],
        discovery: Callable[[], Discovery],
        decide: Decide,
        pages: ReviewPages,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Take the lists of copies, the functions that open the searches and decide, and the templates.

        `show_batch` answers with the page that shows first what a decision on the selected files touches.
        """
        self._listing, self._discovery, self._decide = listing, discovery, decide
        self._pages, self._clock = pages, clock
        self._show_batch = show_batch

    def answer(self) -> Response:
        """Decide, and lead back; or say what happened meanwhile, and ask again."""
        if request.form.get("batch") or request.form.get("enter"):
            return self._show_batch()
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
        return see_other(with_done(self._next(), now.decision.number))

    def _no(self, status: int, sentence: str, hint: str = "") -> Response:
        return refused(self._pages, status, sentence, hint, self._next())

    def _refused(self, listed: ListedCopy | None, wish: Wish) -> Response:
        """Answer that the form is none of ours, or that the user may not do this."""
        texts = self._pages.texts.review_list
        if wish.verb not in VERBS:
            return self._no(HTTPStatus.BAD_REQUEST, texts.no_verdict, texts.no_verdict_hint)
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
        reason = "" if verb == "undo" else self._reason(verb, form.get("reason", ""), form.get("comment", ""))
        return Wish(verb, number_in(number), sha256.lower() if is_digest else "", reason)

    def _reason(self, verb: str, key: str, comment: str) -> str:
        return reason_of(verb, key, comment, self._pages.texts.review_reasons)

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
            return see_other(with_done(self._next(), listed.decision.number))
        body = self._pages.render(
            "race.html",
            tab="copies",
            row=row_of(listed, None),
            wish=wish,
            reason=request.form.get("reason", ""),
            comment=request.form.get("comment", ""),
            next=self._next(),
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

    def _next(self) -> str:
        return own_address(self._pages.site.root, request.form.get("next", ""))


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
