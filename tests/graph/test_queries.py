"""The questions of the guide, each answered right on a small instance; and what is refused."""

import json
import re
import shutil
import sys

import pytest

from gateway.core.errors import StoreBusy, StoreDamaged
from gateway.core.takedown_file import TakedownFile
from harvester.cli import main
from harvester.graph import database
from harvester.graph.query import ask
from tests.conftest import ROOT
from tests.graph import gathered
from tests.graph.gathered import DOE, ROE, identifier
from tests.rows import each_row

pytestmark = pytest.mark.slow  # it fills an instance, and starts processes

GUIDE = (ROOT / "harvester" / "graph" / "QUERIES.md").read_text("utf-8")
ORCID = "https://orcid.org/"
ANSWERS = {
    "Which green publications lack a file": [
        {"publisher": "Green Press", "issn": "1234-5679", "publications": 2},
        {"publisher": "Late Press", "issn": "0378-5955", "publications": 1},
    ],
    # Two authors are called Jane Doe: one of each publication, since nothing says that they are one.
    "Who writes with whom": [
        {"author": "Roe, Richard", "other": "Doe, Jane", "publications": 1},
        {"author": "Roe, Richard", "other": "Doe, Jane", "publications": 1},
    ],
    "Which subjects does Crossref state": [
        {"publication": identifier("reefs"), "subject": "Corals", "only_stated_by": "record"},
        {"publication": identifier("reefs"), "subject": "Oceanography", "only_stated_by": "crossref"},
    ],
    "Which accepted files have a low score": [
        {"publication": identifier("tides"), "file": "https://files.example/low.pdf", "score": 0.12}
    ],
    "Whose embargoes end this quarter": [{"publisher": "Green Press", "publications": 2, "without_file": 2}],
}


def _questions() -> dict[str, list[str]]:
    """Return the queries of the guide by the sections they stand in."""
    sections = GUIDE.split("\n## ")[1:]
    return {section.partition("\n")[0]: re.findall(r"```cypher\n(.*?)```", section, re.DOTALL) for section in sections}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory, ready_made):
    """Return an instance with its graph loaded, which tests only read."""
    folder = tmp_path_factory.mktemp("loaded") / "instance"
    ready_made(folder, gathered.fill)
    gathered.done(folder, "graph", "export", str(folder.with_name("neo4j")), "--as", "neo4j")
    gathered.done(folder, "graph", "load", str(folder.with_name("neo4j") / "graph.json"))
    return folder


@pytest.fixture
def copied(loaded, tmp_path):
    """Return a copy of that instance, which may be changed."""
    return shutil.copytree(loaded, tmp_path / "instance")


def _rows(folder, query: str) -> list[dict]:
    result = gathered.done(folder, "--quiet", "graph", "query", query, "--json")
    return [json.loads(line)["row"] for line in result.stdout.splitlines()]


def test_every_question_of_the_guide_has_the_right_answer(loaded) -> None:
    questions = _questions()
    assert len(questions) == len(ANSWERS)
    for title, answer in ANSWERS.items():
        query = next(queries[0] for section, queries in questions.items() if section.startswith(title))
        assert _rows(loaded, query) == answer, title


def test_candidates_are_a_chain_and_never_one_author(loaded) -> None:
    query = next(queries[1] for section, queries in _questions().items() if section.startswith("Who"))
    rows = _rows(loaded, query)
    assert {row["author"] for row in rows} == {"Doe, Jane"}
    assert len({row["id"] for row in rows}) == 3
    assert len(rows) == 4, "two relationships, seen from both sides"
    named = _rows(loaded, "MATCH (a:Author) RETURN a.orcid AS orcid, count(*) AS authors ORDER BY orcid")
    assert [row for row in named if row["orcid"]] == [
        {"orcid": f"{ORCID}{DOE}", "authors": 1},
        {"orcid": f"{ORCID}{ROE}", "authors": 1},
    ]


