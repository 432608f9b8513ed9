# ruff: noqa: E501 - tables have long lines
"""The first words of documents that are not the work itself, in the languages of the field: tables. Pure.

`WHOLE` are complete lines. `BEGINNING` are beginnings of longer lines, with which no sentence of an article begins.
Both are compared with single lines from the top of a page, in lower case, with single spaces.
"""

from __future__ import annotations

import re

from gateway.core.model import DocumentKind

_N, _S, _R = DocumentKind.NOTICE, DocumentKind.SUPPLEMENT, DocumentKind.REVIEW
_F, _P, _T = DocumentKind.FRONT_MATTER, DocumentKind.PREVIEW, DocumentKind.THESIS
_V = DocumentKind.VOLUME

_WHOLE = (
    (
        _N,
        (
            r"(?:(?:author|publisher|editor)'?s? ?)?(?:errat(?:um|a)|corrigend(?:um|a)|addend(?:um|a)|corrections?)"
            r"|(?:partial )?retraction(?: note| notice| statement)?|retracted(?: article)?|withdrawn|withdrawal(?: notice)?"
            r"|removal notice|notice of (?:retraction|withdrawal|removal|correction|concern)|(?:editorial )?expression of concern"
            r"|editorial (?:notice|note)|editor's note|errata corrige|berichtigung|korrektur|correctif|rectificatif"
            r"|fe de erratas?|correcci[oó]n|retractaci[oó]n|errata e corrigenda|errate|retratação|опечатки|исправление"
            r"|(?:press|media|news) release|for immediate release|pressemitteilung|medienmitteilung|communiqué de presse"
            r"|comunicado de prensa|nota de prensa|comunicato stampa|persbericht"
            r"|(?:a )?(?:plain[- ]language|lay(?:man'?s|person'?s)?|easy[- ]read) (?:summar(?:y|ies)|abstract)(?: of publications?)?|summary for lay readers"
            r"|zusammenfassung in (?:leichter|einfacher) sprache|résumé (?:en langage clair|vulgarisé)|resumen en lenguaje sencillo"
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
            r"|si appendix|appendix s\d{1,2}|s\d{1,2} (?:appendix|supporting information)"
            r"|additional files? \d{1,2}|appendix [a-z]?\.? ?supplementary (?:data|material)|(?:(?:online|web|technical|data) )?appendi(?:x|ces)(?:\W{1,4}not for publication\)?)?|reporting summary"
            r"|(?:list of )?(?:figures|tables)(?: and (?:figures|tables|captions|legends))?|figure (?:captions|legends)"
            r"|read ?me(?:\.(?:txt|md|pdf))?(?: file)?|code ?book|data dictionary|data description"
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
            r"|(?:review(?:er)?|referee)(?:'s)? (?:report|comments)(?: ?#? ?\d)?|open (?:peer )?review|interactive comment"
        ),
    ),
    (
        _F,
        (
            r"in this issue|editorial board|masthead|front ?matter|back ?matter|cover (?:image|picture)|impressum"
            r"|(?:instructions|guidelines|information) (?:for|to) authors|author guidelines|call for papers"
            r"|(?:copyright transfer|license|author|publishing|deposit) (?:agreement|form)|issue information|author index"
            r"|(?:list of )?(?:selected )?publications(?: list)?|publication list|curriculum vitae|search results|order form"
            r"|(?:search )?results \d{1,5} ?- ?\d{1,5} of [\d,.]{1,11}|showing \d{1,5} of [\d,.]{1,11} results"
            r"|about [\d,.]{1,11} results|search results \([\d,.]{1,11}\)"
            r"|publikationsliste|schriftenverzeichnis|liste des publications|bestellformular"
        ),
    ),
    (
        _P,
        (
            r"(?:first[- ]page |article |book )?preview(?: page)?|first page|this is a preview|look inside|excerpt"
            r"|graphical abstract|(?:toc|table of contents) graphic"
            r"|(?:free )?sample(?: pages?| chapter| copy)?|leseprobe|extrait|extracto|estratto|muestra|specimen copy"
        ),
    ),
    (_V, r"(?:collected )?(?:book of abstracts|abstracts? book|abstract volume|conference abstracts)|tagungsband"),
    (
        _T,
        (
            r"(?:(?:ph\.? ?d\.?|doctoral|master'?s?|bachelor'?s?|m\.? ?sc\.?|b\.? ?sc\.?|mba|honou?rs|diploma) )?"
            r"(?:thesis|dissertation)|(?:inaugural-?|kumulative |publikationsbasierte )?dissertation(?:sschrift)?"
            r"|(?:master|bachelor|diplom|doktor|magister|habilitations?|lizentiats)-?(?:arbeit|schrift|thesis)"
            r"|(?:thèse|mémoire) (?:de|en) (?:doctorat|master|maîtrise).{0,60}|thèse|tesis(?: doctoral| de .{1,40})?"
            r"|tese(?: de .{1,40})?|dissertação(?: de .{1,40})?|trabajo (?:de )?fin de (?:grado|m[aá]ster)"
            r"|tesi di (?:laurea|dottorato).{0,60}|proefschrift|academisch proefschrift|akademisk avhandling|doktorsavhandling"
            r"|(?:master|bachelor|diplom)-?proef|scriptie|afstudeer(?:werk|scriptie)|abschlussarbeit|studienarbeit"
            r"|πτυχιακή εργασία|διπλωματική εργασία|διδακτορική διατριβή|μεταπτυχιακή (?:εργασία|διατριβή)"
            r"|szakdolgozat|diplomamunka|doktori (?:\(phd\) )?értekezés|kandidatuppsats|examensarbete.{0,40}|masteroppgave"
            r"|kandidatspeciale|opinnäytetyö|pro gradu.{0,20}|praca (?:dyplomowa|licencjacka|inżynierska)|diplomski rad"
            r"|doktorska disertacija|teză de doctorat|дисертація|магистерская диссертация|выпускная квалификационная работа"
            r"|毕业设计|毕业论文|學位論文|학위논문|卒業論文"
            r"|(?:doctor|master|bachelor) of (?:philosophy|science|arts|engineering|education|laws?|medicine|music|theology"
            r"|fine arts|business administration|public health|applied science|philosophie)(?: (?:in|of) .{1,60})?"
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
            r"|(?:(?:research|article|paper) highlights?|summary for policy ?makers|(?:executive|author|video) summary|(?:news |research )?in brief|news (?:and|&) views)\W{0,3}$"
            r"|plain[- ]language summary (?:of|for)\b|in reply(?: to\b|:)|author'?s?'? repl(?:y|ies)|reply from the authors?|kommentar zu\b|erwiderung auf\b"
            r"|(?:press|media|news) release\b|translat(?:ion|ed) (?:of|from)\b|übersetzung (?:von|aus|des|der)\b"
            r"|traduction (?:de|du)\b|traducción (?:de|del)\b"
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
            r"|read ?me (?:for|to|file)\b|(?:description|documentation) of (?:the )?(?:data|data ?set|files)\b"
            r"|data ?set (?:documentation|description)\b|data (?:documentation|description|dictionary) for\b|data from:"
            r"|th(?:is|e|ese) (?:data ?sets?|data|files?) (?:belongs? to|accompan(?:y|ies)) (?:the|this|our) "
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
            r"(?:showing |results? |displaying )\d{1,6} ?(?:-|to) ?\d{1,6} of \d|your search (?:for|returned)\b"
            r"|this item is (?:under|subject to an?) embargo|the full text (?:of this item )?is (?:not|currently un)"
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
            r"|(?:tese|dissertação) ?apresentada|(?:genehmigte|vorgelegte) dissertation|(?:master|bachelor)proef\b|(?:master|bachelor)arbeit\b"
            r"|ter verkrijging van\b|akademisk avhandling\b|akademische avhandling\b|väitöskirja\b|диссертация на соискание"
            r"|(?:a )?(?:ph\.? ?d\.?|doctoral|master'?s?|m\.? ?sc\.?) (?:thesis|dissertation)\b|dissertations? (?:no|nr)\b"
        ),
    ),
)


