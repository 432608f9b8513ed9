"""What every reader promises: what a query finds, in which order, with which counts and pages."""

from itertools import product

import pytest

from gateway.core.errors import QueryRefused, SearchUnavailable
from gateway.search.base import MOST_LETTERS, MOST_VALUES, Order, Query
from gateway.search.sqlite_reader import SqliteReader, open_search
from tests.rows import each_row
from tests.search.harness import Harness, change_of

# Queries that would be syntax in FTS5, or in SQL.
PAYLOADS = [
    *("AND", "OR", "NOT", "NEAR", "AND AND", "reef AND", "OR reef", "NOT reef", "NEAR(reef coral, 2)"),
    *("reef NEAR coral", "*", "reef*", "^reef", "ree*", '"', '""', '"reef', 'reef"', "''", "'", "reef'", "`reef`"),
    *("(", ")", "((", "(reef", "title:reef", "title : reef", "{title}: reef", "{title other} : reef", "-title:reef"),
    *("_a", "_v1", "_i00", "rowid", "+", "reef + coral", "-", "--", "reef --", "/*", "*/", ";", "; drop table item"),
    *("') or 1=1 --", "a:b:c", ":", "::", "\\", "\x00", "reef\x00coral", "\ud800", "\ufffe", "%", "_", "?", "?1"),
    *(":name", "@name", "$name", "[x]", "<b>", "&amp;", "\n\t reef \r", "\u202ereef", "\u200b", "ﬁ", "\U0001f600"),
    *("é" * 400, "a" * 400, "a " * 200, "1.2/" * 100, "語" * 400, "語 " * 200, "10.1/x " * 50, "- " * 200),
    *("\u0301" * 400, " ".join(f"{n}" for n in range(100)), " ".join(f"{n}:" for n in range(100))),
]  # fmt: skip


def test_operators_are_words(harness: Harness) -> None:
    harness.add(change_of("1", title="Reef"), change_of("2", title="And or not near"))

    @each_row("text, order", product(PAYLOADS, ("relevance", "date")))
    def answered(text: str, order: str) -> None:
        assert harness.search(text, order=order).total in (0, 1, 2)

    answered()


def test_operators_find_their_words_only(harness: Harness) -> None:
    harness.add(change_of("1", title="Reef"), change_of("2", title="Reef and not coral"), change_of("3", title="Coral"))
    assert harness.names("reef AND NOT coral") == ["2"]
    assert harness.names("reef OR coral") == []
    assert harness.names("title:reef") == []
    assert harness.names("reef*") == ["1", "2"]
    assert harness.names("ree*") == []
    assert harness.names("***") == []


def test_words_of_titles_people_and_subjects_are_found(harness: Harness) -> None:
    harness.add(
        change_of("1", title="Réponse", creator="Müller, Ñandú", contributor="Roe", subject="Ökologie"),
        change_of("2", title="Other"),
    )
    for text in ("reponse", "MULLER nandu", "okologie", "roe réponse"):
        assert harness.names(text) == ["1"]
    assert harness.names("reponse other") == []


def test_unspaced_scripts_are_found_by_any_part(harness: Harness) -> None:
    harness.add(
        change_of("1", title="珊瑚礁の生態学"), change_of("2", title="한국어교육론"), change_of("3", title="การศึกษา")
    )
    for text in ("珊瑚礁", "瑚礁", "生態学", "礁", "学", "珊瑚 生態"):
        assert harness.names(text) == ["1"], text
    assert harness.names("국어") == harness.names("한국어") == ["2"]
    assert harness.names("ศึกษา") == ["3"]
    assert harness.names("学生") == []


@pytest.fixture
def identified(harness: Harness) -> Harness:
    harness.add(
        change_of(
            "oai:repo:7",
            title="Coral",
            creator="Doe (0000-0002-1825-0097)",
            identifier=("http://dx.doi.org/10.1234/Abc", "https://repo.example.org/7", "arxiv:2101.00001"),
        ),
        change_of("8", title="Coral", identifier="10.1234/abcd"),
    )
    return harness


