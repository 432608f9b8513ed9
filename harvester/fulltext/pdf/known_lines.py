# ruff: noqa: E501, RUF001 - tables have long lines
"""What stands around the titles of articles: forms of lines that every journal, repository or author may have. Pure.

The tables are compared with single lines in lower case, with single spaces. `ALARMING` has words of documents that are
not the article: a line with one of them is never known.
"""

from __future__ import annotations

import re

# Words of the headings of theses, reviews, supplements, forms, and texts for the public or for teachers. No table can
# have them all. So a short line that no table of this module explains is a sign, too.
_ALARMING = (
    (
        # theses, and reports of students and projects
        r"\bthes[ie]s\b|dissertat|oppgave\b|avhandling|uppsats|examensarbete|\btutkielma|työ\b|väitöskirja|opinnäyte|scriptie|proefschrift"
        r"|afstudeer|\beindwerk|(?:master|bachelor|diplom|doktor|magister|prüfungs|studien|abschluss|haus|seminar)arbeit|\bpraca (?:magist|dypl|licenc|inż)"
        r"|\brozprawa\b|\b(?:mgr|inż)\. |á práce\b|\bdolgozat|szakdolg|zár[óo]dolg|diplomaterv|értekezés|\btez[i]?\b|\bödev|\bproje(?:si)? raporu"
        r"|диссертац|дипломн|курсов(?:ая|ой)|выпускн|квалификационн|отч[её]т|автореферат|διατριβή|πτυχιακ|διπλωματικ|\btesi(?:na|s)?\b|\btese\b|dissertação"
        r"|trabajo (?:de|fin)\b|trabalho (?:de|final)\b|mémoire d|\bthèse\b|rapport de stage|relazione (?:di|finale)|relatório|elaborato|prova finale"
        r"|(?:final|project|progress|grant|internship|placement|capstone|undergraduate|student|annual|activity) (?:year )?(?:project )?reports?\b|final[- ]year|year project"
        r"|(?:degree|grade|grad[eo]|grado|título|diplôme|licence|doktorgrad\w*|stopień|stopnia) (?:of|de|d[ou]|doktora)\b|partial fulfil|студенч"
        r"|doktorwürde|zur erlangung|habilitation|vorgelegt|facharbeit|projektbericht|praktikumsbericht|报告|報告書|レポート|보고서|60 (?:studiepoeng|credits)|\d+ (?:hp|ects)\b|論文(?:題目)?(?:提出|要旨)|学位|學位|毕业|畢業|卒業|修士|博士|结题|졸업|학위|رسالة|أطروحة|تخرج"
    ),
    (
        # reviews of manuscripts
        r"peer[- ]review (?!ed\b)|review (?:history|reports?|files?|comments?)|reviewers?\b|referees?\b|fagfellevurdering|gutacht|recenz(?:ja|n|e)|vertaisarvio|granskning"
        r"|évaluat|relecteurs|evaluadores|revisor[ie]|avaliadores|dictamen|beoordeling|bírálat|hakem|рецензи|отзыв|κριτ[ήέ]|评议|评审|审稿|査読|심사|تحكيم"
    ),
    (
        # texts about the article
        r"\binter-?library loan\b|\bdocument delivery\b|\bcopyright restrictions\b|\b(?:commentary|response|reply|rejoinder|critique) (?:on|to)\b|^\W{0,3}(?:discussion|closure|commentary|critique|review|reviewed|comments?|summary|summari[sz]ed|presented|annotated) (?:by|from)\b"
        r"|^\W{0,3}(?:a |an )?(?:summary|synopsis|critique|appraisal|discussion) of (?:the |an? )?(?:paper|article|study|book|work|thesis)\b"
    ),
    (
        # supplements and forms
        r"multimedia component|supplement|\bappendi(?:x|ces)\b|\bannex|\battachment|\banhang\b|\banlage\b|\bvedlegg|\bbilag|\bliite\b|\bzałącznik|\banexo|\ballegato|\bappendice"
        r"|\bbijlage|\bpříloh|\bmelléklet|^ek[- ]|приложени|παράρτημα|附录|附錄|付録|補遺|부록|ملحق|check ?list|checkliste|questionn?air|data management|datenmanagement"
        r"|gestione? (?:de|dei|des|di) |\bconsent\b(?!\.)|fragebogen|cuestionario|questionári|vragenlijst|dotazník|kérdőív|enkät|anket|kyselyl|опросник|анкета|问卷|質問|설문|استبيان|数据管理"
        r"|sjekkliste|lista (?:de|di) |grille de|statistical analysis plan|ethics (?:approval|committee)|case report form|data ?sheet\b|code ?book|read ?me\b|user (?:guide|manual)"
    ),
    (
        # for the public, politics and teachers
        r"policy (?:brief|note|paper)|press (?:release|notice|kit)|(?:news|media) (?:release|advisory|backgrounder|contact)|fact ?sheet|key messages|executive summary|briefing|lay summary|plain language"
        r"|teaching (?:notes?|guides?|materials?|cases?|resources?|plans?|units?|aids?|sheets?)|lecture notes?\b(?! in)|\bhand-?outs?\b|worksheet|lesson|exercises?\b|syllabus|pressemelding|pressemitteilung|medien(?:mitteilung|information)|komunikat|pressmeddelande"
        r"|\btiedote\b|tisková|sajtó|basın|пресс|δελτίο|新闻稿|報道|보도|بيان|slides?\b|\bposter\b|\bpresentation\b|speaker notes|webinar|infographic|interview with|\btalk\b|transcript"
    ),
)
ALARMING = tuple(map(re.compile, _ALARMING))

