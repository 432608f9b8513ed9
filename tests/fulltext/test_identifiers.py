"""The identifiers of a work are found wherever real records hide them. Pure; every text was seen in a record."""

from gateway.core.bibliography.identifiers import arxiv_in, dois_in, issns_in, pmcids_in
from gateway.core.model import Statement, Work
from harvester.fulltext.identifiers import Identifier, identifiers_of
from tests.rows import each_row


@each_row(
    "text, dois",
    [
        ("10.1186/ar3068", ("10.1186/ar3068",)),
        ("PLoS ONE 2015, 10(7), e0131202. doi: 10.1371/journal.pone.0131202", ("10.1371/journal.pone.0131202",)),
        ("http://onlinelibrary.wiley.com/doi/10.1111/jvim.13796/abstract", ("10.1111/jvim.13796",)),
        (
            'doi: 10.1128/MCB.00585-10. Epub 2010 <a href="http://dx.doi.org/10.1128/MCB.00585-10">',
            ("10.1128/mcb.00585-10",),
        ),
        ("(see 10.1016/S0140-6736(14)60847-7)", ("10.1016/s0140-6736(14)60847-7",)),
        (
            "doi:10.1002/(SICI)1096-8644(199808)106:4<537::AID-AJPA7>3.0.CO;2-A",
            ("10.1002/(sici)1096-8644(199808)106:4<537::aid-ajpa7>3.0.co;2-a",),
        ),
        ("https://doi.org/10.1000%2F182", ("10.1000/182",)),
        ("10.1016/a and 10.1016/b.", ("10.1016/a", "10.1016/b")),
        ("10.1016/x&gt;", ("10.1016/x",)),
        ("MaxX: -110.97058296203613", ()),
        ("10.1234/.", ()),
        (
            "10.1234/a;10.1234/b,doi:10.1234/c;https://doi.org/10.1234/d",
            tuple(f"10.1234/{suffix}" for suffix in "abcd"),
        ),
        ("https://doi.org/10.1234/\u200babc\u00addef\ufeff", ("10.1234/abcdef",)),
        ("https://link.springer.com/content/pdf/10.1007%2Fs10924-010-0192-1.pdf", ("10.1007/s10924-010-0192-1",)),
    ],
)
def test_dois_are_found_within_texts(text: str, dois: tuple[str, ...]) -> None:
    assert dois_in(text) == dois


@each_row("text, ids", [
    ("http://arxiv.org/abs/cond-mat/9706061", ("cond-mat/9706061",)),
    ("http://arxiv.org/pdf/1711.05739v2", ("1711.05739",)), ("oai:arXiv.org:math.AG/0309136", ("math.AG/0309136",)),
    ("arXiv:1310.6514 [hep-th]", ("1310.6514",)), ("https://doi.org/10.48550/arXiv.2101.00001", ("2101.00001",)),
    ("https://arxiv.org/pdf/1711.05739.pdf", ("1711.05739",)),
    ("https://arxiv.org/html/1711.05739v1", ("1711.05739",)), ("A comment on arXiv:1711.05739.", ("1711.05739",)),
    ("arXiv 1711.05739 [hep-th]", ("1711.05739",)),
    ("info:eu-repo/semantics/altIdentifier/arxiv/1711.05739", ("1711.05739",)), ("arXiv:1711.05739.12", ()),
    ("http://example.org/1711.05739", ()), ("arXiv", ()),
])  # fmt: skip
def test_arxiv_identifiers(text: str, ids: tuple[str, ...]) -> None:
    assert arxiv_in(text) == ids


@each_row("text, ids", [
    ("http://www.ncbi.nlm.nih.gov/pmc/articles/PMC3304806/pdf/", ("PMC3304806",)),
    ("ISSN 0890-9369. PMCID PMC4117942. http://r.example.org/", ("PMC4117942",)),
    ("oai:pubmedcentral.nih.gov:13900", ("PMC13900",)),
    ("https://europepmc.org/articles/pmc3144483?pdf=render", ("PMC3144483",)),
    ("http://www.ncbi.nlm.nih.gov/pmc/articles/3304806", ("PMC3304806",)),
    ("http://www.pubmedcentral.nih.gov/articlerender.fcgi?artid=3304806", ("PMC3304806",)), ("PMC", ()),
])  # fmt: skip
def test_identifiers_of_pubmed_central(text: str, ids: tuple[str, ...]) -> None:
    assert pmcids_in(text) == ids


@each_row(
    "text, issns",
    [
        ("eLife, 3. Art. No. e01856. ISSN 2050-084X. http://resolver.example.org/", ("2050-084X",)),
        ("ISSN: 0929-8274", ("0929-8274",)),
        ("ISSN 03785955; e-ISSN 1878-5891", ("0378-5955", "1878-5891")),
        ("ISSN 0378-5954", ()),  # the check digit is wrong
        ("1850-1859", ()),
        ("2041-1723", ("2041-1723",)),  # Nature Communications: both halves look like years
        ("ISSN 0378\u20105955", ("0378-5955",)),
    ],
)
def test_issns_with_their_check_digit(text: str, issns: tuple[str, ...]) -> None:
    assert issns_in(text) == issns


def record(*statements: tuple[str, str], identifiers: tuple[str, ...] = (), upstream: str = "") -> Work:
    return Work(tuple(Statement(*statement) for statement in statements), identifiers, upstream=upstream)


def test_what_the_record_calls_its_own_comes_first() -> None:
    identifiers = identifiers_of(
        record(
            (
                "rights",
                "The final publication is available at Springer via http://dx.doi.org/10.1007/978-3-642-04930-9_66",
            ),
            ("identifier", "In: J. X, 3. doi:10.1/no doi: 10.1234/Own"),
            ("relation", "10.1234/other"),
            identifiers=("https://doi.org/10.1234/first", "https://hdl.handle.net/1721.1/5"),
            upstream="oai:arXiv.org:1210.4283",
        )
    )
    assert identifiers.all("doi") == ("10.1234/first", "10.1234/own", "10.1007/978-3-642-04930-9_66")
    assert identifiers.best("doi") == Identifier("doi", "10.1234/first", "identifier")
    assert identifiers.value("handle") == "1721.1/5"
    assert identifiers.best("arxiv") == Identifier("arxiv", "1210.4283", "header")
    assert identifiers.value("pmcid") == ""
    assert identifiers.best("issn") is None


def test_the_only_related_doi_is_taken_and_not_called_certain() -> None:
    best = identifiers_of(record(("relation", "http://dx.doi.org/10.1002/ange.201711611"), ("relation", "x"))).best(
        "doi"
    )
    assert best is not None
    assert best == ("doi", "10.1002/ange.201711611", "relation")
    assert not best.is_certain
    assert Identifier("doi", "10.1/x", "header").is_certain


@each_row(
    "element, text, doi",
    [
        (
            "description",
            "This is the final version of the article. It first appeared from PLoS via http://dx.doi.org/10.1371/j.1",
            "10.1371/j.1",
        ),
        (
            "rights",
            "Citation: Mol Cell Biol. 2010 Oct;30(19):4616-25. doi: 10.1128/MCB.00585-10. Epub",
            "10.1128/mcb.00585-10",
        ),
        ("description", "We extend the results of 10.1234/x.", ""),
        ("rights", "Citation: 10.1234/x, a reply to 10.1234/y", ""),
    ],
)
def test_in_prose_a_doi_counts_where_the_words_say_whose_it_is(element: str, text: str, doi: str) -> None:
    assert identifiers_of(record((element, text))).value("doi") == doi
