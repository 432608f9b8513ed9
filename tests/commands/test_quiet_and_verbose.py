"""What is said of a run under `--quiet` and `--verbose`, and when SIGTERM comes before anything is said."""

import pytest
from click.testing import CliRunner

from tests.commands.calls import PROGRAMS


@pytest.mark.slow
def test_quiet_harvests_without_a_word_and_tells_failures(fresh, site):
    tmp = fresh()
    result = CliRunner().invoke(PROGRAMS["harvester"], ["--instance", str(tmp / "instance"), "--quiet", "run", "fake"])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    site.before = lambda handler: handler.send_error(404) or True
    result = CliRunner().invoke(PROGRAMS["harvester"], ["--instance", str(tmp / "instance"), "-q", "run", "fake"])
    assert result.exit_code
    assert "404" in result.stderr


@pytest.mark.slow
def test_verbose_tells_every_request(fresh, site):
    result = CliRunner().invoke(PROGRAMS["harvester"], ["--instance", str(fresh() / "instance"), "-v", "run", "fake"])
    assert result.exit_code == 0
    assert f"GET {site.oai}?verb=Identify: 200, " in result.stderr
