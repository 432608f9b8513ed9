"""Mutants: small faults, planted one at a time, that the tests of a folder must notice.

    python -m tests.mutants --count 200 --seed 31 > before.tsv

writes one line for each mutant: `killed` or `survives`, where it is, and what was changed. Equal seeds plant equal
faults in equal code, so the tables of two states of the tests can be compared. Each mutant is planted in a copy of the
project. Its tests may take 60 seconds of processor time; the quick ones are first.
"""

import argparse
import ast
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 60
# Where faults are planted, and which tests must notice them.
PLACES = {
    "gateway/oaipmh": "tests/oaipmh",
    "gateway/core/clock.py": "tests/store",
    "gateway/store/store_clock.py": "tests/store",
    "gateway/store/blocks.py": "tests/store",
    "gateway/store/block_rows.py": "tests/store",
    "gateway/store/block_reader.py": "tests/store",
    "gateway/store/publish.py": "tests/store tests/contract",
    "gateway/store/view.py": "tests/store tests/contract",
    "gateway/publish/batch.py": "tests/publish",
    "harvester/xml": "tests/xml",
    "harvester/sources/oai_pmh": "tests/sources/oai_pmh",
}
_OTHERS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}


class Mutant(NamedTuple):
    """One fault: the file, and the number of the node in its tree that has it."""

    file: str
    node: int


def _faults(node: ast.AST) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the faults that a node can have: a name, and what plants it in the tree."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _OTHERS:
        other = _OTHERS[type(node.ops[0])]
        yield f"{type(node.ops[0]).__name__} -> {other.__name__}", lambda: node.ops.__setitem__(0, other())  # type: ignore[call-overload]
    elif isinstance(node, (ast.BoolOp, ast.BinOp)) and type(node.op) in _OTHERS:
        other = _OTHERS[type(node.op)]
        yield f"{type(node.op).__name__} -> {other.__name__}", lambda: setattr(node, "op", other())
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield "condition negated", lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        wrong = not node.value if isinstance(node.value, bool) else node.value + 1
        yield f"{node.value} -> {wrong}", lambda: setattr(node, "value", wrong)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "returns None", lambda: setattr(node, "value", ast.Constant(None))


def mutants(file: str) -> Iterator[Mutant]:
    """Yield all mutants of a file."""
    for number, node in enumerate(ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))):
        yield from (Mutant(file, number) for _ in _faults(node))


def planted(mutant: Mutant) -> tuple[str, str]:
    """Return the file with the fault, and in words which fault is where."""
    tree = ast.parse((ROOT / mutant.file).read_text(encoding="utf-8"))
    node: ast.expr = list(ast.walk(tree))[mutant.node]  # type: ignore[assignment]
    ((fault, plant),) = _faults(node)
    plant()
    return ast.unparse(ast.fix_missing_locations(tree)), f"{mutant.file}:{node.lineno}:{node.col_offset}\t{fault}"


def _is_killed(copy: Path, mutant: Mutant, text: str) -> bool:
    """Plant a mutant in a copy of the project, and return whether its tests fail."""
    file = copy / mutant.file
    original = file.read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    folders = next(tests for place, tests in PLACES.items() if mutant.file.startswith(place)).split()
    surroundings = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": ""}
    try:
        for tier in ("not slow", "slow"):
            line = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:randomly", "-m", tier, *folders]
            try:
                done = subprocess.run(
                    line, cwd=copy, env=surroundings, capture_output=True, check=False, preexec_fn=_limit, timeout=600
                )
            except subprocess.TimeoutExpired:  # it waits for ever
                return True
            if done.returncode > 0 and done.returncode != 5:  # a test has failed, or none can be collected
                return True
        return False  # nothing was noticed in time
    finally:
        file.write_text(original, encoding="utf-8")


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))


def main() -> None:
    """Judge a sample of mutants, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=31)
    asked = parser.parse_args()
    files = [file for place in PLACES for file in sorted((ROOT / place).rglob("*.py")) or [ROOT / place]]
    everyone = [mutant for file in files for mutant in mutants(str(file.relative_to(ROOT)))]
    drawn = Random(asked.seed).sample(everyone, asked.count)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "build", "__pycache__"))
        for mutant in drawn:
            text, words = planted(mutant)
            print("killed" if _is_killed(copy, mutant, text) else "survives", words, sep="\t", flush=True)


if __name__ == "__main__":
    main()