def _table(rows: tuple[tuple[DocumentKind, str], ...], end: str) -> tuple[tuple[DocumentKind, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(f"(?:{pattern}){end}")) for kind, pattern in rows)


WHOLE = _table(_WHOLE, r"\W{0,3}$")
BEGINNING = _table(_BEGINNING, "")

# The headings of the parts of an article, alone on their line, with any number before them.
_NUMBER = r"(?:[\divx]{1,4}[.)]? ?)?"
ABSTRACT = re.compile(
    r"(?:a ?b ?s ?t ?r ?a ?c ?t|summary|zusammenfassung|kurzfassung|résumé|resumen|resumo|riassunto|samenvatting"
    r"|sammanfattning|streszczenie|аннотация|摘要|要旨)\b"
)
INTRODUCTION = re.compile(
    rf"{_NUMBER}(?:introduction|background|einleitung|einführung|introducci[oó]n|introdução|introduzione|inleiding"
    rf"|введение|はじめに|引言)\b.{{0,40}}$"
)
# A section with a letter or the number 1: `A. Proofs of the theorems`.
LETTERED = re.compile(r"(?:appendix )?([1abc])[.:] ?[^\W\d_]{3,20}(?: .{2,60})?$")
# The sections of an article, alone on their line.
SECTION = re.compile(
    rf"{_NUMBER}(?:(?P<begin>introduction|background|motivation|objectives?|aims?|einleitung|hintergrund|introducci[oó]n|introdução|introduzione)"
    r"|(?P<method>(?:materials? (?:and|&) |data (?:and|&) )?methods?|methodology|approach|methode[nk]?|methodik|méthodes?|métodos?|metodología|metodologia|metodi)"
    r"|(?P<result>(?:main |key )?results?|(?:key )?findings|ergebnisse|résultats|resultados|risultati)"
    r"|(?P<talk>discussion|diskussion|discusión|discussão|discussione)|(?P<end>conclusions?|outlook|summary|fazit|ausblick|schlussfolgerung(?:en)?|conclusi(?:ones|ón|ões)|conclusão|conclusioni))\W{0,3}$"
)
REFERENCES = re.compile(
    rf"{_NUMBER}(?:references?(?: and notes| cited)?|bibliography|literature(?: cited)?|literatur(?:verzeichnis)?|works cited"
    rf"|références(?: bibliographiques)?|bibliographie|referencias(?: bibliográficas)?|bibliograf[ií]a|referências"
    rf"(?: bibliográficas)?|riferimenti(?: bibliografici)?|literatuur|bibliografie|notes|endnotes|список литературы"
    rf"|литература|参考文献|參考文獻|引用文献|参考资料|참고 ?문헌|literatura|irodalom(?:jegyzék)?|kaynak(?:ça|lar)|referenser|referanser"
    rf"|referencer|litteratur(?:liste|förteckning)?|lähteet|kirjallisuus|література|βιβλιογραφία|المراجع|anmerkungen|fußnoten|notas"
    rf"|note|quellen(?:verzeichnis)?|(?:список )?использованн(?:ая|ой|ые) (?:литератур[аы]|источники))\W{{0,3}}$"
)
# A letter to an author about a submission.
SALUTATION = re.compile(r"dear (?:dr|prof|mr|ms|mrs|author|editor|colleague|sir|madam)")
SUBMISSION = re.compile(r"\b(?:your|the|revised) (?:manuscript|submission)\b|\breviewers?\b|\breferees?\b")
# Lines below the last sentence of a note.
CLOSING = re.compile(
    r"(?:acknowledge?ments?|funding|(?:declaration of )?(?:competing|conflicts? of) interests?|author contributions?"
    r"|danksagung|remerciements|agradecimientos|ringraziamenti|dankwoord|благодарности|謝辞|致谢)(?:\W.{0,160})?$"
)
CONTENTS = re.compile(
    r"(?:(?:table of |issue )?contents|in this issue|inhalt(?:sverzeichnis)?|sommaire|table des matières|sumario|sumário"
    r"|[ií]ndice|sommario|inhoud(?:sopgave)?|spis treści|obsah|содержание|оглавление|目次|目录)\W{0,3}$"
)
# A line of contents: words, and the number of a page at the end.
CONTENTS_LINE = re.compile(r"[\w?!)\]\"'][\s.…·_]{1,120}+(?:\d{1,4}|[ivxl]{1,6})$")
# The supervisor of a thesis, and the university.
SUPERVISED = re.compile(
    r"(?:(?:thesis )?(?:co-?)?(?:supervisors?|advis[eo]rs?|promot[eo]r(?:en|s|es)?|begeleider|betreuer(?:in)?|gutachter(?:in)?"
    r"|erstgutachter(?:in)?|referent|directeurs? de (?:thèse|mémoire)|encadrant|director(?:a|es)? de (?:la )?tesis|tutor(?:a|es)?"
    r"|orientador(?:a|es)?|relator[ei]|handledare|veileder|vejleder|ohjaaja|vedoucí (?:diplomové )?práce|promotor pracy"
    r"|témavezető|επιβλέπ(?:ων|ουσα)|научный руководитель|danışman)\b|指导教师|导师|指導教員|學生姓名|学号|学 号)"  # noqa: RUF001
)
ACADEMY = re.compile(
    r"universit|université|universidad|università|universidade|fakult|facult|college|hochschule|departement|department of|πανεπιστ"
    r"|университет|大学|大學|学院|egyetem|üniversite|yliopisto|uczelnia|politechnik"
)
EDITED = re.compile(
    r"\bedited by\b|\beditors?\b\s?[:,]|\(eds?\.?\)|\(hrsg\.?\)|herausgegeben von|\(hg\.\)|\(éds?\.\)|sous la direction de"
    r"|editad[oa]s? por|organizador(?:es)?\b|a cura di|\bproceedings of (?:the|a)\b|book of abstracts|tagungsband|abstract book"
)
# The covers that repositories put before their files.
COVER = re.compile(
    r"this is a repository copy of|citation for published version|downloaded from .{0,60}repository|white rose research"
    r"|view metadata, citation and similar papers|hal is a multi-?disciplinary|hal id:|follow this and additional works"
    r"|recommended citation|link to publication|take ?down policy|general rights|document version|this version is available"
    r"|stable url:|persistent (?:url|link)|enlighten|research explorer|archive ouverte|zurich open repository|nutzungsbedingungen"
    r"|escholarship|permalink|terms of use|this document has been downloaded|repositório|repositorio institucional"
)
# Other links of a publisher's header beside the one to the supplement: ACS's buttons, the margin of AGU.
HEADER_LINKS = re.compile(
    r"(?:access|metrics (?:&|and) more|article recommendations|read online|cite this:?|key points:?|citation:|full paper"
    r"|(?:research )?article|(?:view|download) .{1,40}|check for updates)\W{0,3}$|(?:cite this|citation): ."
)
EMBARGO = re.compile(
    r"under embargo|embargo(?:ed)? until|embargo (?:period|ends|expires)|full[- ]text (?:is )?(?:not|currently un|will be)"
    r"|request a copy|not (?:currently )?available (?:for download|in this repository)|restricted access until"
    r"|unterliegt einer sperrfrist|sous embargo|bajo embargo|sob embargo"
)
# Headings of supplements, even if the rest looks like an article: `Supporting Information for`.
SUPPLEMENT = re.compile(
    r"(?:online |electronic )?(?:supplement(?:ary|al)|supporting)(?: online)?"
    r" (?:information|materials?|data|text|appendix|methods|notes?|files?)(?: \(?e?si\)?)?(?: (?:for|to|of|accompanying))?\W{0,3}$"
    r"|(?:(?:e|online|web|electronic|supplementary )[- ]?(?:appendix|supplement)|si appendix|appendix s\d{1,2}"
    r"|s\d{1,2} (?:appendix|supporting information))\W{0,3}$"
)
# Covers that state restricted access, without a day at which it ends.
SHUT_LINE = re.compile(
    r"(?:(?:access|availability|status|rights|access rights|licen[cs]e)\W{1,3})?(?:access (?:is )?restricted|restricted access"
    r"|closed access|embargoed(?: access)?|under (?:permanent |indefinite )?embargo|(?:permanent|indefinite) embargo"
    r"|embargo(?:ed)?(?: (?:end|ends|expires|until|till|period|length|date)){0,2}:? (?:permanent(?:ly)?|indefinite(?:ly)?|for ever"
    r"|forever|unlimited|until further notice|9999\S{0,6}|\d{1,2} months?(?: (?:from|after|since) .{1,60})?)|(?:strictly )?confidential|restricted to (?:repository staff|registered users)(?: only)?"
    r"|full[- ]text (?:is )?(?:currently )?(?:not available|unavailable))\W{0,3}$"
)
SHUT = re.compile(
    r"\b(?:this|the) (?:full[- ]text|item|thesis|dissertation|document|file|version|article|manuscript|paper|work|pdf|record)"
    r"(?: of this .{1,20})? (?:is|are|remains|has been|was)(?: currently| still)? (?:(?:placed )?under (?:an? )?|subject to (?:an? )?)?"
    r"(?:permanent(?:ly)? |indefinite(?:ly)? |\d{1,2}[- ]months? )?(?:embargo(?:ed)?\b|restricted access\b|closed access\b)"
    r"|\bunder (?:an? )?(?:permanent|indefinite|perpetual) embargo\b|\b(?:permanent|indefinite)ly embargoed\b"
    r"|\bembargo(?:ed)? (?:permanently|indefinitely|for ever|forever|(?:until|till):? (?:further notice|[2-9]\d{3}\b))"
    r"|\baccess to (?:this|the) (?:item|thesis|dissertation|document|file|full[- ]text|version|manuscript|work) is (?:restricted\b|limited to\b|only for\b)"
    r"|\b(?:this|the) (?:full[- ]text|item|thesis|dissertation|document|file|version|article|manuscript|work|pdf) is not available for (?:public|general) (?:download|access|release)\b"
)
PREVIEW = re.compile(
    r"(?:this is|you are reading|you have read|end of) (?:a |the |this )?(?:free )?(?:preview|sample|excerpt|extract|specimen)"
    r"|preview of (?:the|this)|only the first (?:page|\d{1,2} pages|few pages|pages)|first page (?:preview|only|of)|look inside"
    r"|(?:this|the|free) (?:preview|sample|excerpt) (?:shows|contains|has|ends|includes|consists|is)"
    r"|(?:pages? \d{1,4} (?:-|to|and) \d{1,4}|(?:the )?(?:other|remaining|following) pages) (?:is|are) not (?:shown|included|part|available)"
    r"|(?:purchase|buy|order|get) (?:now|access|(?:the |this )?(?:pdf|(?:full |whole |complete )?(?:article|text|version|book|chapter|issue|paper)))"
    r"|to (?:read|see|get|view|buy|access) the (?:full|rest|whole|complete|entire)|continue reading|get full access|access to the full"
    r"|the (?:full|complete|whole|entire) (?:text|article|work|version|chapter|book|document) (?:is|can be|may be|must be)"
    r" (?:available|bought|purchased|ordered|obtained|found|read|had)|log in to read|sign in to (?:read|continue)"
)
# Lines of printed web pages.
PRINTED = re.compile(
    r"download (?:pdf|full text|article|citation|options)|export citation|cite (?:this|item)|add to (?:cart|basket|favorites)|sign in"
    r"|log ?in|skip to (?:main )?content|view/ ?open|show full item|full item page|share (?:this|on)|cookie (?:policy|settings)"
    r"|privacy policy|browse (?:by|all)|advanced search|home >|related (?:items|articles)|create (?:an )?account|page \d of \d \d\d?/"
    r"|my account|submit your|journal home|contact us|statistics|files in this item|e-?mail (?:alert|this)|view (?:pdf|metrics)"
)
# Lines of flyers and order forms for books.
SOLD = re.compile(
    r"order (?:now|form|online|your|at|from)|discount|(?:hardback|hardcover|paperback|softcover|e-?book)[^\d\n]{0,30}[$€£]"
    r"|[$€£] ?\d{1,4}[.,]\d\d|isbn(?:-1[03])?:? ?97[89]|how to order|shipping|publication date|(?:eur|usd|gbp|chf) ?\d{1,4}[.,]\d\d"
)
# A watermark, which engines put at the end of a line with its own capitals, or a line above the title.
WATERMARK = re.compile(r"(?m)(?<![A-Z])(?:RETRACTED(?: ARTICLE| PAPER)?|Retracted (?:[Aa]rticle|[Pp]aper))\s?$")
RETRACTED = re.compile(r"\W{0,3}retracted(?: article| paper| manuscript)?(?:\W.{0,40}|\d.{0,40})?$")
OF_SUPPLEMENT = re.compile(r"(?:supplement(?:ary|al) )?(?:fig(?:ure|\.)|table|scheme|movie|text|note)s? ?s\d{1,2}\b")
# An entry in a list of the files of a data set: `2. depth.csv: one row for each well`.
DATA_FILE = re.compile(
    r"(?:[\w()]{1,4}[.)] ?|[-*\u2022] ?|file(?: name)? ?:? ?)?[\w/-][\w./-]{0,40}\.(?:csv|tsv|xlsx?|txt|sav|dta|rds|rdata|mat|nc|zip|json)\b"
)
CAPTION = re.compile(r"(?:fig(?:ure|\.)|table|abb(?:ildung|\.)|tabelle|scheme) ?\d{1,2}\b")
REVIEWER = re.compile(r"(?:(?:reviewer|referee) ?#? ?\d|reviewer comments|authors?'? (?:response|reply):)")
# Sentences of a review: what it asks of the authors, and what it recommends.
REVIEWING = re.compile(
    r"\b(?P<authors>the authors? (?:should|need|must|ha(?:s|ve) not|do(?:es)? not|did not|could|may|might|claim|state|argue|present|explain|clarify|address))\b"
    r"|\b(?P<please>please (?:clarify|explain|provide|add|specify|correct|rephrase|discuss|define|cite|check|consider|state|include))\b"
    r"|\b(?P<manuscript>(?:the|this) manuscript (?:is|has|would|should|needs|presents|describes|could|lacks|be))\b"
    r"|\b(?P<revision>(?:major|minor) (?:revisions?|comments?|concerns?|points?|issues?))\b"
    r"|\b(?P<opinion>i (?:would )?(?:recommend|suggest|believe|find|have (?:read|reviewed|several|some|a few)|am not convinced|do not understand)|it is (?:unclear|not clear)(?: to me)?)\b"
)
