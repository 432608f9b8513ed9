"""`Containerfile` and `compose.yaml`, tried without an engine: what they copy, start and allow."""

import json
import os
import re
import shlex
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.conftest import ROOT

FOLDER = ROOT / "deploy" / "container"


def instructions() -> list[tuple[str, str]]:
    text = (FOLDER / "Containerfile").read_text("utf-8").replace("\\\n", " ")
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def values(name: str) -> list[str]:
    return [rest for word, rest in instructions() if word == name]


def test_everything_that_is_copied_into_the_image_is_there() -> None:
    copied = [rest.split() for rest in values("COPY") if "--from" not in rest]
    missing = [name for words in copied for name in words[:-1] if not (ROOT / name).exists()]
    assert copied
    assert missing == []


def test_image_does_not_run_as_root() -> None:
    user, _, group = values("USER")[-1].partition(":")
    assert int(user) > 0
    assert int(group) > 0
    words = [word for word, _ in instructions()]
    assert words.index("USER") > max(place for place, word in enumerate(words) if word in ("RUN", "COPY"))


def test_image_starts_a_command_that_there_is_and_serves_the_port_it_exposes() -> None:
    command = json.loads(values("CMD")[-1])
    assert command[command.index("--port") + 1] == values("EXPOSE")[-1]
    program = str(Path(sys.executable).with_name(command[0]))
    usage = subprocess.run([program, command[1], "--help"], capture_output=True, text=True, check=True).stdout
    assert [word for word in command if word.startswith("--") and word not in usage] == []


@pytest.mark.slow
def test_health_check_asks_no_proxy() -> None:
    class Ready(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/readyz" else 404)
            self.end_headers()

    check = json.loads(values("HEALTHCHECK")[-1].partition("CMD")[2])
    with HTTPServer(("127.0.0.1", 0), Ready) as server:
        Thread(target=server.handle_request, daemon=True).start()
        code = check[2].replace(f":{values('EXPOSE')[-1]}/", f":{server.server_port}/")
        code = code.replace("timeout=5)", "timeout=60)")  # a busy machine is no defect
        surroundings = os.environ | {"HTTP_PROXY": "http://127.0.0.1:1", "http_proxy": "http://127.0.0.1:1"}
        assert subprocess.run([sys.executable, "-c", code], env=surroundings, check=False).returncode == 0


def test_compose_file_takes_all_rights_away() -> None:
    """Read line by line: no library for YAML is among the dependencies."""
    text = (FOLDER / "compose.yaml").read_text("utf-8")
    for wanted in ("read_only: true", "cap_drop: [ALL]", "no-new-privileges:true", "image: oai-gateway"):
        assert wanted in text
    assert "privileged: true" not in text
    assert re.search(r"^ +dockerfile: deploy/container/Containerfile$", text, re.MULTILINE)
    assert (FOLDER / "../..").resolve() == ROOT
    for words in re.findall(r'command: (\[".*?"\])$', text, re.MULTILINE):
        program, *rest = json.loads(words)
        line = [str(Path(sys.executable).with_name(program)), rest[0], "--help"]
        usage = subprocess.run(line, capture_output=True, text=True, check=True).stdout
        assert [word for word in rest if word.startswith("--") and word not in usage] == []
    for line in re.findall(r"^#   docker compose run --rm gateway (.*)$", text, re.MULTILINE):
        assert shlex.split(line)[0] in ("gateway", "harvester")
