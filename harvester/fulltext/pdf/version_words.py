# ruff: noqa: E501 - tables have long lines
"""The words by which documents state their version: tables. Pure.

The words of the publishers are those that they prescribe for self-archiving, or print on the manuscripts that they
publish first. `LINES` are whole lines, because their words are also in running text: `Manuscrit accepté le 3 mai` is a
date. All are compared with text in lower case, with single spaces and straight apostrophes.
"""

from __future__ import annotations

import re

SUBMITTED, ACCEPTED, PUBLISHED = "submitted", "accepted", "published"

# Statements about this very file, on a text in lower case with single spaces. The first that fits decides.
STATEMENTS = (
    # The covers of repositories: Pure, White Rose, EPrints.
    (PUBLISHED, r"(?:document )?version(?: of attached file)?: ?(?:publisher's (?:pdf|version)|final published|published version|version of record)"),
    (ACCEPTED, r"(?:document )?version(?: of attached file)?: ?(?:peer[- ]reviewed|accepted|author'?s? accepted|post-?print|author final)"),
    (SUBMITTED, r"(?:document )?version(?: of attached file)?: ?(?:early version|pre-?print|submitted|author'?s? original|working paper)"),
    (
        SUBMITTED,
        (r"this manuscript is a (?:non-?peer[- ]reviewed )?preprint|nber working paper series|research square.{0,80}posted date|discussion started: \d{1,2} [a-z]{3,9} \d{4}"
        r"|pre-peer[- ]review(?:ed)? version of the following article|this is an? (?:original|submitted|unrefereed) (?:manuscript|version)(?: ?/ ?preprint)? of an article"
        r"|this is a preprint of an article|submitted manuscript version of a (?:published|submitted) work|unedited author's version of a submitted work"
        r"|this preprint has not undergone (?:peer review|any post-submission)"),
    ),
    (
        ACCEPTED,
        (r"accepted manuscript version of a published work|to cite this article before publication|this article can be cited before page numbers have been issued"
        r"|has been published in a revised form in|version may be subject to change during the production process|accepted manuscript (?:for|version of the following)\b"
        r"|accepted for publication,? after peer review|(?:do(?:es)? )?not reflect post-acceptance improvements|springer nature'?s? am terms of use"
        r"|we are providing this (?:early version of the manuscript|version of an accepted manuscript)|undergone enhancements after acceptance"
        r"|posted online prior to technical editing|accepted author version posted online|pre-copy-?edited, author-produced"
        r"|non-final version of an article published in final form|(?:paper|article) is not the copy of record|this (?:is an? |is the )?author'?s? produced version"
        r"|this is the accepted version of|accepted manuscript is [\"\u201c]the version"),
    ),
    (
        ACCEPTED,
        (r"this is (?:a|the) (?:[a-z]{3,8} )?post-?print\b|peer[- ]reviewed author version|author'?s final draft|final draft post-refereeing|manuscript accepted for publication\. this is not|the version of record of this (?:manuscript|article|paper) (?:is|was|has been) (?:published|available)"
        r"|post-peer-review, pre-copyedit|this is (?:the|an) (?:author'?s? |final |pre-print ){0,3}(?:accepted|peer[- ]reviewed)"
        r"|(?:nih-pa|hhs public access|nih public access|europe pmc funders?|cihr|wellcome trust) author manuscript"
        r"|author manuscript; available in pmc|published in final edited form as|hhs public access"
        r"|author(?:'?s?)? accepted (?:version|manuscript|copy)|accepted author (?:version|manuscript)"
        r"|author'?s (?:final |personal )?(?:version|post-?print|manuscript) of (?:a|the|an) (?:work|paper|article|manuscript)"
        r"|this manuscript version is made available under|this is an unedited manuscript that has been accepted"
        r"|(?:this )?article has been accepted for (?:publication|inclusion) (?:and (?:has )?undergone|in a future issue)"
        r"|has (?:been accepted for publication but has )?not (?:yet )?been (?:fully )?(?:copy-?edited|edited)"
        r"|peer[- ]reviewed, accepted (?:manuscript|version)|journal pre-proofs?\b|\bjust accepted\b"
        r"|unedited version of this manuscript|this (?:accepted|author) manuscript (?:is|has|may)|post-?print version"
        r"|the (?:definitive|final|published) version (?:of this (?:paper|article|work|manuscript) )?(?:is|was|has been|will be)"
        r" (?:subsequently )?(?:available|published|publish)"),
    ),
    (
        SUBMITTED,
        (r"arxiv:(?:\d{4}\.\d{4,5}|[a-z.-]{2,20}/\d{7})(?:v\d{1,3})? ?\[[a-z.-]{2,20}\] ?\d{1,2} [a-z]{3,9} \d{4}"
        r"|\b(?:bio|med|chem|psy|soc|eng|earth)rxiv preprint|not (?:been )?certified by peer review|copyright holder for this preprint"
        r"|preprints? \(?www\.preprints\.org|not peer[- ]reviewed\b|has not (?:yet )?been peer[- ]reviewed|preprint submitted to"
        r"|preliminary reports? that ha(?:s|ve) not undergone peer review|electronic copy available at: https?://(?:papers\.)?ssrn"
        r"|under review as a (?:conference )?paper|submitted manuscript under review|this is a preprint\b"
        r"|this is a non-?peer[- ]reviewed (?:preprint|manuscript)|manuscript submitted to\b|unpublished working draft|(?:do not|not for) (?:distribut|circulat)|(?:for )?review copy\b|pre-?review(?:ed)? version"),
    ),
)  # fmt: skip

