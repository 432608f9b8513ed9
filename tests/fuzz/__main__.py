"""`python -m tests.fuzz --seed N`: requests to the application, mutants for every parser, expressions, growth, memory.

The same seed brings the same requests and mutants. `--share` is what CI runs: a part of each, in less than a minute.
Exit status 1 when anything failed; each failure is printed with the seed and what was sent.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import monotonic

from tests.applications import application
from tests.fuzz import expressions, memory
from tests.fuzz.parsers import element_growths_of, growths_of, mutants_of
from tests.fuzz.requests import faults_of, filled
from tests.fuzz.targets import TARGETS
from tests.seeds import SEED

_SHARE_OF_GROWTH = 6  # kinds of growing documents for each parser


def requests(seed: int, count: int) -> list[str]:
    """Send requests to an application of its own."""
    with tempfile.TemporaryDirectory() as folder:
        filled(Path(folder) / "instance")
        with application(
            Path(folder) / "instance",
            oai_page_size=1,
            files_serve=True,
            resourcesync_files=True,
            base_url="https://x.org/oai",
        ) as app:
            return list(faults_of(app, seed, count))


def parser(place: int, seed: int, mutants: int, *, growth: int) -> list[str]:
    """Let one parser read mutants, and growing documents: so many kinds of them, 0 for all."""
    target = TARGETS[place]
    documents = *growths_of(target, seed, growth), *element_growths_of(target, seed, growth // 3)
    return [*mutants_of(target, seed, mutants), *documents]


def _report(what: str, faults: Iterable[str], began: float) -> int:
    listed = list(faults)
    for fault in listed[:20]:
        print(f"FAILED {fault}")
    print(f"{what}: {len(listed)} failed ({monotonic() - began:.0f} s)", flush=True)
    return len(listed)


def main(arguments: list[str] | None = None) -> int:
    """Run everything, the parsers in as many processes as there are processors."""
    options = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    options.add_argument("--seed", type=int, default=SEED, help="which requests and mutants are made")
    options.add_argument("--requests", type=int, default=20_000, help="how many requests are sent")
    options.add_argument("--mutants", type=int, default=5_000, help="how many mutants each parser reads")
    options.add_argument("--share", action="store_true", help="a part of all that, in less than a minute")
    chosen = options.parse_args(arguments)
    count, mutants, growth = chosen.requests, chosen.mutants, 0
    if chosen.share:
        count, mutants, growth = min(count, 1_000), min(mutants, 50), _SHARE_OF_GROWTH
    began = monotonic()
    failed = _report(f"{count} requests (seed {chosen.seed})", requests(chosen.seed, count), began)
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        of_parsers = pool.map(partial(parser, seed=chosen.seed, mutants=mutants, growth=growth), range(len(TARGETS)))
        faults = (fault for of_parser in of_parsers for fault in of_parser)
        failed += _report(f"{mutants} mutants for each of {len(TARGETS)} parsers, and growing documents", faults, began)
    if not chosen.share:
        # In a process of its own: patterns are recorded while the modules are imported, and here they are already.
        surroundings = os.environ | {"TESTS_SEED": str(chosen.seed)}
        failed += subprocess.call([sys.executable, "-m", expressions.__name__], env=surroundings)
        failed += memory.main()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
