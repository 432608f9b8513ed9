"""What the page of an item in the review shows of its files. Pure, and bounded: an item may have 25,000 files.

Texts of others are shown as text, and hidden characters as `[U+202E]`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeAlias
from unicodedata import combining

from gateway.core.bibliography.dates import years_in
from gateway.core.bibliography.identifiers import dois_in
from gateway.core.errors import NotXml
from gateway.core.model import Candidate, Decision, Description, FoundCopy, ListedCopy, SearchState, Work
from gateway.core.normal_forms import normalized
from gateway.core.takedowns import Takedowns
from gateway.fulltext.decisions import standing
from gateway.fulltext.explanation import ExplainedStep, facts_of, meaning_of, steps_of, warnings_of
from gateway.fulltext.found_copies import copy_of, described
from gateway.fulltext.stored_search import traces_in
from gateway.pages.shown import host, revealed, shortened
from gateway.review.copy_rows import file_name
from gateway.store.base import Store

_MOST_WORDS: Final = 80  # of a statement
_MOST_NAMES: Final = 10
_MOST_VALUES: Final = 5
_WORD: Final = re.compile(r"\S+")


class Part(NamedTuple):
    """Some words of a text; `differs`: the other side does not have them."""

    text: str
    differs: bool = False


class Row(NamedTuple):
    """A fact as the record and as the file state it. A side without parts says nothing about it."""

    name: str  # of the fact: title, authors, year, doi, version
    record: tuple[Part, ...]
    file: tuple[Part, ...]

    @property
    def differs(self) -> bool:
        """Return whether a word differs."""
        return any(part.differs for part in (*self.record, *self.file))


def rows_of(work: Work, candidate: Candidate | None, text: str) -> tuple[Row, ...]:
    """Return the facts by which a person sees whether a file is the work; `text` is that of its first page."""
    years = [year for date in work.texts("date") for year in years_in(date)[:1]]
    dois = [doi for statement in (*work.identifiers, *work.texts("identifier")) for doi in dois_in(statement)]
    return (
        Row("title", *in_order(" ".join(work.texts("title")[:1]), text)),
        Row("authors", *in_any_order("; ".join(work.texts("creator")[:_MOST_NAMES]), text)),
        Row("year", *_values(years, years_in(text))),
        Row("doi", *_values(dois, dois_in(text))),
        *((Row("version", *_values([candidate.version], [candidate.text_version])),) if candidate else ()),
    )


def in_order(statement: str, text: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return a statement and the passage of a text that is most like it; words in another order differ too."""
    ours = _WORD.findall(statement)[:_MOST_WORDS]
    theirs = _passage(ours, text)
    left, right = ([_plain(word) for word in words] for words in (ours, theirs))
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    same = [(block.a, block.b, block.size) for block in matcher.get_matching_blocks()]
    if not theirs:
        return _missing(ours, text), ()
    return (
        _parts(ours, {place for a, _, size in same for place in range(a, a + size)}),
        _parts(theirs, {place for _, b, size in same for place in range(b, b + size)}),
    )


