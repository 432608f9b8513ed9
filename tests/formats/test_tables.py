"""The readers whose rules are data: one small record for each rule that is easily got wrong."""

import tomllib
from pathlib import Path

import pytest

from gateway.core import xmlio
from gateway.core.bibliography.dates import date_of
from gateway.core.bibliography.identifiers import of_relation
from gateway.core.bibliography.people import authors_of
from gateway.core.bibliography.texts import title_of
from gateway.core.errors import NotAWork
from gateway.core.model import Work
from gateway.formats import reader_of
from tests.rows import each_row

RULES = tomllib.loads(Path(__file__).with_name("table_rules.toml").read_text("utf-8"))["rule"]


def read(text: str) -> Work:
    root = xmlio.parse(text.encode())
    work = reader_of(xmlio.name_of(root)[0]).read(root, text.encode())
    assert work is not None
    return work


def seen(work: Work, what: str) -> str:
    """Return one thing that a record states, as text."""
    known = work.bibliography
    assert known is not None
    return {
        "title": lambda: title_of(known.titles).text,
        "titles": lambda: "|".join(title.text for title in known.titles),
        "authors": lambda: "|".join(agent.name for agent in authors_of(known.agents)),
        "others": lambda: "|".join(f"{agent.name} {agent.role}" for agent in known.agents if not agent.is_author),
        "groups": lambda: "|".join(agent.name for agent in known.agents if agent.is_organization),
        "year": lambda: str(date_of(known.dates)[1]),
        "type": lambda: known.type,
        "own": lambda: "|".join(entry.text for entry in of_relation(known.identifiers)),
        "host": lambda: "|".join(known.host[:6]),
        "abstract": lambda: known.descriptions[0].text,
        "files": lambda: "|".join(file.url for file in work.files),
        "page": lambda: work.landing_page,
        "licence": lambda: work.license,
        "funding": lambda: "|".join(" ".join(entry[:3]) for entry in known.funding),
        "languages": lambda: "|".join(known.languages),
    }[what]()


@each_row("rule", RULES)
def test_a_rule_of_a_format(rule: dict[str, str]) -> None:
    (what,) = rule.keys() - {"record"}
    assert seen(read(rule["record"]), what) == rule[what]


def test_a_grant_is_not_a_work() -> None:
    with pytest.raises(NotAWork, match="a grant"):
        read("<crossref><grant><project/></grant></crossref>")
