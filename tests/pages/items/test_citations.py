"""Names and dates in citations and exports: as the styles want them, and as the programs that read them divide them."""

from gateway.core.bibliography.identifiers import identifier_of
from gateway.core.bibliography.people import agent_of
from gateway.core.model import Statement, Work
from gateway.pages.citations import bibtex, citations
from gateway.pages.reference import Reference, reference_of
from tests.rows import each_row

URL = "https://gateway.example.org/items/1"


def reference(*statements: tuple[str, str], title: str = "Reefs") -> Reference:
    return reference_of(Work(tuple(Statement(name, text) for name, text in (("title", title), *statements))))


@each_row(
    "name, apa, vancouver",
    [
        ("van der Berg, Jean-Pierre", "van der Berg, J.-P.", "van der Berg JP"),
        ("M\u00fcller, \u00c9. J.-P.", "M\u00fcller, \u00c9. J.-P.", "M\u00fcller \u00c9JP"),
        ("Zola, E\u0301mile", "Zola, \u00c9.", "Zola \u00c9"),
        ("King, Martin Luther, Jr.", "King, M. L., Jr.", "King ML Jr"),
        ("Goethe, Johann Wolfgang von, 1749-1832", "Goethe, J. W. von", "Goethe JW von"),
        ("\u5c71\u7530, \u592a\u90ce", "\u5c71\u7530, \u592a\u90ce.", "\u5c71\u7530 \u592a\u90ce"),
        ("Wiley and Sons, Inc.", "Wiley and Sons, Inc.", "Wiley and Sons, Inc."),
        ("Okafor, Ada; University of Lagos, Nigeria", "Okafor, A.", "Okafor A"),
        ("Ada Okafor; College of EME, NUST", "Ada Okafor", "Ada Okafor"),
        ("World Health Organization", "World Health Organization", "World Health Organization"),
    ],
)
def test_a_name_is_written_as_the_style_wants(name, apa, vancouver):
    made = {citation.style: citation.text for citation in citations(reference(("creator", name)), URL)}
    assert made["apa"].startswith(f"{apa.removesuffix('.')}. (n.d.)."), made["apa"]
    assert made["vancouver"].startswith(vancouver), made["vancouver"]


@each_row(
    "names, authors",
    [
        (["Okafor, Ada"], "Okafor, Ada. "),
        (["Okafor, Ada", "Lindqvist, M\u00e4rta"], "Okafor, Ada, and M\u00e4rta Lindqvist. "),
        (["UNESCO", "World Bank"], "UNESCO and World Bank. "),
        ([f"{name}, A." for name in "BCDEFG"], "B, A., A. C, A. D, A. E, A. F, and A. G. "),
        ([f"{name}, A." for name in "BCDEFGH"], "B, A., A. C, A. D, et al. "),
    ],
)
def test_chicago_lists_authors_with_the_first_one_inverted(names, authors):
    made = {entry.style: entry.text for entry in citations(reference(*(("creator", name) for name in names)), URL)}
    assert made["chicago"].startswith(authors + "\u201cReefs.\u201d"), made["chicago"]


@each_row(
    "name, field",
    [
        ("Wiley and Sons, Inc.", "{{Wiley and Sons, Inc.}}"),
        ("Black and White, Ann", "{{Black and White}, Ann}"),
        ("King, Martin Luther, Jr.", "{King, Jr., Martin Luther}"),
    ],
)
def test_one_name_stays_one_name_in_bibtex(name, field):
    assert f"  author = {field},\n" in bibtex(reference(("creator", name)), URL)


def test_a_doi_is_shown_as_it_is_and_linked_as_an_address():
    made = identifier_of("https://doi.org/10.1002/(SICI)1096(1996)100:1%3C1::AID-1%3E3.0.CO;2-X")
    assert made.text == "10.1002/(SICI)1096(1996)100:1<1::AID-1>3.0.CO;2-X"
    assert made.url == "https://doi.org/10.1002/(SICI)1096(1996)100:1%3C1::AID-1%3E3.0.CO;2-X"
    assert identifier_of(f"doi:{made.text}") == made
    (citation, *_) = citations(reference(("identifier", made.text)), URL)
    assert citation.text.endswith(made.url)


@each_row("name", ["", ", x", "a, b, c", "1749-1832", "Inc."])
def test_a_name_without_parts_is_kept_as_it_is(name):
    assert agent_of(name)[:3] == (name, "", "")
