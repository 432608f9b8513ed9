"""An identifier is the same however it is written."""

from gateway.search.words import may_be_identifier, names_of
from tests.rows import each_row

SAME = [
    ("10.1234/ABC.def", "doi:10.1234/abc.DEF", "https://doi.org/10.1234/abc.def", "http://dx.doi.org/10.1234/abc.def",
     "info:doi/10.1234/abc.def", "https://doi.org/10.1234%2Fabc.def", "(10.1234/abc.def).", "urn:doi:10.1234/abc.def"),
    ("arXiv:2101.00001", "2101.00001v2", "http://arxiv.org/abs/2101.00001", "https://arxiv.org/pdf/2101.00001v1.pdf",
     "oai:arXiv.org:2101.00001", "10.48550/arXiv.2101.00001"),
    ("hep-th/9901001", "arXiv:hep-th/9901001v3", "https://arxiv.org/abs/hep-th/9901001"),
    ("hdl:2027/ab.12", "2027/AB.12", "https://hdl.handle.net/2027/ab.12", "https://repo.example.org/handle/2027/ab.12"),
    ("https://orcid.org/0000-0002-1825-009X", "0000-0002-1825-009x", "orcid:0000-0002-1825-009X"),
    ("pmid:12345", "https://pubmed.ncbi.nlm.nih.gov/12345/", "PMID:12345", "info:pmid/12345"),
    ("978-3-16-148410-0", "ISBN 9783161484100", "urn:isbn:978-3-16-148410-0"),
    ("ISSN 2049-3630", "2049-3630", "urn:issn:2049-3630"),
    ("https://www.example.org/a/1/", "http://example.org/a/1"),
    ("oai:repo.example.org:7", "OAI:repo.example.org:7"),
]  # fmt: skip


@each_row("spellings", SAME)
def test_spellings_share_a_name(spellings):
    first = names_of(spellings[0])
    assert all(first & names_of(spelling) for spelling in spellings)


def test_different_identifiers_share_none():
    names = [names_of(spellings[0]) for spellings in SAME]
    assert sum(map(len, names)) == len(frozenset().union(*names))


@each_row("part, may_be", [("10.1/x", True), ("oai:x", True), ("reef", False), ("2020", False)])
def test_digit_and_a_sign_may_be_an_identifier(part, may_be):
    assert may_be_identifier(part) is may_be
