"""`/review/sample`: people judge what rules accepted, without seeing rule, step and score. `/review/precision`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Final, NamedTuple

from flask import Response, request

from gateway.core.errors import DecisionRefused
from gateway.core.model import AcceptRule, Decision, Judged, Judgement, SampledFile
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.deciding import Decide, is_withdrawn
from gateway.fulltext.precision import BEGINNINGS, SIZE, Precision, mixed, precisions_of, sample_of, since
from gateway.fulltext.stored_search import candidates_in, parsed_search
from gateway.review.frame import ReviewPages, csv_answer, form_asked, json_answer, page, refused, see_other
from gateway.review.item_view import Describe, File, Files, work_of
from gateway.review.sessions import signed_in
from gateway.store.base import Discovery, Store

_SETTING: Final = "review_accept_score"
_EVERY: Final = ""  # the source that only those may decide on who may on all


class SamplePage:
    """Answers with one file of the sample after the other. `accept_score` is the setting.

    `describe` reads a published record, `has_copy` says whether a copy with a SHA-256 is stored.
    """

    def __init__(
        self,
        store: Store,
        discovery: Callable[[], Discovery],
        decide: Decide,
        describe: Describe,
        has_copy: Callable[[str], bool],
        pages: ReviewPages,
        accept_score: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._discovery, self._decide, self._describe = store, discovery, decide, describe
        self._has_copy, self._pages, self._score, self._clock = has_copy, pages, accept_score, clock
        self._address = f"{pages.site.root}/review/sample"

    def precision(self) -> Response:
        """Answer with the precision of each rule, beside the setting."""
        return page(self._pages.render("precision.html", tab="precision", **self._figures()))

    def precision_data(self) -> Response:
        """Answer with the precision of each rule as data, all in one page."""
        rows = list(self._rows())
        return csv_answer("precision", tuple(rows[0]), rows) if form_asked() == "csv" else json_answer(rows)

    def form(self) -> Response:
        """Answer with the next file that the user has not judged; if there is none, with the result."""
        if not signed_in().may_decide(_EVERY):
            return self._forbidden()
        samples = samples_of(self._discovery(), self._now)
        judged = self._judged()
        left = [file for file in samples.files if file not in judged]
        again = _place(request.args.get("again", ""), samples)
        shown = next((shown for file in (again, *left) if file and (shown := self._shown(file)) is not None), None)
        done = _place(request.args.get("done", ""), samples)
        body = self._pages.render(
            "sample.html",
            tab="precision",
            file=shown,
            title=shown.listed.copy.title if shown else "",
            count=len(samples.files),
            done_count=sum(file in judged for file in samples.files),
            done=done,
            done_judged=judged.get(done) if done else None,
            again_url=f"{self._address}?again={request.args['done']}" if done else "",
            judgements=tuple(Judged),
            address=self._address,
            **self._figures(),
        )
        return page(body)

    def judge(self) -> Response:
        """Store a judgement, reject the file if that is wanted too, and lead to the next file."""
        if not signed_in().may_decide(_EVERY):
            return self._forbidden()
        texts, form, discovery = self._pages.texts.review_sample, request.form, self._discovery()
        file = SampledFile(*(form.get(name, "") for name in SampledFile._fields))
        samples = samples_of(discovery, self._now)
        if file not in samples.rules:
            return refused(self._pages, HTTPStatus.CONFLICT, texts.other_sample, texts.other_sample_hint)
        if form.get("judged") not in tuple(Judged):
            return refused(self._pages, HTTPStatus.BAD_REQUEST, texts.no_judgement, texts.no_judgement_hint)
        judged, user = Judged(form["judged"]), signed_in()
        discovery.samples.judge(Judgement(samples.rules[file], file, judged, user.name, self._now))
        if judged is Judged.WRONG and form.get("reject"):
            try:
                self._reject(discovery, file)
            except DecisionRefused as error:
                return refused(self._pages, HTTPStatus.CONFLICT, texts.not_rejected, str(error))
        return see_other(f"{self._address}?done={samples.files.index(file) + 1}")

    # -- a file --------------------------------------------------------------------------------------------------

    def _shown(self, file: SampledFile) -> File | None:
        """Return what the page shows of a file; None if it has other bytes now, or is taken down, or is not there."""
        discovery = self._discovery()
        search = discovery.search(file.identifier)
        work = work_of(self._store, self._describe, file.identifier)
        decision = Decision(file.identifier, file.url, file.sha256, "accept", "", "", 0)
        if search is None or work is None or is_withdrawn(self._store, discovery, decision):
            return None
        parsed = parsed_search(search)
        files = Files(search, parsed, candidates_in(parsed), work, discovery.decisions(file.identifier))
        decisions = (last for last in files.last(self._store.takedowns()) if last.url == file.url)
        shown = (files.file(1, last, discovery.first_page, self._has_copy) for last in decisions)
        return next((one for one in shown if one.decision.sha256 == file.sha256), None)

    def _reject(self, discovery: Discovery, file: SampledFile) -> None:
        """Reject a file that is still accepted."""
        history = [decision for decision in discovery.decisions(file.identifier) if decision.url == file.url]
        last = history[-1]
        if last.verdict != "accept":
            return
        reason = self._pages.texts.review_sample.reason
        decided = self._decide(
            last._replace(
                sha256=file.sha256,
                verdict="reject",
                reason=reason,
                decided_by=signed_in().name,
                at=self._now,
                is_undoing=False,
            )
        )
        if decided.problems:
            raise DecisionRefused(" ".join(decided.problems))

    # -- figures -------------------------------------------------------------------------------------------------

    def _judged(self) -> dict[SampledFile, Judged]:
        """Return the files that the user has judged at any time: none is shown twice."""
        name = signed_in().name
        return {one.file: one.judged for one in self._discovery().samples.judgements() if one.judged_by == name}

    def _figures(self) -> dict[str, object]:
        return {"precisions": self._precisions(), "setting": _SETTING, "accept_score": f"{self._score:g}"}

    def _rows(self) -> Iterator[dict[str, object]]:
        """Yield the same as data."""
        for figures in self._precisions():
            yield {**figures._asdict(), "words": figures.words, _SETTING: self._score}

    def _precisions(self) -> tuple[Precision, ...]:
        return precisions_of(self._discovery().samples.judgements(since(self._now)))

    def _forbidden(self) -> Response:
        texts = self._pages.texts.review_sample
        return refused(self._pages, HTTPStatus.FORBIDDEN, texts.not_for_managers, texts.not_for_managers_hint)

    @property
    def _now(self) -> int:
        return int(self._clock())


def _place(text: str, samples: MonthlySamples) -> SampledFile | None:
    """Return the file at a place of the sample, from 1; None if the text is no such place."""
    is_number = text.isascii() and text.isdigit() and len(text) < 6  # noqa: PLR2004 - no sample has so many files
    return samples.files[int(text) - 1] if is_number and 0 < int(text) <= len(samples.files) else None


# --- The random samples of a month: drawn when somebody asks for them, and completed while they are small ------------

_AGAIN_SECONDS: Final = 3_600  # after which a sample with too few files is drawn again


class MonthlySamples(NamedTuple):
    """The samples of all rules in a month. `files` are in the order in which they are judged."""

    files: tuple[SampledFile, ...]
    rules: dict[SampledFile, AcceptRule]


def samples_of(discovery: Discovery, at: int) -> MonthlySamples:
    """Return the samples of the month of a second. Raise StoreError."""
    month = utc_datetime(at)[:7]
    rules: dict[SampledFile, AcceptRule] = {}
    for rule in AcceptRule:
        rules |= dict.fromkeys(_sample(discovery, rule, month, at), rule)
    return MonthlySamples(mixed(rules, month), rules)


def _sample(discovery: Discovery, rule: AcceptRule, month: str, at: int) -> tuple[SampledFile, ...]:
    known, drawn_at = discovery.samples.sample(rule, month), discovery.samples.drawn_at(rule, month)
    if drawn_at and (len(known) >= SIZE or at < drawn_at + _AGAIN_SECONDS):
        return known
    drawn = sample_of(discovery.samples.accepted(BEGINNINGS[rule]), rule, month)
    discovery.samples.keep(rule, month, drawn, at)
    return drawn
