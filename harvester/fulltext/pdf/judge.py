"""The verdict whether a document is the work: by names on its first pages. Pure.

The document must name the work where it names itself (`evidence.py`). Common words do not show that it is the work:
other papers of its authors have them too. A document with nothing of the work on its first pages is another one.

The version (submitted, accepted or published) is read by the method of Unpaywall: from the statements of publishers,
repositories and preprint servers on the first pages. A statement of an author or a server about this very file counts
more than the layout of an article.

`README.md` says what was measured, and on which files.
"""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from gateway.core.bibliography.identifiers import dois_in
from gateway.core.model import DocumentKind, Outcome, Work
from gateway.core.normal_forms import letters
from gateway.fulltext.search_result import Sign, is_identified
from harvester.fulltext.identifiers import Identifiers
from harvester.fulltext.known_copies import Description
from harvester.fulltext.pdf import rules
from harvester.fulltext.pdf.document import Document, Facts
from harvester.fulltext.pdf.evidence import signs
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.record_kinds import WORKS, kind_of_record, other_type
from harvester.fulltext.pdf.score import facts_of, score
from harvester.fulltext.pdf.titles import LEAST_LETTERS, title_of, worth
from harvester.fulltext.pdf.trusted_descriptions import believed
from harvester.fulltext.pdf.work_names import Named, named_of
from harvester.words import any_of, load

JUDGE = 2  # the number of this judge, stored with each verdict: files that wait are judged again after a new one
LIKE_TITLE = 0.6  # a title that is hardly on the first pages, perhaps misread; with less of it, it is not
NOTHING = Identifiers()
_SHOWN = 80  # characters of a type in a sentence
_OF_ANOTHER_TYPE = "The type of the work is \u201c{}\u201d, and nothing shows that the file is of this type."
_COMPARED = ("title", "creator", "contributor", "subject", "description", "publisher", "source")

SUBMITTED, ACCEPTED, PUBLISHED = "submitted", "accepted", "published"
_MOST = 30_000  # characters of the first pages
_FEWEST_POINTS = 3  # the fewest points of a published article
_FEWEST_NUMBERS = 20  # lines that are numbered

_SPACES = re.compile(r"[^\S\n]+")
_WORDS = load("versions")


class Expected(NamedTuple):
    """The expectation for a document: all statements of the record and the services about the work.

    `pages` is the number of pages of the work; 0: not known. `kind` is the kind of document that the record describes.
    `named` has the names by which a document can show that it is the work. `other_type` is the type of a work that is
    no article, such as `Poster`; its file must show that it is of this type.
    """

    dois: tuple[str, ...]
    titles: tuple[str, ...]
    texts: tuple[str, ...]
    pages: int = 0
    kind: DocumentKind = DocumentKind.UNKNOWN
    named: Named = Named()
    other_type: str = ""


class Verdict(NamedTuple):
    """The verdict on a document. `is_auxiliary`: its kind is not that of the record: a supplement, a notice.

    `text_version` is the version that the text states: submitted, accepted, published; empty: none. `has_doi` and
    `has_title`: they are anywhere on the first pages. `identified_by`: the signs where a document names itself.
    `likeness` is the score, which only orders lists (`score.py`).
    `doubt`: why its kind is not certain, as a sentence; empty: there is no doubt.
    """

    outcome: Outcome
    likeness: float = 0.0
    has_doi: bool = False
    has_title: bool = False
    is_auxiliary: bool = False
    pages: int = 0
    words: int = 0
    kind: DocumentKind = DocumentKind.UNKNOWN
    text_version: str = ""
    identified_by: tuple[str, ...] = ()
    doubt: str = ""


def expected(work: Work, identifiers: Identifiers = NOTHING, described: Iterable[Description] = ()) -> Expected:
    """Return the expectation for a work, from its record and from services.

    A service that has a quite different title for the identifier is not trusted (`trusted_descriptions.py`).
    """
    own = [title_of(text).text for text in work.texts("title")]
    titles = list(own)
    believed_descriptions = believed(work, identifiers, described)
    for description in believed_descriptions:
        titles += [description.title, *description.other_titles]
    stated = [title_of(text).text for text in work.texts(*_COMPARED)]
    for description in believed_descriptions:
        stated += [title_of(description.title).text, description.abstract, description.container]
        stated += [description.publisher, *description.authors]
    titles = [title for title in dict.fromkeys(title_of(title).text for title in titles) if title]
    return Expected(
        identifiers.all("doi"),
        tuple(titles),
        tuple(dict.fromkeys(filter(None, stated))),
        next((description.pages for description in believed_descriptions if description.pages), 0),
        kind_of_record(work, believed_descriptions),
        named_of(work, identifiers, titles, believed_descriptions),
        other_type(work, believed_descriptions),
    )


