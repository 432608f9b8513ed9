"""Names and dates in citations and exports: as the styles want them, and as the programs that read them divide them."""

from __future__ import annotations

import json

from gateway.landing.bibtex import bibtex
from gateway.landing.citations import citations
from gateway.landing.csl_json import csl_json
from gateway.landing.ris import ris
from gateway.model import Statement, Work
from gateway.pages.reference import Reference, author_of, identifier_of, reference_of
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
        ("Smith, (Jane) d'Arc", "Smith, J. D.", "Smith JD"),
        ("King, Martin Luther, Jr.", "King, M. L., Jr.", "King ML Jr"),
        ("Goethe, Johann Wolfgang von, 1749-1832", "Goethe, J. W. von", "Goethe JW von"),
        ("\u5c71\u7530, \u592a\u90ce", "\u5c71\u7530, \u592a\u90ce.", "\u5c71\u7530 \u592a\u90ce"),
        ("Wiley and Sons, Inc.", "Wiley and Sons, Inc.", "Wiley and Sons, Inc."),
        ("Dias, Lara da Concei\u00e7\u00e3o Moura", "Dias, L. da C. M.", "Dias L da CM"),
        ("Okafor, Ada; University of Lagos, Nigeria", "Okafor, A.", "Okafor A"),
        ("Ada Okafor; College of EME, NUST", "Ada Okafor", "Ada Okafor"),
        ("Okafor, A.; Ito, H.", "Okafor, A.; Ito, H.", "Okafor, A.; Ito, H."),
        ("World Health Organization", "World Health Organization", "World Health Organization"),
        ("Plato", "Plato", "Plato"),
    ],
)
def test_a_name_is_written_as_the_style_wants(name, apa, vancouver):
    made = {citation.style: citation.text for citation in citations(reference(("creator", name)), URL)}
    assert made["apa"].startswith(f"{apa.removesuffix('.')}. (n.d.)."), made["apa"]
    assert made["vancouver"].startswith(vancouver), made["vancouver"]


def test_a_title_that_asks_has_no_full_stop():
    made = {citation.style: citation.text for citation in citations(reference(title="What is it?"), URL)}
    assert "\u201cWhat is it?\u201d" in made["chicago"]


@each_row(
    "names, authors",
    [
        (["Okafor, Ada"], "Okafor, Ada. "),
        (["Okafor, Ada", "Lindqvist, M\u00e4rta"], "Okafor, Ada, and M\u00e4rta Lindqvist. "),
        (["Hill, Andrew Putnam, 1853-1922"], "Hill, Andrew Putnam. "),
        (["UNESCO", "World Bank"], "UNESCO and World Bank. "),
        (["Okafor, Ada", "UNESCO", "Ito, Haruki"], "Okafor, Ada, UNESCO, and Haruki Ito. "),
        ([f"{name}, A." for name in "BCDEFG"], "B, A., A. C, A. D, A. E, A. F, and A. G. "),
        ([f"{name}, A." for name in "BCDEFGH"], "B, A., A. C, A. D, et al. "),
    ],
)
def test_chicago_lists_authors_with_the_first_one_inverted(names, authors):
    made = {entry.style: entry.text for entry in citations(reference(*(("creator", name) for name in names)), URL)}
    assert made["chicago"].startswith(authors + "\u201cReefs.\u201d"), made["chicago"]


def test_years_of_a_life_are_no_part_of_a_name_for_programs():
    assert "\r\nAU  - Hill, Andrew Putnam\r\n" in ris(reference(("creator", "Hill, Andrew Putnam, 1853-1922")), URL)
    assert "\r\nAU  - King, Martin, Jr.\r\n" in ris(reference(("creator", "King, Martin, Jr.")), URL)


def test_a_place_without_a_known_form_is_cited_as_the_record_has_it():
    place = "Bulletin, new series, no. 4 of the twelfth volume"
    made = citations(reference(("type", "article"), ("source", "1234-5679"), ("source", place)), URL)
    assert all(place in entry.text for entry in made)
    assert not any("1234" in entry.text for entry in made)


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


def test_csl_has_the_parts_of_a_name_and_of_a_date_that_exist():
    work = reference(("creator", "King, Martin Luther, Jr."), ("date", "2001-13-45"))
    (entry,) = json.loads(csl_json(work, URL, "1"))
    assert entry["author"] == [{"family": "King", "given": "Martin Luther", "suffix": "Jr."}]
    assert entry["issued"] == {"date-parts": [[2001]]}


def test_a_doi_is_shown_as_it_is_and_linked_as_an_address():
    made = identifier_of("https://doi.org/10.1002/(SICI)1096(1996)100:1%3C1::AID-1%3E3.0.CO;2-X")
    assert made.text == "10.1002/(SICI)1096(1996)100:1<1::AID-1>3.0.CO;2-X"
    assert made.url == "https://doi.org/10.1002/(SICI)1096(1996)100:1%3C1::AID-1%3E3.0.CO;2-X"
    assert identifier_of(f"doi:{made.text}") == made
    (citation, *_) = citations(reference(("identifier", made.text)), URL)
    assert citation.text.endswith(made.url)


@each_row("name", ["", ",", ", x", "x,", "a, b, c", "a,,b", "1749-1832", "Inc."])
def test_a_name_without_parts_is_kept_as_it_is(name):
    assert author_of(name)[:3] == (name, "", "")