@each_row(
    "text",
    [
        "10.1234/ABC",
        "doi:10.1234/abc",
        "doi: 10.1234/abc",
        "https://doi.org/10.1234/abc",
        "oai:gateway.example.org:laro/oai:repo:7",
        "oai:repo:7",
        "arXiv:2101.00001v3",
        "2101.00001",
        "0000-0002-1825-0097",
        "https://orcid.org/0000-0002-1825-0097",
        "https://repo.example.org/7",
        "coral 10.1234/abc",
    ],
)
def test_identifiers_are_found_whole_however_written(identified: Harness, text: str) -> None:
    assert identified.names(text) == ["oai:repo:7"]


def test_part_that_looks_like_an_identifier_is_also_words(harness: Harness) -> None:
    harness.add(change_of("1", title="COVID-19 in 2010-2015"))
    assert harness.names("covid-19") == harness.names("2010-2015") == ["1"]


# --- filters, counts, order ---------------------------------------------------------------------------------------


@pytest.fixture
def several(harness: Harness) -> Harness:
    harness.add(
        change_of("1", title="Reef", date="2001", type="article", specs=("source:laro:a", "fulltext")),
        change_of("2", title="Reef and more words", date="2003", type="thesis", specs=("source:laro:b",)),
        change_of(
            "3", title="Words", subject="reef", date="2003", type=("thesis", "dataset"), specs=("source:laro:a",)
        ),
    )
    harness.add(
        change_of("4", source="other", title="Reef", specs=("source:other",)),
        source="other",
    )
    return harness


def test_relevance_puts_titles_and_short_ones_first(several: Harness) -> None:
    assert several.names("reef") == ["4", "1", "2", "3"]


def test_date_puts_the_newest_year_first_and_no_year_last(several: Harness) -> None:
    assert several.names("reef", order="date") == ["3", "2", "1", "4"]


@each_row(
    "filters, names",
    [
        ({"sources": ("other",)}, {"4"}),
        ({"sources": ("other", "laro")}, {"1", "2", "3", "4"}),
        ({"sources": ("unknown",)}, set()),
        ({"sources": ("unknown", "other")}, {"4"}),
        ({"sets": ("source:laro:a",)}, {"1", "3"}),
        ({"sets": ("source:laro",)}, {"1", "2", "3"}),
        ({"sets": ("fulltext",)}, {"1"}),
        ({"types": ("thesis",)}, {"2", "3"}),
        ({"types": ("article", "dataset")}, {"1", "3"}),
        ({"year_from": 2002}, {"2", "3"}),
        ({"year_until": 2002}, {"1"}),
        ({"year_from": 2001, "year_until": 2003}, {"1", "2", "3"}),
        ({"year_from": 2005, "year_until": 2003}, set()),
        ({"year_from": -(10**30), "year_until": 10**30}, {"1", "2", "3"}),
        ({"has_file": True}, {"1"}),
        ({"has_file": False}, {"2", "3", "4"}),
        ({"types": ("thesis",), "sets": ("source:laro:a",), "year_from": 2003}, {"3"}),
        ({"sources": ('"', "*", "\x00", "\ud800")}, set()),
    ],
)
def test_filters_restrict(several: Harness, filters: dict[str, object], names: set[str]) -> None:
    assert {*several.names("reef", **filters)} == names
    assert {*several.names("", **filters)} == names


def test_facets_count_what_fits(several: Harness) -> None:
    results = several.search("reef")
    assert results.facets == {
        "source": (("laro", 3), ("other", 1)),
        "set": (("source:laro:a", 2), ("source:laro:b", 1)),
        "year": (("2003", 2), ("2001", 1)),
        "type": (("thesis", 2), ("article", 1), ("dataset", 1)),
        "file": (("no", 3), ("yes", 1)),
    }
    assert (results.total, results.is_exact) == (4, True)


def test_counts_of_a_facet_disregard_its_own_filter(several: Harness) -> None:
    results = several.search("reef", types=("article",))
    assert results.total == 1
    assert results.facets["type"] == (("thesis", 2), ("article", 1), ("dataset", 1))
    assert results.facets["source"] == (("laro", 1),)
    assert several.search("reef", types=("unknown",)).facets["type"] == results.facets["type"]


