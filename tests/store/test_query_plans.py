"""Every named query is used; none reads or sorts a whole table that grows, unless it is named here with a reason."""

import re
import sqlite3
from pathlib import Path

from gateway.core.working_file import load_file
from gateway.store import queries
from gateway.store.sqlite.connector import SqliteConnector
from tests.conftest import ROOT
from tests.queries import texts
from tests.rows import each_row

STORE = ROOT / "gateway" / "store"
_SCAN = re.compile(r"SCAN (?P<table>\w+)(?! VIRTUAL TABLE)\b")
# Queries that read a whole table, by the reason why they may.
REASONS = {
    "A row or a few for each source, and all of them are wanted: by a round of `tend`, by `status`, or in a sum.": """
        sources source_totals standings former_sources source_clocks source_notes window_counts of_all counts
        searched""",
    "A table that stays small: formats, sets that are harvested and sparse, intents, people, hosts, open requests.": """
        clock intents_expire formats prefixes own_lists copies_lack_after copies_lack_put stamping_hosts
        subscribers subscriber_expire hub_counts hub_denials hub_totals user_any users sessions_expire failures_expire
        failures_trim""",
    "One step in an index for each source, where a request names an item and no source.": "items_of_any_source",
    "The texts of reasons, if a list of copies is filtered by one.": "copies_listed copies_counted",
    "The first rows in the order of the table, up to a limit.": "runs runs_of_stage files_any log_first",
    "Read in the order of the key; counts of days that are not compared any more are added up by month.": "endings",
    "Combinations of sets are few.": "resources_of_set resource_changes change_days_of_set change_key",
    "What is taken down.": "withheld_versions reasons_forget",
    "Blocks that compaction has to read anyway, from an index of these.": """
        blocks_with_holes blocks_unerased blocks_loose_count""",
    "Lists of ResourceSync, which are made once and kept.": "resource_ranges listed_file_counts",
    "Asked for by a person: a check, a rebuild, metrics, statistics, an upgrade.": """
        check_credentials check_spans check_items check_log check_lines check_sample check_rows check_damaged
        check_list_names check_specs check_places check_places_lost check_own_lists check_bodies check_members
        items_between places_forget page_numbers run_totals former_moved former_first
        former_members_remove change_searched change_all positions_forget first_pages_lacking judgements
        alarms""",
}


# Queries with a limit that sort what they read before, likewise.
SORTED = {
    "The items or addresses that a caller names.": "places unpublished_among",
    "The items that have one file.": "items_with_copy served_copy",
    "The files of the items between two numbers, for a list of ResourceSync.": "listed_files",
    "The files of one source that were not seen, or its items that were searched for in some days.": """
        recheck_unseen searched_since""",
    "Failures to sign in, and networks of one user: both are trimmed.": "failures_trim networks_trim",
    "A check that a person asks for.": "check_sample",
}


def test_no_query_reads_or_sorts_a_whole_table_that_grows(tmp_path: Path) -> None:
    scans, sorts = set(), set()
    for database in ("store", "inbox", "discovery", "subscriptions", "users"):
        file = SqliteConnector(tmp_path / f"{database}.sqlite", STORE / "migrations" / database, create=True)
        with file.reading() as session:
            tables = {name for (name,) in session.execute("select name from sqlite_schema where type = 'table'")}
            for name, text in [*texts(database), *queries.load(f"sqlite/{database}").items()]:
                steps = _plan(session.connection, text)
                read = {match["table"] for step in steps if (match := _SCAN.match(step))}
                scans |= {name} if read & _names(text, tables) else set()
                is_sorted = any(step.startswith("USE TEMP B-TREE FOR") and "ORDER BY" in step for step in steps)
                sorts |= {name} if is_sorted and " limit " in text else set()
        file.close()
    assert scans == {name for names in REASONS.values() for name in names.split()}
    assert sorts == {name for names in SORTED.values() for name in names.split()}


def _plan(connection: sqlite3.Connection, text: str) -> list[str]:
    """Return the steps in which SQLite answers a query."""
    names = dict.fromkeys(re.findall(r":([a-z_]\w*)", text))
    numbered = len(set(re.findall(r"\?\d+", text)))
    parameters = names or (None,) * (numbered or text.count("?"))
    return [step for *_, step in connection.execute(f"explain query plan {text}", parameters)]


def _names(text: str, tables: set[str]) -> set[str]:
    """Return the tables and their other names in a query, without the tables that it makes itself."""
    made = set(re.findall(r"(\w+) \([\w, ]+\) as \(|(?:with|,) (\w+) as \(", text))
    others = {name for table in tables for name in re.findall(rf"\b{table} as (\w+)", text)}
    return (tables | others) - {name for names in made for name in names}


FILES = [
    file
    for part in ("gateway", "harvester")
    for file in sorted((ROOT / part).rglob("*.sql"))
    if "-- name:" in file.read_text("utf-8")
]


@each_row("file", FILES)
def test_every_query_is_named_once_and_used_by_a_module_beside_it(file: Path) -> None:
    known = load_file(file)
    assert file.read_text("utf-8").count("-- name:") == len(known)
    room = ROOT / "gateway" / "store" if "sql" in file.parts else file.parent
    text = "".join(module.read_text("utf-8") for module in room.rglob("*.py"))
    words = set(re.findall(r'"(\w+)"', text))
    assert {name for name in known if name not in words and name.removesuffix("_count") not in words} == set()


def test_queries_come_without_their_comments_and_semicolons():
    assert queries.load("store")["position"] == "select position from source where name = ?"
