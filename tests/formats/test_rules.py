"""Each rule of reading on a small record (rules.toml): mapped, published, and read again as pages read it."""

import tomllib
from pathlib import Path
from typing import Any

from gateway.pages.reference import reference_of
from gateway.publish.descriptions import describe
from gateway.publish.mapping import SourceFacts, Task, prepare, record
from gateway.publish.payloads import Given
from tests.rows import each_row

TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))
FACTS = SourceFacts("laro", "https://laro.example.org/oai", "gateway.example.org")


def _values(content: str) -> dict[str, Any]:
    given = Given("x", "", content.encode(), (), "2020-01-01", (), False, (), 0, False)
    prepared = prepare(Task(FACTS, "1", (given,)))
    assert prepared.problems == ()
    didl = next(one for one in prepared.fragments if one.metadata_prefix == "oai_didl")
    work = describe(record(prepared.identifier, 0, prepared.sets, didl)).work
    reference = reference_of(work)
    return {
        **reference._asdict(),
        "doi": reference.doi,
        "authors": [author.family_first for author in reference.authors],
        "families": [author.family for author in reference.authors],
        "contributors": [agent.family_first for agent in reference.contributors],
        "identifiers": [identifier.text for identifier in reference.identifiers],
        "abstract": reference.abstracts[0].text if reference.abstracts else "",
        "files": [file.url for file in work.files],
        "landing": work.landing_page,
    }


@each_row("rule", TABLE["rule"])
def test_a_rule_of_reading_holds(rule: dict[str, Any]) -> None:
    (wrapper,) = rule.keys() & TABLE["wrappers"].keys()
    values = _values(TABLE["wrappers"][wrapper].replace("{}", rule[wrapper]))
    assert {name: values[name] for name in rule["right"]} == rule["right"], rule["name"]