def judge(extracted: Extracted, wanted: Expected, url: str = "") -> Verdict:
    """Return the verdict on a document; one that could not be read keeps its outcome."""
    document = Document(extracted, Facts(wanted.titles, wanted.pages, wanted.kind))
    verdict = Verdict(extracted.outcome, pages=extracted.pages, words=document.words)
    if extracted.outcome is not Outcome.SUCCESS:
        return _of_its_kind(verdict, document, wanted, url)
    has_doi = bool(set(wanted.dois) & set(dois_in(extracted.first)))
    spelled = letters(extracted.first)
    has_title = any(worth(title) >= LEAST_LETTERS and title in spelled for title in map(letters, wanted.titles))
    text_version = version_in(extracted)
    identified_by = signs(extracted.first, wanted.named)
    if text_version == SUBMITTED:  # a preprint has a DOI of its own
        identified_by = tuple(sign for sign in identified_by if sign is not Sign.ANOTHER_DOI)
    facts = facts_of(document, wanted.named, wanted.texts, identified_by, has_doi=has_doi)
    is_possible = bool(identified_by) or has_doi or has_title or facts["title"] >= LIKE_TITLE or not wanted.texts
    verdict = verdict._replace(
        outcome=_OUTCOMES[is_identified(identified_by), is_possible],
        has_doi=has_doi,
        has_title=has_title,
        text_version=text_version,
        identified_by=identified_by,
    )
    verdict = _of_its_kind(verdict, document, wanted, url)
    return verdict._replace(likeness=score({**facts, "another kind": verdict.is_auxiliary or bool(verdict.doubt)}))


# By whether a document is identified, and whether it may be the work at all.
_OUTCOMES = {
    (True, True): Outcome.SUCCESS,
    (False, True): Outcome.LOW_SCORE,
    (False, False): Outcome.WRONG_DOCUMENT,
}


def _of_its_kind(verdict: Verdict, document: Document, wanted: Expected, url: str) -> Verdict:
    """Return a verdict with the kind of the document. A document of another kind than the record is never the work.

    A supplement has its own outcome. A person must decide whether the record describes a notice or a volume.
    """
    recognised, doubt = rules.applied(document, url)
    kind = recognised or _plain_kind(document, verdict.text_version)
    verdict = verdict._replace(kind=kind)
    if kind in WORKS and wanted.other_type:
        return _auxiliary(verdict._replace(doubt=_OF_ANOTHER_TYPE.format(wanted.other_type[:_SHOWN])))
    is_thesis = kind is DocumentKind.THESIS and wanted.kind is DocumentKind.UNKNOWN  # a record without a type
    if kind in WORKS or kind is wanted.kind or is_thesis:
        return verdict._replace(doubt=doubt if verdict.outcome is Outcome.SUCCESS else "")
    return _auxiliary(verdict)


def _plain_kind(document: Document, version: str) -> DocumentKind:
    """Return the kind of a document that no rule recognises."""
    if version == SUBMITTED:
        return DocumentKind.PREPRINT
    is_article = version or document.has_abstract or document.has_references
    return DocumentKind.ARTICLE if is_article else DocumentKind.UNKNOWN


def _auxiliary(verdict: Verdict) -> Verdict:
    """Return the verdict on a document of another kind than the record."""
    verdict, kind = verdict._replace(is_auxiliary=True), verdict.kind
    if kind is DocumentKind.SUPPLEMENT and verdict.outcome in (Outcome.SUCCESS, Outcome.LOW_SCORE, Outcome.NO_TEXT):
        return verdict._replace(outcome=Outcome.SUPPLEMENT)
    return verdict._replace(outcome=Outcome.LOW_SCORE) if verdict.outcome is Outcome.SUCCESS else verdict


def _rows(name: str, key: str, around: str = "{}") -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the rows of a table: a version or points, and a regular expression of its words."""
    rows = ((str(row[key]), any_of(row["words"], _WORDS["parts"])) for row in _WORDS[name])
    return tuple((value, re.compile(around.replace("{}", pattern))) for value, pattern in rows)


_STATEMENTS, _LINES = _rows("statements", "version"), _rows("lines", "version", r"(?m)^[^\w\n]{0,3}(?:{})[^\w\n]{0,3}$")
_LAYOUTS, _AT_LAST = _rows("layouts", "points"), _rows("at_last", "version")
_NUMBERED = (re.compile(r"(?m)^(\d{1,4})(?= |$)"), re.compile(r"(?m)(?<= )(\d{1,4})$"))


def version_in(extracted: Extracted) -> str:
    """Return the version that the first pages of a document state: submitted, accepted, published; empty: none."""
    lines = "\n".join(
        _SPACES.sub(" ", line).strip() for line in extracted.first[:_MOST].lower().replace("\u2019", "'").splitlines()
    )
    text = lines.replace("\n", " ")
    for version, pattern in _STATEMENTS:
        if pattern.search(text):
            return version
    for version, pattern in _LINES:
        if pattern.search(lines):
            return version
    if sum(int(points) for points, pattern in _LAYOUTS if pattern.search(text)) >= _FEWEST_POINTS:
        return PUBLISHED
    if _has_line_numbers(lines):
        return SUBMITTED
    return next((version for version, pattern in _AT_LAST if pattern.search(lines)), "")


def _has_line_numbers(lines: str) -> bool:
    """Return whether each line or every fifth is numbered, as in manuscripts."""
    for pattern in _NUMBERED:
        numbers = [int(match[1]) for match in pattern.finditer(lines)]
        if any(_longest_run(numbers, step) >= _FEWEST_NUMBERS // step for step in (1, 5)):
            return True
    return False


def _longest_run(numbers: list[int], step: int) -> int:
    """Return how many consecutive numbers have equal steps."""
    longest = run = 0
    for before, after in pairwise(numbers):
        run = run + 1 if after - before == step else 0
        longest = max(longest, run)
    return longest
