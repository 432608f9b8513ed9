# ruff: noqa: E501, ISC004, RUF001 - tables have long lines and words of many languages
"""Retractions of works in the statements of services, titles, pages and files, as sentences for people. Pure.

A label (`RETRACTED`) and a statement about this very work (`This article has been retracted`) count. An article about
retractions, patients who were withdrawn and the title of another retracted work do not.
"""

from __future__ import annotations

import re

from harvester.fulltext.rights_words import may_have, quoted

# The types of updates in Crossref (crossref.org/documentation/crossmark) that retract a work, and their sentences; all
# others (correction, erratum, addendum, clarification, corrigendum, new_edition, new_version) do not.
UPDATES = {
    "retraction": "The work is retracted",
    "partial_retraction": "A part of the work is retracted",
    "withdrawal": "The work is withdrawn",
    "removal": "The work was removed by its publisher",
    "temporary_removal": "The work was removed by its publisher for a time",
    "expression_of_concern": "An expression of concern was published about the work",
}
_LONGEST_TYPE = 60  # characters of the type of an update
_NEAR = 20  # characters before a statement
# Updates that are the work itself again.
NEW_VERSIONS = frozenset(("new_version", "new_edition"))

# Publishers write it before the title: `RETRACTED ARTICLE: …`, `WITHDRAWN: …`. An article on retraction has no colon.
_KIND = r"(?:article|chapter|paper|preprint|manuscript|publication)"
_TITLES = tuple(
    (
        update,
        re.compile(
            rf"[\s\[(]{{0,3}}(?:(?i:{words})[\])]?\s?[:|]|(?:{words.upper()})\s?[-\u2013\u2014])|[\[(](?i:{words})[\])]"
        ),
    )
    for update, words in (
        ("expression_of_concern", r"(?:editorial )?(?:expression|notice|statement) of concern"),
        ("temporary_removal", rf"(?:{_KIND} )?temporar(?:ily removed|y removal)(?: {_KIND})?"),
        ("removal", rf"(?:{_KIND} )?(?:permanently )?removed(?: {_KIND})?"),
        ("withdrawal", rf"(?:{_KIND} )?(?:(?:temporarily|permanently) )?withdrawn(?: {_KIND})?"),
        ("partial_retraction", rf"(?:{_KIND} )?partially retracted(?: {_KIND})?"),
        ("retraction", rf"(?:{_KIND} )?retracted(?: and re(?:placed|published))?(?: {_KIND})?"),
    )
)
_JOINED = re.compile(r"[\s-]+")


def update_of(word: str) -> str:
    """Return the type of an update in one spelling: `Expression of concern` is `expression_of_concern`."""
    return _JOINED.sub("_", word[:_LONGEST_TYPE].strip().lower())


def by_update(update: str, service: str, notice: str = "", day: str = "") -> str:
    """Return the sentence for an update of one of these types, with the service, the notice and the day."""
    when = f" of {day}" if day else ""
    return f"{UPDATES[update]}: {service} names {notice or 'a notice'}{when}."


def by_notice(update: str, doi: str) -> str:
    """Return the sentence for a DOI of a record that is that of a notice about another DOI."""
    return f"The DOI of the record is that of a notice, and not of a work: Crossref names it as {update} {doi}."


def by_mark(service: str) -> str:
    """Return the sentence for a work that a service calls retracted, without a notice."""
    return f"{UPDATES['retraction']}: {service} marks it so."


def by_title(title: str, teller: str) -> str:
    """Return the sentence for a title that states a retraction; empty for any other title."""
    update = next((update for update, pattern in _TITLES if pattern.match(title)), "")
    return f"{UPDATES[update]}: {teller} gives a title that says so." if update else ""


