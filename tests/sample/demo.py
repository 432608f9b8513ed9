"""`make demo`: a repository with the bundled sample, and a small LARO, are harvested and re-exposed, until Ctrl-C.

It does what a user does, with the same commands, and shows them. Everything it makes lies in one temporary folder.
"""

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

from gateway.core.statuses import Status

BIN = Path(sys.executable).parent
SOURCE = Path(__file__).with_name("source.py")
LARO = Path(__file__).with_name("laro.py")
WEB = Path(__file__).with_name("web.py")
NAME = "laro"
IDENTIFIER = "oai:gateway.example.org:laro/oai:laro.example.org:LR-18-00002"
FOUND, COPY = "oai:gateway.example.org:laro/oai:laro.example.org:LR-15-00007", "https://repository.example.net/LR-15"
PAGES = (
    ("what is here, and how to harvest it", "/"),
    ("a search", "/search?q=neutron"),
    ("an item whose file was found", f"/items/{FOUND}"),
    ("every request of OAI-PMH as a page", "/browse"),
)
TO_OPEN = (
    ("what it is", "verb=Identify"),
    ("its records, as Dublin Core", "verb=ListRecords&metadataPrefix=oai_dc"),
    ("the same as MPEG-21 DIDL, with the files", "verb=ListRecords&metadataPrefix=oai_didl"),
    ("one of them", f"verb=GetRecord&metadataPrefix=oai_didl&identifier={IDENTIFIER}"),
    ("one whose file was found", f"verb=GetRecord&metadataPrefix=oai_didl&identifier={FOUND}"),
    ("its sets, one for each source and one for full texts", "verb=ListSets"),
    (
        "the small LARO alone, as its ResourceSync list has it",
        "verb=ListRecords&metadataPrefix=oai_didl&set=source:laro-list",
    ),
)
PATIENCE_SECONDS = 60.0


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


def configure(folder: str, settings: str) -> None:
    """Add settings to those of the instance, and show them."""
    say(f"\n   In config.toml:\n{settings}")
    with Path(folder, "config.toml").open("a", encoding="utf-8") as config:
        config.write(f"\n{settings}")


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


def add_sources(folder: str, source_url: str, index_url: str, list_url: str) -> None:
    """Make an instance, and tell it of three sources."""
    say("1. Three sources: a repository of OAI-PMH with 25 works; and a small LARO with 40 works, harvested in two")
    say("   ways, from its Solr index and by the ResourceSync list over it. Addresses are looked at, and recognised.")
    do("gateway", "--instance", folder, "init", "--name", "Gateway of the sample library")
    do("harvester", "--instance", folder, "source", "add", NAME, source_url)
    do("harvester", "--instance", folder, "source", "check", index_url, "--add", "laro-index")
    do("harvester", "--instance", folder, "source", "check", list_url, "--add", "laro-list")


def harvest(folder: str) -> None:
    """Harvest them."""
    say("\n2. They are harvested. Either way the small LARO has 40 items, 12 of them with a full text (see the column")
    say("   `fulltext`); the 28 that have none are what a search for full text goes for.")
    do("harvester", "--instance", folder, "run", "--all")
    do("harvester", "--instance", folder, "status")


def search_for_files(folder: str, web_url: str) -> None:
    """Search for the files that records of the first source do not name, in a small web of the demo's own."""
    say(
        "\n3. Files are searched for: those that a record names are fetched once; for the others services and pages are"
    )
    say("   asked, here in a small web of the demo's own. An open licence accepts a file, the others wait for people.")
    # Nobody need be spared in it.
    configure(
        folder,
        f"""\
discover_instead = "https://={web_url}/"
discover_email = "demo@laro.example.net"
discover_delay_seconds = 0
""",
    )
    do("harvester", "--instance", folder, "discover", NAME)
    do("harvester", "--instance", folder, "explain", FOUND)
    do("harvester", "--instance", folder, "review", "list")


def show_component(base_url: str) -> None:
    """Show what a DIDL says of a file that was found."""
    with urlopen(f"{base_url}?verb=GetRecord&metadataPrefix=oai_didl&identifier={FOUND}") as answer:
        text = answer.read().decode()
    components = text.split("<didl:Component>")
    component = next(part.partition("</didl:Component>")[0] for part in components if COPY in part)
    say("\nThe DIDL of a work has a Component for the file that was found:")
    say(component.replace("<didl:Descriptor>", "\n  <didl:Descriptor>").replace("<didl:Resource", "\n  <didl:Resource"))


def serve(folder: str, port: int) -> None:
    """Serve everything as one repository until Ctrl-C."""
    say("\n4. All of it is served again, as one repository.")
    command = ("gateway", "--instance", folder, "serve", "--host", "127.0.0.1", "--port", str(port))
    say(f"\n$ {shlex.join(command)}")
    base_url = f"http://127.0.0.1:{port}/oai"
    with running(str(BIN / command[0]), *command[1:]) as server:
        wait_until_it_answers(f"{base_url}?verb=Identify", server)
        show_component(base_url)
        say("\nOpen in a browser:")
        for words, path in PAGES:
            say(f"  http://127.0.0.1:{port}{path}   ({words})")
        say("\nHarvest:")
        for words, query in TO_OPEN:
            say(f"  {base_url}?{query}   ({words})")
        say("\nCtrl-C ends it.")
        server.wait()


@contextmanager
def sample(program: Path) -> Iterator[list[str]]:
    """Run one of the sample sources; its value are the addresses at the end of the line that it prints."""
    with running(sys.executable, str(program), stdout=subprocess.PIPE) as source:
        assert source.stdout is not None
        yield [word for word in source.stdout.readline().split() if word.startswith("http")]


def main() -> None:
    """Run the demonstration until Ctrl-C."""
    parser = argparse.ArgumentParser(description="Harvests the bundled sample and serves it.")
    parser.add_argument("--port", type=int, default=8080, help="the first port to try; 0: any free one")
    port = free_port(parser.parse_args().port)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # to be ended is to be asked to tidy up
    # A setting from a developer's environment would make it another demonstration; no proxy leads to this machine.
    for name in [name for name in os.environ if name.startswith("GATEWAY_") or name.lower().endswith("_proxy")]:
        del os.environ[name]
    with (
        tempfile.TemporaryDirectory(prefix="gateway-demo-") as folder,
        sample(SOURCE) as (source_url,),
        sample(LARO) as (index_url, list_url),
        sample(WEB) as (web_url,),
    ):
        try:
            add_sources(folder, source_url, index_url, list_url)
            harvest(folder)
            search_for_files(folder, web_url)
            serve(folder, port)
        except KeyboardInterrupt:
            say("\nEnded.")
        except subprocess.CalledProcessError as failed:
            raise SystemExit(failed.returncode) from failed


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # nobody reads any more; what waits in the buffer goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(int(Status.READER_GONE))
