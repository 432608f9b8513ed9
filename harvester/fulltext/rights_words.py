# ruff: noqa: E501, RUF001 - tables have long lines and words of many languages
"""Sentences about rights: whether a licence in one is that of this very copy, and whether one reserves all rights. Pure.

A licence does not belong to the copy if its sentence is about the metadata, the site, a part of the work or another
work. It does not count either if the sentence denies it, announces it, offers it, or is a policy. The words are tables
with a row for each reason; each row has the languages of the field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gateway.fulltext.licenses import is_open, license_of

LONGEST = 1_200  # characters of a text that are read
_NAME = "CC"  # stands for the name of a licence
_LONGEST_QUOTE = 90
_LONGEST_LABEL = 60  # characters of a line before the licence
_NEAR, _BEHIND = 300, 60  # characters before and after the name of a licence
_SIGNS = str.maketrans("\u2018\u2019\u00b4", "'''")
_BREAK = re.compile(r"(?<=[.!?;])(?<![\s.(][^\W\d_]\.) (?=[^\W\d_])|(?<=。)")  # in a text with single spaces
# A sentence that takes its subject from the one before it.
_FOLLOWS = re.compile(
    r"(?i)\W{0,3}(?:it|they|these|licen[cs]e|lizenz|sie|er|es|il|elle|die lizenz|the licen[cs]e|this licen[cs]e)\b"
)

# Phrases of right statements that have words of the tables below; they are removed first.
_HARMLESS = re.compile(
    r"\b(?:unless|except(?: where| as)?|if|where|when|save where)(?: not)? (?:otherwise|differently|indicated otherwise|noted|stated)(?: (?:noted|stated|indicated|specified|credited|marked))?"
    r"|\b(?:if|whether) (?:any )?(?:changes|modifications)\b|\bif applicable\b|\bnot[- ]for[- ]profit\b|\bnot (?:only|limited)\b"
    r"|\b(?:soweit|sofern|wenn|falls|wo) (?:nicht|nichts) (?:anders|anderes|anderweitig)\w*|\bnicht[- ]?kommerziell\w*|\bkeine bearbeitung\w*"
    r"|\bsauf (?:mention|indication) contraire|\bpas d'utilisation commerciale|\bpas de modifications?\b"
    r"|\b(?:salvo|excepto)(?: que| donde| cuando| onde| indicação| indicación)? ?(?:se )?(?:indique|indicado|indica|em|en)?(?: lo)? ?contr[aá]rio|\bno[- ]comercial\b|\bsin (?:obra )?deriva\w*"
    r"|\b(?:se|ove|salvo) (?:non )?(?:diversamente|diversa|altrimenti)\w*|\bnon[- ]?commercial\w*|\bnon opere\b|\bnão[- ]comercial\b"
    r"|\btenzij anders\b|\bniet[- ]commercieel\b|\bom inte annat\b|\bo ile nie\b|\bjeśli nie (?:zaznaczono|określono)\b|\bopen choice\b|\bfree of charge\b"
    r"|\bauthor'?s? ?choice\b|\bunder (?:the )?(?:terms|conditions)(?: and conditions)? of\b|\bterms of (?:the|a)\b"
)

# The work itself, in the words of sentences about its licence.
OF_THE_WORK = re.compile(
    r"\b(?:this|the) (?:[a-z-]{3,20} ){0,2}?(?:work|item|article|paper|publication|document|thesis|dissertation|book|chapter|preprint|file|manuscript|report|contribution|copy|text of this article|full[- ]?text|pdf)\b"
    r"|\b(?:dies(?:er|es|e|em)|d(?:er|as|ie)) (?:artikel|beitrag|aufsatz|werk|dokument|arbeit|publikation|veröffentlichung|dissertation|buch|kapitel|volltext|text)\b"
    r"|\b(?:cet(?:te)?|ce|l'|la|le) ?(?:présente? )?(?:article|œuvre|oeuvre|document|thèse|publication|travail|texte|livre|chapitre)\b"
    r"|\b(?:est[ea]|el|la) (?:presente )?(?:artículo|articulo|obra|documento|trabajo|tesis|publicación|texto|libro)\b"
    r"|\b(?:quest[oa]|quest'|il|l'|la) ?(?:presente )?(?:articolo|opera|lavoro|documento|tesi|pubblicazione|testo|libro)\b"
    r"|\b(?:est[ea]|o|a) (?:presente )?(?:artigo|obra|documento|trabalho|tese|publicação|texto|livro)\b"
    r"|\b(?:dit|deze|het|de) (?:artikel|werk|document|proefschrift|publicatie|tekst|boek)\b"
    r"|\b(?:den här|denna|detta|denne|dette|tämä|ten|ta|niniejszy|niniejsza|tento|toto) (?:artikel\w{0,2}|verk|avhandling|dokument|artikkel\w{0,2}|værk|teos|julkaisu|artykuł|utwór|praca|tekst|článek|dílo)\b|\b(?:artikeln|verket|artiklen|artikkelen|avhandlingen|artykuł|článek)\b"
    r"|(?:эта|данная|эта) (?:статья|работа)|本文|本論文|该文"
)


# Prepositions before the work, with which something else is the subject.
_OF_IT = re.compile(
    r"\b(?:of|for|to|in|from|with|by|on|about|regarding|accompanying|supporting|behind|zu|zum|zur|für|von|aus|in|im|bei|mit|de|du|des|à|pour|dans|avec|para|en|con|per|nel|nella|di|del|della|do|da|no|na|com|van|voor|bij|uit|met|till|för|av|med|til|for|av|af|w|z|dla|k|pro|v)\s{1,3}$"
)
_THIS = frozenset(
    (
        *("this", "dieser", "dieses", "diese", "diesem", "cet", "cette", "este", "esta", "questo", "questa", "dit"),
        *("deze", "denna", "detta", "denne", "dette", "tämä", "ten", "niniejszy", "tento", "toto"),
    )
)


class _Reason(NamedTuple):
    """Why a licence is not that of the copy. `sentence` completes "The page names the licence cc-by …".

    `is_overruled`: the sentence counts if it names this very work before these words. `is_before`: the words count only
    before the licence.
    """

    sentence: str
    pattern: re.Pattern[str]
    is_overruled: bool = False
    is_before: bool = False


def _reason(
    sentence: str, *patterns: str, elsewhere: str = "", is_overruled: bool = False, is_before: bool = False
) -> _Reason:
    """Return a reason. The patterns begin at a word; `elsewhere` are words of scripts without spaces."""
    pattern = rf"\b(?:{'|'.join(patterns)})|{elsewhere}" if elsewhere else rf"\b(?:{'|'.join(patterns)})"
    return _Reason(sentence, re.compile(pattern), is_overruled, is_before)


_REASONS = (
    _reason(
        "for the metadata",
        r"meta-?da(?:t|d|n[ey])\w{0,6}|metaúdaj\w*|métadonn\w*|метаданн",
        r"bibliogra[fp]h?\w{0,10} (?:data|daten|records?|information|angaben|gegevens|dane|uppgifter)\b",
        r"(?:catalogue?|library) (?:data|records?)\b|katalogdaten|notices? bibliographiques?|cette notice\b",
        r"(?:datos|registros?|dados|dati|registo|scheda) bibliogr[aá]fic\w*|dane bibliograficzne",
        elsewhere="元数据|メタデータ|메타데이터",
    ),
    _reason(
        "for the site",
        r"web ?(?:sites?|pages?|seiten?)\b|this (?:site|page|journal|repository|portal|blog|database|platform|wiki|catalogue?|collection|archive|server)\b|the site\b|site content\b|(?:all|the|our) content (?:of|on|in)\b|portals?\b|homepage\b",
        r"(?:dieser|unserer|der) (?:seiten?|plattform|zeitschrift|datenbank)\b|internetseiten?|webseiten?",
        r"(?:ce|du|le|deste|este|neste|do) site\b|sites? web\b|cette (?:page|revue|plateforme)\b|(?:este|del|de este) sitio\b|sitio web|(?:esta|desta|questa|deze|denna) (?:p[áa]gina|revista|rivista|sida|tidskrift)\b|páginas? web|sítio\b",
        r"(?:questo|del|di questo) sito\b|sito web|pagin[ae] web|(?:dit|het) tijdschrift\b|webbplats\w*|webbsid\w*|hjemmeside\w*|nettsted\w*|verkkosivu\w*|(?:tej|strony|stronie) (?:internetow\w*|strony)\b|stron(?:y|ie|a|ę) (?:internetow|www|czasopism)|tej strony\b|serwis\w*|těchto stránek|stránek\b|сайт\w*",
        elsewhere="本网站|本サイト",
        is_overruled=True,
    ),
    _reason(
        "for a part of the work, or for something beside it",
        r"abstracts?\b|supplement\w*|supporting (?:information|material)|data ?sets?\b|data\b|comments?\b|(?:peer )?reviews?\b|fig(?:ures?|\.)|images?\b|pictures?\b|photo\w*|illustrations?\b|tables?\b|software\b|(?:source )?code\b|cover\b|slides\b|videos?\b|audio\b|podcasts?\b|interviews?\b|press releases?\b|lay summar(?:y|ies)\b|plain[- ]language summar(?:y|ies)\b|logos?\b|icons?\b|maps?\b|corpus\b|descriptions?\b",
        r"zusammenfassung|kurzfassung|forschungsdaten|daten(?:satz|sätze)?\b|abbildung\w*|bilder?\b|titelbild|fotos?\b|fotograf\w*|\w{0,12}code\b|anh[aä]ng\w*|zusatzmaterial\w*",
        r"résumés?\b|données\b|logiciels?\b|photographies?\b|annexes?\b|couverture\b|resumen\b|datos\b|imágen\w*|imagen\b|portada\b|anexos?\b|resumo\b|dados\b|image[mn]s?\b|riassunto\b|dati\b|immagin\w*|copertina\b|allegat\w*",
        r"samenvatting|gegevens\b|afbeelding\w*|bijlage\w*|omslag\w*|sammanfattning|bilaga|bilder\b|streszczeni\w*|dane\b|zdjęci\w*|rysun\w*|okładk\w*|obráz\w*|аннотаци\w*|данные\b",
        is_overruled=True,
    ),
    _reason(
        "of another work or version",
        r"(?:an? )?(?:earlier|previous|prior|older|other|another|original|published|final|later|accepted|submitted) (?:version|edition|article|paper|study|publication|work|manuscript)\b|(?:the|a|its) preprint\b|adapted from\b|reproduced from\b|taken from\b|quot(?:es?|ed|ing|ations?)\b|excerpt\w*|unlike\b|in contrast\b|instead of\b|translation of\b",
        r"(?:frühere|vorherige|ältere|andere) (?:version|fassung|ausgabe)|zitat\w*|zitiert\b|anders als\b|versions? antérieures?|contrairement\b|versión anterior|a diferencia de\b|versione precedente|a differenza d|versão anterior|ao contrário d|eerdere versie|in tegenstelling|tidigare version|wcześniejsz\w*",
        is_before=True,
    ),
    _reason(
        "as denied",
        r"(?:not|never|no longer|isn't|aren't|neither|nor|cannot)\b|nicht\b|kein\w{0,2}\b|weder\b|n'(?:est|a|ont|était)\b|ne (?:sont|peut|peuvent|s')[^.]{0,30} pas\b",
        r"(?:ya )?no (?:est|se|es |ha|tiene|fue|queda|son |disponib)|nunca\b|non (?:è|sono|si|ha|viene|disponib)|não (?:est|é |se|foi|tem|são|dispon)|(?:niet|geen)\b|(?:inte|ikke|ej|ingen)\b|nie (?:jest|są|został|podlega|dotyczy|obję|udostępni|dostępn)|není\b|nejsou\b|eivät\b|ei ole\b|не (?:доступ|распростр|лиценз|явля|под)",
        is_before=True,
    ),
    _reason(
        "as denied",
        r"(?:does|do|did) not apply|not applicable\b|gilt nicht\b|ne s'applique pas|no se aplica|non si applica|não se aplica|niet van toepassing|gäller inte|nie dotyczy|nevztahuje",
    ),
    _reason(
        "as a plan",
        r"(?:will|shall|going to|planned|intends?|forthcoming|expected to)\b|to be (?:published|released|licen[cs]ed|made)\b|after (?:the|an|a|its|\d{1,2}) ?(?:end of |months?|embargo|publication)|as soon as\b|when (?:the|it|its)\b|following (?:the|an) embargo\b|from (?:\d{1,2} \w{3,9} )?20\d\d on\b",
        r"wird\b[^.]{0,120}\bsein\b|w(?:ird|erden)\b[^.]{0,120}\bwerden\b|soll(?:en|te)?\b|(?:zu)?künftig\b|geplant\b|plan(?:t|en)\b|plans to\b|prévoit\b|prevede\b|planea\b|planeja\b|planerar\b|planuje\b|nach ablauf\b|voraussichtlich\b|demnächst\b",
        r"ser(?:a|ont|á|án|ão)\b|sar(?:à|anno)\b|verr(?:à|anno)\b|(?:\w{2,20})(?:ará|arán|arão)\b|prévue?s?\b|prochainement\b|próximamente\b|prossimamente\b|futuramente\b|après (?:l'|un )|tras el\b|dopo l'|após o\b",
        r"(?:zal|zullen|binnenkort)\b|kommer att\b|ska(?:ll)?\b|skal\b|vil bli\w*|(?:będzie|będą|zostanie|zostaną|planowan\w*)\b|po upływie\b|(?:bude|budou)\b|(?:будет|будут)\b",
    ),
    _reason(
        "as an offer or on a condition",
        r"(?:may|can|could|might)\b(?! (?:(?:also|then|be|freely|only|both) ){0,2}(?:shar|us|reus|re-us|cop|redistrib|distrib|download|read|adapt|remix|reprod|print|access|cit|transmit|built|disseminat|link))",
        r"authors? (?:may|can|who|whose|wishing|must|should|have the|are (?:able|free|encouraged|required|asked|offered))|choos\w*|chosen\b|opt(?:s|ed|ing)?\b|optional\w*|options?\b|elect to\b|(?:fees?|charges?|payment|apcs?|surcharge)\b|in case\b|eligible\b|(?:up)?on request\b|offers?\b|offered\b|subject to\b|once\b|make (?:this|your|the) (?:article|paper|work|chapter|book)\b|upgrade\b|want to\b|go open\b|publish (?:your|this|it|open)\b|provided that (?:the authors?|a fee)",
        r"k(?:ann|önnen)\b(?![^.]{0,120}(?:genutzt|verwendet|geteilt|verbreitet|nutzen|verwenden|teilen))|auf wunsch\b|wahlweise\b|gegen (?:eine )?(?:gebühr|zahlung|entgelt|aufpreis)|wählen\b|gebühr\w*|möcht\w*",
        r"(?:peut|peuvent|pourra|pourront|pourrait)\b(?! être (?:utilis|partag|réutilis|copi|diffus|reprod))|choisir\b|moyennant\b|contre paiement|frais\b|(?:pued|pod[rer]|pode)\w{0,4}\b(?! (?:ser )?(?:utiliz|us|compart|cop|distrib|reprod|reutiliz))|optar\b|elegir\b|pago\b|tarifa\b|opci[oó]n|(?:può|possono|potr\w{2,5})\b(?! essere (?:utilizz|condivis|copi|distrib|riprod))|scegliere\b|opzion\w*|pagamento\b|escolher\b|taxas?\b|opção",
        r"(?:kan|kunnen)\b(?! (?:worden )?(?:gebruikt|gedeeld|hergebruikt|användas|delas|bruges|brukes|deles))|kiezen\b|betaling\b|vergoeding\b|välja\b|avgift\w*|vælge\b|velge\b|gebyr\b|(?:może|mogą)\b(?! (?:być )?(?:wykorzyst|używan|kopiow|udostępn|rozpowsz))|wybrać\b|opłat\w*|mohou\b|může\b|poplat\w*|voivat\b|valita\b",
    ),
    _reason(
        "on a condition",
        r"if\b|falls\b|wenn\b|sofern\b|si (?:l'|la |le |les |vous |el |se |los )|se (?:il|la|l'|o|a|os|gli) |indien\b|om (?:artikeln|författ)|jeśli\b|jeżeli\b|pokud\b|если\b",
        is_before=True,
    ),
    _reason(
        "as a policy, or for works in general",
        r"polic(?:y|ies)\b|guidelines?\b|instructions (?:for|to)\b|recommend\w*|encourag\w*|require[sd]?\b|mandat\w*|(?:most|some|many|all|our|these|research) (?:of )?(?:the |our )?(?:articles|papers|works|contributions|publications)\b|(?:articles|papers|contributions|manuscripts) (?:are|in|can|may|published)\b",
        r"richtlinien?\b|empfehl\w*|empfiehlt\b|alle (?:artikel|beiträge|inhalte)\b|(?:beiträge|artikel) (?:werden|erscheinen)\b|politique\b|recommand\w*|(?:les|nos) articles\b|política\b|recom[ie]\w*|(?:los|nuestros) artículos\b|politica\b|raccomand\w*|gli articoli\b|os artigos\b|beleid\b|de artikelen\b|polityk\w*|riktlinj\w*|zásad\w*",
    ),
)  # fmt: skip

_THING = r"(?:publication|work|book|article|document|material|text|thesis|report|journal|paper|manuscript)"
# Statements that all rights are reserved, in a text in lower case with single spaces.
_RESERVED = re.compile(
    r"\ball(?: other)? rights? (?:are |is )?(?:reserved|strictly reserved)(?! to\b)|\balle rechte (?:sind )?vorbehalten|\btous (?:les )?droits (?:de [^.]{1,40} )?réservés|\b(?:todos )?(?:los )?derechos reservados|\btutti i diritti (?:sono )?riservati|\b(?:todos )?(?:os )?direitos reservados"
    r"|\balle rechten voorbehouden|\balla rättigheter (?:är )?(?:förbehållna|reserverade)|\balle rettigheter (?:er )?(?:forbeholdes|forbeholdt|reservert)|\bkaikki oikeudet (?:pidätetään|pidätetty)|\bwszelkie prawa zastrzeżone|\bvšechna práva (?:jsou )?vyhrazena|\bminden jog fenntartva|\btoate drepturile rezervate|\bвсе права (?:защищены|сохранены)|\btüm hakları saklıdır|\bμε την επιφύλαξη|版权所有|版權所有|無断転載|모든 권리 보유"
    rf"|\bno part of (?:this|the) {_THING} may be (?:reproduced|copied|stored|used|transmitted|translated)|\bno re-?use (?:is )?allowed without permission|\bno reproduction without permission"
    rf"|\b(?:other )?uses?,? including reproduction and distribution[^.]{{0,200}} (?:are|is) prohibited|\breproduction (?:of this \w{{2,12}} )?(?:without (?:the )?(?:prior )?(?:written )?permission (?:of [^.]{{1,60}} )?)?(?:is )?(?:prohibited|forbidden|interdite|prohibida|vietata|proibida)\b"
    r"|\b(?:publisher|authors?|journal|society) reserves? all rights\b|\bpermission from [^.]{2,60} must be obtained for all other uses\b|\bauthorized licensed use limited to\b"
    r"|\b(?:distribution|re-?use|reproduction|posting)(?: or \w{4,14}(?: online)?)? requires (?:the )?(?:prior )?(?:written )?permission\b|\b(?:vervielfältigung|nachdruck|weiterverwendung)\b[^.]{0,60}\bnur mit (?:\w{4,16} )?genehmigung\b"
)
_RESERVED_HINTS = (
    "rights",
    "rechte",
    "droits",
    "derechos",
    "diritti",
    "direitos",
    "rättigheter",
    "rettigheter",
    "oikeudet",
    "prawa",
    "práva",
    "fenntartva",
    "drepturile",
    "права",
    "saklıdır",
    "επιφύλαξη",
    "版权",
    "版權",
    "転載",
    "권리",
    "no part of",
    "reuse",
    "re-use",
    "reproduc",
    "permission",
    "authorized",
    "genehmigung",
    "riproduc",
    "riproduz",
)
# The statements of RightsStatements.org that a work is in copyright, or that this is not known.
_IN_COPYRIGHT = re.compile(r"rightsstatements\.org/(?:vocab|page)/(?:InC|UND|CNE|NKC)", re.ASCII)
_SPACES = re.compile(r"\s+")
# The names of licences of Creative Commons.
_LICENSE = re.compile(
    r"\bcc[\s-]{0,2}(?:by(?:[\s-]{1,2}(?:nc|nd|sa)\b){0,2}|0\b|zero\b)|creativecommons\.org/(?:licen[cs]es/[a-z-]{2,12}|publicdomain/zero)"
    r"|\bcreative\s?commons,?\s(?:cc\s)?(?:attribution|zero|public domain)(?:[\s–—-]{0,3}(?:non-?\s?commercial|share-?\s?alike|no-?\s?deriv\w{0,8})){0,2}"
)
# What is before the licence in a sentence about this very work, if it does not name the work.
_OWN = re.compile(
    r"open[- ]access|©|\(c\)|\bcopyright\b|\blicensee\b|\bthis is an?\b|\bauthors? retain|\bthe authors?(?:\(s\))?\b|\bpublished by\b|\blibre accès|\bacceso abierto|\bacesso aberto|\baccesso aperto|\b(?:you|users|readers|anyone) (?:are free|may|can)\b"
)
# Labels of licences, and verbs before one, at the beginning of the sentence.
_LEADING = re.compile(
    r"[\W\d]{0,20}(?:it is )?(?:(?:creative commons|cc|open content|open|public|free|the|this|die|der|la|le|el|il|o|a|een|de|en|this work's|document|article|item|content|full[- ]?text|usage|use|re-?use|terms of|conditions of|your|attribution) ){0,3}?"
    r"(?:licen[cs]\w{0,6}|lizen\w{0,8}|licenci\w{0,6}|licenz\w{0,3}|licenç\w{0,3}|licenti\w{0,3}|lisens\w{0,8}|rights?|permissions?|rechte?|nutzung\w{0,12}|urheber\w{0,10}|droits?|derechos?|diritti?|direitos?|rechten|rättigheter|rettigheter|prawa|terms|usage|use|condition\w{0,3}|condici\w{0,6}|files?|full[- ]?texts?|volltexte?|texte intégral|texto completo|testo completo|pdf|content|items?"
    r"|(?:made |freely |openly )?(?:available|distributed|published|released|shared|provided|posted) |made |under |veröffentlicht |publi[ée]\w{0,3} |diffus\w{1,3} |distribu\w{1,5} |mis(?:e)? à disposition |publicad[oa] |pubblicat[oa] |disponib\w{1,3} |unter |sous |bajo |sob |con |onder |gepubliceerd |publicerad |opublikowan\w |dostępn\w{1,2} |na |https?:|$)"
)
_ELSE = "for something else than this copy"


class Doubt(NamedTuple):
    """Why a licence in a sentence is not that of the copy, and the sentence, cut."""

    reason: str
    quote: str


def spelled(text: str) -> str:
    """Return the beginning of a text in lower case, with single spaces and plain apostrophes; lines stay."""
    lines = (" ".join(line.split()) for line in text[:LONGEST].translate(_SIGNS).lower().splitlines())
    return "\n".join(filter(None, lines))


def doubt_about(text: str, place: int = 0, end: int = 0, *, is_close: bool = True) -> Doubt | None:
    """Return why the licence from `place` to `end` in a text is not that of this very copy; None: it is.

    Only its sentence is read, with the one before it if that has the subject. Without a place, the whole text is one
    sentence. Unless it `is_close`, the text before the licence may be of another part of the page.
    """
    before, behind = (text[:place], text[end:]) if end else ("", text)
    before, name, behind = _sentence(before), text[place:end] if end else "", _beginning(behind) if end else behind
    plain, named, after = (_HARMLESS.sub(" ", spelled(part)).replace("\n", " ") for part in (before, name, behind))
    whole = f"{plain} {named} {after}"  # a link may have the whole sentence
    work = _subject(whole)
    for reason in _REASONS:
        match = reason.pattern.search(f"{plain} {named}" if reason.is_before and end else whole)
        if match and not (reason.is_overruled and _is_subject(whole, work, match.start())):
            return Doubt(reason.sentence, quoted(f"{before} {name} {behind}"))
    is_own = not (end and is_close) or _subject(plain) or _OWN.search(plain) or _LEADING.match(plain)
    return None if is_own else Doubt(_ELSE, quoted(f"{before} {name} {behind}"))


def _subject(text: str) -> re.Match[str] | None:
    """Return where a sentence names this very work, not something of it or for it."""
    matches = (match for match in OF_THE_WORK.finditer(text) if not _OF_IT.search(text, 0, match.start()))
    return next(matches, None)


def _is_subject(text: str, work: re.Match[str] | None, place: int) -> bool:
    """Return whether this very work is named before a place in a sentence, and not only one of its parts."""
    if work is None or work.start() > place:
        return False
    return work[0].split()[0] in _THIS and not text.startswith("'s", work.end())


def _sentence(before: str) -> str:
    """Return the last sentence of a text, with the one before it if it begins with a pronoun or `Licence`."""
    text = _SPACES.sub(" ", before[-LONGEST:])
    *earlier, last = _BREAK.split(f"{text}{_NAME}")  # the licence begins a sentence after a full stop
    last = last.removesuffix(_NAME)
    return f"{earlier[-1]} {last}" if earlier and _FOLLOWS.match(last) else last


def _beginning(behind: str) -> str:
    return _BREAK.split(_SPACES.sub(" ", behind[:LONGEST]), maxsplit=1)[0]


def quoted(text: str) -> str:
    """Return a text as a quotation: on one line, cut."""
    line = _SPACES.sub(" ", text).strip()
    return line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE].rstrip()}…"


def may_have(text: str, hints: Iterable[str]) -> bool:
    """Return whether a text has one of these parts of words: a quick test before an expression is tried."""
    return any(hint in text for hint in hints)


def reserved_in(text: str) -> Iterator[str]:
    """Yield the statements in a text that reserve all rights, as they are spelled there in lower case."""
    if not may_have(text.lower(), _RESERVED_HINTS):
        return
    yield from (match[0] for match in _RESERVED.finditer(" ".join(text.translate(_SIGNS).lower().split())))


def is_reserving(text: str) -> bool:
    """Return whether a statement about rights reserves all of them, or says that the work is in copyright."""
    return next(reserved_in(text), "") != "" or is_in_copyright(text)


def is_in_copyright(text: str) -> bool:
    """Return whether a text has the address of a statement of RightsStatements.org that a work is in copyright."""
    return _IN_COPYRIGHT.search(text) is not None


def licenses_in(text: str) -> Iterator[str]:
    """Yield the open licences that a text in lower case states of its own work. Its lines may be labels."""
    if not may_have(text, ("creative", "cc")):
        return
    for match in _LICENSE.finditer(text):
        first = max(0, match.start() - _NEAR)
        before = text[first : match.start()].replace("\n", " ").rpartition(". ")[2]
        line = text[first : match.start()].rpartition("\n")[2]
        before = line if _LEADING.match(line) and len(line) <= _LONGEST_LABEL else before
        sentence, place = f"{before}{text[match.start() : match.end() + _BEHIND]}", len(before)
        if is_open(name := license_of(match[0])) and not doubt_about(sentence, place, place + len(match[0])):
            yield name