def in_any_order(statement: str, text: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return a statement and the passage of a text with most of its words; only words of the statement may differ.

    Names are written in many orders, and between them are addresses, marks and titles.
    """
    ours = _WORD.findall(statement)[:_MOST_WORDS]
    theirs = _passage(ours, text)
    if not theirs:
        return _missing(ours, text), ()
    known = {_plain(word) for word in _WORD.findall(text)}
    same = {place for place, word in enumerate(ours) if _plain(word) in known}
    return _parts(ours, same), _parts(theirs, range(len(theirs)))


def _missing(words: Sequence[str], text: str) -> tuple[Part, ...]:
    """Return words of which a text has none; without a text, nothing differs."""
    return _parts(words, () if text.strip() else range(len(words)))


def _values(ours: Iterable[str], theirs: Iterable[str]) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return single values of both sides; they differ if neither side has a value of the other."""
    left, right = (list(dict.fromkeys(filter(None, values)))[:_MOST_VALUES] for values in (ours, theirs))
    differs = bool(left and right) and not {value.lower() for value in left} & {value.lower() for value in right}
    return tuple(Part(", ".join(side), differs) for side in (left,) if side), tuple(
        Part(", ".join(side), differs) for side in (right,) if side
    )


def _passage(words: Sequence[str], text: str) -> list[str]:
    """Return the words of a text in which most of some words are; empty if it has none of them."""
    wanted = Counter(filter(None, map(_plain, words)))
    theirs = _WORD.findall(text)
    plain = [_plain(word) for word in theirs]
    width = len(words) + len(words) // 2 + 2
    inside, count, best = Counter[str](), 0, (0, 0)
    for place, word in enumerate(plain):
        inside[word] += 1
        count += inside[word] <= wanted[word]
        if place >= width:
            left = plain[place - width]
            count -= inside[left] <= wanted[left]
            inside[left] -= 1
        if count > best[0]:
            best = (count, place)
    count, last = best
    if not count:
        return []
    first = max(0, last - width + 1)
    while plain[first] not in wanted:
        first += 1
    # A word of the statement that is far before the others is not of the passage.
    needed = Counter(word for word in plain[first : last + 1] if word in wanted)
    while needed[plain[first]] > wanted[plain[first]] or plain[first] not in wanted:
        needed[plain[first]] -= 1
        first += 1
    return theirs[first : last + 1]


def _plain(word: str) -> str:
    """Return a word without marks, accents and capitals; empty if nothing is left."""
    letters = normalized("NFKD", word.casefold())
    return "".join(letter for letter in letters if letter.isalnum() and not combining(letter))


def _parts(words: Sequence[str], same: Collection[int]) -> tuple[Part, ...]:
    """Return words as parts; punctuation alone never differs."""
    marked = [(place not in same and bool(_plain(word)), word) for place, word in enumerate(words)]
    return tuple(
        Part(" ".join(word for _, word in group), differs) for differs, group in groupby(marked, lambda pair: pair[0])
    )


MOST_FILES: Final = 20  # of one page
MOST_IN_STEP: Final = 20
_MOST_HISTORY: Final = 50
_MOST_LETTERS: Final = 2_000  # of a fact of a file
_ORDER: Final = {"review": 0, "accept": 1, "reject": 2}
_REPEATED: Final = ("at",)  # facts of the explanation that the page shows elsewhere


class Explained(NamedTuple):
    """A file that a step named, in words."""

    url: str
    step: str
    evidence: str
    sentence: str
    way: str
    warnings: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]


class Step(NamedTuple):
    """A step of the search in words; `more` counts its files that are not shown. No name: the record itself."""

    name: str
    sentence: str
    files: tuple[Explained, ...]
    more: int


class File(NamedTuple):
    """A file that was decided on: its facts, what differs from the record, its first page, and its history.

    `decision` is the last one, `candidate` and `explained` are None if the last search did not check the file.
    """

    place: int
    listed: ListedCopy
    candidate: Candidate | None
    decision: Decision
    name: str
    explained: Explained | None
    rows: tuple[Row, ...]
    text: str
    history: tuple[Decision, ...]  # the newest first
    more_history: int
    can_undo: bool
    is_kept: bool


def is_taken_down(candidate: Candidate, takedowns: Takedowns) -> bool:
    """Return whether a checked copy is taken down, by its bytes or by an address on the way to it."""
    if takedowns.is_empty:
        return False
    urls = (candidate.url, candidate.final_url, *candidate.hops)
    return takedowns.names_digest(candidate.sha256) or any(map(takedowns.names_address, urls))


def steps_shown(search: dict[str, Any], candidates: Iterable[Candidate], takedowns: Takedowns) -> Iterator[Step]:
    """Yield the steps of a parsed search as a page shows them."""
    for step in steps_of(traces_in(search), candidates):
        yield _step(step, [one for one in step.candidates if not is_taken_down(one, takedowns)])


def _step(step: ExplainedStep, candidates: Sequence[Candidate]) -> Step:
    shown = tuple(map(explained_of, candidates[:MOST_IN_STEP]))
    return Step(step.step, step.sentence, shown, len(candidates) - len(shown))


def explained_of(candidate: Candidate) -> Explained:
    """Return a checked copy in words."""
    way = " → ".join((*candidate.hops, candidate.final_url)) if candidate.hops else ""
    facts = ((name, _short(str(fact))) for name, fact in facts_of(candidate).items() if name not in _REPEATED)
    return Explained(
        _short(candidate.url),
        candidate.found_by,
        _short(candidate.evidence),
        f"{candidate.outcome}. {meaning_of(candidate)}",
        _short(way),
        tuple(map(_short, warnings_of(candidate))),
        tuple(facts),
    )