# Beginnings of lines, with dates or names after them, that no title of another document has.
_DATE = r"(?:received|revised|accepted|published|first published|submitted|available|available online|posted|issued|printed|recibido|aceptado|aprobado|publicado|recebido|aceito|reçu|accepté|publié|eingegangen|angenommen|ricevuto|accettato|поступила|принята|dated|geliş|kabul)"
STARTS = re.compile(
    rf"\W{{0,4}}(?:{_DATE}\b.{{0,60}}\d|(?:to |how to |please |pour |cómo |como |per )?(?:cite|citer|citar|citare)\b|(?:suggested |recommended )?citation\b"
    r"|zitier\w{1,8}\b|для цитирования|引用(?:格式|本文)|doi\b|https?:|www\.|e-?mails?\b|e?-?issn\b|orcid|tel(?:ephone)?\b|fax\b|\(c\)|©|copyright\b"
    r"|published (?:by|in|online|for|as)\b|open access\b|free access|check for updates|view (?:article|journal|issue|the article|pdf)|read online|metrics\b|article ?(?:recommendations|history|info|id|views)"
    r"|access$|contents lists? available|available (?:online(?=\W)|(?:online )?(?:at|from|in)\b)|journal (?:homepage|home page|pre-?proofs?)|homepage|the (?:current issue|journal)\b|this (?:journal|article|work|paper|is) "
    r"|reprints?\b|for (?:permissions|reprints|correspondence)|full terms|downloaded|edited by|reviewed by|editors?\b|editor-in-chief|(?:academic|handling|associate|guest|special issue|section) editors?|communicated by"
    r"|correspond\w{0,8}\b|key ?words|schlüsselwörter|mots[- ]clés|palabras clave|palavras[- ]chave|parole chiave|ключевые слова|关键词|キーワード|jel\b|msc\b|pacs\b|ams subject|ccs concepts|general terms"
    r"|(?:(?:authors?'?s?|accepted|submitted|final|peer[- ]reviewed|post-?print|personal) ){1,3}(?:manuscripts?|version|copy|draft)\b|manuscript (?:no|number|id|received|submitted)|nih public|hhs public|preprints?\b|draft\b|scientific (?:report|opinion)\b|typeset|prepared (?:for submission|using)"
    r"|under (?:review|submission) (?:as|at|for)|to (?:appear|be published) in|accepted (?:for|at|in|by)\b|submitted (?:for|to) (?:publication|the journal|journal)|in press|forthcoming|arxiv\b|hal id|stable url|accessed\b"
    r"|(?:author|title|source|journal|reference|pii|type|volume|article|language|publisher|rights|licen[cs]e|subject|mailing address|address|present address|received)s?(?:\(s\))?:"
    r"|type (?:of (?:the )?paper|original|review|research|mini|brief|perspective|methods)|dedicated to|special (?:issue|section|feature|collection)|thematic (?:issue|section)|theme issue|research topic|anonymous authors|paper under double|invited\b"
    r"|s[iı] supporting information$|noname manuscript|\(?will be inserted|(?:this|first|current|previous|latest|first|revised) (?:version|draft)\b|contributed equally|(?:the )?creative commons|cc[ -]by|all rights|some rights|(?:chapter|part|section) (?:\w{1,8}|\w{1,5}\W.{0,60})$|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[ivx]{1,5})$|kapitel \w{1,5}$|chapitre \w{1,5}$|capítulo \w{1,5}$|удк\b|udc\b|ббк\b|中图分类号|文献标识码|文章编号|a r t i c l e"
    r"|(?:member|senior member|fellow|student member),? (?:ieee|iee)|original (?:russian )?text\b|translated from|this page|page \d|member of|on behalf of|for the \w+|pleiades|received in)"
)

