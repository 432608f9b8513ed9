"""Real answers, through the live harvester into the store and out of the provider: nothing is lost, all is valid.

What dozens of repository programs really answered is harvested over HTTP. Everything we then say is judged by the
official schemas, and every record that was sent is looked for: it is exposed again, or in quarantine with a reason.
"""

import html
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote, urlencode

import pytest
from flask.testing import FlaskClient
from lxml import etree

from tests import oracle
from tests.applications import application
from tests.oracle import OAI
from tests.wild.conftest import Harvest
from tests.wild.recount import same

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured, pytest.mark.needs("../shared/data", "../shared/xsd")]

OURS = ("oai_dc", "oai_didl")
_PROVENANCE = "{http://www.openarchives.org/OAI/2.0/provenance}"
_TOKEN = re.compile(rb"<resumptionToken\b[^>]*>([^<]+)</resumptionToken>")

# All that may be in quarantine: file and identifier, and why nothing can be made of the record.
UNUSABLE = {("oai/records/cessda+cessda.cdc.aggregator.oai-pmh-repo-handler/agg_list_records.xml", ""): "no header"}


@dataclass(repr=False)
class Exposed:
    """What the provider says in its lists, by metadataPrefix and identifier."""

    alive: dict[str, set[str]] = field(default_factory=dict)
    deleted: dict[str, set[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    listed_twice: list[str] = field(default_factory=list)
    unlike: list[str] = field(default_factory=list)  # payloads that say something else than what was sent
    strangers: list[str] = field(default_factory=list)  # records of identifiers that were never sent


@pytest.fixture(scope="module")
def client(harvest: Harvest) -> Iterator[FlaskClient]:
    with application(harvest.folder, base_url="http://live.example.org/oai") as app, app.test_client() as client:
        yield client


def asked(client: FlaskClient, **arguments: str) -> bytes:
    """Return an answer of the provider."""
    response = client.get(f"/oai?{urlencode(arguments)}")
    assert response.status_code == 200
    assert response.content_type == "text/xml; charset=UTF-8"
    return response.data


def pages(client: FlaskClient, verb: str, **arguments: str) -> Iterator[bytes]:
    """Return every page of a list."""
    answer = asked(client, verb=verb, **arguments)
    yield answer
    while match := _TOKEN.search(answer):
        answer = asked(client, verb=verb, resumptionToken=html.unescape(match[1].decode()))
        yield answer


@pytest.fixture(scope="module")
def prefixes(client: FlaskClient) -> list[str]:
    answer = etree.fromstring(asked(client, verb="ListMetadataFormats"))
    return [element.text or "" for element in answer.iter(f"{OAI}metadataPrefix")]


@pytest.fixture(scope="module")
def exposed(client: FlaskClient, harvest: Harvest, prefixes: list[str]) -> Exposed:
    """Walk the whole list of every format once, judge every page, and compare every payload with what was sent."""
    outcome = Exposed()
    for prefix in prefixes:
        alive, deleted = outcome.alive.setdefault(prefix, set()), outcome.deleted.setdefault(prefix, set())
        for answer in pages(client, "ListRecords", metadataPrefix=prefix):
            outcome.faults += (f"{prefix}: {fault}" for fault in oracle.faults(answer, is_foreign=prefix not in OURS))
            for record in oracle.records(answer):
                header = record.find(f"{OAI}header")
                assert header is not None
                identifier = header.findtext(f"{OAI}identifier") or ""
                if identifier in alive or identifier in deleted:
                    outcome.listed_twice.append(f"{prefix} {identifier}")
                (deleted if header.get("status") == "deleted" else alive).add(identifier)
                _compare(record, prefix, identifier, harvest, outcome)
    return outcome


def origin(identifier: str) -> tuple[str, str]:
    """Return source and upstream identifier of one of our identifiers, by the rule of oai-identifier alone."""
    source, _, local = identifier.removeprefix("oai:live.example.org:").partition("/")
    return source, unquote(local)


def _compare(record: etree._Element, prefix: str, identifier: str, harvest: Harvest, outcome: Exposed) -> None:
    """Compare a payload that claims to be as it arrived with what was sent."""
    source, upstream = origin(identifier)
    expected = harvest.expected[source]
    upstream_prefix = prefix.removesuffix(f".{source}")
    if upstream not in expected.identifiers:
        outcome.strangers.append(identifier)
    payload = record.find(f"{OAI}metadata/*")
    described = record.find(f"{OAI}about/{_PROVENANCE}provenance/{_PROVENANCE}originDescription")
    if payload is None or prefix == "oai_didl":
        return
    assert described is not None, identifier
    _, sent = expected.last.get((upstream_prefix, upstream), (None, None))
    is_comparable = sent is not None and sent.payload is not None
    if is_comparable and described.get("altered") == "false" and not same(payload, sent.payload):
        outcome.unlike.append(f"{prefix} {identifier}")


def test_every_list_is_valid_and_says_what_was_sent_once(harvest: Harvest, exposed: Exposed) -> None:
    if not os.environ.get("TEST_SHARES"):  # nothing below means much if there was little to look at
        assert len(harvest.expected) > 200
        assert sum(expected.received for expected in harvest.expected.values()) > 14_000
        assert len(exposed.alive["oai_didl"]) > 12_000
        assert len(exposed.alive) > 25
    assert (exposed.faults, exposed.listed_twice, exposed.strangers, exposed.unlike) == ([], [], [], [])


def test_every_record_is_exposed_again_or_in_quarantine(harvest: Harvest, exposed: Exposed) -> None:
    """An item that lives upstream lives here, in our formats and in each of its own; what is deleted there is dead."""
    quarantined = {(item.source, item.metadata_prefix, item.identifier) for _, item in harvest.quarantine}
    lost, undead = [], []
    by_origin = {
        prefix: {origin(identifier) for identifier in identifiers} for prefix, identifiers in exposed.alive.items()
    }
    for source, expected in harvest.expected.items():
        for (prefix, upstream), (page, record) in expected.last.items():
            names = {prefix, f"{prefix}.{source}"} if prefix != "oai_didl" else {f"{prefix}.{source}"}
            lives = [name for name in names if (source, upstream) in by_origin.get(name, ())]
            if record.is_deleted:
                undead += [f"{name} {upstream}" for name in lives if name != "oai_dc" or len(expected.last) == 1]
            elif (source, prefix, upstream) not in quarantined:
                missing = [name for name in OURS if (source, upstream) not in by_origin[name]]
                lost += [f"{page.file} {upstream}: no {name}" for name in (*missing, *([] if lives else [prefix]))]
    assert lost == []
    assert undead == []


def test_only_what_is_unusable_is_in_quarantine(harvest: Harvest) -> None:
    """Unusable records, and those that describe no work: persons and the like of CERIF, conferences of INSPIRE."""
    reasons = {(file, item.identifier): item.reason for file, item in harvest.quarantine}
    no_works = {
        key for key, reason in reasons.items() if reason.endswith("which is not a work, so it is not published.")
    }
    assert all("cerif" in file or "inspire" in file for file, _ in no_works)
    unusable = reasons.keys() - no_works
    assert {key: reasons[key] for key in unusable if UNUSABLE.get(key, "?") not in reasons[key]} == {}
    if not os.environ.get("TEST_SHARES"):
        assert len(no_works) > 50
        assert unusable == UNUSABLE.keys()


def test_every_run_counts_what_was_sent_and_accounts_for_it(harvest: Harvest) -> None:
    wrong = {}
    for source, expected in harvest.expected.items():
        counts = harvest.runs[source].counts
        became = sum(
            counts.get(name, 0)
            for name in ("published", "unchanged", "quarantined", "ignored", "older_versions", "held_back")
        )
        sent = expected.received if not expected.is_asked_again else len(expected.last)
        if not sent <= counts.get("received", 0) == became:  # what was fetched by itself comes on top
            wrong[source] = (expected.received, counts)
    assert wrong == {}


def test_a_run_is_complete_just_where_the_lists_were_whole_and_nothing_speaks_against_it(harvest: Harvest) -> None:
    complete = {source for source, run in harvest.runs.items() if run.is_complete}
    whole = {source for source, expected in harvest.expected.items() if expected.is_whole}
    assert complete <= whole
    for source in whole - complete:  # nobody recorded the answers to the questions that a doubt asks
        assert any("badVerb" in reason for reason in harvest.runs[source].reasons), source


def test_every_item_is_answered_alone(client: FlaskClient, exposed: Exposed, prefixes: list[str]) -> None:
    """One item of every source in each of its formats, dead or alive, and its formats, are valid answers."""
    chosen = {(prefix, origin(name)[0]): name for prefix in prefixes for name in sorted(exposed.alive[prefix])}
    chosen |= {(prefix, f"dead {origin(name)[0]}"): name for prefix in prefixes for name in exposed.deleted[prefix]}
    faults = []
    for (prefix, _), identifier in chosen.items():
        answer = asked(client, verb="GetRecord", metadataPrefix=prefix, identifier=identifier)
        faults += oracle.faults(answer, is_foreign=prefix not in OURS)
        assert len(list(oracle.records(answer))) == 1
    for identifier in set(chosen.values()):
        faults += oracle.faults(asked(client, verb="ListMetadataFormats", identifier=identifier))
    assert faults == []


def test_every_set_holds_what_its_spec_says(client: FlaskClient, harvest: Harvest) -> None:
    """All sets are listed in valid answers, each once, every part after its whole; that of a source is its records."""
    specs = []
    for answer in pages(client, "ListSets"):
        assert oracle.faults(answer) == []
        specs += [element.text or "" for element in etree.fromstring(answer).iter(f"{OAI}setSpec")]
    assert len(specs) == len(set(specs))
    assert all(":" not in spec or spec.rpartition(":")[0] in specs for spec in specs)
    refused = {(item.source, item.metadata_prefix, item.identifier) for _, item in harvest.quarantine}
    with_records = {
        f"source:{source}"
        for source, expected in harvest.expected.items()
        if expected.ever_alive and not all((source, *key) in refused for key in expected.last)
    }
    for spec in sorted(with_records & set(specs))[::10]:
        answers = list(pages(client, "ListIdentifiers", metadataPrefix="oai_dc", set=spec))
        assert [fault for answer in answers for fault in oracle.faults(answer)] == []
        identifiers = re.findall(rb"<identifier>([^<]+)", b"".join(answers))
        assert {origin(identifier.decode())[0] for identifier in identifiers} == {spec.removeprefix("source:")}