class Files:
    """The files of an item that were decided on. `search` is its parsed search, `work` None if the item is deleted."""

    def __init__(
        self,
        state: SearchState,
        search: dict[str, Any],
        candidates: Iterable[Candidate],
        work: Work | None,
        decisions: Iterable[Decision],
    ) -> None:
        self._state, self._work = state, work
        self._colour = (search.get("policy") or {}).get("colour", "")
        self._candidates = {candidate.url: candidate for candidate in candidates}
        self._histories: dict[str, list[Decision]] = defaultdict(list)
        for decision in decisions:
            self._histories[decision.url].append(decision)

    def last(self, takedowns: Takedowns) -> list[Decision]:
        """Return the last decision on each file that is not taken down: those that wait first, then by address."""
        decisions = (history[-1] for history in self._histories.values())
        shown = (decision for decision in decisions if not self._is_hidden(decision, takedowns))
        return sorted(shown, key=_place)

    def start(self, decisions: Sequence[Decision], after: int, before: int) -> int:
        """Return how many of the files that are shown come before a page, given their last decisions in order.

        The page begins after the file that the decision `after` is on, or ends before that of `before`; 0: neither.
        That decision may be superseded by now: the file had its place by it.
        """
        if not (after or before):
            return 0
        numbered = {decision.number: decision for history in self._histories.values() for decision in history}
        if after in numbered:
            return sum(_place(decision) <= _place(numbered[after]) for decision in decisions)
        end = sum(_place(decision) < _place(numbered[before]) for decision in decisions) if before in numbered else 0
        return max(0, end - MOST_FILES)

    def _is_hidden(self, decision: Decision, takedowns: Takedowns) -> bool:
        candidate = self._candidates.get(decision.url)
        if candidate is not None and is_taken_down(candidate, takedowns):
            return True
        return takedowns.names_address(decision.url) or takedowns.names_digest(decision.sha256)

    def listed(self, decision: Decision) -> ListedCopy:
        """Return a file with its last decision, as it is in lists."""
        title, authors = described(self._work)
        identifier, source = self._state.identifier, self._state.source
        candidate = self._candidates.get(decision.url)
        if candidate is None:
            copy = FoundCopy(identifier, decision.url, source, title, authors, sha256=decision.sha256)
        else:
            copy = copy_of(identifier, source, title, authors, self._colour, candidate, host)
        return ListedCopy(copy, decision)

    def file(
        self, place: int, decision: Decision, first_page: Callable[[str], str], has_copy: Callable[[str], bool]
    ) -> File:
        """Return what a page shows of a file, given its last decision; `place` is its number on the page."""
        listed = self.listed(decision)
        candidate, url = self._candidates.get(decision.url), decision.url
        sha256 = listed.copy.sha256 or decision.sha256
        text = first_page(sha256) if sha256 else ""
        history = self._histories[url]
        return File(
            place,
            listed,
            candidate,
            decision._replace(sha256=sha256),
            file_name(url),
            explained_of(candidate) if candidate else None,
            rows_of(self._work or Work(), candidate, text),
            text,
            tuple(reversed(history[-_MOST_HISTORY:])),
            max(0, len(history) - _MOST_HISTORY),
            len(standing(history)) > 1,
            bool(sha256) and has_copy(sha256),
        )


def _place(decision: Decision) -> tuple[int, str]:
    """Return the place of a file among those of its item, by a decision on it."""
    return _ORDER[decision.verdict], decision.url


def _short(text: str) -> str:
    return shortened(revealed(text), _MOST_LETTERS)


# --- What the published record of an item says -----------------------------------------------------------------------

Describe: TypeAlias = Callable[[bytes], Description]


def described_in(describe: Describe, content: bytes) -> Description | None:
    """Return what a published record says; None if it cannot be read."""
    try:
        return describe(content)
    except NotXml:
        return None


def work_of(store: Store, describe: Describe, identifier: str) -> Work | None:
    """Return the work of an item; None if it has no living record. Raise StoreError."""
    with store.view() as view:
        record = view.record(identifier, "oai_dc")
    if record is None or record.is_deleted:
        return None
    described = described_in(describe, record.content)
    return described.work if described else None
