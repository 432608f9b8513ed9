"""What serving costs: our pages against the same pages as plain files of nginx, and lists of headers.

The same bytes, one worker each, the same load, in turn: only the ratios mean anything.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from statistics import median

from tests import live
from tests.bench import runs, stores
from tests.bench.client import Client, Listed, rate
from tests.bench.runs import Row
from tests.live import await_server, free_port

_CONFIGURATION = """
daemon off; {user} worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off; default_type text/xml; sendfile on; tcp_nopush on; keepalive_requests 1000000;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
"""


def program() -> str | None:
    """Return where nginx is installed, or None."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")


@contextmanager
def serving(folder: Path, pages: Sequence[bytes]) -> Iterator[list[str]]:
    """Serve these pages as files of `folder`; the context's value is their addresses."""
    for number, page in enumerate(pages):
        (folder / f"{number}.xml").write_bytes(page)
    port = free_port()
    configuration = folder / "nginx.conf"
    # Its worker must be able to read a folder that only this user can.
    user = "user root;" if Path("/proc/self").stat().st_uid == 0 else ""
    configuration.write_text(_CONFIGURATION.format(folder=folder, port=port, user=user))
    line = [program() or "nginx", "-c", str(configuration), "-e", str(folder / "start.log")]
    with subprocess.Popen(line, stderr=subprocess.DEVNULL) as process:
        try:
            await_server(port)
            yield [f"http://127.0.0.1:{port}/{number}.xml" for number in range(len(pages))]
        finally:
            process.terminate()


_PAGES = 40  # enough that no cache of a processor holds them


def rows(records: int) -> Iterator[Row]:
    """Measure plain and gzip answers against nginx, and lists of headers against lists of records."""
    stored = stores.of(records)
    with live.served(stored.folder, serve_workers=1, oai_page_size=500) as server, Client(server.url) as client:
        pages = _pages(client, "ListRecords")
        headers = _pages(client, "ListIdentifiers")
        size = sum(page.body.count(b"<record>") for page in pages) / len(pages)
        few = sum(page.body.count(b"<header>") for page in headers) / len(headers)
        with _peer([page.body for page in pages]) as files:
            identity = [f"{server.url}?verb=Identify"]
            rates = _rates([page.url for page in pages], [page.url for page in headers], identity, files, records)
    plain, packed, listed, identify, peer = rates
    if files:
        note = f"medians {packed:.0f} and {peer:.0f} pages/s of {size:.0f} records"
        what = "ListRecords with gzip, against the same pages as plain files of nginx"
        yield Row(what, packed / peer, 0.5, is_least=True, note=note)
        note = f"medians {plain:.0f} and {peer:.0f} pages/s"
        yield Row("ListRecords without a coding, against the same", plain / peer, 0.28, is_least=True, note=note)
    note = f"medians {listed:.0f} pages/s of {few:.0f} headers and {packed:.0f} of {size:.0f} records"
    what = "ListIdentifiers with gzip against ListRecords with gzip, records/s"
    yield Row(what, listed * few / (packed * size), 1.3, is_least=True, note=note)
    note = f"medians {identify:.0f} and {packed:.0f} answers/s"
    yield Row("Identify against ListRecords with gzip", identify / packed, 1.2, is_least=True, note=note)


def _pages(client: Client, verb: str) -> list[Listed]:
    """Return pages of a list after the first one: all of them are asked for by token."""
    return list(islice(client.walk(verb, metadataPrefix="oai_dc"), 1, _PAGES + 1))


@contextmanager
def _peer(pages: list[bytes]) -> Iterator[list[str]]:
    if not program():
        print("    not measured because nginx is missing: ListRecords, compared with its static files")
        yield []
        return
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), pages) as files:
        yield files


def _rates(records: list[str], headers: list[str], identity: list[str], files: list[str], corpus: int) -> list[float]:
    """Return the median rates of plain and gzip answers, gzip lists of headers, Identify, and files, in turn."""
    times, seconds = runs.rounds(corpus, 3, 3.0)
    asked = list(zip((records, records, headers, identity, files), ((), runs.GZIP, runs.GZIP, (), ()), strict=True))
    rounds = [[rate(urls, seconds, wanted) if urls else 0.0 for urls, wanted in asked] for _ in range(times)]
    return [median(rates) for rates in zip(*rounds, strict=True)]
