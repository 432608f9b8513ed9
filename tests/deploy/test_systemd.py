"""The units of `deploy/systemd/`, judged by systemd's own programs: legal, complete, and shut in."""

import re
import subprocess
import sys
from configparser import RawConfigParser
from pathlib import Path

import pytest

from gateway.core.model import Outcome
from tests.conftest import ROOT
from tests.rows import each_row

UNITS = ROOT / "deploy" / "systemd"
SERVICES = ("gateway.service", "harvester.service")
COMMANDS = {"gateway": "gateway.cli.main", "harvester": "harvester.cli"}
MOST_EXPOSURE = 2.5

pytestmark = [pytest.mark.slow, pytest.mark.needs("systemd-analyze")]


def unit(name: str) -> RawConfigParser:
    parser = RawConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(UNITS / name)
    return parser


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """Return a copy of the units that starts programs of this machine: systemd looks whether they are there."""
    for file in UNITS.iterdir():
        text = file.read_text("utf-8").replace("/opt/gateway/.venv/bin/gateway", "/bin/true")
        (tmp_path / file.name).write_text(text.replace("/opt/gateway/.venv/bin/harvester", "/bin/true"), "utf-8")
    return tmp_path


def test_systemd_finds_no_fault_in_the_units(units: Path) -> None:
    line = ["systemd-analyze", "verify", *map(str, sorted(units.iterdir()))]
    ended = subprocess.run(line, capture_output=True, text=True, check=False)
    assert [message for message in ended.stderr.splitlines() if str(units) in message or "gateway" in message] == []


@each_row("name", SERVICES)
def test_services_are_exposed_no_more_than_they_must_be(units: Path, name: str) -> None:
    line = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(units / name)]
    report = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    match = re.search(r"Overall exposure level for \S+: ([\d.]+)", report)
    assert match is not None
    assert float(match[1]) <= MOST_EXPOSURE


@each_row("name, program", [("gateway.service", "gateway"), ("harvester.service", "harvester")])
def test_services_start_commands_that_there_are(name: str, program: str) -> None:
    words = unit(name)["Service"]["ExecStart"].split()
    assert words[0] == f"/opt/gateway/.venv/bin/{program}"
    help_of = [str(Path(sys.executable).with_name(program)), words[1], "--help"]
    usage = subprocess.run(help_of, capture_output=True, text=True, check=True).stdout
    assert [word for word in words[2:] if word.startswith("--") and word not in usage] == []


def test_socket_and_service_have_the_same_address() -> None:
    words = unit("gateway.service")["Service"]["ExecStart"].split()
    address = f"{words[words.index('--host') + 1]}:{words[words.index('--port') + 1]}"
    assert unit("gateway.socket")["Socket"]["ListenStream"] == address


@each_row("name", SERVICES)
def test_programs_start_where_no_memory_is_both_written_and_executed(name: str) -> None:
    """MemoryDenyWriteExecute of the units, by the kernel's own switch (PR_SET_MDWE, Linux 6.3)."""
    program = name.removesuffix(".service")
    code = (
        "import ctypes, os, sys\nctypes.CDLL(None).prctl(65, 1, 0, 0, 0)\n"
        f"sys.argv = ['{program}', '--help']\nfrom {COMMANDS[program]} import main\n"
        "import lxml.etree, isal.isal_zlib, zstandard\n"
        "from harvester.fulltext.pdf.extraction import extract\nfrom tests.fulltext.pdfs import a_locked_pdf\n"
        "print(extract(a_locked_pdf()).outcome)\n"
        "main()"
    )
    line = [sys.executable, "-c", code]
    output = subprocess.run(line, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert output.startswith(Outcome.ENCRYPTED_PDF)
    assert "Usage" in output


@each_row("name", SERVICES)
def test_units_leave_the_boot_id_to_the_stores_clock(name: str) -> None:
    """A process that cannot read it takes an anchor of one that can for an anchor of before a reboot."""
    assert "ProcSubset" not in unit(name)["Service"]