# Features of published articles, and their points.
LOOKS = (
    (2, r"journal homepage ?:|contents lists? available at|available online at www\.sciencedirect"),
    (2, r"\breceived\b.{4,120}\baccepted\b.{4,120}\bpublished\b"),
    (2, r"published by (?:elsevier|john wiley|wiley|springer|oxford|cambridge|taylor|sage|iop|bmj|mdpi|frontiers|the royal|the american|aip)"),
    (2, r"open access article (?:distributed|published|licensed|which|under)|licensee (?:mdpi|biomed|springer|elsevier|intech)"),
    (2, r"\bcrossmark\b|plos one \d|\| www\.|mdpi\.com/journal|frontiersin\.org|published under licen[cs]e by iop"),
    (2, r"published as a (?:conference|workshop) paper|permission to make digital or hard copies|proceedings of the \d{1,3}(?:st|nd|rd|th)"),
    (1, r"(?:©|\(c\)|copyright)[^.\n©]{0,60}\b(?:19|20)\d\d"),
    (1, r"\bdoi\b|doi\.org/"),
    (1, r"\breceived\b.{4,120}\baccepted\b"),
    (1, r"\bpublished(?: online)?:? \d{1,2} [a-z]{3,9}|\bfirst published|available online \d"),
    (1, r"\bvol(?:ume|\.)? ?\d{1,4},? ?(?:no|issue|number|iss|pp)\b|\b\d{1,4} ?\((?:19|20)\d\d\) ?[a-z]?\d|(?:19|20)\d\d[;,] ?\d{1,4} ?\(\d{1,3}\)"),
    (1, r"\bissn\b|all rights reserved|\bpp?\. ?\d{1,5} ?- ?\d{1,5}"),
)  # fmt: skip

AT_LAST = (
    (ACCEPTED, r"\baccepted for publication (?:in|by)\b|\bto appear in\b|\baccepted (?:by|in|to) (?:the )?[a-z. ]{0,40}journal"),
    (SUBMITTED, r"(?:^|\n)(?:this (?:paper|article|manuscript) (?:was |has been |is )?)?submitted (?:to|for publication)\b"),
    (SUBMITTED, r"(?:^|\n)(?:draft(?: version)?\b|pre-?print\b|(?:discussion|working) papers?\b|aps/123-qed|typeset using)"),
)  # fmt: skip

