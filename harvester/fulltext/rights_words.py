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
_LONGEST_QUOTE = 90
_NEAR = 300  # characters around the name of a licence
_SIGNS = str.maketrans("\u2018\u2019\u00b4", "'''")
_BREAK = re.compile(r"(?<=[.!?])(?<![\s.(][^\W\d_]\.)\s+(?=[^\W\d_])|(?<=[;。])\s*|\s*\n\s*")
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
    r"|\b(?:den här|denna|detta|artikeln|verket|denne|dette|artiklen|tämä|ten|niniejszy|tento|toto) ?(?:artikel\w{0,2}|verk|avhandling|dokument|artikkel\w{0,2}|værk|teos|julkaisu|artykuł|utwór|praca|tekst|článek|dílo)?\b"
    r"|(?:эта|данная|эта) (?:статья|работа)|本文|本論文|该文"
)


class _Reason(NamedTuple):
    """Why a licence is not that of the copy. `sentence` completes "The page names the licence cc-by …".

    `is_overruled`: the sentence counts if it names the work before these words. `is_before`: the words count only
    before the licence.
    """

    sentence: str
    pattern: re.Pattern[str]
    is_overruled: bool = False
    is_before: bool = False


def _reason(sentence: str, *patterns: str, is_overruled: bool = False, is_before: bool = False) -> _Reason:
    return _Reason(sentence, re.compile("|".join(patterns)), is_overruled, is_before)


