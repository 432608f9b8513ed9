"""What an index has of a record."""

from gateway.core.errors import NotXml
from gateway.core.model import Work
from gateway.formats._statements import ELEMENTS
from gateway.search.entries import MOST_WORDS, Entry, entry_of
from gateway.search.indexing import describe
from tests.rows import each_row
from tests.search.harness import record_of

NAME = "oai:gateway.example.org:laro/1"


def entry(*statements: tuple[str, str], specs: tuple[str, ...] = ("source:laro:a:b",)) -> Entry:
    return entry_of(record_of(NAME, specs, statements), describe)


def test_entry_has_words_names_and_values():
    made = entry(
        ("title", "Coral & reef"),
        ("creator", "Doe, Jane (https://orcid.org/0000-0002-1825-0097)"),
        ("subject", "Reef"),
        ("identifier", "https://doi.org/10.1234/X"),
        ("type", "info:eu-repo/semantics/article"),
        ("date", "2019-05-01"),
        specs=("fulltext", "source:laro:a:b"),
    )
    assert made.identifier == NAME
    assert made.title == ("coral", "reef")
    assert made.other[:2] == ("doe", "jane")
    assert "reef" not in made.other
    assert {"doi:10.1234/x", NAME, "orcid:0000-0002-1825-0097"} < {*made.names}
    assert made.values == (
        ("source", "laro"),
        ("set", "fulltext"),
        ("set", "source:laro"),
        ("set", "source:laro:a"),
        ("set", "source:laro:a:b"),
        ("type", "article"),
    )
    assert (made.year, made.has_file) == (2019, True)


@each_row(
    "dates, year",
    [
        ((), None),
        (("no date", "12345"), None),
        (("2020-01-01T10:00:00Z", "2021-02-02T10:00:00Z", "1999"), 1999),
        (("2020-01-01T10:00:00Z",), 2020),
        (("2035", "info:eu-repo/date/embargoEnd/1999-05-12"), 2035),
        (("May 1987",), 1987),
        (("12.03.2001",), 2001),
        (("2004-5", "2003"), 2003),
    ],
)
def test_year_is_that_of_the_work(dates, year):
    assert entry(*(("date", date) for date in dates)).year == year


@each_row(
    "text, type_",
    [
        ("info:eu-repo/semantics/doctoralThesis", "doctoral thesis"),
        ("http://purl.org/coar/resource_type/c_6501", "article"),
        ("Journal  Article", "article"),
        ("Artículos", "article"),
        ("http://purl.org/coar/resource_type/c_18cf", "text"),
        ("http://purl.org/dc/dcmitype/Image", "image"),
        ("Podcast", "podcast"),
        ("info:eu-repo/semantics/publishedVersion", ""),
        ("PeerReviewed", ""),
        ("https://example.org/types/7", ""),
        ("12", ""),
    ],
)
def test_type_is_one_word_for_one_kind(text, type_):
    assert [value for kind, value in entry(("type", text)).values if kind == "type"] == ([type_] if type_ else [])


def test_record_that_cannot_be_described_is_known_by_its_identifier():
    def broken(_record: bytes) -> Work:
        raise NotXml("No.")

    made = entry_of(record_of(NAME, ("source:laro",), [("title", "x")]), broken)
    assert (made.identifier, made.title, made.other) == (NAME, (), ())
    assert NAME in made.names


def test_words_of_one_item_are_limited():
    made = entry(("title", " ".join(map(str, range(20_000)))), ("subject", " ".join(f"w{n}" for n in range(20_000))))
    assert len(made.title) == MOST_WORDS
    assert len(made.other) <= MOST_WORDS


@each_row("element", ELEMENTS)
def test_plain_record_has_the_entry_that_its_tree_gives(element):
    """Each element counts in both ways of reading, or in neither."""
    record = record_of(NAME, (), [("title", "Reef"), (element, "Smith &amp; 2001: info:doi/10.5555/x")])
    assert describe(record) != Work()
    assert entry_of(record, describe) == entry_of(record.replace(b"<dc:title>", b"<!-- c --><dc:title>"), describe)