# A sentence of a publisher that leads to another document.
POINTS = re.compile(r"\W{0,3}(?:see |for (?:a |an )?(?:commentary|editorial|comment|supplement\w{0,5}),? see )")

# Titles in another language than the article: `Eine Untersuchung über Hänge`.
TRANSLATED = re.compile(
    r"(?:an? |the |eine? |une? |una? |uma |een |ett |et )?(?:study|investigation|untersuchung|studie|étude|estudio|studio"
    r"|estudo|onderzoek|undersøgelse|undersökning|undersøkelse|tutkimus|исследование)"
    r" (?:of|on|into|über|zu|zum|zur|sur|de|del|della|des|sobre|su|sulla|over|naar|av|af|om) "
)

# Labels of sections in which journals print articles: words before a noun, and the noun.
_MODIFIERS = (
    r"(?:original|research|regular|full|full[- ]length|long|short|brief|rapid|review|invited|contributed|feature|featured|technical|scientific|systematic|narrative|scoping|mini|clinical|experimental|theoretical|basic"
    r"|applied|methodological|methodology|data|case|conceptual|empirical|peer[- ]?reviewed|topical|conference|position|discussion|working|open|preliminary|pilot|observational|quantitative|qualitative|special|main|academic|refereed"
    r"|professional|critical|literature|theory|method|software|tool|general|interdisciplinary|comparative|selected|leading|and|of the (?:month|year|issue)|human|animal)"
)
_NOUNS = (
    r"(?:articles?|papers?|research|letters?(?: to the editors?)?|communications?|studies|study|editorials?|perspectives?|opinions?|essays?|viewpoints?|correspondence|surveys?|tutorials?|reviews? articles?|review|mini-?review"
    r"|commentar(?:y|ies)|note|investigations?|contributions?|methods?|methodology|resources?|database|software|meta-?analys[ie]s|trials?|descriptor|features?|forum|preprint|debate|hypothes[ie]s|discovery|insights?|focus|tools|analys[ie]s"
    r"|(?:case|brief|short|research|technical|scientific|working|preliminary|rapid) (?:reports?|series|notes?)|reports|(?:data|application|working) notes?|book chapter|proceedings paper|survey and summary|historical note)"
)
_FOREIGN = (
    r"originalarbeit(?:en)?|originalia|übersicht(?:sarbeit(?:en)?|sartikel)?|aufsatz|aufsätze|beitr[aä]ge?|hauptbeiträge|abhandlung(?:en)?|forschungs(?:artikel|beitrag)|kurz(?:mitteilung|beitrag)(?:en)?|fallbericht|kasuistik(?:en)?|schwerpunkt|essay"
    r"|(?:wissenschaftliche|begutachtete)r? (?:beitr[aä]ge?|artikel|aufsatz)|leitthema|artikel(?:en|er)?|original ?artikel|articles? (?:originaux|original|de (?:recherche|synthèse|revue)|scientifique)|mise au point|revue (?:générale|de la littérature)"
    r"|cas clinique|recherches?|études?|note de recherche|varia|dossier(?: thématique)?|travaux originaux|art[ií]culos?(?: (?:originale?s?|de (?:investigaci[oó]n|revisi[oó]n|reflexi[oó]n)|cient[ií]ficos?))?|comunicaci[oó]n(?:es)? (?:breve|corta)s?"
    r"|nota (?:t[eé]cnica|cient[ií]fica|de pesquisa)|(?:reporte|relato|informe) de caso|caso cl[ií]nico|revisi[oó]n(?: de tema)?|revisão(?: de literatura)?|investigaci[oó]n|estudios?|ensay?i?os?|artigos?(?: (?:originais|original|de (?:revisão|pesquisa|opinião)|científicos?|livres?))?"
    r"|trabalhos? originais|articol[oi](?: original[ei]| di ricerca)?|contribut[oi](?: original[ei])?|saggi[o]?|rassegn[ae]|oorspronkelijk (?:artikel|stuk)|originalartikkel|vitenskapelig artikkel|fagfellevurdert(?: artikkel)?|originalarbete|vetenskaplig artikel"
    r"|alkuperäistutkimus|artikkeli|katsaus|artykuły?(?: (?:oryginaln[ye]|naukow[ye]|przeglądow[ye]|badawcz[ye]))?|prac[ae] (?:oryginaln|poglądow|przeglądow)[ae]|původní (?:práce|článek|články|sdělení)|přehledový článek|články|studie"
    r"|eredeti közlemény(?:ek)?|közlemény(?:ek)?|tanulmány(?:ok)?|összefoglaló(?: közlemény)?|araştırma(?: makalesi)?|özgün (?:araştırma|makale)|derleme(?: makalesi)?|makale|olgu sunumu"
    r"|оригинальн(?:ая|ые) (?:стать[яи]|исследовани[яе])|научн(?:ая|ые) стать[яи]|стать[яи]|обзор(?:ы|ная статья)?|краткие? сообщени[ея]|исследования|άρθρ[οα]|πρωτότυπη εργασία|ερευνητικ[ήό] (?:εργασία|άρθρο)|ανασκόπηση"
    r"|研究论文|研究論文|学术论文|论文|論文|综述|論著|论著|原著(?:論文)?|総説|短報|研究ノート|研究报道|논문|원저|연구 ?논문|종설|مقال(?:ة)?(?: أصلية| علمية| بحثية)?|بحث(?: أصلي| علمي)?"
)
_LABEL = rf"(?:(?:{_MODIFIERS}[ -]){{0,4}}{_NOUNS}|{_FOREIGN}|open(?: access)?|{_MODIFIERS} {_MODIFIERS} articles?)"
LABEL = re.compile(
    rf"\W{{0,3}}{_LABEL}(?:[\s/|•·,:()–-]{{1,4}}{_LABEL}){{0,3}}(?: (?:of the (?:month|year|issue)|of [a-z]{2, 12}|open|\d{{1,3}}))?\W{{0,3}}$"
)

