"""SIGTERM ends every command within ten seconds, whatever the command waits for; and no child goes on without it."""

import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TypeAlias

import pytest

from gateway.core.statuses import Status
from tests.commands.calls import line
from tests.fulltext.pdfs import a_bomb
from tests.live import COMMANDS
from tests.waiting import PATIENCE_SECONDS, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

# Every command that asks somebody.
ASKING = {
    "harvester source add": ("new", "{oai}"),
    "harvester source check": ("fake",),
    "harvester source friends": ("{oai}",),
    "harvester source sweep": ("fake", "--yes"),
    "harvester source audit": ("rs",),
    "harvester source subscribe": ("rs",),
    "harvester source unsubscribe": ("rs",),
    "harvester run": ("fake", "--full"),
    "harvester run --dry-run": ("fake",),
    "harvester tend": (),
    "harvester tend --watch": (),
    "harvester dump": ("{oai}", "{tmp}/another.xml"),
    "harvester mirror run": ("{oai}", "{tmp}/new", "--format", "mods", "--allow", "127.0.0.1"),
    "harvester mirror audit": ("{tmp}/mirror",),
    "harvester audit": ("--crossref", "--issn", "1234-5679", "--allow", "127.0.0.1"),
    "harvester validate": ("{oai}",),
}
PATIENT = {"GATEWAY_FETCH_RETRIES": "5", "GATEWAY_FETCH_BACKOFF_SECONDS": "1", "GATEWAY_FETCH_MAX_WAIT_SECONDS": "3600"}
_Process: TypeAlias = subprocess.Popen[str]


def _below(process: int) -> set[int]:
    """Return the processes that a process has started, and those that these have started."""
    parents: dict[int, set[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            parents.setdefault(parent, set()).add(int(entry.name))
    descendants, new = set[int](), {process}
    while new:
        new = set().union(*(parents.get(pid, set()) for pid in new))
        descendants |= new
    return descendants


def _is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextmanager
def _started(command: str, arguments: tuple[str, ...], tmp: Path, oai: str, **environment: str) -> Iterator[_Process]:
    program, *words = line(command, arguments, tmp, oai)
    with subprocess.Popen(
        [str(COMMANDS / program), *words],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment},
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def _wait_until(process: _Process, is_so: Callable[[_Process], bool]) -> None:
    """Return when something is true of the process, or it has ended."""

    def has_come() -> bool:
        with suppress(OSError):  # what /proc tells changes meanwhile
            return process.poll() is not None or is_so(process)
        return False

    wait_until(has_come)


def _handles_sigterm(process: _Process) -> bool:
    caught = re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{process.pid}/status").read_text())
    return caught is not None and bool(int(caught[1], 16) >> (signal.SIGTERM - 1) & 1)


# That a process handles SIGTERM does not say that its command has begun. Only then does SIGTERM end it without a
# traceback, and on a busy machine much lies between the two.


def _can_ask(process: _Process) -> bool:
    """Tell whether a process has loaded what asks servers, which no program loads before its command begins."""
    libraries = Path(f"/proc/{process.pid}/maps").read_text()
    return any(name in libraries for name in ("_ssl", "libssl", "charset_normalizer"))


def _has_opened(path: Path) -> Callable[[_Process], bool]:
    return lambda process: path in {file.readlink() for file in Path(f"/proc/{process.pid}/fd").iterdir()}


def _has_children(process: _Process) -> bool:
    return bool(_below(process.pid))


class _Ending:
    """A process that was sent a signal before its work was done, and how it ends."""

    def __init__(self, process: _Process, number: int = signal.SIGTERM) -> None:
        _wait_until(process, _handles_sigterm)
        assert process.poll() is None, process.stderr.read()
        self._process, self._children = process, _below(process.pid)
        process.send_signal(number)

    def check(self, command: str) -> None:
        """Wait for the end of the process, and of its children."""
        _, words = self._process.communicate(timeout=PATIENCE_SECONDS)
        wait_until(lambda: not any(map(_is_alive, self._children)), f"The children of {command} live.")
        # A machine that is too busy for the end of an interpreter leaves it to the timer of the kernel.
        assert self._process.returncode in {Status.STOPPED, -signal.SIGALRM}, (command, words)
        assert "Traceback" not in words


class _Site:
    """Answers as a test wants until the end of the block; `requests` counts the requests, `paged` further pages.

    `sent` says that a long page was sent.
    """

    def __init__(self, site, answer) -> None:
        self.requests, self.over = threading.Semaphore(0), threading.Event()
        self.paged, self.sent = threading.Semaphore(0), threading.Event()
        self._site, self._answer = site, answer

    def __enter__(self):
        self._site.before = self._before
        return self

    def __exit__(self, *_):
        self.over.set()

    def _before(self, handler) -> bool:
        self.requests.release()
        return self._answer(handler, self)

    def wait(self, count: int = 1) -> None:
        """Return when so many requests have come."""
        for _ in range(count):
            assert self.requests.acquire(timeout=PATIENCE_SECONDS)


def _is_silent(handler, here) -> bool:
    here.over.wait(PATIENCE_SECONDS)
    handler.close_connection = True
    return True


def _asks_to_wait(handler, _here) -> bool:
    handler.send_response(503)
    handler.send_header("Retry-After", "3000")
    handler.send_header("Content-Length", "0")
    handler.end_headers()
    return True


@pytest.mark.share(one_in=2)
@pytest.mark.parametrize(
    ("answer", "commands"),
    [(_is_silent, ASKING), (_asks_to_wait, ("harvester run", "harvester dump", "harvester tend --watch"))],
    ids=["silent", "asks_to_wait"],
)
def test_a_command_that_waits_for_a_server_is_ended_by_sigterm(answer, commands, fresh, site):
    with _Site(site, answer) as here, ExitStack() as started:
        processes = {
            command: started.enter_context(_started(command, ASKING[command], fresh(), site.oai, **PATIENT))
            for command in commands
        }
        here.wait(len(commands))
        for process in processes.values():  # some ask more than once
            _wait_until(process, _can_ask)
        endings = {command: _Ending(process) for command, process in processes.items()}
        for command, ending in endings.items():
            ending.check(command)


# --- while it works -------------------------------------------------------------------------------------------------

_RECORD = (
    "<record><header><identifier>oai:fake:{0}</identifier><datestamp>2024-01-01T00:00:00Z</datestamp></header><metadata>"
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>Work {0}</dc:title></oai_dc:dc></metadata></record>"
)
_PAGE = (
    '<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
    "<responseDate>2024-01-02T00:00:00Z</responseDate><request>http://example.org/oai</request>"
    "<{0}>{1}<resumptionToken>next</resumptionToken></{0}></OAI-PMH>"
)


@pytest.fixture(scope="session")
def long_page() -> bytes:
    """Return a page of records that takes seconds to read."""
    return _PAGE.format("ListRecords", "".join(map(_RECORD.format, range(100_000)))).encode()


def _answers_long(page: bytes):
    def answer(handler, here) -> bool:
        if "resumptionToken" in handler.path:  # the harvest has not ended when it is
            return _is_silent(handler, here)
        if "verb=ListRecords" not in handler.path:
            return False
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(page)))
        handler.end_headers()
        handler.wfile.write(page)
        here.sent.set()
        return True

    return answer