@pytest.mark.parametrize("order", ["relevance", "date"])
def test_pages_have_everything_once_forwards_and_backwards(harness: Harness, order: str) -> None:
    harness.add(*(change_of(str(n), title=f"Reef{' x' * (n % 3)}", date=str(2000 + n % 4)) for n in range(23)))
    whole = harness.names("reef", order=order, limit=100)
    keys: list[str | None] = [None]
    pages: list[list[str]] = []
    while keys[-1] is not None or not pages:
        results = harness.search("reef", order=order, limit=5, after=keys[-1])
        pages.append([identifier.partition("/")[2] for identifier in results.identifiers])
        assert results.total == 23
        keys.append(results.next)
    assert [name for page in pages for name in page] == whole
    assert [len(page) for page in pages] == [5, 5, 5, 5, 3]
    for place in range(1, len(pages)):
        before = harness.search("reef", order=order, limit=5, after=keys[place]).previous
        assert harness.names("reef", order=order, limit=5, after=before) == pages[place - 1]
    assert harness.search("reef", limit=5).previous is None


def test_key_stays_valid_when_items_come_and_go(harness: Harness) -> None:
    harness.add(*(change_of(str(n), title="Reef") for n in range(6)))
    first = harness.search("reef", limit=3)
    harness.add(change_of("5", is_deleted=True), change_of("9", title="Reef"), change_of("0", title="Reef reef two"))
    second = harness.names("reef", limit=3, after=first.next)
    assert second == ["2", "1", "0"]


@pytest.mark.parametrize("order", ["relevance", "date"])
def test_more_than_the_limit_is_stated(harness: Harness, order: Order) -> None:
    harness.add(*(change_of(str(n), title="Reef", date=str(2000 + n % 7)) for n in range(30)))
    harness.add(*(change_of(f"s{n}", title="Other", subject="reef") for n in range(10)))
    reader = SqliteReader(harness.folder / "search.sqlite", most_hits=12)
    results = reader.search(Query("reef", order=order, limit=100))
    assert (results.total, results.is_exact, len(results.identifiers)) == (12, False, 12)
    assert sum(count for _, count in results.facets["year"]) == 12
    if order == "date":
        assert {year for year, _ in results.facets["year"]} == {"2006", "2005", "2004"}
    else:
        assert not any("/s" in identifier for identifier in results.identifiers)


# --- refusals -----------------------------------------------------------------------------------------------------


@each_row(
    "arguments",
    [
        {"text": "x" * (MOST_LETTERS + 1)},
        {"sources": ("x",) * (MOST_VALUES + 1)},
        {"sets": ("x",) * 1000},
        {"types": ("x",) * 1000},
        {"order": "random"},
        {"limit": 0},
        {"limit": -1},
        {"limit": 10**6},
    ],
)
def test_query_that_is_too_much_is_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(QueryRefused):
        Query(**arguments)  # type: ignore[arg-type]


@each_row("key", ["x", "1.2", "1.2.3.4", "1.2.x", "9" * 100 + ".1.1", "1.2.3\n", "\u0661.1.1", "-1.-2.--3"])
def test_key_of_others_is_refused(several: Harness, key: str) -> None:
    with pytest.raises(QueryRefused):
        several.search("reef", after=key)


def test_search_that_is_off_or_missing_says_so(harness: Harness) -> None:
    with pytest.raises(SearchUnavailable, match="is missing"):
        harness.search()
    harness.add(change_of("1"))
    with pytest.raises(SearchUnavailable, match="switched off"):
        open_search(harness.folder, is_on=False).search(Query())


def test_search_that_takes_too_long_is_ended(harness: Harness) -> None:
    harness.add(*(change_of(str(n), title="Reef coral") for n in range(900)))
    reader = SqliteReader(harness.folder / "search.sqlite", most_seconds=-1.0)
    with pytest.raises(SearchUnavailable, match="too long"):
        reader.search(Query("reef coral", limit=1000))