# Fields of study, in which journals sort their articles.
_FIELD = (
    r"(?:[^\W\d_]{2,20}(?:olog(?:y|ies|ie|[ií]a)|istry|graphy|nomics?|ometrics|omics|netics|physics|matics|dynamics|ysis|nomy|science|sciences|medicine|engineering|surgery|iatry|iatrics|therapy|economics|linguistics|politics|ethics)"
    r"|[^\W\d_]{2,16}ics|physics|science|sciences|medicine|genome|mining|text|analysis|translational|training|cell|cellular|molecular|systems|statistics|philosophy|history|law|education|arts?|humanities|literature|languages?|cultural|culture|social|society|health|public|nursing|dentistry|cardiovascular|cancer"
    r"|environmental|environment|earth|life|space|climate|energy|water|materials?|chemical|biological|medical|biomedical|political|applied|theoretical|experimental|high|energy|particle|nuclear|plasma|quantum|condensed|matter|theory|solid|state"
    r"|computer|computing|computational|information|data|network(?:s|ing)?|mechanics|optics|polymers?|food|plant|animal|marine|agricultur(?:e|al)|forest(?:ry)?|veterinary|human|behaviou?ral|development(?:al)?|evolution(?:ary)?|structural"
    r"|gender|media|film|music|religion|religious|european|american|african|asian|international|urban|regional|rural|business|management|finance|marketing|policy|psychological|cognitive|clinical|internal|general|special|mathematical|physical|pure|studies|research)"
)
FIELD = re.compile(rf"(?:{_FIELD}(?:,? (?:and|&|of|in|for|/) ?|, ?| ?/ ?|[ -])){{0,5}}{_FIELD}$")

