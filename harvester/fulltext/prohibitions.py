# ruff: noqa: E501, RUF001 - tables have long lines and words of many languages
"""Prohibitions to pass a file on: `Not for redistribution`, `Confidential`, `For personal use only`. Pure.

A word such as `Confidential` counts alone on its line. A prohibition counts at the beginning of a line or sentence, or
with this very file as its subject. So data that are confidential, or a device for personal use only, are no prohibition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_CONFIDENTIAL = (
    r"(?:(?:strictly|highly|company|commercially|private and|private &) )?confidential(?: (?:draft|document|manuscript|report|information|copy|material))?"
    r"|confidential manuscript submitted to .{1,80}|confidential review copy"
    r"|(?:streng )?vertraulich(?:es dokument)?|(?:strictement )?confidentiel(?:le)?|document confidentiel|(?:estrictamente )?confidencial|documento confidencial|(?:strettamente )?(?:riservato|confidenziale)|(?:estritamente )?confidencial"
    r"|(?:strikt )?vertrouwelijk|konfidentiellt?|fortroligt?|(?:ściśle )?poufne|důvěrné|luottamuksellinen|конфиденциально|для служебного пользования|gizli(?:dir)?|机密|保密|社外秘|部外秘|대외비"
)
_SENT = r"(?:re-?)?(?:distribut|circulat|disseminat)"
_COPY = r"(?:this|the (?:attached|enclosed|present)) (?:[a-z-]{2,20} )?(?:copy|document|file|article|version|manuscript|draft|paper|pdf|work|preprint|reprint|chapter|text)"
_PERSONAL = r"(?:your )?(?:own )?(?:personal|private|individual|internal)(?:,? (?:and|or|non-?commercial|educational|research|private|classroom)){0,4}"
# Prohibitions at the beginning of a line or sentence.
_FORBIDDEN = (
    rf"not to be (?:quoted|cited|copied|reproduced|shared|posted|passed on|{_SENT}ed)(?:,? (?:and|or) |\b)|not (?:intended |meant )?for (?:(?:further|public|general|wider|any) )?(?:{_SENT}ion|publication|posting|release)(?: or \w+)?\b"
    rf"|(?:please )?do not (?:(?:copy|cite|quote|share|post|reproduce|publish|forward|circulate)(?:,|,? or) ){{0,3}}(?:{_SENT}e|share|post|forward|copy|reproduce)\b(?! (?:evenly|equally|well|any|the same))"
    rf"|(?:draft|copy|version|manuscript|preprint)\W{{1,4}}(?:please )?(?:do )?not (?:for )?{_SENT}|(?:for|only for) {_PERSONAL} (?:use|study|reading|reference|scholarship|research)(?: (?:and|or) \w{{2,12}})? only\b|(?:(?:this|the) )?(?:copy|copies|provided|reprinted|supplied|printed|intended|furnished|posted|downloaded|made available|for use)(?: \w{{2,12}}){{0,4}} (?:solely |only )?for {_PERSONAL} (?:use|study|reading|research)\b|(?:for|only for) {_PERSONAL} (?:use|study)\W{{0,3}}$|for (?:{_SENT}ion )?(?:to )?(?:subscribers|members|reviewers|review|internal use|official use)(?: purposes)? only\b|only for (?:subscribers|members|reviewers|review|internal use|official use)\b|(?:for )?(?:internal|official|private|personal) use only\b"
    r"|(?:this is )?(?:a|an|the) (?:author'?s? )?(?:personal|private|confidential) copy\b|author'?s?'? (?:personal|own) copy\b|personal copy\W{0,3}$"
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
    rf"|\b{_COPY} is (?:strictly |highly )?(?:confidential|private|embargoed and confidential)\b|\b(?:{_SENT}ion|publication|reproduction|copying|sharing|posting|re-?use)(?: or \w{{3,20}})?(?: of {_COPY})? (?:is |are )?(?:strictly )?(?:prohibited|forbidden|not permitted|not allowed)\b"
    rf"|\bit (?:must|is) not (?:to )?be (?:{_SENT}ed|copied|passed on|shared)\b|\bdownloaded (?:from|by|on|at) .{{2,160}}?[.;,] ?for {_PERSONAL} use only|\bposted here (?:by permission .{{2,60}} )?for your personal use|\bfurnished to the author for internal|\bnot to be [\"\u201c]?used for any purpose other than private study|\bfor (?:the purpose of )?private study or (?:non-?commercial )?research only\b|\binternal non-?commercial research and education use"
)  # fmt: skip
_CONFIDENTIAL_LINE = re.compile(
    rf"\A\W{{0,4}}+(?:{_CONFIDENTIAL})(?:\W{{0,4}}|\s?[-–—:|/]\s?.{{0,100}}|,? (?:do not|not for|not to be) .{{0,80}})"
)
_FORBIDDEN_LINE = re.compile(rf"\A\W{{0,4}}+(?:{_FORBIDDEN})")
_CUT = re.compile(r"(?<=[.;:!|–—]) ")


def prohibiting(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines, in lower case, that forbid to pass the file on, or call it confidential."""
    return (line for line in lines if _CONFIDENTIAL_LINE.fullmatch(line) or _FORBIDDEN_LINE.match(line))


def prohibitions_in(text: str) -> Iterator[str]:
    """Yield the statements in a text, in lower case with single spaces, that forbid to pass the file on."""
    yield from (sentence for sentence in _CUT.split(text) if _FORBIDDEN_LINE.match(sentence))
    yield from (match[0] for match in _FORBIDDEN_HERE.finditer(text))
