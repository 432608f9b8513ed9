"""Services whose descriptions are of the work of a record, not of another work that it names. Pure.

A record names the DOIs of works that it cites, reviews or is a part of. The description of such a DOI by a service
counts only if it has the title of the record.

A title of fewer than three words must have the same letters, or an author in common; `Editorial` needs the author.
"""

import re
from collections.abc import Iterable
from unicodedata import combining

from gateway.core.model import Work
from gateway.core.normal_forms import letters, normalized
from harvester.fulltext.identifiers import BESIDE, Identifiers
from harvester.fulltext.known_copies import Description
from harvester.fulltext.match_titles import GENERIC
from harvester.fulltext.pdf.person_names import names_of, share
from harvester.fulltext.pdf.titles import title_of
from harvester.words import load, words_of

_FEW_WORDS = 3  # titles with fewer do not distinguish works
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"  # letters of scripts without spaces: each two count as a word
_WORD = re.compile(rf"(?=([{_WIDE}]{{2}}))|([^\W\d_{_WIDE}]{{2,100}})")
_BEGINNING = 6  # letters of a word
_STOP_WORDS = frozenset(words_of(load("stop_words")))


def believed(work: Work, identifiers: Identifiers, described: Iterable[Description]) -> tuple[Description, ...]:
    """Return the descriptions that are of the work, by their titles and authors.

    If the DOI is the record's own, the title of its description must not be quite different. If the DOI is only related
    to the work, the title must confirm it.
    """
    titles = [title_of(text).text for text in work.texts("title")]
    own = {identifier.value for identifier in identifiers.entries if identifier.found_in not in BESIDE}
    has_others = any(
        identifier.found_in in BESIDE and identifier.value not in own for identifier in identifiers.entries
    )
    return tuple(
        description
        for description in described
        if (
            confirms(work, description)
            if has_others and description.doi not in own
            else agree(titles, description.title)
        )
    )


def agree(titles: Iterable[str], text: str) -> bool:
    """Return whether a title may be one of these: at least half of the words of the shorter one are in the other."""
    pairs = [(beginnings(title), beginnings(text)) for title in titles]
    return not pairs or any(min(map(len, pair)) < _FEW_WORDS or _have_half_in_common(*pair) for pair in pairs)


def confirms(work: Work, described: Description) -> bool:
    """Return whether a description is of a work: by a title in common.

    A short title must be the same letter for letter, or have an author beside it. A common title needs an author.
    """
    titles = [title_of(text).text for text in work.texts("title")]
    title_words, spelled = beginnings(described.title), letters(title_of(described.title).text)
    if not any(letters(title) == spelled or _have_half_in_common(beginnings(title), title_words) for title in titles):
        return False
    people = names_of(work.texts("creator"))
    if share(people, described.authors):
        return True
    if spelled in GENERIC or title_of(described.title).is_generic:
        return False
    return any(
        letters(title) == spelled
        or (min(len(own), len(title_words)) >= _FEW_WORDS and _have_half_in_common(own, title_words))
        for title in titles
        if (own := beginnings(title))
    )


def beginnings(title: str) -> set[str]:
    """Return the beginnings of the words of a title, without accents: `libraries` and `library` have the same."""
    plain = normalized("NFC", "".join(sign for sign in normalized("NFKD", title).casefold() if not combining(sign)))
    words = (pair or word for pair, word in _WORD.findall(plain))
    return {word[:_BEGINNING] for word in words if word not in _STOP_WORDS and word}


def _have_half_in_common(one: set[str], other: set[str]) -> bool:
    least = min(len(one), len(other))
    return bool(least) and len(one & other) * 2 >= least