# Names of journals, series, publishers and conferences.
JOURNAL = re.compile(
    r"\b(?:journals?|handbook|encyclop[a-z]{3,6}|companion to|j\.|annals|annales|annali|acta|archiv(?:es?|um|io|os)?|bulletin|bolet[ií]n|bollettino|proceedings|procedia|transactions|letters|quarterly|revista|revue|rivista|zeitschrift|jahrbuch|jahrbücher|tijdschrift|tidss?krift|časopis"
    r"|czasopismo|roczniki?|zeszyty|cahiers|cuadernos|cadernos|quaderni|közlemények|szemle|dergisi|вестник|журнал|известия|труды|περιοδικό|magazine|gazette|review of|reviews? (?:in|of)|studies in|advances in|frontiers (?:in|of)|progress in"
    r"|research in|lecture notes in|perspectives (?:in|on)|current opinion|trends in|nature|plos|bmc|discussion papers?(?: series)?|working papers?(?: series)?|(?:technical|research|working) report(?: series)?"
    r"|(?:publishing|publishers?|verlag|publications|éditions|editora|editorial)(?: (?:group|corporation|company|ltd\.?|limited|inc\.?|house))?$|(?:[^\W\d_]{3,20} ){1,3}press$|advances$|elsevier|springer|wiley|taylor & francis|sage\b|mdpi"
    r"|(?:\d{1,3}(?:st|nd|rd|th)|annual|international|european|world|joint) .{0,60}(?:conference|symposium|workshop|congress|meeting)|(?:conference|symposium|workshop|congress) (?:on|of|series)\b|symposium\b)"
    r"|学报|學報|杂志|期刊|学刊|学会誌|論文集|紀要|ジャーナル|학회지|논문지|학보|مجلة"
)
# Volume, year and pages.
CITATION = re.compile(
    r"\d ?\(\d{4}\)|\(\d{4}\),? ?\d|\d ?\(\d{1,3}(?:[-/]\d{1,3})?\)|\bvol(?:ume|\.|:)? ?:?\(?[\divx]|\bissue \d|\bpp\.? ?\d|\bpages \d|\d{4}[;:,] ?\d{1,4}[ :;(,]|\bart(?:icle|\.)? (?:id|no|number)?\.? ?\d{3}"
    r"|\d ?[:,] ?[a-z]?\d{1,6} ?[-–−] ?[a-z]?\d|\bn(?:úm|º|o|r)\.? ?\d{1,4}, .{0,30}(?:1[89]|20)\d\d|\bjg\. ?\d|\bbd\.? ?\d|\bheft \d|\bs\. \d{1,4} ?- ?\d|т(?:ом|\.) ?\d|№ ?\d|第\d{1,4}[卷期巻号]|제 ?\d{1,4} ?[권호]|\b\d{1,4}[,:] [a-z]?\d{1,7} \(\d{4}\)"
    r"|a\d{1,4} \(\d{4}\)|\(\d{1,3}pp\)"
)
# Parts that dates, numbers and addresses have: nothing else is left of a line of these.
PARTS = re.compile(
    r"https?:\S+|www\.\S+|(?<!\S)[^\s@]{1,60}@\S+|(?<!\S)\S{1,60}\.(?:com|org|net|edu|gov|test|example)\b|\bdoi:?\b|10\.\d{4,9}/\S+|\d[\d.,/:;–−-]*(?:st|nd|rd|th)?"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?|\b(?:spring|summer|autumn|fall|winter)\b"
    r"|\b(?:januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
    r"|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря)\b"
    r"|\b(?:vol|volume|no|nr|issue|pages?|pp?|issn|isbn|id|print|online|version|date|am|pm|of|and|de|the)\b\.?|年|月|日|卷|期|号|巻|년|월|일"
)
# A number of a report: capitals with figures.
NUMBERED = re.compile(
    r"[A-Z][A-Z]{1,12}\d{2,4}[-/]\d{1,4}$|[A-Z][A-Za-z]{0,12}(?:[-/{. ][A-Z]{1,12}){0,4}(?: No\.?)?[-/{. ]{1,2}\d{1,7}(?:[-/{.]\w{1,8}){0,3}$"
)

# Institutions.
ACADEMY = re.compile(
    r"universi|institut|\bfacult|\bfakult|departa?e?ment|\bdept\b|\bdep\.|\bschool\b|\bcollege\b|hospital|\bhôpital|\bclinic|klinik|\bcent(?:er|re|ro)\b|\blaborator|\bacademy\b|akadem|hochschule|\bpolitec|\bpolytech|\bécole\b|\bobservato|\bdivision of"
    r"|\bministry\b|\bfoundation\b|\bmuseum\b|\bsociety\b|\bcouncil\b|committee\b|\bcommission\b|\bauthority\b|\bassociation\b|\bconsortium\b|\bagency\b|\bbank\b|\bcnrs\b|\binserm\b|\binria\b|\bcsic\b|\bcnr\b|\binc\.?$|\bltd\b|\bgmbh\b|\bunit\b|\bgroup\b|\bcorporation\b|\borgani[sz]ation\b|\bcompany\b|\blabs?\b|\bresearch$|\bstatistics\b|\bpo box|\bstreet\b|\broad\b|\bavenue\b|straße|rue\b"
    r"|wydział|uniwersytet|egyetem|üniversite|yliopisto|katedra|ústav|tanszék|университет|институт|академи|кафедра|факультет|πανεπιστ|τμήμα|大学(?!生)|大學(?!生)|学院|學院|研究所|研究院|研究室|医院|病院|대학|연구소|연구원|병원|جامعة|كلية|معهد"
)
