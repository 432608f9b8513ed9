# ruff: noqa: E501, RUF001 - tables have long lines and words of many languages
"""Access rights of files and ends of embargoes, as records, services and cover pages state them. Pure.

The words are those of info:eu-repo and of COAR's Access Rights 1.0; the dates are those of ISO 8601, or of sentences.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from enum import StrEnum

from gateway.core.model import Work


class Access(StrEnum):
    """Access rights: a closed list, the widest first."""

    OPEN = "open"
    EMBARGOED = "embargoed"
    RESTRICTED = "restricted"
    CLOSED = "closed"


_COAR = {
    "c_abf2": Access.OPEN,
    "c_f1cf": Access.EMBARGOED,
    "c_16ec": Access.RESTRICTED,
    "c_14cb": Access.CLOSED,  # metadata only access
}
_WORD = re.compile(r"(?i)\b(open|embargoed|restricted|closed)[ _-]?access\b|\baccess_right/(c_[0-9a-f]{4})\b")
# The same in other languages.
_ABROAD = (
    (
        Access.EMBARGOED,
        r"sous embargo|(?:acceso|acesso) embargado|accesso sotto embargo|ambargolu(?: erişim)?|延迟公开|延後公開",
    ),
    (
        Access.RESTRICTED,
        (
            r"(?:accès|diffusion) (?:restreinte?|limitée?|réservée?)|acceso restringido|acesso restrito|toegang beperkt"
            r"|accesso (?:riservato|ristretto)|(?:zugriff|zugang) (?:ist )?(?:beschränkt|eingeschränkt)"
            r"|(?:beschränkter|eingeschränkter) (?:zugriff|zugang)|nur für angehörige der .{1,60}|beperkte toegang"
            r"|доступ (?:к полному тексту )?ограничен|ограниченный доступ|dostęp ograniczony|ograniczony dostęp"
            r"|begränsad åtkomst|omezený přístup|kısıtlı erişim|erişim kısıtlı|限制访问|限定公開|学内限定|وصول مقيد"
        ),
    ),
    (
        Access.CLOSED,
        (
            r"metadata[ -]only|(?:accès|diffusion) (?:fermée?|interdite?)|texte intégral non disponible|acceso cerrado|acesso fechado"
            r"|texto completo (?:no|não) dispon[ií]vel|texto completo no disponible|accesso chiuso|gesloten toegang|niet openbaar"
            r"|nicht öffentlich(?: zugänglich)?|volltext (?:ist )?nicht (?:frei )?(?:verfügbar|zugänglich)|sperrvermerk"
            r"|доступ (?:к полному тексту )?закрыт|закрытый доступ|полный текст недоступен|для служебного пользования"
            r"|dostęp zamknięty|zamknięty dostęp|kapalı erişim|erişime kapalı|erişim kapalı"
            r"|暂不公开|暫不公開|不公开|不公開|非公開|保密|部外秘|비공개|غير متاح"
        ),
    ),
)
_ABROAD_WORDS = tuple((access, re.compile(rf"(?i)(?<![^\W_])(?:{words})(?![^\W_])")) for access, words in _ABROAD)
_SHUT_LINE = re.compile(
    rf"(?i)(?:[^\W\d_]{{1,20}}(?: [^\W\d_]{{1,20}})?\s?[:：]\s?)?(?:{'|'.join(words for _, words in _ABROAD)})\W{{0,3}}"
)
_EMBARGO_END = re.compile(r"info:eu-repo/date/embargoEnd/(\d{4}(?:-\d\d){0,2})")
_DAY = re.compile(r"\s*(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?=$|[\sT/])")
_YEARS = range(1900, 2200)  # other years are errors

# Words on a cover page for an embargo: of DSpace, EPrints, Pure and Elsevier, and in other languages. Only a future day
# counts, so these words may also have other meanings.
_LATER = (
    r"embargo\w{0,6}|(?:released|released? date|scheduled release|release on|hidden until|private until|access only until|no access until|restricted access till|restricted till|public access date|publicly available:|full[- ]?text access from|access permitted from)\b"
    r"|(?:made|become|will be) (?:public|open access|publicly available|freely available|available) (?:on|from|after)\b|freigabedatum\b|freischaltung\b|openbaar vanaf\b|(?:restricted|closed|unavailable|withheld|delayed|confidential|not available) until\b"
    r"|(?:full[ -]?text|file|item|thesis|document|version) (?:will be|is|becomes?) available (?:from|on|after)\b"
    r"|(?:available|accessible|open access|public|published|released?|unlocked) (?:online )?(?:from|as of|on or after|starting|not before)\b|not (?:available|accessible|public) before\b|open (?:from|after|on|starting)\b|(?:available|accessible) (?:for|to) download (?:from|after|on)\b|will (?:be|become) (?:publicly |freely |openly )?(?:available|accessible|public|open) (?:on|after|from)\b|(?:release date|date of release|available (?:date|since|online)|availability date|date (?:made )?available|date of availability)\b"
    r"|(?:restricted|locked|closed|available|limited) (?:to .{1,60} )?(?:only )?until\b|früheste(?:ns|r) (?:ab|zugriff)\b|(?:frei|öffentlich|abrufbar|zugreifbar) ab\b|\bab (?:dem )?(?=[^,;]{4,30} (?:frei |öffentlich )?(?:zugänglich|verfügbar|abrufbar))"
    r"|bis (?:zum )?(?=[^,;]{4,30} (?:gesperrt|nicht (?:verfügbar|zugänglich|öffentlich)))|until (?=[^,;]{4,30} (?:under embargo|embargoed|restricted))"
    r"|(?:gesperrt|nicht (?:verfügbar|zugänglich)) bis\b|sperr(?:frist|vermerk)\b"
    r"|(?:zugänglich|verfügbar|freigegeben|freigabe|zugriff) (?:erst )?ab\b"
    r"|(?:acceso abierto|acesso aberto|accesso aperto|accès (?:libre|ouvert)|libre accès|freier zugang|zugang|zugriff) (?:a partir|à partir|à compter|dal|desde|ab)\b"
    r"|(?:restreint|différé|réservé|limité|confidentiel)e{0,2} jusqu|(?:disponible|consultable|accessible) à partir\b"
    r"|(?:embargad|restringid|cerrad|diferid)[oa] hasta\b|disponible (?:a partir del?|desde)\b"
    r"|(?:embargad|restrit|fechad)[oa] até\b|(?:disponível|acessível) a partir\b|(?:riservat|chius|ristrett)o fino\b"
    r"|(?:accessibile|disponibile|consultabile) (?:dal|a partire dal)\b|tillgänglig\w{0,2} (?:från|fr\.o\.m\.)|tilgængelig\w{0,2} fra\b|tilgjengelig\w{0,2} fra\b|saatavi(?:lla|ssa)\b|přístupn\w{1,2} od\b|elérhető\b|onder embargo tot\b|beschikbaar vanaf\b"
    r"|(?:ограничен|закрыт|эмбарго|засекречен)\w{0,3} до\b|(?:доступен|открыт\w{0,3}|доступ) с\b|эмбарго\b"
    r"|(?:zamknięt|ograniczon|zablokowan)\w{1,3} do\b|dostępn\w{1,3} od\b|dostęp od\b|(?:kısıtlı|kapalı|ambargo)\w{0,4}\b"
)
_LATER_ELSEWHERE = "公开日期|公開日|公开时间|公開予定|公開延期|开放日期|解密日期|限制公开|保密期限|保密至|エンバーゴ|공개일|엠바고|محظور|حظر|متاح"  # in scripts without spaces between words
_UNTIL = re.compile(rf"\b(?:{_LATER})|{_LATER_ELSEWHERE}")  # in a text in lower case
_EMBARGO = re.compile(r"(?i)(?<!\bno )(?<!\bnot )\bembargo(?:ed)?\b")
_NEAR = 80  # characters after it that must contain the date
_BEFORE_YEAR = _NEAR + 100  # characters: the words, and what may be between them and the year
_SOON = timedelta(days=183)  # the date of an issue may be so much later than the article
_YEAR = re.compile(r"[12]\d{3}")
_WITHIN_DATE = 25  # characters of a date before its year or behind it: `23rd of September, 2031`
_MOST_READ = 4000  # characters of a cover page
# The beginnings of the names of months, January first.
_MONTHS = (
    "jan|ene|gen|янв|sty|oca|led|tammi", "feb|fev|fév|фев|lut|şub|únor|helmi", "mar|mär|maa|мар|břez", "apr|abr|avr|апр|kwi|nis|dub|huhti",
    "may|mai|mag|maj|mei|мая|май|květ|touko", "jun|juin|giu|июн|cze|haz|června|kesä", "jul|juil|lug|июл|lip|tem|července|heinä",
    "aug|aoû|aou|ago|авг|sie|ağu|srp|elok", "sep|set|сен|wrz|eyl|zář|syys", "oct|okt|out|ott|окт|paź|eki|říj|lokak", "nov|ноя|lis|kas|marras", "dec|dez|dic|déc|дек|gru|ara|des|pros|joulu",
)  # fmt: skip
_NAMES = "|".join(f"({beginnings})" for beginnings in _MONTHS)
_UNTIL_YEAR = re.compile(r"(?i)\b(?:until|till|bis|jusqu['\u2019]en|hasta|até|fino al|до) (\d{4})(?![\d-])")
_WRITTEN = re.compile(
    r"(?i)(?<!\d)(?:(?P<y>\d{4})[-/.](?P<m>\d\d)[-/.](?P<d>\d\d)|(?P<one>\d\d?)[./-](?P<two>\d\d?)[./-](?P<year>\d{4})"
    r"|(?P<cy>\d{4})\s?年\s?(?P<cm>\d\d?)\s?月(?:\s?(?P<cd>\d\d?)\s?日)?"
    r"|(?:(?P<before>\d\d?)(?:st|nd|rd|th|er|º|°|\.|:a)?[\s-](?:de\s|of\s)?)?"
    rf"(?<![^\W\d_])(?=[^\W\d_]{{3}})(?P<name>{_NAMES})[^\W\d_]{{0,8}}[.,]?[\s-](?:de\s|of\s)?"
    r"(?:(?P<behind>\d\d?)(?:st|nd|rd|th)?,?\s)?(?P<of>\d{4}))(?!\d)"
)


# Statements of a page, in lower case, that its work is under an embargo or restricted, without a day: labels alone in
# their block, and sentences about this very work.
_LABEL = (
    r"isaccessibleforfree: false|(?:embargoed|restricted|closed|no)[ -]access|access (?:is )?(?:restricted|closed|embargoed|denied)|(?:access|availability|status|rights): ?(?:embargoed|restricted|closed)|(?:currently |still )?(?:under|in) (?:permanent |indefinite )?embargo|embargo|embargoed(?: item| file| until further notice| indefinitely)?"
    r"|(?:item|file|document|full[- ]?text|thesis|article|text|work) (?:is )?(?:currently )?(?:under|in) (?:an? )?embargo|(?:permanent|indefinite) embargo|(?:full[- ]text|file|pdf|document) (?:is )?(?:currently )?(?:not available|unavailable|embargoed|restricted|under embargo)|embargo(?: (?:period|length|duration|term))?: ?\d{1,3} ?(?:months?|years?|monate|mois|meses|mesi|maanden|miesięcy|månader|jahre?|ans?|años?|anni|jaar)(?: .{1,40})?|\d{1,3}[- ]months? embargo"
    r"|restricted to (?:repository staff|registered users|campus|members)(?: only)?|campus (?:access|only)(?: only)?|subscribers only|im embargo|unter embargo|(?:noch )?gesperrt|sous embargo|embargo en cours|bajo embargo|embargado|sob embargo|sotto embargo|onder embargo|under embargo|embargoitu|objęte embargiem"
)
_SHUT_LABEL = re.compile(
    rf"\A\W{{0,3}}+(?:[^\W\d_]{{1,20}}(?: [^\W\d_]{{1,20}}){{0,2}}\s?[:：]\s?)?(?:(?:access|zugriff|zugang|accès|acceso|acesso|accesso) )?(?:{_LABEL}|{'|'.join(words for _, words in _ABROAD)})\W{{0,3}}"
)
_SHUT_SENTENCE = re.compile(
    r"\b(?:this|the) (?:full[- ]text|item|thesis|dissertation|document|file|version|article|manuscript|paper|work|pdf|record|publication|chapter|book)(?: of this .{1,20})? (?:is|are|remains|has been|was)(?: currently| still)? (?:(?:placed )?(?:under|in) (?:an? )?|subject to (?:an? )?)?(?:permanent(?:ly)? |indefinite(?:ly)? |\d{1,2}[- ]months? )?(?:embargo(?:ed)?\b|restricted access\b|closed access\b|restricted to\b)"
    r"|\baccess to (?:this|the) (?:item|thesis|dissertation|document|file|full[- ]text|version|manuscript|work|article|publication) is (?:currently )?(?:restricted|closed|limited to)\b|\b(?:dies(?:er|es|e)|der|das|die) (?:beitrag|artikel|dokument|volltext|datei|arbeit|dissertation) (?:ist|unterliegt)\b.{0,60}\b(?:embargo|gesperrt|sperrfrist)\b"
    r"|\b(?:cet(?:te)?|ce|le) (?:article|document|thèse|fichier|texte) (?:est|fait l'objet d'un).{0,40}\bembargo\b|\b(?:este|el|esta) (?:artículo|documento|tesis|archivo|artigo|arquivo|ficheiro) (?:está|se encuentra|encontra-se).{0,30}\b(?:embargo|embargado)\b|\bquest[oa] (?:articolo|documento|tesi|file) è.{0,30}\bembargo\b|\b(?:dit|deze) (?:artikel|document|proefschrift|bestand) .{0,30}\bembargo\b"
)


def is_shut_statement(text: str) -> bool:
    """Return whether a text in lower case is a label or a statement of an embargo or of restricted access."""
    return _SHUT_LABEL.fullmatch(text) is not None or _SHUT_SENTENCE.search(text) is not None


def day_in(text: str) -> str:
    """Return the first day of a text, in numbers or words; of a month or year the last one; empty: none."""
    return next(_days_near(text, 0), "") or day_of(text, is_end=True)


def access_of(texts: Iterable[str]) -> Access | None:
    """Return the narrowest access right that these texts state in the usual words; None: not stated."""
    stated = tuple(texts)
    words = (match for text in stated for match in _WORD.finditer(text))
    named = {Access(word[1].lower()) if word[1] else _COAR.get(word[2].lower()) for word in words}
    named |= {access for access, pattern in _ABROAD_WORDS for text in stated if pattern.search(text)}
    return next((access for access in reversed(Access) if access in named), None)


def is_shut_line(line: str) -> bool:
    """Return whether a line consists of a statement of restricted access in another language than English."""
    return _SHUT_LINE.fullmatch(line.strip()) is not None


def day_of(text: str, *, is_end: bool = False) -> str:
    """Return the day (`2027-01-31`) of a date; for a year or month the first day, or with `is_end` the last one.

    The beginning of a range counts. Return an empty text for any other text.
    """
    match = _DAY.match(text)
    return _day(match[1], match[2], match[3], is_end=is_end) if match else ""


def end_of_embargo(texts: Iterable[str]) -> str:
    """Return the last day in these texts that ends an embargo (info:eu-repo/date/embargoEnd), or an empty text."""
    days = (day_of(match[1], is_end=True) for text in texts for match in _EMBARGO_END.finditer(text))
    return max(days, default="")


def open_from_record(work: Work) -> str:
    """Return the day on which the files of a record become available, as it states; empty: not stated.

    It is the end of an embargo, a day in its rights, or its last date if the record says that it is embargoed.
    """
    rights = work.texts("rights")
    dates = work.texts("date")
    if stated := end_of_embargo([*dates, *rights]) or max(map(open_from_words, rights), default=""):
        return stated
    is_embargoed = access_of(rights) is Access.EMBARGOED
    return max((day_of(date, is_end=True) for date in dates), default="") if is_embargoed else ""


def is_shut(work: Work) -> bool:
    """Return whether a record states that its files are restricted, without the day on which this ends.

    `9999-12-31`, which means for ever, is not a day; `12 months` is not a day either.
    """
    rights = work.texts("rights")
    access = access_of(rights)
    is_embargoed = access is Access.EMBARGOED or any(_EMBARGO.search(text) for text in rights)
    return access in (Access.RESTRICTED, Access.CLOSED) or (is_embargoed and not open_from_record(work))


def open_from_words(text: str) -> str:
    """Return the last day that sentences at the beginning of a text state as the end of an embargo; empty: none."""
    beginning = " ".join(text[:_MOST_READ].lower().split())
    return max((day for place in _places(beginning) for day in _days_near(beginning, place)), default="")


def future_day_in(text: str, today: str) -> str:
    """Return the first day at the beginning of a text that is later than `today`; empty: none.

    A month alone counts if it is much later: journals have the date of their next issue.
    """
    beginning = " ".join(text[:_MOST_READ].lower().split())
    soon = (date.fromisoformat(today) + _SOON).isoformat()
    years = (year for year in _YEAR.finditer(beginning) if year[0] >= today[:4])  # most texts have none of them
    around = ((max(0, year.start() - _WITHIN_DATE), year.end() + _WITHIN_DATE) for year in years)
    for match in (match for start, stop in around for match in _WRITTEN.finditer(beginning, start, stop)):
        has_day = bool(match["d"] or match["year"] or match["cd"] or match["before"] or match["behind"])
        day = _day_written(match)
        if day > (today if has_day else soon):
            return day
    return ""


def _places(text: str) -> Iterator[int]:
    """Yield the ends of words on an embargo, as far as a year follows: most texts have few years."""
    last = 0
    for year in _YEAR.finditer(text):
        first = max(last, year.start() - _BEFORE_YEAR)
        matches = _UNTIL.finditer(text, first, year.end() + _NEAR)
        yield from (until.end() for until in matches if until.end() <= year.start())
        last = year.start()


def _days_near(text: str, place: int) -> Iterator[str]:
    match = _WRITTEN.search(text, place, place + _NEAR)
    if match is None:
        year = _UNTIL_YEAR.search(text, max(0, place - len(" until")), place + _NEAR)
        yield _day(year[1], None, None, is_end=True) if year else ""
        return
    yield _day_written(match)


def _day_written(match: re.Match[str]) -> str:
    """Return the day in a date of `_WRITTEN`, of a month alone the last one; empty: there is no such day."""
    if match["y"] or match["cy"]:
        return _day(match["y"] or match["cy"], match["m"] or match["cm"], match["d"] or match["cd"], is_end=True)
    if match["year"]:  # 3/4/2027 may be in March or April; invalid dates are left out
        return max(
            _day(match["year"], match["two"], match["one"]),
            _day(match["year"], match["one"], match["two"]),
        )
    month = next(number for number, names in enumerate(_MONTHS, 1) if match["name"].lower() in names.split("|"))
    return _day(match["of"], str(month), match["before"] or match["behind"], is_end=True)


def _day(year: str, month: str | None, day: str | None, *, is_end: bool = False) -> str:
    try:
        month_ = int(month or (12 if is_end else 1))
        day_ = int(day or (monthrange(int(year), month_)[1] if is_end else 1))
        end = date(int(year), month_, day_)
    except ValueError:
        return ""
    return end.isoformat() if end.year in _YEARS else ""
