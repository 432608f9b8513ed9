# ruff: noqa: E501, RUF001 - tables have long lines and words of many languages
"""The claims of a file about itself: its licence, a prohibition to pass it on, reserved rights, a retraction. Pure.

A licence of a page or a service counts only if the file does not contradict it. The first two pages are read, and the
end of the last one. A label counts alone on its line, a statement only if it is about this document.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import chain
from typing import NamedTuple

from gateway.fulltext.licenses import is_open
from harvester.fulltext.pdf import headings
from harvester.fulltext.pdf.document import lines_of
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.similarity import letters
from harvester.fulltext.retractions import by_statement, label_before, label_in, statement_in
from harvester.fulltext.rights_words import licenses_in, quoted, reserved_in

_FILE = "the file"
_TOP = 15  # lines at the top of a page in which a label counts
_END = 2_500  # characters at the end of a file that are read
_LONGEST_COVER = 1_500  # characters of a first page that may be a cover
# Labels that mean a retraction anywhere on the first pages; `Retraction` may be the heading of a section.
_RETRACTED = re.compile(
    r"retract(?:ed|ad)|rétracté|zurückgezogen|retratad|ritirat|ingetrokken|tillbakadrag|wycofan|отозван|撤稿"
)
_WITHDRAWN = re.compile(r"(?m)(?<![A-Z] )\bWITHDRAWN(?: ARTICLE| PAPER)?\s?$")
_OF_RETRACTIONS = ("retract", "withdraw", "expressionofconcern", "rétract", "retractac", "zurückgezogen")

_CONFIDENTIAL = (
    r"(?:(?:strictly|highly|company|commercially|private and|private &) )?confidential(?: (?:draft|document|manuscript|report|information|copy|material))?"
    r"|(?:streng )?vertraulich(?:es dokument)?|(?:strictement )?confidentiel(?:le)?|document confidentiel|(?:estrictamente )?confidencial|documento confidencial|(?:strettamente )?(?:riservato|confidenziale)|(?:estritamente )?confidencial"
    r"|(?:strikt )?vertrouwelijk|konfidentiellt?|fortroligt?|(?:ściśle )?poufne|důvěrné|luottamuksellinen|конфиденциально|для служебного пользования|gizli(?:dir)?|机密|保密|社外秘|部外秘|대외비"
)
_SENT = r"(?:re-?)?(?:distribut|circulat|disseminat)"
_COPY = r"(?:this|the (?:attached|enclosed|present)) (?:[a-z-]{2,20} )?(?:copy|document|file|article|version|manuscript|draft|paper|pdf|work|preprint|reprint|chapter|text)"
_PERSONAL = r"(?:your )?(?:own )?(?:personal|private|individual|internal)(?:,? (?:and|or|non-?commercial|educational|research|private|classroom)){0,4}"
# Prohibitions at the beginning of a line or sentence.
_FORBIDDEN = (
    rf"not (?:intended |meant )?for (?:(?:further|public|general|wider|any) )?(?:{_SENT}ion|publication|posting|release)(?: or \w+)?\b"
    rf"|(?:please )?do not (?:(?:copy|cite|quote|share|post|reproduce|publish|forward|circulate)(?:,|,? or) ){{0,3}}(?:{_SENT}e|share|post|forward|copy|reproduce)\b(?! (?:evenly|equally|well|any|the same))"
    rf"|(?:draft|copy|version|manuscript|preprint)\W{{1,4}}(?:please )?(?:do )?not (?:for )?{_SENT}|(?:for|only for) {_PERSONAL} (?:use|study|reading|reference|scholarship) only\b|(?:for|only for) {_PERSONAL} (?:use|study)\W{{0,3}}$|for (?:{_SENT}ion )?(?:to )?(?:subscribers|members|reviewers|review|internal use|official use)(?: purposes)? only\b|(?:for )?(?:internal|official|private|personal) use only\b"
    r"|author'?s?'? (?:personal|own) copy\b|personal copy\W{0,3}$"
    r"|(?:nur )?(?:für den|zum|für) (?:rein |ausschließlich )?(?:persönlichen|privaten|eigenen|internen|dienstlichen) gebrauch|nicht (?:zur|für die|zum) (?:weitergabe|weiterverbreitung|verbreitung|veröffentlichung)|(?:bitte )?nicht (?:weitergeben|verbreiten|weiterleiten)|(?:die )?(?:weitergabe|verbreitung|vervielfältigung)\b[^.]{0,60}(?:nicht gestattet|untersagt|verboten|nicht erlaubt)"
    r"|(?:merci de )?ne pas (?:diffuser|distribuer|reproduire|communiquer|divulguer)|(?:exclusivement |uniquement )?(?:réservée? à |pour )?(?:un |l')?usage (?:strictement |exclusivement )?(?:personnel|privé|interne)\b|(?:diffusion|reproduction|distribution) (?:interdite|restreinte|limitée|non autorisée)"
    r"|no (?:distribuir|difundir|divulgar|reproducir)\b|(?:queda |se |está )?(?:prohibid[ao]|prohíbe)(?: \w+)? (?:su |la |cualquier |distribuir|difundir)|(?:sólo|solo|solamente|únicamente|exclusivamente) para uso (?:personal|privado|interno)|(?:para )?uso (?:exclusivamente |estrictamente )?(?:personal|privado|interno)\b"
    r"|non (?:distribuire|diffondere|divulgare|riprodurre)\b|vietata (?:la )?\w+|(?:solo|esclusivamente|soltanto) per uso (?:personale|privato|interno)|(?:ad|per) uso (?:esclusivamente |strettamente )?(?:personale|privato|interno)\b|riproduzione (?:vietata|riservata)"
    r"|não (?:distribuir|divulgar|reproduzir|circular)\b|proibid[ao] (?:a )?\w+|(?:apenas|somente|só|exclusivamente) para uso (?:pessoal|privado|interno)|(?:para )?uso (?:exclusivamente |estritamente )?(?:pessoal|interno)\b"
    r"|niet (?:verspreiden|kopiëren|(?:voor|ter) (?:verdere )?verspreiding)|(?:alleen|uitsluitend|enkel) voor (?:eigen|persoonlijk|intern|privé) ?gebruik|voor (?:persoonlijk|intern) gebruik\b"
    r"|får (?:ej|inte|icke) (?:vidare)?(?:spridas|distribueras|kopieras|delas)|(?:endast|enbart|bara) för (?:personligt|eget|internt|privat) bruk|ej för (?:vidare )?spridning|må ikke (?:distribueres|spredes|spres|videreformidles|deles|kopieres)|(?:kun|bare) til (?:personlig|eget|egen|intern) (?:brug|bruk)|ei (?:saa (?:jakaa|levittää)|levitettäväksi|julkiseen levitykseen)|vain (?:henkilökohtaiseen|omaan|sisäiseen) käyttöön"
    r"|(?:proszę )?nie (?:rozpowszechniać|kopiować|udostępniać|rozprowadzać)|zakaz (?:rozpowszechniania|kopiowania|dystrybucji)|(?:tylko|wyłącznie) do użytku (?:osobistego|prywatnego|wewnętrznego|własnego)|nešířit|není určeno k (?:šíření|distribuci)|pouze pro (?:osobní|vlastní|interní|soukromou|vnitřní) (?:potřebu|použití)"
    r"|не (?:для|подлежит) (?:распространени|публикаци|тиражирован)|(?:только|исключительно) для (?:личного|служебного|внутреннего) (?:пользования|использования)|(?:yalnızca|sadece) kişisel kullanım|dağıtılamaz|çoğaltılamaz|请勿(?:传播|分发|外传|转载)|禁止(?:传播|转载|复制)|仅供(?:个人|内部)|転載禁止|配布禁止|複製禁止|무단 ?(?:전재|복제|배포)"
)  # fmt: skip
# Prohibitions with this very file as their subject, anywhere.
_FORBIDDEN_HERE = re.compile(
    rf"\b{_COPY} (?:may|must|should|can|is)(?: ?not) (?:to )?(?:be )?(?:(?:further|publicly) )?(?:{_SENT}ed|copied|reproduced|shared|posted|for {_SENT}ion)"
    rf"|\b{_COPY}(?: is)?(?: (?:provided|supplied|intended|made available|furnished|posted|sent)(?: (?:to you|here|solely|only|exclusively)){{0,2}})? (?:solely |only |exclusively )?for (?:the )?{_PERSONAL} (?:use|study|reading)\b"
    rf"|\bdownloaded (?:from|by|on|at) .{{2,160}}?[.;,] ?for {_PERSONAL} use only|\bposted here (?:by permission .{{2,60}} )?for your personal use|\bfurnished to the author for internal|\binternal non-?commercial research and education use"
)  # fmt: skip
_CONFIDENTIAL_LINE = re.compile(
    rf"\W{{0,4}}+(?:{_CONFIDENTIAL})(?:\W{{0,4}}|\s?[-–—:|/]\s?.{{0,100}}|,? (?:do not|not for|not to be) .{{0,80}})"
)
_FORBIDDEN_LINE = re.compile(rf"\W{{0,4}}+(?:{_FORBIDDEN})")
_CUT = re.compile(r"(?<=[.;:!|–—]) ")


class FileClaims(NamedTuple):
    """The claims of a file about itself: its open licences, and sentences; empty: it states none."""

    licenses: frozenset[str] = frozenset()
    reserved: str = ""  # that it reserves all rights
    restriction: str = ""  # that it forbids to pass it on
    retracted: str = ""

    def doubt(self, license_: str) -> str:
        """Return why this licence, which was stated for the file, is contradicted by the file; empty: it is not."""
        if not is_open(license_):
            return ""
        others = sorted(self.licenses - {license_})
        if others:
            return f"The licence {license_} was stated for this copy, and its text states {' and '.join(others)}."
        return f"The licence {license_} was stated for this copy. {self.reserved}" if self.reserved else ""


def claims_of(extracted: Extracted, titles: Iterable[str]) -> FileClaims:
    """Return the claims of a file about itself. `titles` are those of the record: their words are no claim."""
    named = [spelled for title in titles if (spelled := letters(title))]
    front, second = _pages(extracted)
    last = lines_of(extracted.rest[-_END:])
    pages = [[*front, *second], last]
    texts = list(map(" ".join, pages))
    restriction = _forbidden([*front, *second, *last], texts, named)
    reserved = next((quote for text in texts for quote in reserved_in(text)), "")
    return FileClaims(
        frozenset(license_ for page in pages for license_ in licenses_in("\n".join(page))),
        f'Its text says "{quoted(reserved)}".' if reserved else "",
        f'The file says "{quoted(restriction)}".' if restriction else "",
        _retracted(extracted, front, second, named),
    )


def _pages(extracted: Extracted) -> list[list[str]]:
    """Return the lines of the first two pages."""
    front = extracted.front or extracted.first
    return [lines_of(front), lines_of(extracted.first[len(front) :])]


def _forbidden(lines: Iterable[str], texts: Iterable[str], titles: Collection[str]) -> str:
    """Return the line or sentence that forbids to pass the file on; empty: none."""
    for line in lines:
        if (_CONFIDENTIAL_LINE.fullmatch(line) or _FORBIDDEN_LINE.match(line)) and letters(line) not in titles:
            return line
    sentences = (sentence for text in texts for sentence in _CUT.split(text))
    forbidding = (sentence for sentence in sentences if _FORBIDDEN_LINE.match(sentence))
    matches = (match[0] for text in texts for match in _FORBIDDEN_HERE.finditer(text))
    return next(chain(forbidding, matches), "")


def _retracted(extracted: Extracted, front: list[str], second: list[str], titles: Collection[str]) -> str:
    """Return the sentence about a retraction that the file states; empty: none.

    An article about retractions states none in sentences.
    """
    for number, line in enumerate((*front[:_TOP], *second[:_TOP], *front[_TOP:], *second[_TOP:])):
        update = label_in(line)
        is_certain = update == "retraction" and _RETRACTED.search(line)
        update = update if number < 2 * _TOP or is_certain else ""
        update = update or (label_before(line) if number < 2 * _TOP else "")
        if update and not any(title.startswith(letters(line)) for title in titles):
            return by_statement(update, _FILE, line)
    if _is_topic(titles):
        return ""
    if mark := headings.WATERMARK.search(extracted.front) or _WITHDRAWN.search(extracted.front):
        return by_statement("withdrawal" if "I" in mark[0] else "retraction", _FILE, mark[0])
    text = " ".join(front)
    update, quote = statement_in(text if len(text) > _LONGEST_COVER else " ".join((text, *second)))
    return by_statement(update, _FILE, quote) if update else ""


def _is_topic(titles: Iterable[str]) -> bool:
    return any(word in title for title in titles for word in _OF_RETRACTIONS)
