# ruff: noqa: E501 - sentences of many languages
"""Right copies with the usual sentences of publishers and repositories: rules accept all of them."""

from __future__ import annotations

from tests.fulltext.claims import ACCEPT, CC, Claim, shown, stating

_FILES = (
    "© 2020 by the authors. Licensee MDPI, Basel, Switzerland. This article is an open access article distributed under the terms and conditions of the Creative Commons Attribution (CC BY) license.",
    "Copyright: © 2020 Sorbye. This is an open access article distributed under the terms of the Creative Commons Attribution License, which permits unrestricted use, distribution, and reproduction in any medium, provided the original author and source are credited.",
    "This is an open-access article distributed under the terms of the Creative Commons Attribution License (CC BY). The use, distribution or reproduction in other forums is permitted, provided the original author(s) are credited. No use, distribution or reproduction is permitted which does not comply with these terms.",
    "The Author(s) 2020. Open Access This article is distributed under the terms of the Creative Commons Attribution 4.0 International License, which permits unrestricted use. The Creative Commons Public Domain Dedication waiver applies to the data made available in this article, unless otherwise stated.",
    "Content from this work may be used under the terms of the Creative Commons Attribution 3.0 licence. Any further distribution of this work must maintain attribution to the author(s).",
    "Published by Copernicus Publications on behalf of the Meadow Union. This work is distributed under the Creative Commons Attribution 4.0 License.",
    "Received 1 May 2019; accepted 3 June 2019; available online 5 July 2019",
    "The copyright holder for this preprint is the author, who has granted a license to display the preprint in perpetuity. It is made available under a CC-BY 4.0 International license.",
    "Funding: the funder had no role in the decision to publish. Data availability: data are available from the author upon request; some data are confidential.",
    "Restricted access to the meadows was granted by the owner. Access to this area is restricted in winter.",
    "Corresponding author. This article was presented at the meeting of 2018 and revised since.",
    "The first author withdrew from the board. No payment was received. Copyright 2020 the author.",
    "Figure 1 is reproduced from Smith under CC BY-NC 3.0. The map is available under ODbL.",
    "Participants could withdraw at any time; two withdrew. The paper questionnaire is for personal use in class.",
    "This study was approved by the board. Informed consent was obtained. All authors reserved one day for the visit.",
    "Please cite this article as: Sorbye A. Meadows. Use of this article is subject to CC BY 4.0.",
    "The embargo on wool was lifted in 1820 and prices fell until 1850.",
    "Licensed under CC BY 4.0. To view a copy of this license, visit http://creativecommons.org/licenses/by/4.0/",
)
_PAGES = (
    "<p>Published: 1 May 2020. Issue available from the publisher since 2020.</p>",
    "<p>Copyright (c) 2020 Anna Sorbye</p>",
    "<h3>How to cite</h3><p>Sorbye A. Meadows. 2020. Accessed until 2021.</p>",
    "<h3>Data availability</h3><p>The data are available under CC0 at Zenodo.</p>",
    "<p>Abstract: The claws of cats are retracted; samples were withdrawn; access to this area is restricted.</p>",
    "<p>View all available formats. Release notes. Copyright notice.</p>",
    "<p>Conflict of interest: none. Concern was expressed by reviewers.</p>",
    "<dl><dt>Access</dt><dd>Open Access</dd><dt>Date available</dt><dd>2020-05-01</dd></dl>",
    "<p>Version 2 of this article is available. Previous versions are listed below.</p>",
    "<p>Restricted Boltzmann machines are available from version 3.</p>",
    "<div class='comments'><p>Please log in to comment. All comments are CC BY-SA.</p></div>",
    "<p>Rights and permissions: reprints may be ordered for personal use.</p>",
    "<p>Some rights reserved.</p>",
    # the search of MDPI
    "<form><select><option>Article</option><option>Expression of Concern</option><option>Retraction</option></select></form>",
    "<p>Metrics are available from 2019. Downloads: 12</p>",
    "<p>Retrieved from the catalogue. Zugang: frei</p>",
    "<p>El artículo está disponible sin embargo alguno desde 2019.</p>",
)
_STATED = (
    "Creative Commons License This work is licensed under a {cc} International License.",
    "Copyright (c) 2020 Anna Sorbye. This work is licensed under a {cc}.",
    "License: {cc}",
    "Lizenz: {cc}",
    "Dieses Dokument ist lizenziert unter einer {cc}",
    "L'article est distribué selon les termes de la licence {cc}.",
    "Esta obra está bajo una licencia internacional {cc}.",
    "Este trabalho está licenciado sob uma licença {cc}.",
    "Quest'opera è distribuita con licenza {cc} Internazionale.",
    "Dit werk valt onder een {cc} licentie.",
    "Denna artikel är licensierad under {cc}.",
    "Artykuł dostępny na licencji {cc}.",
    "Unless otherwise noted, this item is licensed under {cc}",
    "Rights: This is an Open Access article, free of all copyright restrictions beyond {cc}.",
    "This is an open access article under the {cc} license, which allows others to share and adapt it.",
    "You can copy and distribute this article under {cc}.",
    "Files are licensed under {cc}",
    "This chapter is published under {cc}. If you reuse it, please cite it.",
)  # fmt: skip

FILES = [
    *(Claim(ACCEPT, below=(line,)) for line in _FILES),
    *(Claim(ACCEPT, end=(line,)) for line in _FILES),
]
PAGES = [
    *shown(ACCEPT, *_PAGES),
    *stating(ACCEPT, *_STATED),
    Claim(ACCEPT, f"<div id='terms'><p>{CC}</p></div>", is_licensed=False),
]
CLAIMS = [*FILES, *PAGES]