_REASONS = (
    _reason(
        "for the metadata",
        r"\bmeta-?da(?:t|d|n[ey])\w{0,6}|\bmetaúdaj\w*|\bmétadonn\w*|метаданн|元数据|メタデータ|메타데이터",
        r"\bbibliogra[fp]h?\w{0,10} (?:data|daten|records?|information|angaben|gegevens|dane|uppgifter)\b",
        r"\b(?:catalogue?|library) (?:data|records?)\b|\bkatalogdaten|\bnotices? bibliographiques?|\bcette notice\b",
        r"\b(?:datos|registros?|dados|dati|registo|scheda) bibliogr[aá]fic\w*|\bdane bibliograficzne",
    ),
    _reason(
        "for the site",
        r"\bweb ?(?:sites?|pages?|seiten?)\b|\bthis (?:site|page|journal|repository|portal|blog|database|platform)\b|\bthe site\b|\bsite content\b|\b(?:all|the|our) content (?:of|on|in)\b|\bportals?\b|\bhomepage\b",
        r"\b(?:dieser|unserer|der) (?:seiten?|plattform|zeitschrift|datenbank)\b|\binternetseiten?|\bwebseiten?",
        r"\b(?:ce|du|le|deste|este|neste|do) site\b|\bsites? web\b|\bcette (?:page|revue|plateforme)\b|\b(?:este|del|de este) sitio\b|\bsitio web|\b(?:esta|desta|questa|deze|denna) (?:p[áa]gina|revista|rivista|sida|tidskrift)\b|\bpáginas? web|\bsítio\b",
        r"\b(?:questo|del|di questo) sito\b|\bsito web|\bpagin[ae] web|\b(?:dit|het) tijdschrift\b|\bwebbplats\w*|\bwebbsid\w*|\bhjemmeside\w*|\bnettsted\w*|\bverkkosivu\w*|\b(?:tej|strony|stronie) (?:internetow\w*|strony)\b|\bstron(?:y|ie|a|ę) (?:internetow|www|czasopism)|\btej strony\b|\bserwis\w*|\btěchto stránek|\bstránek\b|\bсайт\w*|本网站|本サイト",
    ),
    _reason(
        "for a part of the work, or for something beside it",
        r"\babstracts?\b|\bsupplement\w*|\bsupporting (?:information|material)|\bdata ?sets?\b|\bdata\b|\bcomments?\b|\b(?:peer )?reviews?\b|\bfig(?:ures?|\.)|\bimages?\b|\bpictures?\b|\bphoto\w*|\billustrations?\b|\btables?\b|\bsoftware\b|\b(?:source )?code\b|\bcover\b|\bslides\b|\bvideos?\b|\baudio\b|\blogos?\b|\bicons?\b|\bmaps?\b|\bcorpus\b|\bdescriptions?\b",
        r"\bzusammenfassung|\bkurzfassung|\bforschungsdaten|\bdaten(?:satz|sätze)?\b|\babbildung\w*|\bbilder?\b|\btitelbild|\bfotos?\b|\bfotograf\w*|\bquellcode\b|\banh[aä]ng\w*|\bzusatzmaterial\w*",
        r"\brésumés?\b|\bdonnées\b|\blogiciels?\b|\bphotographies?\b|\bannexes?\b|\bcouverture\b|\bresumen\b|\bdatos\b|\bimágen\w*|\bimagen\b|\bportada\b|\banexos?\b|\bresumo\b|\bdados\b|\bimage[mn]s?\b|\briassunto\b|\bdati\b|\bimmagin\w*|\bcopertina\b|\ballegat\w*",
        r"\bsamenvatting|\bgegevens\b|\bafbeelding\w*|\bbijlage\w*|\bomslag\w*|\bsammanfattning|\bbilaga|\bbilder\b|\bstreszczeni\w*|\bdane\b|\bzdjęci\w*|\brysun\w*|\bokładk\w*|\bobráz\w*|\bаннотаци\w*|\bданные\b",
        is_overruled=True,
    ),
    _reason(
        "of another work or version",
        r"\b(?:an? )?(?:earlier|previous|prior|older|other|another|original|published|final|later) (?:version|edition|article|paper|study|publication|work)\b|\b(?:the|a|its) preprint\b|\badapted from\b|\breproduced from\b|\btaken from\b|\bquot(?:es?|ed|ing|ations?)\b|\bexcerpt\w*|\bunlike\b|\bin contrast\b|\binstead of\b|\btranslation of\b",
        r"\b(?:frühere|vorherige|ältere|andere) (?:version|fassung|ausgabe)|\bzitat\w*|\bzitiert\b|\banders als\b|\bversions? antérieures?|\bcontrairement\b|\bversión anterior|\ba diferencia de\b|\bversione precedente|\ba differenza d|\bversão anterior|\bao contrário d|\beerdere versie|\bin tegenstelling|\btidigare version|\bwcześniejsz\w*",
        is_before=True,
    ),
    _reason(
        "as denied",
        r"\b(?:not|never|no longer|isn't|aren't|neither|nor|cannot)\b|\bnicht\b|\bkein\w{0,2}\b|\bweder\b|\bn'(?:est|a|ont|était)\b|\bne (?:sont|peut|peuvent|s')[^.]{0,30} pas\b",
        r"\b(?:ya )?no (?:est|se|es |ha|tiene|fue|queda|son |disponib)|\bnunca\b|\bnon (?:è|sono|si|ha|viene|disponib)|\bnão (?:est|é |se|foi|tem|são|dispon)|\b(?:niet|geen)\b|\b(?:inte|ikke|ej|ingen)\b|\bnie (?:jest|są|został|podlega|dotyczy|obję|udostępni|dostępn)|\bnení\b|\bnejsou\b|\beivät\b|\bei ole\b|\bне (?:доступ|распростр|лиценз|явля|под)",
        is_before=True,
    ),
    _reason(
        "as denied",
        r"\b(?:does|do|did) not apply|\bnot applicable\b|\bgilt nicht\b|\bne s'applique pas|\bno se aplica|\bnon si applica|\bnão se aplica|\bniet van toepassing|\bgäller inte|\bnie dotyczy|\bnevztahuje",
    ),
    _reason(
        "as a plan",
        r"\b(?:will|shall|going to|planned|intends?|forthcoming|expected to)\b|\bto be (?:published|released|licen[cs]ed|made)\b|\bafter (?:the|an|a|its|\d{1,2}) ?(?:end of |months?|embargo|publication)|\bas soon as\b|\bfrom (?:\d{1,2} \w{3,9} )?20\d\d on\b",
        r"\bwird\b[^.]{0,120}\bsein\b|\bw(?:ird|erden)\b[^.]{0,120}\bwerden\b|\bsoll(?:en|te)?\b|\b(?:zu)?künftig\b|\bgeplant\b|\bnach ablauf\b|\bvoraussichtlich\b|\bdemnächst\b",
        r"\bser(?:a|ont|á|án|ão)\b|\bsar(?:à|anno)\b|\bverr(?:à|anno)\b|\b(?:\w{2,20})(?:ará|arán|arão)\b|\bprévue?s?\b|\bprochainement\b|\bpróximamente\b|\bprossimamente\b|\bfuturamente\b|\baprès (?:l'|un )|\btras el\b|\bdopo l'|\bapós o\b",
        r"\b(?:zal|zullen|binnenkort)\b|\bkommer att\b|\bska(?:ll)?\b|\bskal\b|\bvil bli\w*|\b(?:będzie|będą|zostanie|zostaną|planowan\w*)\b|\bpo upływie\b|\b(?:bude|budou)\b|\b(?:будет|будут)\b",
    ),
    _reason(
        "as an offer or on a condition",
        r"\b(?:may|can|could|might)\b(?! (?:(?:also|then|be|freely|only|both) ){0,2}(?:shar|us|reus|re-us|cop|redistrib|distrib|download|read|adapt|remix|reprod|print|access|cit|transmit|built|disseminat|link))",
        r"\bauthors? (?:may|can|who|whose|wishing|must|should|have the|are (?:able|free|encouraged|required|asked|offered))|\bchoos\w*|\bchosen\b|\bopt(?:s|ed|ing)?\b|\boptional\w*|\boptions?\b|\belect to\b|\b(?:fees?|charges?|payment|apcs?|surcharge)\b|\bin case\b|\beligible\b|\b(?:up)?on request\b|\boffers?\b|\boffered\b|\bsubject to\b|\bonce\b|\bprovided that (?:the authors?|a fee)",
        r"\bk(?:ann|önnen)\b(?![^.]{0,120}(?:genutzt|verwendet|geteilt|verbreitet|nutzen|verwenden|teilen))|\bauf wunsch\b|\bwahlweise\b|\bgegen (?:eine )?(?:gebühr|zahlung|entgelt|aufpreis)|\bwählen\b|\bgebühr\w*|\bmöcht\w*",
        r"\b(?:peut|peuvent|pourra|pourront|pourrait)\b(?! être (?:utilis|partag|réutilis|copi|diffus|reprod))|\bchoisir\b|\bmoyennant\b|\bcontre paiement|\bfrais\b|\b(?:pued|pod[rer]|pode)\w{0,4}\b(?! (?:ser )?(?:utiliz|us|compart|cop|distrib|reprod|reutiliz))|\boptar\b|\belegir\b|\bpago\b|\btarifa\b|\bopci[oó]n|\b(?:può|possono|potr\w{2,5})\b(?! essere (?:utilizz|condivis|copi|distrib|riprod))|\bscegliere\b|\bopzion\w*|\bpagamento\b|\bescolher\b|\btaxas?\b|\bopção",
        r"\b(?:kan|kunnen)\b(?! (?:worden )?(?:gebruikt|gedeeld|hergebruikt|användas|delas|bruges|brukes|deles))|\bkiezen\b|\bbetaling\b|\bvergoeding\b|\bvälja\b|\bavgift\w*|\bvælge\b|\bvelge\b|\bgebyr\b|\b(?:może|mogą)\b(?! (?:być )?(?:wykorzyst|używan|kopiow|udostępn|rozpowsz))|\bwybrać\b|\bopłat\w*|\bmohou\b|\bmůže\b|\bpoplat\w*|\bvoivat\b|\bvalita\b",
    ),
    _reason(
        "on a condition",
        r"\bif\b|\bfalls\b|\bwenn\b|\bsofern\b|\bsi (?:l'|la |le |les |vous |el |se |los )|\bse (?:il|la|l'|o|a|os|gli) |\bindien\b|\bom (?:artikeln|författ)|\bjeśli\b|\bjeżeli\b|\bpokud\b|\bесли\b",
        is_before=True,
    ),
    _reason(
        "as a policy, or for works in general",
        r"\bpolic(?:y|ies)\b|\bguidelines?\b|\binstructions (?:for|to)\b|\brecommend\w*|\bencourag\w*|\brequire[sd]?\b|\bmandat\w*|\b(?:most|some|many|all|our|these|research) (?:of )?(?:the |our )?(?:articles|papers|works|contributions|publications)\b|\b(?:articles|papers|contributions|manuscripts) (?:are|in|can|may|published)\b",
        r"\brichtlinien?\b|\bempfehl\w*|\bempfiehlt\b|\balle (?:artikel|beiträge|inhalte)\b|\b(?:beiträge|artikel) (?:werden|erscheinen)\b|\bpolitique\b|\brecommand\w*|\b(?:les|nos) articles\b|\bpolítica\b|\brecom[ie]\w*|\b(?:los|nuestros) artículos\b|\bpolitica\b|\braccomand\w*|\bgli articoli\b|\bos artigos\b|\bbeleid\b|\bde artikelen\b|\bpolityk\w*|\briktlinj\w*|\bzásad\w*",
    ),
)  # fmt: skip

