# ruff: noqa: E501 - sentences of many languages
"""Claims of pages and files on which the rules were developed."""

from __future__ import annotations

import json

from tests.fulltext.claims import ACCEPT, CC, DAY, RETRACTED, REVIEW, Claim, in_head, printed, shown, stating

BY_NC = "https://creativecommons.org/licenses/by-nc/4.0/"
_SPRINGER = (
    "<b>Open Access</b> This article is licensed under a {cc} International License, which permits use, sharing,"
    " adaptation, distribution and reproduction in any medium or format, as long as you give appropriate credit to the"
    " original author(s) and the source, provide a link to the Creative Commons licence, and indicate if changes were"
    " made. The images or other third party material in this article are included in the article's Creative Commons"
    " licence, unless indicated otherwise in a credit line to the material. If material is not included in the article's"
    " Creative Commons licence and your intended use is not permitted by statutory regulation or exceeds the permitted"
    " use, you will need to obtain permission directly from the copyright holder."
)


def json_ld(**more: object) -> str:
    article = {"@context": "https://schema.org", "@type": "ScholarlyArticle", **more}
    return f'<script type="application/ld+json">{json.dumps(article)}</script>'


LICENCES = [
    *stating(
        REVIEW,
        "Die Metadaten dieser Seite stehen unter {cc}.",
        "Authors may choose to publish under {cc} for a fee.",
        "{cc} © 2020 Elsevier B.V. All rights reserved.",
        "Les métadonnées de cette notice sont diffusées sous {cc}.",
        "Los metadatos están disponibles bajo {cc}.",
        "I metadati di questa scheda sono distribuiti con licenza {cc}.",
        "Os metadados deste registo estão sob {cc}.",
        "De metadata van deze pagina vallen onder {cc}.",
        "Metadane tego rekordu są dostępne na licencji {cc}.",
        "The text of this web page is available under {cc}.",
        "Der Inhalt dieser Website steht unter {cc}.",
        "Le contenu de ce site est sous licence {cc}.",
        "El contenido de este sitio web está bajo {cc}.",
        "Only the abstract is available under {cc}.",
        "Die Zusammenfassung steht unter {cc}.",
        "The research data of this article are published under {cc}.",
        "The software is released under {cc}.",
        "Cover image by J. Doe, {cc}.",
        "Titelbild: Foto von A. B., {cc}.",
        "If the article is accepted, it is published under {cc}.",
        "Open access option: {cc} (article processing charge applies).",
        "This article will be made available under {cc} after the embargo.",
        "Cet article sera diffusé sous {cc}.",
        "Este artículo se publicará bajo {cc}.",
        "This article is not licensed under {cc}.",
        "Dieser Artikel steht nicht unter {cc}.",
        "Cet article n'est pas sous licence {cc}.",
        "Este artículo no está bajo {cc}.",
        "Our policy: articles are published under {cc}.",
        "An earlier version by Smith (2010) is available under {cc}.",
        "Les auteurs peuvent choisir de publier sous {cc} moyennant des frais.",
        "Gli autori possono scegliere di pubblicare con licenza {cc}.",
        "Autorzy mogą wybrać licencję {cc} za opłatą.",
    ),
    Claim(REVIEW, head=f'<meta name="DC.rights" content="{BY_NC}">'),
    Claim(REVIEW, f'<p>Licence: <a href="{BY_NC}">CC BY-NC</a></p>'),
    Claim(REVIEW, "<dl><dt>Rights</dt><dd>All rights reserved</dd></dl>"),
    Claim(REVIEW, head='<meta name="DC.rights" content="All rights reserved">'),
    Claim(REVIEW, '<p><a href="http://rightsstatements.org/vocab/InC/1.0/">In Copyright</a></p>'),
    Claim(REVIEW, f"<p>{CC}</p><p>© 2020 The Publisher. All rights reserved.</p>", is_licensed=False),
    *stating(
        ACCEPT,
        "This article is licensed under {cc}.",
        "Except where otherwise noted, this item's license is described as {cc}",
        "Dieses Werk wird unter der Lizenz {cc} veröffentlicht.",
        "Cet article est mis à disposition selon les termes de la licence {cc}.",
        "Este artículo está publicado bajo {cc}.",
        _SPRINGER,
        "© 2020 The Authors. Published by Elsevier. This is an open access article under the {cc} license.",
        "Licence: {cc}",
    ),
]

