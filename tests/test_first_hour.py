"""Does what README's five-minute tour says, line by line, and the demo: from an empty folder to answers over HTTP."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from lxml import etree

from tests import live
from tests.conftest import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]
BIN = Path(sys.executable).parent
OAI = "{http://www.openarchives.org/OAI/2.0/}"
PATIENCE_SECONDS = 240.0  # a busy machine is no defect


def tour() -> list[str]:
    """Return the commands of the tour."""
    blocks = re.findall(r"(?s)```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"))
    return [line for block in blocks for line in block.splitlines()]


def fetched(url: str) -> bytes:
    """Return what an address answers, waiting for its server to start."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            with urlopen(url) as answer:
                return bytes(answer.read())
        except URLError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@pytest.fixture
def environment() -> dict[str, str]:
    return os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}


@pytest.fixture
def background(environment: dict[str, str]) -> Iterator[list[subprocess.Popen[Any]]]:
    processes: list[subprocess.Popen[Any]] = []
    yield processes
    for process in processes:
        process.terminate()
        process.communicate()


def test_the_tour_of_the_readme_works_as_it_is_written(tmp_path, environment, background):
    ports = {name: str(live.free_port()) for name in ("8080", "8081", "8082")}
    answers = []
    for line in tour():
        here = line.replace("/tmp/tour", str(tmp_path / "tour"))
        command = shlex.split(re.sub("808[012]", lambda match: ports[match[0]], here))
        if command[0] == "." or "--retry" in command:  # it waits for a server
            continue
        if command[0] == "curl":
            answers.append(etree.fromstring(fetched(command[1])))
        elif command[-1] == "&":
            background.append(subprocess.Popen(command[:-1], env=environment, cwd=ROOT, stdout=subprocess.DEVNULL))
            live.await_server(int(command[command.index("--port") + 1]))
        else:
            result = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
            assert result.returncode == 0, f"{line}\n{result.stdout}{result.stderr}"
    identify, oai_dc, fulltext = answers
    assert identify.findtext(f".//{OAI}protocolVersion") == "2.0"
    assert len(oai_dc.findall(f".//{OAI}record")) == 22
    assert 10 < len(fulltext.findall(f".//{OAI}record")) < 22


def test_the_demo_prints_addresses_that_answer_and_ends_tidily(tmp_path, environment, background) -> None:
    line = [sys.executable, str(ROOT / "tests" / "sample" / "demo.py"), "--port", str(live.free_port())]
    environment |= {"TMPDIR": str(tmp_path), "HTTP_PROXY": "http://127.0.0.1:9"}  # where no proxy is
    pipe, both = subprocess.PIPE, subprocess.STDOUT
    demo = subprocess.Popen(line, env=environment, stdout=pipe, stderr=both, text=True, start_new_session=True)
    background.append(demo)
    text = "".join(takewhile(lambda line: not line.startswith("Ctrl-C"), demo.stdout))
    # The columns of `harvester status`: items, deleted, fulltext.
    held = dict(re.findall(r"(?m)^(laro\S*) +(\d+ +\d+ +\d+) ", text))
    assert {name: counts.split() for name, counts in held.items()} == {
        "laro": ["22", "0", "16"],
        "laro-index": ["40", "0", "12"],
        "laro-list": ["40", "0", "12"],
    }
    printed = re.findall(r"http://\S+verb=\S+", text)
    assert len(printed) == 7
    assert 'ref="https://repository.example.net/LR-15-00007.pdf"' in text
    schema = etree.XMLSchema(etree.parse(ROOT / "schemas" / "OAI-PMH.xsd"))
    for address in printed:
        answer = etree.fromstring(fetched(address))
        schema.assertValid(answer)
        assert answer.find(f"{OAI}error") is None, address
    os.killpg(demo.pid, signal.SIGINT)  # as a terminal does
    assert demo.wait(PATIENCE_SECONDS) == 0
    assert list(tmp_path.iterdir()) == []