def test_a_command_that_reads_a_long_page_is_ended_by_sigterm(fresh, site, long_page):
    with (
        _Site(site, _answers_long(long_page)) as here,
        _started("harvester run", ASKING["harvester run"], fresh(), site.oai) as process,
    ):
        assert here.sent.wait(PATIENCE_SECONDS)
        _Ending(process).check("harvester run")


def test_a_command_that_reads_a_long_file_is_ended_by_sigterm(fresh, site, long_page):
    tmp = fresh()
    (tmp / "package" / "dump.xml").write_bytes(long_page)
    with _started("harvester source load", ("empty", "{tmp}/package"), tmp, site.oai) as process:
        _wait_until(process, _has_opened(tmp / "package" / "dump.xml"))
        _Ending(process).check("harvester source load")


def test_a_command_that_publishes_is_ended_by_sigterm_with_its_children(fresh, site):
    tmp = fresh()
    pages = {"GATEWAY_PUBLISH_PROCESSES": "2"}

    def answer(handler, here) -> bool:
        if "resumptionToken" in handler.path:
            here.paged.release()
            if next(asked) > 9:
                here.over.wait(PATIENCE_SECONDS)  # the harvest has not ended when it is
        return False

    asked = count()
    site.repository.fill(20_000, 100)
    site.repository.page_size = 500
    try:
        with (
            _Site(site, answer) as here,
            _started("harvester run", ("fake", "--full"), tmp, site.oai, **pages) as process,
        ):
            for _ in range(8):
                assert here.paged.acquire(timeout=PATIENCE_SECONDS)
            _wait_until(process, _has_children)
            assert _below(process.pid)
            _Ending(process).check("harvester run")
        with _started("gateway rebuild", (), tmp, site.oai) as process:
            _wait_until(process, _has_opened(tmp / "instance" / "store.sqlite"))
            _Ending(process).check("gateway rebuild")
    finally:
        site.repository.page_size = 10
        for name in [item for item in site.repository.items if item > "oai:fake:00099"]:
            del site.repository.items[name]


def test_a_search_that_reads_a_pdf_is_ended_by_sigterm_with_its_child(fresh, site):
    tmp = fresh()
    page = '<meta name="citation_pdf_url" content="https://example.org/bomb.pdf">'
    bodies = {"/example.org/bomb.pdf": a_bomb(), "/example.org/oai:fake:00007": page.encode()}

    def answer(handler, here) -> bool:
        body = bodies.get(handler.path)
        if body is None:
            return False
        handler.send_response(200)
        handler.send_header("Content-Type", "application/pdf" if body.startswith(b"%PDF") else "text/html")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
        return True

    item = "oai:repo.example.org:fake/oai:fake:00007"
    instead = {"GATEWAY_DISCOVER_INSTEAD": f"https://={site.url}/"}
    with _Site(site, answer), _started("harvester discover", ("--item", item), tmp, site.oai, **instead) as process:
        _wait_until(process, _has_children)
        assert _below(process.pid), process.stderr.read()
        _Ending(process).check("harvester discover")