@each_row(
    "query, sentence",
    [
        ("CREATE (:Author {id: '1'})", "CREATE is refused: it writes"),
        ("MATCH (a:Author) DETACH DELETE a", "DELETE is refused: it writes"),
        ("COPY (MATCH (a:Author) RETURN a.name) TO '/tmp/a.csv'", "COPY is refused: it reads or writes files"),
        ("LOAD FROM '/etc/passwd' RETURN *", "LOAD is refused"),
        ("ATTACH '/tmp/x' AS x", "ATTACH is refused"),
        ("CALL timeout=0", "CALL is refused"),
        ("MATCH (a) RETURN a; MATCH (b) RETURN b", "Only one statement"),
        ("MATCH (a) RETURN 'a", "no closing quotation mark"),
        ("MATCH (a:Nothing) RETURN a", "The query cannot be run"),
        ("RETURN '\x00'", "control characters"),
    ],
)
def test_what_is_no_question_is_refused_in_a_sentence(loaded, query: str, sentence: str) -> None:
    result = gathered.called(main, loaded, "graph", "query", query)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr


def test_words_in_texts_names_and_comments_are_no_statements(loaded) -> None:
    query = "/* drop */ MATCH (p:Publication) // create\nWHERE p.title <> 'SET \\' it' RETURN count(*) AS `load`;"
    assert _rows(loaded, query) == [{"load": 7}]
    assert len(_rows(loaded, "CALL show_tables() RETURN *")) == 11


@each_row(
    "query", ["COPY (MATCH (a:Author) RETURN a.name) TO '{out}'", "LOAD FROM '{secret}' (file_format='csv') RETURN *"]
)
def test_sandbox_alone_keeps_a_query_from_files(loaded, tmp_path, monkeypatch, query: str) -> None:
    """Even where the list of words would let it pass."""
    monkeypatch.setattr("harvester.graph.query.checked", lambda text: text)
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    words = query.format(out=tmp_path / "out.csv", secret=tmp_path / "secret.csv")
    result = gathered.called(main, loaded, "graph", "query", words)
    assert result.exit_code == 2, result.output
    assert "Cannot open file" in result.stderr
    assert not (tmp_path / "out.csv").exists()


@each_row(
    "query",
    [
        "UNWIND range(1, 10000000) AS x UNWIND range(1, 1000000) AS y RETURN count(*)",
        f"RETURN {'(' * 4000}1{')' * 4000}",  # hard to parse
        "RETURN levenshtein(repeat('a',100000), repeat('b',100000))",  # the engine cannot interrupt it
    ],
)
def test_a_query_that_takes_too_long_is_ended(loaded, query: str) -> None:
    """By the engine, or by the kernel: whichever of the limits of clock and processor is reached first."""
    with pytest.raises(StoreBusy, match="took more than 1 seconds"):
        ask(loaded, query, TakedownFile(loaded).read(), seconds=1)


def test_a_file_that_is_no_graph_is_told_in_a_sentence(copied) -> None:
    database.place_of(copied).write_bytes(b"nothing" * 10_000)
    with pytest.raises(StoreDamaged, match="cannot be read; load the graph again"):
        ask(copied, "RETURN 1", TakedownFile(copied).read())


def test_a_query_has_limits_of_memory_and_rows(loaded) -> None:
    with pytest.raises(StoreBusy, match="needs more memory"):
        ask(loaded, "RETURN size(range(1, 900000000))", TakedownFile(loaded).read(), seconds=600)
    many = gathered.done(loaded, "graph", "query", "UNWIND range(1, 10001) AS x RETURN x", "--json")
    assert len(many.stdout.splitlines()) == 10_000
    assert "There are more rows; the first 10,000 are shown" in many.stderr


def test_a_graph_older_than_a_takedown_is_not_queried(copied) -> None:
    gathered.done(copied, "takedown", "add", identifier("reefs"))
    result = gathered.called(main, copied, "graph", "query", "MATCH (p:Publication) RETURN p.title")
    assert result.exit_code == 5
    assert "Something was taken down" in result.stderr
    assert result.stdout == ""


def test_without_a_graph_or_the_library_a_sentence_says_what_to_do(folder, monkeypatch) -> None:
    result = gathered.called(main, folder, "graph", "query", "RETURN 1")
    assert result.exit_code == 2
    assert "No graph is loaded" in result.stderr
    monkeypatch.setitem(sys.modules, "ladybug", None)
    result = gathered.called(main, folder, "graph", "query", "RETURN 1")
    assert result.exit_code == 2
    assert "pip install 'oai-gateway[graph]'" in result.stderr
    assert database.place_of(folder).name == "graph.lbug"
