# ruff: noqa: E501 - tables have long lines
"""Whether a document is only an abstract with named parts, as meetings and journals publish them. Pure.

Such an abstract looks like a short article: it has a title, authors, methods and results. An article with such an
abstract has its own text behind it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from harvester.fulltext.pdf.document import SHORT, Document

_MOST_WORDS = 800  # of an abstract with its title, authors and notes
_FEWEST_PARTS = 3
_MOST_BEHIND = 300  # words from the last part on: its text, notes, and some references

# The names of the parts, in English, German, French, Spanish, Portuguese and Italian.
_PARTS = (
    r"backgrounds?|context|introduction|objectives?|aims?(?: and objectives)?|purpose|hypothes[ie]s|rationale|motivation"
    r"|(?:study )?design(?:, ?setting.{0,30}|/methodology.{0,20})?|setting|participants|patients(?: and methods)?|subjects"
    r"|(?:materials? (?:and|&) )?methods?(?: and (?:materials|results|findings))?|methodology|approach|interventions?"
    r"|(?:main )?outcome measures?|measurements?|(?:main |principal )?results?|(?:principal |main )?findings|discussion"
    r"|conclusions?|interpretation|(?:practical |research |social )?implications|limitations|originality(?:/value)?"
    r"|significance|funding|hintergrund|einleitung|ziel(?:e|setzung)?|fragestellung|methode(?:n|ik)?|ergebnisse?"
    r"|(?:patienten|material) und methoden?|schlussfolgerung(?:en)?|diskussion|contexte|objectifs?|but|méthodes?"
    r"|(?:matériel|patients|matériels) et méthodes?|résultats?|antecedentes|objetivos?|introducción|métodos?"
    r"|(?:material(?:es)?|pacientes) [ye] métodos?|metodología|resultados?|conclusi(?:ón|ones)|discusión|contexto"
    r"|introdução|metodologia|conclus(?:ão|ões)|discussão|obiettiv[oi]|scopo|introduzione|metodi|(?:materiali|pazienti) e"
    r" metodi|risultati|conclusion[ei]|discussione"
)
_PART = re.compile(rf"(?:^|(?<=[.!?)\]] ))({_PARTS})(?: ?[:.\u2014]| -) (?=\S)")


def doubt_about(document: Document) -> str:
    """Return a sentence if a document is an abstract alone, and the work has more pages; else an empty string."""
    words = document.extracted.word_count
    if document.pages > SHORT or words >= _MOST_WORDS or 0 < document.facts.pages <= SHORT:
        return ""
    parts = _parts(document.scanned)
    if len({name for name, _ in parts}) < _FEWEST_PARTS or _words(document.scanned[parts[-1][1] :]) > _MOST_BEHIND:
        return ""
    return f"It has {words} words with the parts of an abstract, and no other text."


def _parts(lines: Sequence[str]) -> list[tuple[str, int]]:
    """Return the names of parts in these lines, and the places of the lines."""
    return [(match[1], place) for place, line in enumerate(lines) for match in _PART.finditer(line)]


def _words(lines: Sequence[str]) -> int:
    return sum(len(line.split()) for line in lines)