# What may follow after the words of a line: nothing, or words about the manuscript and the journal. No date.
_MORE = (
    r"(?: (?:d[ue] (?:manuscrit|l'auteur|l'article)|de(?:l| la)? (?:manuscrito|autora?|artículo)|do (?:manuscrito|autor|artigo)|dell'autore|del manoscritto"
    r"|pour (?:la )?publication|para (?:su |a )?publica(?:ci[oó]n|ção)|per la pubblicazione|par la revue|por la revista|pela revista|dalla rivista|zur (?:veröffentlichung|publikation)))?"
    r"(?:,? (?:publiée? dans|à paraître|publicad[oa] e[nm]|pubblicat[oa] (?:in|su)|erschienen in|bei|in|für) .{3,80}| ?[,.:;(\u2013-][^\d\n]{0,80})?"
)
_TO = r"(?: (?:à|a|au|al|alla|ao|pour|para|per|zur|bei|an)\b[^\d\n]{0,80})?"
_LINES = (
    (
        ACCEPTED,
        (
            r"(?:(?:author'?s? )?accepted (?:manuscript|version|article|author version)(?: posted online)?|post-?print(?: (?:version )?of (?:the|an) (?:article|paper))?|author(?:'s)? (?:manuscript|copy))"
            rf"|(?:manuscrit|article|version)(?: (?:auteur|d'auteur|de l'auteur|finale?|post-?print))?(?: finale?)? accept[ée]{{1,2}}{_MORE}"
            rf"|(?:manuscrit (?:d'|de l')?auteur|version post-?print|version acceptée){_MORE}"
            rf"|(?:zur (?:veröffentlichung|publikation) )?(?:akzeptierte|angenommene)s? (?:autoren)?(?:manuskript)?(?:fassung|version|manuskript)?{_MORE}|(?:dies ist )?die (?:akzeptierte|angenommene) (?:manuskript)?(?:fassung|version)|zweitveröffentlichung . akzeptierte (?:fassung|version)|zur (?:veröffentlichung|publikation) angenommen{_MORE}"
            rf"|(?:autorenmanuskript|akzeptierte autorenfassung|postprint-?(?:fassung|version)){_MORE}"
            rf"|(?:manuscrito|artículo|versión)(?: final| post-?print| del? autor)? aceptad[oa]{_MORE}|(?:manuscrito de(?:l)? autor|versión post-?print){_MORE}"
            rf"|(?:manuscrito|artigo|versão)(?: final| post-?print| do autor)? ace(?:it|itad|ite)[aeo]?{_MORE}|(?:manuscrito do autor|versão post-?print){_MORE}"
            rf"|(?:manoscritto|articolo|versione)(?: finale| post-?print| dell'autore)? accettat[oa]{_MORE}|(?:manoscritto dell'autore|versione post-?print){_MORE}"
        ),
    ),
    (
        SUBMITTED,
        (
            r"(?:a preprint(?: - .{3,20})?|submitted (?:manuscript|version)|author'?s? original (?:manuscript|version))"
            rf"|(?:manuscrit|article|version|texte) soumise?{_TO}|pré-?publication(?:, (?:version|manuscrit) .{{3,60}})?"
            rf"|eingereichte(?:s manuskript| fassung| version| manuskriptfassung){_TO}|(?:manuskript |beitrag |aufsatz )?(?:zur (?:veröffentlichung|publikation|begutachtung) )eingereicht{_TO}"
            rf"|(?:manuskript|beitrag|aufsatz) eingereicht{_TO}"
            rf"|(?:manuscrito|artículo|artigo|versi[oó]n|versão) (?:enviad|sometid|presentad|submetid)[oa]{_TO}"
            rf"|(?:manoscritto|articolo|versione) (?:inviat|sottopost|presentat)[oa]{_TO}"
        ),
    ),
)
LINES = tuple((version, re.compile(rf"(?m)^[^\w\n]{{0,3}}(?:{pattern})[^\w\n]{{0,3}}$")) for version, pattern in _LINES)
