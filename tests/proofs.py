"""Proofs with many cases: what CI runs a small share of, run as long as you like.

    python -m tests.proofs                                  the list
    python -m tests.proofs promise --seed 7 --cases 10000

The tests get the seed (`TESTS_SEED`) and the number of cases from variables of the environment, as in CI.
"""

import os
import sys
from pathlib import Path
from typing import NamedTuple

import click
import pytest

ROOT = Path(__file__).resolve().parent.parent


class Proof(NamedTuple):
    """One proof: its tests, what it shows, and the variable for the number of cases."""

    tests: str
    sentence: str
    cases: str
    most: int  # cases of the whole proof


PROOFS = {
    "promise": Proof(
        "store/test_promise.py",
        "A harvester without overlap misses no version while publishers are killed.",
        "PROMISE_VERSIONS",
        10_000,
    ),
    "overlap": Proof(
        "resourcesync/test_zero_overlap.py",
        "A destination misses no version while publishers and compaction are killed.",
        "OVERLAP_VERSIONS",
        50_000,
    ),
    "chain": Proof(
        "chain/test_chain.py",
        "A gateway behind a gateway, over each way, and a mirror behind it lose nothing.",
        "CHAIN_ROUNDS",
        20,
    ),
    "statement-kills": Proof(
        "store/test_statement_kills.py",
        "A kill before any statement of SQL leaves a sound store (one of so many statements is tried).",
        "KILLS_STEP",
        1,
    ),
    "flips": Proof("store/test_flipped_bits.py", "A flipped bit is noticed, and changes no answer.", "FLIPS", 5_000),
    "endpoints": Proof(
        "faults/test_endpoints.py",
        "An endpoint with several quirks is harvested whole, or what is missing is said.",
        "ENDPOINTS",
        462,
    ),
    "pairs": Proof("faults/test_faults.py", "The same, for pairs of all quirks.", "FAULTS_PAIRS", 1_000),
    "kills": Proof("faults/test_kills.py", "A killed harvest loses no record.", "FAULTS_KILLS", 200),
    "deciding": Proof(
        "fulltext/test_deciding_interleaved.py",
        "Decisions of several people, rules and releases are never lost in any order.",
        "DECIDING_SCHEDULES",
        1_000,
    ),
    "deletions": Proof(
        "harvest/test_waiting_deletions_at_random.py",
        "Deletions that wait for a person are exactly those that must.",
        "WAITING_ROUNDS",
        200,
    ),
    "resourcesync": Proof(
        "sources/resourcesync/test_at_random.py",
        "A harvest over ResourceSync holds what the source has.",
        "RESOURCESYNC_TIMES",
        100,
    ),
    "busy": Proof(
        "faults/test_busy_source.py",
        "A source is harvested whole while it changes.",
        "BUSY_SEEDS",
        50,
    ),
    "search-kills": Proof("fulltext/test_kills.py", "A killed search for full text loses nothing.", "TEST_KILLS", 200),
    "openapi": Proof(
        "pages/test_openapi.py",
        "A judge of others finds no answer that is not as `/openapi.json` describes it.",
        "OPENAPI_EXAMPLES",
        50,
    ),
    "expressions": Proof(
        "fuzz/test_expressions.py",
        "No regular expression takes more than linear time.",
        "EXPRESSIONS_ATTACKS",
        100_000,
    ),
}


@click.command()
@click.argument("name", type=click.Choice(list(PROOFS)), required=False)
@click.option("--seed", type=int, help="The seed; default: another one each time.")
@click.option("--cases", type=int, help="How many cases; default: the whole proof.")
def main(name: str | None, seed: int | None, cases: int | None) -> None:
    """Run a proof, or list the proofs."""
    if name is None:
        for one, proof in PROOFS.items():
            click.echo(f"{one:16} {proof.most:7} cases  {proof.sentence}")
        return
    proof = PROOFS[name]
    os.environ[proof.cases] = str(proof.most if cases is None else cases)
    if seed is not None:
        os.environ["TESTS_SEED"] = str(seed)
    sys.exit(pytest.main(["-n0", "-rA", "-m", "slow or not slow", str(ROOT / "tests" / proof.tests)]))


if __name__ == "__main__":
    main()