RESTRICTIONS = [
    *printed(
        REVIEW,
        "Not for redistribution.",
        "For personal use only",
        "CONFIDENTIAL",
        "Do not distribute",
        "Nur für den persönlichen Gebrauch",
        "Ne pas diffuser",
        "Prohibida su distribución",
        "Tutti i diritti riservati",
        "Todos os direitos reservados",
        "© 2019 Elsevier Ltd. All rights reserved.",
        "This is an open access article under the CC BY-NC-ND 4.0 license.",
        "This work is licensed under https://creativecommons.org/licenses/by-nc/4.0/",
        "Downloaded from journals.example.org on 1 May 2020. For personal use only; all rights reserved.",
    ),
    Claim(REVIEW, end=("No part of this publication may be reproduced without permission of the publisher.",)),
    Claim(
        REVIEW,
        below=("This is the author's version. It is posted here for your personal use. Not for redistribution.",),
    ),
    *printed(
        ACCEPT,
        "This is an open access article under the CC BY 4.0 license.",
        "https://doi.org/10.5555/meadows",
        "Vol. 7, No. 2, 2020",
    ),
    Claim(ACCEPT, below=("Confidential data of patients were not distributed, and no part may be reproduced here.",)),
    Claim(ACCEPT, below=("The questionnaire was for personal use only and the device was not for sale.",)),
    Claim(ACCEPT, below=("Fig. 1. Map of the meadows. Image: A. B., Wikimedia Commons, CC BY-SA 3.0.",)),
]

RETRACTIONS = [
    *printed(
        RETRACTED,
        "RETRACTED",
        "This article has been retracted.",
        "Zurückgezogen",
        "Artículo retractado",
        "Withdrawn",
        "Expression of concern",
        "Article rétracté",
        "This paper was retracted by the editors on 3 May 2021.",
    ),
    Claim(RETRACTED, printed="Retraction: Meadows of the northern uplands in winter"),
    Claim(RETRACTED, printed="WITHDRAWN: Meadows of the northern uplands in winter"),
    Claim(RETRACTED, below=("The editors have retracted this article because the data are not reliable.",)),
    *shown(
        RETRACTED,
        '<div class="banner">This article has been retracted.</div>',
        "<p><strong>Dieser Artikel wurde zurückgezogen.</strong></p>",
        "<p>An expression of concern has been published for this article.</p>",
        '<p>This article has been retracted. See the <a href="/2">retraction notice</a>.</p>',
        "<p>Retracted</p>",
    ),
    Claim(RETRACTED, shown="RETRACTED ARTICLE: Meadows of the northern uplands in winter"),
    Claim(RETRACTED, shown="WITHDRAWN: Meadows of the northern uplands in winter"),
    Claim(
        RETRACTED, head=json_ld(headline="Meadows of the northern uplands in winter", creativeWorkStatus="Retracted")
    ),
    Claim(RETRACTED, head='<meta name="citation_retracted" content="true">'),
    Claim(ACCEPT, below=("Twelve patients were withdrawn from the study, and one withdrew consent.",)),
    Claim(ACCEPT, title="Retracted articles and their citations in medicine"),
    Claim(ACCEPT, below=("We found that 40 of these articles have been retracted since 2010.",)),
    Claim(ACCEPT, end=("[2] B. Jones. Retraction: On bees. Journal of Bees, 2011. This article has been retracted.",)),
    Claim(ACCEPT, "<aside><h3>Related articles</h3><p>RETRACTED ARTICLE: Bees in summer</p></aside>"),
    Claim(ACCEPT, '<section class="references"><p>Jones B. RETRACTED: On bees. 2011.</p></section>'),
    Claim(ACCEPT, "<p>Check for updates: retractions and corrections of articles are shown here.</p>"),
]

EMBARGOES = [
    *shown(
        DAY,
        "<p>Embargo until 2027-05-01</p>",
        "<p>Available from 1 May 2027</p>",
        "<p>Restricted until 1 May 2027</p>",
        "<p>Gesperrt bis 01.05.2027</p>",
        "<p>Sous embargo jusqu'au 1er mai 2027</p>",
        "<p>Embargado hasta el 1 de mayo de 2027</p>",
        "<p>Embargo fino al 1 maggio 2027</p>",
        "<p>Restricted to Repository staff only until 1 May 2027</p>",
        "<table><tr><th>Embargo end date</th><td>2027-05-01</td></tr></table>",
        "<dl><dt>Embargo</dt><dd>May 1, 2027</dd></dl>",
    ),
    *in_head(
        DAY,
        '<meta name="DC.date.available" content="2027-05-01">',
        '<meta name="citation_embargo_date" content="2027/05/01">',
        '<meta name="DC.rights" content="Embargoed until 1 May 2027">',
        json_ld(headline="Meadows of the northern uplands in winter", conditionsOfAccess="Embargoed until 2027-05-01"),
    ),
    *shown(
        REVIEW,
        "<p>Embargoed Access</p>",
        "<span class='badge'>Restricted access</span>",
        "<dl><dt>Access rights</dt><dd>Under embargo</dd></dl>",
        "<p>Embargo: 12 months</p>",
        "<p>Zugriff beschränkt</p>",
    ),
    *shown(
        ACCEPT,
        "<p>Embargo until 2020-05-01</p>",
        "<p>The embargo ended on 1 May 2020.</p>",
        "<p>Embargo: none</p>",
        "<p>Available from 1 May 2019</p>",
        "<p>Open access</p>",
        "<p>This study describes how an embargo on grain changed the uplands.</p>",
    ),
]  # fmt: skip

CLAIMS = [*LICENCES, *RESTRICTIONS, *RETRACTIONS, *EMBARGOES]