_THING = r"(?:publication|work|book|article|document|material|text|thesis|report|journal|paper|manuscript)"
# Statements that all rights are reserved, in a text in lower case with single spaces.
_RESERVED = re.compile(
    r"\ball(?: other)? rights? (?:are |is )?(?:reserved|strictly reserved)|\balle rechte (?:sind )?vorbehalten|\btous (?:les )?droits (?:de .{1,40} )?réservés|\b(?:todos )?(?:los )?derechos reservados|\btutti i diritti (?:sono )?riservati|\b(?:todos )?(?:os )?direitos reservados"
    r"|\balle rechten voorbehouden|\balla rättigheter (?:är )?(?:förbehållna|reserverade)|\balle rettigheter (?:er )?(?:forbeholdes|forbeholdt|reservert)|\bkaikki oikeudet (?:pidätetään|pidätetty)|\bwszelkie prawa zastrzeżone|\bvšechna práva (?:jsou )?vyhrazena|\bminden jog fenntartva|\btoate drepturile rezervate|\bвсе права (?:защищены|сохранены)|\btüm hakları saklıdır|\bμε την επιφύλαξη|版权所有|版權所有|無断転載|모든 권리 보유"
    rf"|\bno part of (?:this|the) {_THING} may be (?:reproduced|copied|stored|used|transmitted|translated)|\bno re-?use (?:is )?allowed without permission|\bno reproduction without permission"
    rf"|\b(?:other )?uses?,? including reproduction and distribution[^.]{{0,200}} (?:are|is) prohibited|\breproduction (?:is )?(?:prohibited|forbidden|interdite|prohibida|vietata|proibida)\b"
)
_RESERVED_HINTS = (
    "rights", "rechte", "droits", "derechos", "diritti", "direitos", "rättigheter", "rettigheter", "oikeudet", "prawa", "práva", "fenntartva", "drepturile", "права", "saklıdır", "επιφύλαξη", "版权", "版權", "転載", "권리",
    "no part of", "reuse", "re-use", "reproduc", "riproduc", "riproduz",
)
_SPACES = re.compile(r"\s+")
# The names of licences of Creative Commons.
_LICENSE = re.compile(
    r"\bcc[\s-]{0,2}(?:by(?:[\s-]{1,2}(?:nc|nd|sa)\b){0,2}|0\b|zero\b)|creativecommons\.org/(?:licen[cs]es/[a-z-]{2,12}|publicdomain/zero)"
    r"|\bcreative\s?commons,?\s(?:cc\s)?(?:attribution|zero|public domain)(?:[\s–—-]{0,3}(?:non-?\s?commercial|share-?\s?alike|no-?\s?deriv\w{0,8})){0,2}"
)
# A sentence about the licence of the document itself: it names the work, open access or the holder of rights, or begins
# with the licence.
_OWN = re.compile(
    r"open[- ]access|©|\(c\)|\bcopyright\b|licensee|lizenziert|\bthis is an?\b|\bauthors? retain|\bthe authors?(?:\(s\))?\b|\bpublished by\b"
)
_LEADS = re.compile(
    r"\W{0,3}(?:(?:(?:made )?available|distributed|published|licen[cs]ed|released|shared) (?:under|with|in accordance)|licen[cs]e ?:?|lizenz ?:?|licence ?:?|licencia ?:?|licenza ?:?|licença ?:?|https?://)?[^.]{0,40}$"
)  # fmt: skip


