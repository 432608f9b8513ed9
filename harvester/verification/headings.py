# ruff: noqa: E501 - tables have long lines
"""The first words of documents that are not the work itself, in the languages of the field: tables. Pure.

`WHOLE` are lines that say nothing else; `BEGINNING` is how a longer line begins, which a sentence of an article does not.
Both are compared with single lines from the top of a page, in lower case, their white space made one space each.
"""

from __future__ import annotations

import re

from gateway.model import DocumentKind

_N, _S, _R = DocumentKind.NOTICE, DocumentKind.SUPPLEMENT, DocumentKind.REVIEW
_F, _P, _T = DocumentKind.FRONT_MATTER, DocumentKind.PREVIEW, DocumentKind.THESIS

_WHOLE = (
    (
        _N,
        (
            r"(?:(?:author|publisher|editor)'?s? ?)?(?:errat(?:um|a)|corrigend(?:um|a)|addend(?:um|a)|corrections?)"
            r"|(?:partial )?retraction(?: note| notice| statement)?|retracted(?: article)?|withdrawn|withdrawal(?: notice)?"
            r"|removal notice|notice of (?:retraction|withdrawal|removal|correction|concern)|(?:editorial )?expression of concern"
            r"|editorial (?:notice|note)|editor's note|errata corrige|berichtigung|korrektur|correctif|rectificatif"
            r"|fe de erratas?|correcci[oó]n|retractaci[oó]n|errata e corrigenda|errate|retratação|опечатки|исправление"
            r"|book reviews?|buchbesprechung(?:en)?|rezension(?:en)?|comptes? rendus?|reseñas?|recensioni?|resenhas?"
        ),
    ),
    (
        _S,
        (
            r"(?:online |electronic )?(?:supplement(?:ary|al)?|supporting)(?: online)?"
            r" (?:information|materials?|data|files?|text|content|notes?|methods|appendix|tables?|figures?|documents?|web ?appendix)"
            r"(?: and (?:methods|figures|tables|data|text|information))?(?: \(?e?si\)?)?(?: s?\d{1,2})?"
            r"|supplement|(?:e|online|web|supplementary )[- ]?(?:appendix|supplement)(?: s?\d{1,2}| [a-z])?|data supplement"
            r"|additional files? \d{1,2}|appendix [a-z]?\.? ?supplementary (?:data|material)|reporting summary"
            r"|informations? (?:supplémentaires?|complémentaires?)|zusatzmaterial|ergänzende (?:informationen|materialien)"
            r"|(?:material|información|informaci[oó]n|datos) suplementari[oa]s?|materiale? supplementare|補足資料|补充材料"
        ),
    ),
    (
        _R,
        (
            r"peer review(?: file| history| reports?| information| comments)?|review(?:er)?(?:s'?|'s)? comments"
            r"|transparent (?:peer )?review(?: file| process)?|(?:peer )?review process file|decision letter"
            r"|authors?'? (?:response|answer)s?|editorial note:? .{0,80}reviewer.{0,80}"
            r"|(?:review(?:er)?|referee)(?:'s)? (?:report|comments)(?: ?#? ?\d)?|open review|interactive comment"
        ),
    ),
    (
        _F,
        (
            r"in this issue|editorial board|masthead|front ?matter|back ?matter|cover (?:image|picture)|impressum"
            r"|(?:instructions|guidelines|information) (?:for|to) authors|author guidelines|call for papers"
            r"|(?:copyright transfer|license|author|publishing|deposit) (?:agreement|form)|issue information|author index"
        ),
    ),
    (_P, r"(?:first[- ]page |article )?preview(?: page)?|first page|this is a preview|sample (?:pages?|chapter)"),
    (
        _T,
        (
            r"(?:(?:ph\.? ?d\.?|doctoral|master'?s?|bachelor'?s?|m\.? ?sc\.?|b\.? ?sc\.?|mba|honou?rs|diploma) )?"
            r"(?:thesis|dissertation)|(?:inaugural-?|kumulative |publikationsbasierte )?dissertation(?:sschrift)?"
            r"|(?:master|bachelor|diplom|doktor|magister|habilitations?|lizentiats)-?(?:arbeit|schrift|thesis)"
            r"|(?:thèse|mémoire) (?:de|en) (?:doctorat|master|maîtrise).{0,60}|thèse|tesis(?: doctoral| de .{1,40})?"
            r"|tese(?: de .{1,40})?|dissertação(?: de .{1,40})?|trabajo (?:de )?fin de (?:grado|m[aá]ster)"
            r"|tesi di (?:laurea|dottorato).{0,60}|proefschrift|academisch proefschrift|akademisk avhandling|doktorsavhandling"
            r"|rozprawa doktorska|praca magisterska|disertační práce|diplomová práce|bakalářská práce|doktora tezi"
            r"|yüksek lisans tezi|диссертация|кандидатская диссертация|博士論文|修士論文|学位論文|博士学位论文|硕士学位论文"
        ),
    ),
)
_BEGINNING = (
    (
        _N,
        (
            r"(?:(?:author|publisher)'?s? )?(?:errat(?:um|a)|corrigend(?:um|a)|addendum|corrections?)(?: to\b| for\b|:| ?-)"
            r"|retract(?:ion|ed)(?: article)?(?: of\b| note\b| to\b|:| ?-)|withdrawn?(?:al)?(?: of\b|:| ?-)"
            r"|(?:editorial )?expression of concern(?: on\b| for\b| regarding\b|:| ?-)|removal notice(?: to\b|:)"
            r"|notice of (?:retraction|withdrawal|removal|concern)\b|(?:this|the) (?:above |following )?article has been retracted"
            r"|berichtigung (?:zu|zum|zur)\b|rectificatif (?:à|au)\b|fe de erratas?(?: de\b| del\b|:)"
            r"|(?:a )?comments? (?:on|to|regarding) |commentary (?:on|to) |(?:a )?(?:reply|rejoinder|response) (?:to|by) "
            r"|in reply(?: to\b|:)|author'?s?'? repl(?:y|ies)|reply from the authors?|kommentar zu\b|erwiderung auf\b"
            r"|réponse à\b|commentaire (?:sur|de)\b|comentario (?:sobre|a)\b|book reviews?:|rezension(?: zu|:)"
        ),
    ),
    (
        _S,
        (
            r"(?:online |electronic )?(?:supplement(?:ary|al)?|supporting)(?: online)?"
            r" (?:information|materials?|data|files?|text|content|notes?|methods|appendix|tables?|figures?|documents?)"
            r"(?: \(?e?si\)?)?(?: s?\d{1,2})?(?: (?:for|to|of|accompanying|from)\b|:| ?[-.])"
            r"|supplement (?:to|for)\b|electronic supplement|online resource \d|additional file \d{1,2}\b"
            r"|(?:e|online |web )?appendix (?:to|for) [\"']|(?:this|the following) (?:web|supplementary |online )?"
            r"(?:appendix|material) (?:formed|has been provided)|s\d{1,2} (?:text|table|fig(?:ure)?|file|appendix)\b[.:]"
            r"|(?:consort|prisma|strobe|arrive) (?:\d{4} )?(?:check ?list|flow)|(?:nature (?:portfolio|research) ?\| ?)reporting summary"
        ),
    ),
    (
        _R,
        (
            r"(?:reviewer|referee) ?#? ?\d\b|report of the (?:first|second|third) (?:reviewer|referee)"
            r"|(?:point[- ]by[- ]point )?(?:response|reply|answers?|rebuttal) to (?:the )?(?:reviewers?|referees?|editor)\b"
            r"|peer review (?:file|reports?|history)\b|reviewers?'? comments? to|decision letter\b|interactive comment on\b"
            r"|comments (?:from|to|of) (?:the )?(?:reviewers?|referees?|authors?)\b"
        ),
    ),
    (
        _F,
        (
            r"this item is (?:under|subject to an?) embargo|the full text (?:of this item )?is (?:not|currently un)"
            r"|volume \d{1,4},? (?:issue|number|no\.?) \d{1,3}.{0,60}contents$"
        ),
    ),
    (
        _P,
        (
            r"this is a preview\b|(?:to (?:read|continue)|continue reading|purchase (?:this|the|full)|buy (?:this|the) |preview of )"
            r"|page 1 (?:only|preview)|the (?:full|complete) (?:text|article|document) (?:is|may be) (?:available|purchased) "
        ),
    ),
    (
        _T,
        (
            r"(?:a |this )?(?:thesis|dissertation|project)(?: report)? (?:is )?(?:submitted|presented|prepared)\b"
            r"|(?:submitted|presented|prepared) (?:to .{1,120} )?in (?:partial )?fulfil{1,2}ment\b|in partial fulfil{1,2}ment\b"
            r"|(?:dissertation |arbeit )?zur erlangung (?:des|der|eines)\b|vorgelegt (?:von|der)\b.{0,80}$"
            r"|thèse (?:présentée|pour|soutenue)\b|(?:présentée )?pour (?:obtenir|l'obtention) (?:le |du )(?:grade|titre|diplôme)"
            r"|tesis (?:presentada|para optar|que para)\b|para (?:optar|obtener) (?:al|el) (?:grado|título)\b"
            r"|tese (?:apresentada|submetida)\b|dissertação (?:apresentada|submetida)\b|(?:tesi|elaborato) (?:presentata|di)\b"
            r"|ter verkrijging van\b|akademisk avhandling\b|akademische avhandling\b|väitöskirja\b|диссертация на соискание"
            r"|(?:a )?(?:ph\.? ?d\.?|doctoral|master'?s?|m\.? ?sc\.?) (?:thesis|dissertation)\b|dissertations? (?:no|nr)\b"
        ),
    ),
)