_THING = r"(?:article|paper|manuscript|preprint|publication|chapter|work|study|book|report|thesis|version|item|contribution|letter|review|document)"
_THIS = rf"(?:this|the (?:above|following|present)(?:[- ](?:named|mentioned))?) (?:[a-z-]{{2,20}} )?{_THING}"
# Statements about the document itself, in lower case with single spaces, by the type of update.
_STATEMENTS = (
    (
        "expression_of_concern",
        rf"expression of concern (?:[^.]{{0,60}} )?(?:has been|was|is) (?:published|issued|added|attached|raised|posted)|(?:publish|issu)\w{{1,3}} (?:an|this) (?:editorial )?expression of concern\b[^.]{{0,60}}\b{_THIS}"
        rf"|{_THIS} (?:has|is (?:the )?subject (?:of|to)|is under) an? (?:editorial )?expression of concern|^\W{{0,3}}(?:editorial )?expression of concern (?:on|to|about|regarding|for)\b"
        rf"|(?:readers are (?:hereby )?(?:alerted|advised)|(?:editors?|publisher) (?:wish|would like|want)(?:es|s)? to (?:alert|inform|advise))\b[^.]{{0,80}}\bconcerns?\b[^.]{{0,80}}\b{_THIS}",
    ),
    (
        "retraction",
        rf"^\W{{0,3}}retract(?:ion|ed)(?: published)? in ?: |{_THIS}(?:,? [^.]{{0,80}}?,?)? (?:has|have|had)? ?(?:been|was|is)(?: (?:formally|fully|partially|now|hereby|being|subsequently|since)){{0,2}} retracted\b"
        rf"|retract(?:s|ed|ing)? {_THIS}|{_THIS} has a (?:retraction|retraction note|retraction notice)\b|retraction (?:note |notice )?(?:to|of|for) {_THIS}|retraction (?:note|notice)?[^.]{{0,40}} (?:has been|was) published\b"
        r"|(?:dies(?:er|es|e)|der (?:vorliegende|obige)) (?:[^\W\d]{2,20} )?(?:artikel|beitrag|aufsatz|manuskript|publikation|veröffentlichung|arbeit|preprint|paper|werk) (?:wurde|ist|wird)\b[^.]{0,80}\bzur(?:ückgezogen|ückgenommen)|(?:diesen (?:artikel|beitrag|aufsatz)|dies(?:e|es) (?:arbeit|publikation|manuskript))\b[^.]{0,60}\bzurück(?:gezogen|ziehen)?\b"
        r"|cet(?:te)? (?:article|publication|étude|prépublication|manuscrit|ouvrage) (?:a été|est|vient d'être|fait l'objet d'une) (?:rétracté|retiré|rétractation)|l'article a été rétracté|(?:rétract(?:e|ent|é)|retir(?:e|ent|é)) cet(?:te)? (?:article|publication|étude)"
        r"|(?:este|el presente) (?:artículo|trabajo|manuscrito|texto|estudio) (?:ha sido|fue|está|se ha) (?:retra[ck]tado|retirado)|esta publicación (?:ha sido|fue) (?:retra[ck]tada|retirada)"
        r"|(?:este|o presente) (?:artigo|trabalho|manuscrito|texto|estudo) (?:foi|está|encontra-se) (?:retra[tc]t?ado|retraído|despublicado|retirado)"
        r"|(?:questo|il presente) (?:articolo|lavoro|contributo|manoscritto|studio) (?:è stato|è) (?:ritirato|ritrattato)|dit (?:artikel|manuscript|stuk|werk) (?:is|werd|wordt) (?:ingetrokken|teruggetrokken)"
        r"|(?:denna artikel|artikeln|den här artikeln) (?:har )?(?:är |har blivit )?(?:tillbakadragen|dragits tillbaka|återkallad|återkallats)|(?:denne|dette) (?:artikkel\w{0,2}|artikel|manuskript\w{0,2}) er (?:blevet |blitt )?(?:trukket(?: tilbage| tilbake)?|tilbagekaldt|tilbaketrukket)"
        r"|(?:tämä )?artikkeli on (?:vedetty (?:takaisin|pois)|peruttu)|(?:ten )?artykuł (?:został|jest) (?:wycofany|odwołany)|(?:tento )?článek (?:byl|je) (?:stažen|retrahován)|(?:эта |данная )статья (?:была )?(?:отозвана|ретрагирована)|bu makale geri çekil|本文已被?撤(?:稿|回)|(?:该|此)文已被?撤(?:稿|回)|本論文は.{0,10}(?:取り下げ|撤回)",
    ),
    (
        "withdrawal",
        rf"{_THIS}(?:,? [^.]{{0,80}}?,?)? (?:has|have|had)? ?(?:been|was|is)(?: (?:formally|permanently|temporarily|now|hereby|being|subsequently)){{0,2}} withdrawn\b(?! from (?:the )?(?:analys|sale|stock))"
        rf"|withdr(?:aws?|awn|awing|ew) {_THIS}",
    ),
    (
        "removal",
        rf"{_THIS} (?:has been|was|is) (?:temporarily|permanently) removed\b|{_THIS} (?:has been|was) removed(?::| (?:at the request|for legal|because|due to|by (?:the|its) (?:publisher|editors?|authors?|journal)))"
        rf"|{_THIS} (?:has been|was) removed from (?:publication|(?:its|the|this) (?:issue|journal|server|repository|archive|record|platform))\b|(?:publisher|editors?|journal)(?: (?:has|have))?(?: (?:temporarily|permanently))? removed {_THIS}",
    ),
)  # fmt: skip
# Parts of words, of which every statement has one.
_HINTS = (
    "retract", "withdr", "concern", "removed", "zurück", "rétract", "retir", "retrac", "retrak", "retra\u00eddo", "retratado", "despublicado", "ritir", "ritratt", "getrokken", "tillbaka", "återkall", "trukket", "tilbage",
    "vedetty", "peruttu", "wycofan", "odwołan", "stažen", "retrah", "отозван", "ретраг", "geri çekil", "撤", "取り下げ",
)  # fmt: skip
_COMPILED = tuple((update, re.compile(rf"\b(?:{pattern})")) for update, pattern in _STATEMENTS)
# Words before a statement with which it is none: a question, a condition, an example.
_NOT_BEFORE = re.compile(
    r"\b(?:if|whether|when|why|once|unless|until|should|falls|wenn|ob|si|se|als)(?: (?:or not|that))?[\s,\"']{1,3}$"
)