class Doubt(NamedTuple):
    """Why a licence in a sentence is not that of the copy, and the sentence, cut."""

    reason: str
    quote: str


def spelled(text: str) -> str:
    """Return the beginning of a text in lower case, with single spaces and plain apostrophes; lines stay."""
    lines = (" ".join(line.split()) for line in text[:LONGEST].translate(_SIGNS).lower().splitlines())
    return "\n".join(filter(None, lines))


def doubt_about(text: str, place: int = 0, end: int = 0) -> Doubt | None:
    """Return why the licence from `place` to `end` in a text is not that of this very copy; None: it is.

    Only its sentence is read, with the one before it if that has the subject. Without a place, the whole text is one
    sentence.
    """
    before, behind = (text[:place], text[end:]) if end else ("", text)
    before, name, behind = _sentence(before), text[place:end] if end else "", _beginning(behind) if end else behind
    plain, after = (_HARMLESS.sub(" ", spelled(part)).replace("\n", " ") for part in (before, behind))
    whole = f"{plain} {after}"
    work = OF_THE_WORK.search(whole)
    for reason in _REASONS:
        match = reason.pattern.search(plain if reason.is_before and end else whole)
        if match and not (reason.is_overruled and work is not None and work.start() < match.start()):
            return Doubt(reason.sentence, quoted(f"{before} {name} {behind}"))
    return None


def _sentence(before: str) -> str:
    """Return the last sentence of a text, with the one before it if it is short or begins with a pronoun."""
    *earlier, last = _BREAK.split(before[-LONGEST:])
    return f"{earlier[-1]} {last}" if earlier and _FOLLOWS.match(last) else last


def _beginning(behind: str) -> str:
    return _BREAK.split(behind[:LONGEST], maxsplit=1)[0]


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


def licenses_in(text: str, *, is_label: bool = False) -> Iterator[str]:
    """Yield the open licences that a text in lower case states of its own work.

    `is_label`: the text is a label with its value, so it need not name the work.
    """
    if not may_have(text, ("creative", "cc")):
        return
    for match in _LICENSE.finditer(text):
        around = text[max(0, match.start() - _NEAR) : match.end() + _NEAR]
        place = min(match.start(), _NEAR)
        before = around[:place].rpartition(". ")[2]
        is_own = is_label or OF_THE_WORK.search(before) or _OWN.search(before) or _LEADS.match(before)
        if is_own and is_open(name := license_of(match[0])) and not doubt_about(around, place, place + len(match[0])):
            yield name
