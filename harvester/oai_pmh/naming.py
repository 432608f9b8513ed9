"""One walk through ListIdentifiers, from its first request to its end: a sweep and the check of a list need it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote

from gateway.errors import RemoteError
from gateway.model import Cursor, RawPage
from harvester.oai_pmh.requests import only, url_of
from harvester.sources import Options
from harvester.sources._asking import asked, raw
from harvester.wire.http import Fetch
from harvester.wire.list_state import ListState
from harvester.wire.oai_pmh import ListAnswer
from harvester.wire.seen import Seen

RINGS = "ListIdentifiers goes in rings and would never end."

OF_EVERY_ITEM = "oai_dc"  # the format that every item has

_BARREN_PAGES = 10  # in a row that name nothing new, each with a further token


class Naming:
    """A walk, and what is known of it when an answer has come.

    `page` is the last answer, `has_ended` whether the list came to its end, `goes_in_rings` whether it never would.
    `has_slipped`: a record came twice with two dates, so it moved meanwhile, and another one may have slipped away.
    """

    def __init__(
        self,
        options: Options,
        cursor: Cursor,
        fetch: Fetch,
        state: ListState,
        patience: int | None = None,
        deadline_seconds: float | None = None,
    ) -> None:
        """Take the list and the window in which `state` stands; the patience and the deadline are each request's."""
        self._options, self._cursor, self._fetch = options, cursor, fetch
        self._patience, self._deadline_seconds = patience, deadline_seconds
        self._state = replace(state, token="")
        self._has_other_way = True
        self._tokens: set[str] = set()
        self._dated = Seen()
        self.heard = Seen()
        self.announced: int | None = None
        self.page: RawPage | None = None
        self.has_ended = self.goes_in_rings = self.has_slipped = False

    def answers(self) -> Iterator[ListAnswer]:
        """Ask for every page, and return each answer when it is counted.

        Raise RemoteError for errors that do not mean the end, and what asking raises.
        """
        barren = 0
        while not (self.has_ended or self.goes_in_rings):
            answer = self._asked()
            if answer is None:
                continue
            before = len(self.heard)
            self._count(answer)
            token = answer.token.text if answer.token else ""
            barren = 0 if len(self.heard) > before else barren + 1
            self.has_ended = not token or (barren > 0 and self._is_past())
            self.goes_in_rings = not self.has_ended and (token in self._tokens or barren == _BARREN_PAGES)
            self._tokens.add(token)
            self._state = replace(self._state, token=token)
            yield answer

    def _asked(self) -> ListAnswer | None:
        """Return the next page; None when its token was refused and is to be sent once more, written otherwise."""
        token = self._state.token
        url = url_of(self._options, self._cursor, self._state, "ListIdentifiers", token)
        fetched, answer = asked(
            self._options,
            self._fetch,
            url,
            only("ListIdentifiers"),
            patience=self._patience,
            deadline_seconds=self._deadline_seconds,
        )
        self.page = raw(self._options, self._cursor, "ListIdentifiers", fetched, answer)
        is_end = {code for code, _ in answer.errors} <= {"noRecordsMatch"} or (token and self._is_past())
        if answer.slices or is_end:
            return answer
        if not (token and self._has_other_way and quote(token, safe="") != token):
            raise RemoteError(tuple((f"ListIdentifiers: {code}", text) for code, text in answer.errors))
        self._has_other_way = False
        self._state = replace(self._state, is_verbatim=not self._state.is_verbatim)
        return None

    def _is_past(self) -> bool:
        """Tell whether as many were named as were announced: some servers refuse the token behind the last."""
        return self.announced is not None and len(self.heard) >= self.announced

    def _count(self, answer: ListAnswer) -> None:
        if answer.token and answer.token.complete_list_size is not None:
            self.announced = answer.token.complete_list_size
        for each in answer.slices:
            is_new, is_newly_dated = (
                self.heard.add(each.identifier),
                self._dated.add(f"{each.identifier}\0{each.datestamp}"),
            )
            self.has_slipped = self.has_slipped or (is_newly_dated and not is_new)
