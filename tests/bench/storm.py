"""A storm of readers on a server, as a process of its own: each connection asks for one page after another.

`python -m tests.bench.storm URL CONNECTIONS` reads paths from its input, one a line, up to an empty line. It storms
until the input ends, and prints how many answers there were, by status, as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice

from tests.bench.load import Connection
from tests.bench.source import ROOT

CONNECTIONS = 32


def main(url: str, connections: int) -> None:
    """Storm until the input ends, and print how many answers there were."""
    paths = [line.strip() for line in iter(sys.stdin.readline, "\n")]
    ended = threading.Event()
    counts = [Counter[int]() for _ in range(connections)]

    def ask(number: int) -> None:
        with Connection(url) as connection:
            for path in islice(cycle(paths), number * len(paths) // connections, None):
                if ended.is_set():
                    return
                counts[number][connection.get(path)] += 1

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    ended.set()
    for thread in threads:
        thread.join()
    print(json.dumps(sum(counts, Counter())))


@contextmanager
def storm(url: str, paths: Sequence[str], connections: int = CONNECTIONS) -> Iterator[dict[str, int]]:
    """Storm a server as long as the context lasts; the value gets the numbers of answers by status at its end."""
    answers: dict[str, int] = {}
    line = [sys.executable, "-m", "tests.bench.storm", url, str(connections)]
    with subprocess.Popen(line, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write("".join(f"{path}\n" for path in (*paths, "")))
        process.stdin.flush()
        yield answers
        answers.update(json.loads(process.communicate()[0]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
