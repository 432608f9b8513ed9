"""`make demo`: a repository with the bundled sample is harvested over HTTP and re-exposed, until Ctrl-C.

It does what a user does, with the same commands, and shows them. Everything it makes lies in one temporary folder.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

BIN = Path(sys.executable).parent
SOURCE = Path(__file__).with_name("source.py")
NAME = "laro"
IDENTIFIER = "oai:gateway.example.org:laro/oai:laro.example.org:LR-18-00002"
TO_OPEN = (
    ("what it is", "verb=Identify"),
    ("its records, as Dublin Core", "verb=ListRecords&metadataPrefix=oai_dc"),
    ("the same as MPEG-21 DIDL, with the files", "verb=ListRecords&metadataPrefix=oai_didl"),
    ("one of them", f"verb=GetRecord&metadataPrefix=oai_didl&identifier={IDENTIFIER}"),
    ("its sets", "verb=ListSets"),
)
PATIENCE_SECONDS = 20.0


def say(text: str) -> None:
    """Print a line at once, whoever reads."""
    print(text, flush=True)


def free_port(first: int) -> int:
    """Return the first port from `first` on that nobody listens on; 0 stays 0 and means any."""
    for port in range(first, first + 100):
        with socket.socket() as attempt:
            # As the server does: a port that was used a minute ago is free.
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                attempt.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(attempt.getsockname()[1])
    raise SystemExit(f"No free port from {first} to {first + 99}.")


def do(*command: str) -> None:
    """Show a command as a user would type it, and do it."""
    say(f"\n$ {shlex.join(command)}")
    subprocess.run([str(BIN / command[0]), *command[1:]], check=True)


@contextmanager
def running(*command: str, **options: object) -> Iterator[subprocess.Popen[str]]:
    """Run a process beside us, and end it in any case."""
    process = subprocess.Popen(command, text=True, **options)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()


def wait_until_it_answers(url: str, process: subprocess.Popen[str]) -> None:
    """Return when `url` answers; leave when its process ends or it takes too long."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            urlopen(url).close()
        except URLError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit("The gateway did not start.")


def demonstrate(folder: str, port: int, source_url: str) -> None:
    """Make an instance, harvest the source into it, serve it."""
    do("gateway", "--instance", folder, "init")
    do("harvester", "--instance", folder, "source", "add", NAME, source_url)
    do("harvester", "--instance", folder, "run", NAME)
    serve = ("gateway", "--instance", folder, "serve", "--host", "127.0.0.1", "--port", str(port))
    say(f"\n$ {shlex.join(serve)}")
    base_url = f"http://127.0.0.1:{port}/oai"
    with running(str(BIN / serve[0]), *serve[1:]) as server:
        wait_until_it_answers(f"{base_url}?verb=Identify", server)
        say("\nOpen in a browser, or harvest:")
        for words, query in TO_OPEN:
            say(f"  {base_url}?{query}   ({words})")
        say("\nCtrl-C ends it.")
        server.wait()


def main() -> None:
    """Run the demonstration until Ctrl-C."""
    parser = argparse.ArgumentParser(description="Harvests the bundled sample and serves it.")
    parser.add_argument("--port", type=int, default=8080, help="the first port to try; 0: any free one")
    port = free_port(parser.parse_args().port)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # to be ended is to be asked to tidy up
    # A setting from a developer's environment would make it another demonstration.
    for name in [name for name in os.environ if name.startswith("GATEWAY_")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="gateway-demo-") as folder:
        say("A repository with 25 works starts, is harvested, and is served again.")
        with running(sys.executable, str(SOURCE), stdout=subprocess.PIPE) as source:
            assert source.stdout is not None
            try:
                demonstrate(folder, port, source.stdout.readline().split()[-1])
            except KeyboardInterrupt:
                say("\nEnded.")
            except subprocess.CalledProcessError as failed:
                raise SystemExit(failed.returncode) from failed


if __name__ == "__main__":
    main()
