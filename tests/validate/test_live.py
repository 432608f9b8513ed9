"""Our own provider over HTTP, with a store that was filled by harvesting: the strict check finds nothing.

With pages, tokens and an expiry, `test_own_provider.py` checks it in this process.
"""

from __future__ import annotations

import json

import pytest

from tests import live

pytestmark = pytest.mark.slow


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


def test_our_own_provider_passes_every_check_without_failure_or_warning(instance):
    with live.served(instance) as server:
        done = live.called("harvester", instance, "validate", server.url, "--json")
    facts = json.loads(done.stdout)
    assert (done.returncode, facts["counts"]["fail"], facts["counts"]["warning"]) == (0, 0, 0), done.stdout


def test_the_command_fails_for_a_provider_that_is_not_strict(instance, sample_source):
    """The sample's source is lax on purpose: it stands for what harvesters meet."""
    done = live.called("harvester", instance, "validate", sample_source)
    assert done.returncode == 1, done.stdout
    assert "does not conform" in done.stdout.splitlines()[-1]