def _table(rows: tuple[tuple[DocumentKind, str], ...], end: str) -> tuple[tuple[DocumentKind, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(f"(?:{pattern}){end}")) for kind, pattern in rows)


WHOLE = _table(_WHOLE, r"\W{0,3}$")
BEGINNING = _table(_BEGINNING, "")

# How the parts of an article are called, alone on their line, whatever number stands before them.
_NUMBER = r"(?:[\divx]{1,4}[.)]? ?)?"
ABSTRACT = re.compile(
    r"(?:a ?b ?s ?t ?r ?a ?c ?t|summary|zusammenfassung|kurzfassung|résumé|resumen|resumo|riassunto|samenvatting"
    r"|sammanfattning|streszczenie|аннотация|摘要|要旨)\b"
)
INTRODUCTION = re.compile(
    rf"{_NUMBER}(?:introduction|background|einleitung|einführung|introducci[oó]n|introdução|introduzione|inleiding"
    rf"|введение|はじめに|引言)\b.{{0,40}}$"
)
REFERENCES = re.compile(
    rf"{_NUMBER}(?:references?(?: and notes| cited)?|bibliography|literature(?: cited)?|literatur(?:verzeichnis)?|works cited"
    rf"|références(?: bibliographiques)?|bibliographie|referencias(?: bibliográficas)?|bibliograf[ií]a|referências"
    rf"(?: bibliográficas)?|riferimenti(?: bibliografici)?|literatuur|bibliografie|notes|endnotes|список литературы"
    rf"|литература|参考文献)\W{{0,3}}$"
)
CONTENTS = re.compile(
    r"(?:(?:table of |issue )?contents|in this issue|inhalt(?:sverzeichnis)?|sommaire|table des matières|sumario|sumário"
    r"|[ií]ndice|sommario|inhoud(?:sopgave)?|spis treści|obsah|содержание|оглавление|目次|目录)\W{0,3}$"
)
# A line of contents: it ends with the number of a page, behind words.
CONTENTS_LINE = re.compile(r"[\w?!)\]\"'][\s.…·_]{1,120}+(?:\d{1,4}|[ivxl]{1,6})$")
EDITED = re.compile(
    r"\bedited by\b|\beditors?\b\s?[:,]|\(eds?\.?\)|\(hrsg\.?\)|herausgegeben von|\(hg\.\)|\(éds?\.\)|sous la direction de"
    r"|editad[oa]s? por|organizador(?:es)?\b|a cura di|\bproceedings of (?:the|a)\b|book of abstracts|tagungsband|abstract book"
)
# The covers that repositories put before what they have.
COVER = re.compile(
    r"this is a repository copy of|citation for published version|downloaded from .{0,60}repository|white rose research"
    r"|view metadata, citation and similar papers|hal is a multi-?disciplinary|hal id:|follow this and additional works"
    r"|recommended citation|link to publication|take ?down policy|general rights|document version|this version is available"
    r"|stable url:|persistent (?:url|link)|enlighten|research explorer|archive ouverte|zurich open repository|nutzungsbedingungen"
    r"|escholarship|permalink|terms of use|this document has been downloaded|repositório|repositorio institucional"
)
EMBARGO = re.compile(
    r"under embargo|embargo(?:ed)? until|embargo (?:period|ends|expires)|full[- ]text (?:is )?(?:not|currently un|will be)"
    r"|request a copy|not (?:currently )?available (?:for download|in this repository)|restricted access until"
    r"|unterliegt einer sperrfrist|sous embargo|bajo embargo|sob embargo"
)
PREVIEW = re.compile(
    r"this is a preview|preview of (?:the|this)|only the first page|first page (?:preview|only|of)|purchase (?:access|article|pdf|this)"
    r"|to read the (?:full|rest)|continue reading|get full access|access to the full|buy (?:now|article|this)|log in to read"
)
OF_SUPPLEMENT = re.compile(r"(?:supplement(?:ary|al) )?(?:fig(?:ure|\.)|table|scheme|movie|text|note)s? ?s\d{1,2}\b")
CAPTION = re.compile(r"(?:fig(?:ure|\.)|table|abb(?:ildung|\.)|tabelle|scheme) ?\d{1,2}\b")
REVIEWER = re.compile(r"(?:(?:reviewer|referee) ?#? ?\d|reviewer comments|authors?'? (?:response|reply):)")