# Labels, alone on their line.
_LABELS = (
    (
        "expression_of_concern",
        r"(?:editorial )?(?:expression|notice|statement|note) of concern|äußerung von bedenken|expression d'inquiétude|expresión de preocupación|expressão de preocupação|espressione di preoccupazione",
    ),
    (
        "retraction",
        r"(?:partially )?retracted(?: (?:article|paper|manuscript|chapter|publication|preprint|version))?|retracted and re(?:placed|published)|(?:article|paper|manuscript|chapter) retracted|(?:partial )?retraction(?: (?:note|notice|statement|of publication))?|notice of retraction"
        r"|(?:artikel |beitrag |publikation )?(?:wurde |ist )?zurückgezogen(?:e[rs]? (?:artikel|beitrag|publikation|manuskript))?|widerrufen(?:er artikel)?|(?:article |publication )?(?:a été )?(?:rétractée?|retirée?)|rétractation|(?:artículo )?(?:retra[ck]tado|retirado)|retra[ck]tación"
        r"|(?:artigo )?(?:retra[tc]t?ado|retraído|despublicado)|retrata[cç][aã]o|(?:articolo )?(?:ritirato|ritrattato)|ritrattazione|(?:artikel )?ingetrokken(?: artikel)?|teruggetrokken artikel|(?:artikel )?tillbakadragen(?: artikel)?|tilbaketrukket(?: artikkel)?|(?:artykuł )?wycofany(?: artykuł)?|stažený článek"
        r"|отозван(?:ная статья|а|о)|статья отозвана|ретракция|geri çekil(?:di|miştir|en makale|miş makale)|(?:已)?撤稿(?:声明|通知|论文)?|撤回(?:论文|論文|済み)?|철회(?:된 논문)?",
    ),
    (
        "withdrawal",
        r"withdrawn(?: (?:article|paper|manuscript|preprint|publication|version))?|(?:article|paper|preprint|manuscript) withdrawn|withdrawal(?: (?:note|notice|statement|of publication))?|notice of withdrawal|article in press withdrawn",
    ),
    (
        "removal",
        r"(?:(?:temporarily|permanently) )?removed (?:article|paper|manuscript|preprint|chapter|publication|by the publisher)|(?:article|paper|preprint|manuscript|chapter) (?:(?:temporarily|permanently) )?removed(?: by the publisher)?|(?:temporarily|permanently) removed"
        r"|(?:temporary|permanent|publisher'?s?) removal(?: notice)?|(?:temporary )?removal (?:note|notice|statement)|notice of (?:temporary )?removal|(?<=status: )removed",
    ),
)
_DAY = r"(?:on )?[\d./-]{8,10}|(?:on )?\d{1,2} [a-z]{3,9} \d{4}"  # after a label
_LABELLED = tuple(
    (
        update,
        re.compile(rf"\A\W{{0,4}}+(?:(?:[a-z]{{4,12}} )?status\W{{1,3}})?(?:{pattern})\W{{0,4}}(?:{_DAY})?\W{{0,2}}"),
    )
    for update, pattern in _LABELS
)
_AFTER_TITLE = re.compile(r"[\[(]([^\[\]()]{5,60})[\])]\s?(?:[|–-].{0,80})?$")  # perhaps with the name of the site
# A label before a title.
_BEFORE_TITLE = tuple(
    (update, re.compile(rf"\A\W{{0,3}}+(?:{pattern})(?:(?: (?:to|of|for))?\s?[:\]]| ?[-–—] |\s?\|)"))
    for update, pattern in _LABELS
)


def label_in(line: str) -> str:
    """Return the type of update that a line in lower case is the label of; empty: it is none."""
    return next((update for update, pattern in _LABELLED if pattern.fullmatch(line)), "")


def label_before(title: str) -> str:
    """Return the type of update whose label is before a title in lower case; empty: none."""
    return next((update for update, pattern in _BEFORE_TITLE if pattern.match(title)), "")


def label_around(title: str) -> str:
    """Return the type of update whose label is before a title in lower case, or after it in brackets; empty: none."""
    match = _AFTER_TITLE.search(title)
    return label_before(title) or (label_in(match[1]) if match else "")


def statement_in(text: str) -> tuple[str, str]:
    """Return the type of update that a text in lower case states of its own document, and the statement; else empty."""
    for update, pattern in _COMPILED if may_have(text, _HINTS) else ():
        for match in pattern.finditer(text):
            if not _NOT_BEFORE.search(text[max(0, match.start() - _NEAR) : match.start()]):
                return update, match[0]
    return "", ""


def by_statement(update: str, teller: str, quote: str) -> str:
    """Return the sentence for an update that a page or a file states in these words."""
    return f'{UPDATES[update]}: {teller} states "{quoted(quote)}".'


def is_notice(title: str) -> bool:
    """Return whether a title is that of a notice of retraction, or already has the label."""
    return bool(label_before(title.lower()) or label_in(title.lower()))
