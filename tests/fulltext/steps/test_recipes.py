"""Addresses that follow from identifiers: the right ones, and none for what only looks like one."""

from harvester.fulltext.steps.recipes import STEP
from tests.fulltext.step_arguments import known, offline
from tests.fulltext.web import work
from tests.rows import each_row

OF_DOIS = {
    "10.48550/arxiv.1109.1201": "https://arxiv.org/pdf/1109.1201",
    "10.21203/rs.3.rs-132152/v1": "https://www.researchsquare.com/article/rs-132152/v1.pdf",
    "10.7717/peerj.4375": "https://peerj.com/articles/4375.pdf",
    "10.1371/journal.pone.0000030": "https://journals.plos.org/plosone/article/file?id=10.1371/journal.pone.0000030&type=printable",
    "10.1371/journal.pdig.0000001": "https://journals.plos.org/digitalhealth/article/file?id=10.1371/journal.pdig.0000001&type=printable",
    "10.3389/fonc.2022.814667": "https://www.frontiersin.org/articles/10.3389/fonc.2022.814667/pdf",
    "10.1186/1471-2164-7-187": "https://link.springer.com/content/pdf/10.1186/1471-2164-7-187.pdf",
    "10.5194/acp-21-1-2021": "https://acp.copernicus.org/articles/21/1/2021/acp-21-1-2021.pdf",
    "10.5194/hessd-6-1247-2009": "https://hess.copernicus.org/preprints/6/1247/2009/hessd-6-1247-2009.pdf",
    "10.5194/acp-2021-781": "https://acp.copernicus.org/preprints/acp-2021-781/acp-2021-781.pdf",
}


@each_row("doi, url", OF_DOIS.items())
def test_the_address_of_a_file_follows_from_its_doi(doi: str, url: str) -> None:
    result = STEP.find(known(work(doi=doi)), offline())
    assert [(copy.url, copy.license) for copy in result.copies] == [(url, "")]


def test_a_recipe_says_what_it_went_by_and_which_version_it_is() -> None:
    (copy,) = STEP.find(known(work(doi="10.7717/peerj.4375")), offline()).copies
    assert (copy.version, copy.evidence, copy.is_open) == ("published", "doi:10.7717/peerj.4375", True)


LEFT_OUT = {
    "its server and version must be asked for": "10.1101/2024.05.27.24307989 10.64898/2025.12.01.691234",
    "a journal, a notice, a figure": "10.1101/gr.279093.124 10.1371/annotation/53374aad-bc04-4c64-b313-8ff9b881d0da "
    "10.1371/journal.pone.0000030.g001 10.7717/peerj.4375/supp-1",
    "an abstract, the registration of a trial": "10.3389/conf.fnins.2010.06.00001 10.1186/isrctn12345678",
    "it does not name its file, or volume and number": "10.31234/osf.io/hq8sd_v1 10.12688/f1000research.161261.2 "
    "10.7554/elife.01567 10.26434/chemrxiv-2022-w0jzh-v2 10.5281/zenodo.48440 10.3390/plants10040775 "
    "10.21203/rs.1.1/v2 10.5194/egusphere-egu21-1",
}


@each_row("doi", " ".join(LEFT_OUT.values()).split())
def test_what_has_no_address_of_its_own_is_left_out(doi: str) -> None:
    assert not STEP.wants(known(work(doi=doi)))


@each_row("page, url", [
    ("https://f1000research.com/articles/14-157/v2", "https://f1000research.com/articles/14-157/v2/pdf"),
    ("http://verixiv.org/articles/1-7/v1/", "https://verixiv.org/articles/1-7/v1/pdf"),
    (
        "https://www.medrxiv.org/content/10.1101/2024.05.27.24307989v2.full",
        "https://www.medrxiv.org/content/10.1101/2024.05.27.24307989v2.full.pdf",
    ),
])  # fmt: skip
def test_the_address_of_a_file_follows_from_that_of_its_page(page: str, url: str) -> None:
    assert [copy.url for copy in STEP.find(known(work(page=page)), offline()).copies] == [url]
