"""Our own provider over HTTP, with a store that was filled by harvesting: the strict check finds nothing."""

from __future__ import annotations

import json

import pytest

from gateway.settings import load
from harvester.http.access import Access
from harvester.http.fetching import Web
from harvester.validate.run import Limits, Verdict, validate
from tests import live

pytestmark = pytest.mark.slow

# Pages of five of the sample's records, so that there are tokens to check; the number to accept is made to fit.
PAGE = 5
EXPIRATION = {"tokens.expiration-form", "tokens.expiration-life"}


@pytest.fixture(scope="module")
def instance(tmp_path_factory, sample_source):
    """Return an instance with the records of one source and the tombstones of another that was removed."""
    formats = ("oai_dc", "mods")
    folder = live.instance(
        tmp_path_factory.mktemp("validated"), {"sample": (sample_source, formats), "gone": (sample_source, formats)}
    )
    for arguments in (("run", "--all"), ("source", "remove", "gone", "--yes")):
        done = live.called("harvester", folder, *arguments)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("life", [0, 86_400], ids=["tokens-for-ever", "tokens-for-a-day"])
def test_our_own_provider_passes_every_check_without_failure_or_warning(instance, life):
    settings = {"oai_page_size": PAGE, "oai_sets_page_size": 2, "oai_token_life_seconds": life}
    with live.served(instance, **settings) as server, Web(load(instance, {}), {"ours": Access(server.url)}) as web:
        report = validate(server.url, web.fetcher("ours"), limits=Limits(least_page=PAGE, pages=100))
    passed = {result.check for result in report.results if result.verdict is Verdict.PASS}
    others = {result.check: result for result in report.results if result.check not in passed}
    assert others.keys() == {"dates.seconds-refused"} | (set() if life else EXPIRATION), others
    assert {result.verdict for result in others.values()} == {Verdict.SKIPPED}
    assert report.exit_code == 0


def test_the_command_says_the_same_in_json(instance):
    with live.served(instance) as server:
        done = live.called("harvester", instance, "validate", server.url, "--json")
    facts = json.loads(done.stdout)
    assert (done.returncode, facts["counts"]["fail"], facts["counts"]["warning"]) == (0, 0, 0), done.stdout


def test_the_command_fails_for_a_provider_that_is_not_strict(instance, sample_source):
    """The sample's source is lax on purpose: it stands for what harvesters meet."""
    done = live.called("harvester", instance, "validate", sample_source)
    assert done.returncode == 1, done.stdout
    assert "does not conform" in done.stdout.splitlines()[-1]
