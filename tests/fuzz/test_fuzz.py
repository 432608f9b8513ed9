"""What CI runs of the fuzz: a share of the requests, the mutants, the growing documents and the worst shapes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.fuzz.parsers import growths_of, mutants_of
from tests.fuzz.targets import FOREIGN, PARTS, TARGETS, Target
from tests.live import unmeasured
from tests.seeds import SEED


def test_every_module_that_reads_foreign_bytes_is_fuzzed():
    """Name a new parser in FOREIGN, and in a target of tests/fuzz/targets.py or in PARTS."""
    files = [file for part in FOREIGN.split() for file in ROOT.glob(f"{part}.py")]
    assert len(files) >= len(FOREIGN.split()), "FOREIGN names a module that is not there"
    modules = {_short(file) for file in files if file.stem != "__init__"}
    words = [word for target in TARGETS for word in target.name.replace(",", " ").split()]
    assert {module for module in modules if not any(f"{word}.".startswith(f"{module}.") for word in words)} == PARTS


def _short(file: Path) -> str:
    """Return the name of a module; those of one protocol have its name before theirs."""
    return f"{file.parent.name}.{file.stem}" if file.parent.parent.name == "sources" else file.stem


@pytest.mark.slow
@pytest.mark.unmeasured
def test_share_of_the_fuzz_finds_nothing():
    line = [sys.executable, "-m", "tests.fuzz", "--share", "--seed", str(SEED)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=ROOT, env=unmeasured(os.environ))
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def _read_by_a_new_process(size: int, name: str) -> tuple[int, str]:
    """Return the peak in bytes, and what was read; a process that has run other tests hands on the memory it has."""
    code = f"from tests.fuzz import memory; print(*next(memory.rows({size}, ({name!r},)))[1::2])"
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, capture_output=True, text=True, check=True, cwd=ROOT, env=unmeasured(os.environ))
    peak, _, outcome = done.stdout.strip().partition(" ")
    return int(peak), outcome


@pytest.mark.share(one_in=2)
@pytest.mark.slow
@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("name", "size", "beginning"),
    [
        ("ordinary", 80_000_000, "47365 records"),
        ("empty elements", 80_000_000, "AnswerTooLarge"),
        ("attributes", 80_000_000, "AnswerTooLarge"),
        ("broken ordinary", 80_000_000, "AnswerTooLarge"),
        ("list: links of one entry", 80_000_000, "NotXml"),
        ("attributes of one element that is not closed", 14_000_000, "AnswerTooLarge"),
        ("namespaces of one element that is not closed", 3_600_000, "3 records"),
    ],
)
def test_four_times_the_document_takes_no_more_than_four_times_the_memory(name: str, size: int, beginning: str):
    few, _ = _read_by_a_new_process(size // 4, name)
    many, outcome = _read_by_a_new_process(size, name)
    assert many < 5 * few, (few, many, outcome)
    assert outcome.startswith(beginning)
    assert "FAULT" not in outcome


# --- the fuzz proves itself ---------------------------------------------------------------------------------------


def _faulty(body: bytes) -> object:
    return int(body.count(b"<") and "²")


def test_parser_with_a_fault_is_found():
    assert "ValueError" in next(mutants_of(Target("faulty", _faulty, (b"<a/>",)), 1, 50), "")


@pytest.mark.slow
@pytest.mark.unmeasured
def test_parser_that_costs_the_square_is_found():
    def square(body: bytes) -> object:
        return sum(body.count(b"<", at) for at in range(0, len(body), 5))

    assert "again and again" in next(growths_of(Target("square", square, (b"<a/>",))), "")
