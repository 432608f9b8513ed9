"""What becomes of one item: authors, publishers, dates, files; and values that nobody expects."""

import csv
import io
import json
import math
from datetime import date
from decimal import Decimal

import networkx as nx
import pytest

from gateway.core.errors import ConfigurationError, StoreDamaged
from gateway.core.model import Candidate, Content, FileLink, FileOrigin, Outcome, Statement, Work
from gateway.core.xmltext import is_legal
from gateway.fulltext.policies import Colour, Permission, Policy
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import search_as_json
from harvester.graph import database, query_process
from harvester.graph.export import Ledger
from harvester.graph.facts import Item, Shared, facts_of
from harvester.graph.model import EDGES, NODES, Publication, Publisher
from harvester.graph.query import checked
from harvester.graph.tables import GraphMl, Tables
from harvester.runtime.interrupts import Stop, StopAsked
from harvester.runtime.progress import Errors
from tests.rows import each_row

ITEM = "oai:g.example.org:s/oai:x:1"
ONE, OTHER = "0000-0002-1825-0097", "0000-0001-5109-3700"
# NUL, a lone surrogate, a control character, marks that turn a line round, and quotation marks of every kind.
STRANGE = "a\x00b\ud800c\x07d\u202ee\u200ff\"g'h`i\\j\r\nk\tl<m>&n]]>o;p,q\ufffer"


def _facts(*statements: tuple[str, str], **more):
    return facts_of(Item(ITEM, 0, Work(tuple(Statement(*statement) for statement in statements)), **more))


def _authors(*names: str) -> list[tuple[str, str]]:
    facts = _facts(*(("creator", name) for name in names))
    nodes = [node for label, node in facts.nodes if label == "Author"]
    ids = [edge.author for type_, edge in facts.edges if type_ == "WROTE"]
    by_id = {author.id: author for author in (*nodes, *facts.shared.persons)}
    return [(by_id[one].name, by_id[one].orcid.rpartition("/")[2]) for one in ids]


def test_a_name_twice_in_one_publication_is_one_author() -> None:
    assert _authors("Doe, Jane", "doe,  jane", "Roe, R.") == [("Doe, Jane", ""), ("Roe, R.", "")]


def test_a_name_beside_the_same_name_with_an_orcid_is_that_person() -> None:
    assert _authors("Doe, Jane", f"Doe, Jane ({ONE})") == [("Doe, Jane", ONE)]
    assert _authors(f"Doe, Jane ({ONE})", f"Doe, Jane ({OTHER})", "Doe, Jane") == [
        ("Doe, Jane", ONE),
        ("Doe, Jane", OTHER),
        ("Doe, Jane", ""),
    ], "which of the two is not known"


def test_a_name_in_two_publications_is_two_authors() -> None:
    first, second = (
        facts_of(Item(f"{ITEM}{number}", 0, Work((Statement("creator", "Doe, Jane"),)))) for number in (1, 2)
    )
    assert dict(first.nodes)["Author"].id != dict(second.nodes)["Author"].id


def _searched(policy: Policy | None, published: str = "2025", **more):
    return json.loads(search_as_json(SearchResult(Outcome.NOT_FOUND, policy=policy, published=published, **more)))


@each_row("months, day", [(0, ""), (None, ""), (1, "2026-01-31"), (2, "2026-02-28"), (12, "2026-12-31"), (10**6, "")])
def test_last_day_of_an_embargo_counts_from_the_end_of_the_year(months: int | None, day: str) -> None:
    policy = Policy(Colour.GREEN, issns=("1234-5679",), permissions=(Permission(("accepted",), (), months),))
    edges = dict(_facts(("title", "T"), search=_searched(policy)).edges)
    assert edges["PUBLISHED_BY"].accepted_embargo_ends == day


def test_publisher_without_a_policy_is_that_of_the_record() -> None:
    facts = _facts(("publisher", "Press"), ("source", "ISSN 2434-561x"))
    assert facts.shared.publisher == Publisher("urn:issn:2434-561X", "Press", "2434-561X")
    assert _facts(("source", "ISSN 12345679")).shared.publisher.issn == "1234-5679"
    unnumbered = _facts(("publisher", "Press")).shared.publisher
    assert (unnumbered.name, unnumbered.issn) == ("Press", "")
    assert _facts(("title", "T")).shared.publisher is None


