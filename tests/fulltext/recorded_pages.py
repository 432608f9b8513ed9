"""The recorded pages, each with its address and the right answer, found by people who looked at it."""

from __future__ import annotations

from typing import NamedTuple

from gateway.model import Outcome


class Recorded(NamedTuple):
    """A page, its address, and the right answer: the address of its PDF, or none where it offers none."""

    file: str
    url: str
    pdf: str = ""
    outcome: Outcome | None = None


CAPTCHA = Outcome.BLOCKED_CAPTCHA
ACL, HAL, NBER = "https://aclanthology.org", "https://hal.science", "https://www.nber.org"
PLOS, USENIX = "https://journals.plos.org/plosone/article", "https://www.usenix.org"
SPRINGER, IOP = "https://link.springer.com", "https://iopscience.iop.org/article/10.1088/1748-605X/ab007b"
PAGES = (
    Recorded("papis/ACL_2021.naacl-main.208", f"{ACL}/2021.naacl-main.208/", f"{ACL}/2021.naacl-main.208.pdf"),
    Recorded("papis/ACL_N04-1001", f"{ACL}/N04-1001/", f"{ACL}/N04-1001.pdf"),
    Recorded("papis/ACS_jp003647e", "https://pubs.acs.org/doi/10.1021/jp003647e", outcome=CAPTCHA),
    Recorded("papis/APS_PhysRevLett.122.145901", "https://journals.aps.org/prl/abstract/x", outcome=CAPTCHA),
    Recorded(
        "papis/APS_RevModPhys.94.045004",
        "https://journals.aps.org/rmp/abstract/10.1103/RevModPhys.94.045004",
        "http://link.aps.org/pdf/10.1103/RevModPhys.94.045004",
    ),
    Recorded("papis/AnnualReview_annurev_conmatphys_031214_014726", "https://www.annualreviews.org/x", outcome=CAPTCHA),
    Recorded("papis/HAL_HAL_jpa_00235190", f"{HAL}/jpa-00235190", f"{HAL}/jpa-00235190/document"),
    Recorded(
        "papis/HAL_THESES_tel_02083632v1",
        "https://theses.hal.science/tel-02083632v1",
        "https://theses.hal.science/tel-02083632/document",
    ),
    Recorded("papis/IOPScience_ab007b", IOP, f"{IOP}/pdf"),
    Recorded(
        "papis/Lingbuzz_008324",
        "https://lingbuzz.net/lingbuzz/008324",
        "https://lingbuzz.net/lingbuzz/008324/current.pdf?_s=d_5-4hoQscqRmCNl",
    ),
    Recorded("papis/NBER_w29971", f"{NBER}/papers/w29971", f"{NBER}/system/files/working_papers/w29971/w29971.pdf"),
    Recorded("papis/NBER_w33843", f"{NBER}/papers/w33843", f"{NBER}/system/files/working_papers/w33843/w33843.pdf"),
    # Behind a subscription: its only link says `Purchase PDF`.
    Recorded(
        "papis/ScienceDirect_S2210271X18305656",
        "https://www.sciencedirect.com/science/article/abs/pii/S2210271X18305656",
    ),
    Recorded(
        "papis/SpringerLink_BF02727953",
        f"{SPRINGER}/article/10.1007/BF02727953",
        f"{SPRINGER}/content/pdf/10.1007/BF02727953.pdf",
    ),
    Recorded(
        "papis/SpringerLink_s10924_010_0192_1",
        f"{SPRINGER}/article/10.1007/s10924-010-0192-1",
        f"{SPRINGER}/content/pdf/10.1007/s10924-010-0192-1.pdf",
    ),
    Recorded("papis/TFOnline_23311932.2015.1117749", "https://www.tandfonline.com/doi/full/x", outcome=CAPTCHA),
    Recorded(
        "papis/USENIX_bulekov",
        f"{USENIX}/conference/usenixsecurity22/presentation/bulekov",
        f"{USENIX}/system/files/sec22-bulekov.pdf",
    ),
    Recorded(
        "papis/USENIX_goyal",
        f"{USENIX}/conference/nsdi22/presentation/goyal",
        f"{USENIX}/system/files/nsdi22-paper-goyal.pdf",
    ),
    Recorded("hepcrawl__187", "https://pos.sissa.it/187/"),  # the proceedings of a conference: hundreds of files
    Recorded("html-metadata__turtle_article", "http://example.com/turtles", "http://www.example.com/turtlelvr/pdf"),
    Recorded("html-metadata__turtle_article_errors", "http://example.com/turtles"),
    Recorded("commonmeta-py__datacite", "https://blog.datacite.org/x"),
    Recorded("sandcrawler__dlib_05vanhyning", "http://www.dlib.org/dlib/may19/vanhyning/05vanhyning.html"),
    Recorded(
        "sandcrawler__first_monday_ojs3_fulltext", "https://firstmonday.org/ojs/index.php/fm/article/view/10274/9729"
    ),
    Recorded("sandcrawler__genders_g58_fairlie", "http://www.genders.org/g58/g58_fairlie.html"),
    Recorded("sandcrawler__nature_article", "https://www.nature.com/articles/d41586-020-02610-z"),
    Recorded(
        "sandcrawler__peerj_oa_article", "https://peerj.com/articles/4375/", "https://peerj.com/articles/4375.pdf"
    ),
    Recorded(
        "sandcrawler__plos_one_article_no_icon_href",
        f"{PLOS}?id=10.1371/journal.pone.0213978",
        f"{PLOS}/file?id=10.1371/journal.pone.0213978&type=printable",
    ),
    Recorded(
        "http/commonmeta__arxiv.org_abs_1902.02534.200.body",
        "https://arxiv.org/abs/1902.02534",
        "https://arxiv.org/pdf/1902.02534",
    ),
    Recorded("http/commonmeta__zenodo.org_records_1196821.200.body", "https://zenodo.org/records/1196821"),  # data
    Recorded(
        "http/crminer__peerj.com_articles_1545.html.200.body",
        "https://peerj.com/articles/1545.html",
        "https://peerj.com/articles/1545.pdf",
    ),
    Recorded(
        "http/fulltext__www.biorxiv.org_search_owls_20numresults_30.200.body", "https://www.biorxiv.org/search/owls"
    ),
    Recorded(
        "../services/landing/ace-blocked-recaptcha-pmc", "https://pmc.ncbi.nlm.nih.gov/articles/PMC1/", outcome=CAPTCHA
    ),
    Recorded(
        "../services/landing/ace-jama-481747",
        "https://jamanetwork.com/journals/jamapsychiatry/fullarticle/481747",
        "https://jamanetwork.com/journals/jamapsychiatry/articlepdf/481747/yoa9468.pdf",
    ),
    Recorded(
        "../services/landing/ace-mdpi-brainsci-15-264",
        "https://www.mdpi.com/2076-3425/15/3/264",
        "https://www.mdpi.com/2076-3425/15/3/264/pdf?version=1740753952",
    ),
    Recorded("../services/landing/ace-mitpress-jocn", "http://www.mitpressjournals.org/doi/full/10.1162/jocn_a_00371"),
    Recorded(
        "../services/landing/ace-oup-brain-awl181",
        "https://academic.oup.com/brain/article/129/10/2697/290089",
        "https://academic.oup.com/brain/article-pdf/129/10/2697/818980/awl181.pdf",
    ),
    Recorded(
        "../services/landing/ace-pmc-new-PMC2633119",
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC2633119/",
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC2633119/pdf/nihms-86240.pdf",
    ),
    Recorded(
        "../services/landing/ace-pmc-old-PMC5220672",
        "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC5220672/",
        "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC5220672/pdf/nihms790782.pdf",
    ),
    Recorded(
        "../services/landing/ace-psychiatryonline-10010129",
        "https://psychiatryonline.org/doi/10.1176/appi.ajp.2010.10010129",
        "https://psychiatryonline.org/doi/pdf/10.1176/appi.ajp.2010.10010129?download=true",
    ),
    Recorded(
        "../services/landing/ace-sage-JAD-221229",
        "https://journals.sagepub.com/doi/10.3233/JAD-221229",
        "https://journals.sagepub.com/doi/pdf/10.3233/JAD-221229",
    ),
    Recorded(
        "../services/landing/ace-sciencedirect-S0010027716301937",
        "https://www.sciencedirect.com/science/article/pii/S0010027716301937",
        "https://www.sciencedirect.com/science/article/pii/S0010027716301937/pdfft?md5=8119a8debd7e6a18f58da380de19c00b&pid=1-s2.0-S0010027716301937-main.pdf",
    ),
    Recorded(
        "../services/landing/ace-sciencedirect-S0166432807006298",
        "https://www.sciencedirect.com/science/article/pii/S0166432807006298",
        "https://www.sciencedirect.com/science/article/pii/S0166432807006298/pdfft?md5=dd7aa248b23ed1aae4b1f27569205f67&pid=1-s2.0-S0166432807006298-main.pdf",
    ),
    Recorded(
        "../services/landing/ace-sciencedirect-old-S0920996408001254",
        "http://www.sciencedirect.com/science/article/pii/S0920996408001254",
        "http://www.sciencedirect.com/science/article/pii/S0920996408001254/pdfft?md5=aa192c559183e38fd512f25ff8684796&pid=1-s2.0-S0920996408001254-main.pdf",
    ),
    Recorded(
        "../services/landing/ace-wiley-epi.17430",
        "https://onlinelibrary.wiley.com/doi/10.1111/epi.17430",
        "https://onlinelibrary.wiley.com/doi/pdfdirect/10.1111/epi.17430",
    ),
    Recorded(
        "../services/landing/doi.pangaea.de_10.1594_PANGAEA.902845.3d824d.200.body",
        "https://doi.pangaea.de/10.1594/PANGAEA.902845",
    ),
    Recorded("../services/landing/eprints-latest-list", "http://philsci-archive.pitt.edu/view/latest"),
    Recorded("../services/landing/zenodo.org_record_8347772.e76a9d.200.body", "https://zenodo.org/record/8347772"),
)
