"""The kind of a file by its name: a supplement, a peer review, front matter. Publishers' forms are data. Pure.

`Supply_chain.pdf` and `Sisi.pdf` are names of articles: a form counts only between separators of words in a name.
"""

import re
from typing import NamedTuple
from urllib.parse import unquote

from gateway.core.model import DocumentKind
from harvester.words import any_of, load


class Named(NamedTuple):
    """The kind by a name. `is_certain`: it is a publisher's own form, which no article has."""

    kind: DocumentKind
    is_certain: bool


_MOST = 300  # characters of a name
_EXTENSION = re.compile(r"(?i)\.(?:pdf|docx?|aspx?|php|html?)$")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=\d)(?=Sup)")
_PARAMETER = re.compile(r"(?i)(?:^|[?&])(?:file|filename|file_name|attachment|name|id)=([^&#]{1,300})")

# Folders that have only supplements: ACS, Taylor & Francis, Science; RSC; Springer Nature; old Nature; MDPI.
_FOLDERS = re.compile(
    r"(?i)/(?:suppl_file|suppdata|suppinfo|suppl?|esm|extref|mediaobjects/[^/]{0,80}_esm)/|mdpi\.com/[\d/x-]{1,40}/s\d/"
)


_TABLES = tuple(
    (part == "certain", DocumentKind(kind), re.compile(any_of(words)))
    for part, kinds in load("file_names").items()
    for kind, words in kinds.items()
)


def named(url: str) -> Named | None:
    """Return the kind of a file by its name in an address; None: no sign."""
    path, _, query = url.partition("#")[0].partition("?")
    parameters = [match[1] for match in _PARAMETER.finditer(query[: 4 * _MOST])]
    last = path.rstrip("/").rpartition("/")[2]
    stems = [_stem(parameter) for parameter in (*parameters, last)]
    for is_certain, kind, pattern in _TABLES:
        if any(pattern.search(stem) for stem in stems):
            return Named(kind, is_certain)
    return Named(DocumentKind.SUPPLEMENT, is_certain=True) if _FOLDERS.search(f"{path[-_MOST:]}/") else None


def _stem(name: str) -> str:
    """Return a name without extension and folders, in lower case, with `_` where the case divides words."""
    last = unquote(name[:_MOST]).rstrip("/").rpartition("/")[2]
    return _CAMEL.sub("_", _EXTENSION.sub("", last)).lower()