@each_row("issn", ["1234-5678", "0000-0000", "1234-567X", "00000000"])
def test_number_that_is_no_issn_joins_no_publishers(issn: str) -> None:
    publisher = _facts(("publisher", "Press"), ("source", f"ISSN {issn}")).shared.publisher
    assert publisher == _facts(("publisher", "Press")).shared.publisher


def test_placeholder_for_an_orcid_makes_no_two_people_one() -> None:
    both = _authors("Doe, Jane (0000-0000-0000-0000)", "Roe, R. (0000-0000-0000-0000)")
    assert both == [("Doe, Jane", ""), ("Roe, R.", "")]


def _subjects(*texts: str, crossref: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    facts = _facts(*(("subject", text) for text in texts), search=_searched(None, subjects=crossref))
    names = {subject.id: subject.name for subject in reversed(facts.shared.subjects)}
    return [(names[edge.subject], edge.stated_by) for type_, edge in facts.edges if type_ == "HAS_SUBJECT"]


def test_spellings_of_a_subject_that_look_the_same_are_one() -> None:
    assert _subjects("\u00c9cologie", "E\u0301COLOGIE ", crossref=("\u00e9cologie\u200f.", "R &amp; D")) == [
        ("\u00c9cologie", "record"),
        ("\u00c9cologie", "crossref"),
        ("R & D", "crossref"),
    ]
    others = ("C", "C++", "C#", ".NET", "NET")
    assert [name for name, _ in _subjects(*others)] == [*others]


def test_what_the_latest_search_knew_of_a_publisher_wins(tmp_path) -> None:
    with Ledger(tmp_path / "ledger") as ledger:
        for at, colour in (("2026-02", "green"), ("2026-03", "white"), ("2026-01", "blue"), ("", "")):
            ledger.add([Shared(publisher=Publisher("1", colour=colour), searched_at=at)])
        assert list(ledger.nodes()) == [("Publisher", Publisher("1", colour="white"))]


def test_files_of_records_have_what_is_known_of_them() -> None:
    url = "https://f.example/a.pdf"
    held = FileLink(url, origin=FileOrigin.DISCOVERED, found_in="core (a link)", license="cc", version="published")
    for links, found_by, license_ in (((), "record", ""), ((held,), "core", "cc")):
        facts = _facts(("title", "T"), contents=(Content(url, "application/pdf", 7, "ab"),), held=links)
        file = dict(facts.nodes)["File"]
        assert (file.url, file.size, file.is_published) == (url, 7, True)
        assert (file.found_by, file.license) == (found_by, license_)
        assert dict(facts.nodes)["Publication"].has_file


def test_strange_characters_are_left_out_and_the_rest_stays(tmp_path) -> None:
    facts = _facts(
        ("title", STRANGE), ("creator", STRANGE), ("subject", STRANGE), ("publisher", STRANGE),
        search=_searched(None, subjects=("\ud800=x",), candidates=(Candidate("https://f.example/\ud800", "core"),)),
    )  # fmt: skip
    texts = [value for _, node in (*facts.nodes, *facts.edges) for value in node if isinstance(value, str)]
    texts += [value for node in (*facts.shared.subjects, facts.shared.publisher) for value in node if value]
    assert all(is_legal(str(text)) for text in texts)
    assert '"' in dict(facts.nodes)["Publication"].title


def test_every_writer_keeps_any_value(tmp_path) -> None:
    title = "".join(filter(is_legal, STRANGE)) * 3 + "x" * 1_000_000
    node = Publication(ITEM, title, year=-1, has_file=True)
    for writer in (Tables(tmp_path), GraphMl(tmp_path)):
        with writer:
            writer.node("Publication", node)
    table = (tmp_path / "Publication.csv").read_bytes().decode()
    csv.field_size_limit(2_000_000)
    _, row = csv.reader(io.StringIO(table, newline=""))
    assert row[:3] == [ITEM, title, "-1"]
    graph = nx.read_graphml(tmp_path / "graph.graphml")
    assert graph.nodes[f"Publication:{ITEM}"]["title"] == title
    with Tables(tmp_path, for_people=True) as writer:
        for start in ("=", "+", "-", "@", "\t=", "\r=", "\n=", " =", "\uff1d", "\u3000="):
            writer.node("Publication", node._replace(title=f"{start}1"))
        writer.node("Publication", node._replace(title="a; =1"))
    *lines, last = list(csv.reader((tmp_path / "Publication.csv").read_text("utf-8").splitlines()))
    assert {line[1][0] for line in lines[1:]} == {"'"}
    assert last[1] == "a; '=1", "a semicolon begins a cell where commas are decimal signs"


@pytest.mark.slow
def test_loaded_values_are_those_of_the_export(tmp_path) -> None:
    title = "".join(filter(is_legal, STRANGE)) + "x" * 1_000_000
    export, instance = tmp_path / "it's an \\ export", tmp_path / "instance"
    export.mkdir()
    instance.mkdir()
    with Tables(export) as writer:
        writer.node("Publication", Publication(ITEM, title, 2026, open_from="2026-12-31"))
    _manifest(export, Publication=1)
    with (tmp_path / "log").open("w") as log:
        loaded = database.load(instance, database.manifest_of(export), Errors(log), Stop())
        assert loaded.nodes["Publication"] == 1
        with database._opened(database.place_of(instance)) as connection:
            row = connection.execute("MATCH (p:Publication) RETURN p.title, p.year, p.doi").get_next()
        assert row == [title, 2026, None]
        _manifest(export, Publication=2)
        with pytest.raises(StoreDamaged, match=r"1 rows and not 2"):
            database.load(instance, database.manifest_of(export), Errors(log), Stop())
        (export / "Author.csv").unlink()
        _manifest(export, Publication=1)
        with pytest.raises(StoreDamaged, match=r"Author.csv is no file"):
            database.load(instance, database.manifest_of(export), Errors(log), Stop())
        stop = Stop()
        stop.ask()
        with pytest.raises(StopAsked, match="the former graph is unchanged"):
            database.load(instance, database.manifest_of(export), Errors(log), stop)
    assert [file.name for file in (instance / "graph").iterdir()] == ["graph.lbug"], "the former one is still there"


def _about(**counts: int) -> dict:
    about = {"format": "neo4j", "horizon": "2026-11-26T00:00:00Z", "takedowns": ""}
    return {**about, "nodes": dict.fromkeys(NODES, 0) | counts, "relationships": dict.fromkeys(EDGES, 0)}


def _manifest(export, **counts: int) -> None:
    (export / "graph.json").write_text(json.dumps(_about(**counts)))


@each_row(
    "content",
    [
        *("", "[]", "{}", '{"format": 1}', "[" * 100_000, '{"format": "neo4j", "horizon": 1}'),
        *(
            json.dumps(_about(Author=1)).replace(*change)
            for change in (("26T00", "\\ud800"), ('"Author": 1', '"Author": Infinity'))
        ),
    ],
)
def test_what_is_no_export_is_refused(tmp_path, content: str) -> None:
    (tmp_path / "graph.json").write_text(content)
    with pytest.raises(ConfigurationError, match="is no export of a graph"):
        database.manifest_of(tmp_path)


def test_unclosed_comments_and_names_end_somewhere() -> None:
    assert checked("MATCH (a) RETURN a /* create")
    assert checked("MATCH (a) RETURN a.set, a . delete // drop")
    assert checked("RETURN `a\\`")
    with pytest.raises(ConfigurationError, match="no closing"):
        checked("RETURN `a")


@each_row(
    "value, shown",
    [
        (Decimal(3), 3),
        (Decimal("2.5"), "2.5"),
        (Decimal("NaN"), "NaN"),
        (math.inf, None),
        (1.5, 1.5),
        (date(2026, 1, 2), "2026-01-02"),
        ([date(2026, 1, 2), None, True], ["2026-01-02", None, True]),
        ({"_ID": 1, "_LABEL": "File", "url": "u", "size": None}, {"_LABEL": "File", "url": "u"}),
        ({"a": None}, {"a": None}),
    ],
)
def test_values_of_an_answer_are_json(value: object, shown: object) -> None:
    assert query_process._plain(value) == shown
