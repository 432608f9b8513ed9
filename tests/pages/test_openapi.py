"""Schemathesis, a judge of others, asks everything that `/openapi.json` describes: the answers are as described."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gateway.publish.publish_files import file_all
from tests import live
from tests.conftest import JUDGES
from tests.page_house import FOUND, statement
from tests.publish.harness import Harness, Sent, dc, make_databases
from tests.seeds import SEED

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured, pytest.mark.needs("schemathesis")]

EXAMPLES = os.environ.get("OPENAPI_EXAMPLES", "8")  # of each operation; the whole proof has 50

# Values of parameters, so that the judge does not ask for what is not there only.
REAL = """[parameters]
identifier = "{item}"
prefix = "oai_dc"
"query.id" = "1"
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder, port = tmp_path_factory.mktemp("openapi"), live.free_port()
    make_databases(folder)
    harness = Harness(folder)
    with closing(harness.store), closing(harness.inbox):
        harness.send(
            *(Sent(str(number), dc("Reef", statement("type", "article")), sets=("a",)) for number in range(15))
        )
        harness.publish()
        file_all(harness.store, harness.inbox, "laro", ("1",), lambda _state: (FOUND,))
    (folder / "config.toml").write_text("")
    assert live.called("gateway", folder, "index", secret="x" * 40).returncode == 0
    settings = {"base_url": f"http://127.0.0.1:{port}/oai", "secret": "x" * 40}
    with live.served(folder, "--port", str(port), **settings):
        yield f"http://127.0.0.1:{port}"


@pytest.mark.share(one_in=2)
@pytest.mark.parametrize("item", ["", "oai:gateway.example.org:laro/1"])
def test_every_answer_is_as_the_description_says(url: str, tmp_path: Path, item: str) -> None:
    """No status 5xx; status codes, media types and headers as described.

    Unknown arguments are ignored, and the syntax of some texts is ours alone; so not all that fits is accepted.
    """
    words = [str(JUDGES / "st"), "run", f"{url}/openapi.json", "--seed", str(SEED % 1_000_000)]
    words += [
        "--max-examples",
        EXAMPLES,
        "--phases",
        "examples,coverage,fuzzing",
        "--suppress-health-check",
        "all",
        "--no-color",
    ]
    words += ["--exclude-checks", "unsupported_method,positive_data_acceptance,negative_data_rejection"]
    (tmp_path / "schemathesis.toml").write_text(REAL.format(item=item) if item else "")
    done = subprocess.run(words, text=True, capture_output=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
