"""What an index has of one item, made of its published record: words, identifiers, and the values of facets.

The header of a record is ours, so it is read as text. What is in the metadata comes from the `describe` of the caller.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache
from html import unescape
from itertools import islice
from typing import NamedTuple, TypeAlias

from gateway.core.bibliography.dates import dublin_core_year
from gateway.core.bibliography.identifiers import own_identifiers
from gateway.core.bibliography.types import type_of
from gateway.core.model import Work
from gateway.core.names import FULLTEXT, SOURCES, upstream_identifier
from gateway.core.xmltext import clean
from gateway.search.words import index_words, names_of, people

# Returns the Work in a published record of `oai_dc`; it may raise anything.
Describe: TypeAlias = Callable[[bytes], Work]

# An item with more is found by the first ones: three thousand authors are a few thousand words.
MOST_WORDS = 10_000
_MOST_IDENTIFIERS = 50
_MOST_TYPES = 5
_LONGEST_TYPE = 80

_IDENTIFIER = re.compile(rb"<identifier>([^<]*)</identifier>")
_SPEC = re.compile(rb"<setSpec>([^<]*)</setSpec>")
_LOCAL = re.compile(r"oai:[^:]*:([^/]*)/")
_VOCABULARIES = ("info:eu-repo/semantics/", "http://purl.org/dc/dcmitype/")
# Words for a version, a review or an access right, and not for a kind of document.
_NO_TYPES = frozenset((
    "acceptedversion", "draft", "nonpeerreviewed", "openaccess", "other", "peerreviewed", "publishedversion",
    "submittedversion", "updatedversion",
))  # fmt: skip
_SHOWN = {"journal article": "article", "c_18cf": "text"}  # of labels, and of COAR's code for a text


class Entry(NamedTuple):
    """One living item. `title` and `other` are its words, without repetition. `names` are those of its identifiers.

    `values` are its sources, sets and types as (kind, value). `year` is that of the work; None: it is not stated.
    """

    identifier: str
    title: tuple[str, ...]
    other: tuple[str, ...]
    names: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    year: int | None
    has_file: bool


def entry_of(record: bytes, describe: Describe) -> Entry:
    """Return the entry of a published record that is not deleted.

    If `describe` raises something, or finds nothing, the item is found only by its own identifier.
    """
    header = record.partition(b"</header>")[0]
    match = _IDENTIFIER.search(header)
    identifier = unescape(match[1].decode("utf-8", "replace")) if match else ""
    specs = tuple(spec.decode("utf-8", "replace") for spec in _SPEC.findall(header))
    try:
        work = describe(record)
    except Exception:  # noqa: BLE001 - contents of a record must not end the work on all others
        work = Work()
    stated: defaultdict[str, list[str]] = defaultdict(list)
    for statement in work.statements:
        stated[statement.element].append(statement.text)
    people_stated = [*stated["creator"], *stated["contributor"]]
    title, other = _words(stated["title"]), _words([*people_stated, *stated["subject"]])
    local = _LOCAL.match(identifier)
    source = (("source", local[1]),) if local else ()
    return Entry(
        identifier,
        tuple(title),
        tuple(word for word in other if word not in title),
        _names(identifier, work.identifiers, stated["identifier"], people_stated),
        (*source, *_sets(specs), *_types(tuple(stated["type"]))),
        dublin_core_year(stated["date"]) or None,
        FULLTEXT in specs,
    )


def _words(texts: Iterable[str]) -> dict[str, None]:
    """Return the first words of some texts, without repetition."""
    return dict.fromkeys(index_words("\n".join(texts))[:MOST_WORDS])


def _names(identifier: str, known: Iterable[str], stated: list[str], people_stated: list[str]) -> tuple[str, ...]:
    inside = [entry.url or entry.text for entry in own_identifiers(stated)]  # such as a DOI in a citation
    texts = dict.fromkeys((identifier, upstream_identifier(identifier), *known, *inside, *stated))
    names = dict.fromkeys([name for text in texts for name in sorted(names_of(text))])
    orcids = dict.fromkeys([f"orcid:{orcid}" for text in people_stated for orcid in people(text)])
    return (*islice(names, _MOST_IDENTIFIERS), *islice(orcids, _MOST_IDENTIFIERS))


@lru_cache(maxsize=4096)  # the records of a source share a few sets
def _sets(specs: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the sets with those above them (OAI-PMH 2.0 §2.6), without the one of everything."""
    all_ = {
        spec[:end] for spec in specs for end in (*(place for place, sign in enumerate(spec) if sign == ":"), len(spec))
    }
    return tuple(("set", spec) for spec in sorted(all_ - {SOURCES}))


@lru_cache(maxsize=4096)
def _types(texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    types = dict.fromkeys(filter(None, map(_type, texts)))
    return tuple(("type", type_) for type_ in islice(types, _MOST_TYPES))


def _type(text: str) -> str:
    word = clean(" ".join(text.split()).casefold())
    if word.startswith(_VOCABULARIES) or "resource_type/" in word:
        word = word.rstrip("/").rpartition("/")[2]
    if word in _NO_TYPES or word.startswith(("http:", "https:", "info:")) or not any(map(str.isalpha, word)):
        return ""
    label = type_of((word,)) or word
    return _SHOWN.get(label, label)[:_LONGEST_TYPE]
