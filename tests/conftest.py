"""What every test can rely on: no settings of this machine, no network but loopback, skips told in words.

A skip is a failure where `TEST_SKIPS` is `forbidden`, as in CI.
"""

import logging
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Event

import pytest
from hypothesis import HealthCheck, settings

from harvester.runtime.interrupts import Stop
from tests import tiers
from tests.live import unmeasured
from tests.postgres import cluster, postgres, server  # noqa: F401 - fixtures
from tests.seeds import SEED

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
JUDGES = ROOT / ".venv" / "judges" / "bin"  # programs of others, which have a place of their own
AXE = JUDGES.parent / "node_modules" / "axe-core" / "axe.min.js"  # the judge of accessibility

# The everyday tier is to be run often; CI tries ten times as much. Both say the same twice.
# Machines are slow in ways that are not ours: a test that suppresses other health checks must suppress this one too.
settings.register_profile(
    "drawn",
    deadline=None,
    derandomize=True,
    print_blob=True,
    max_examples=100 if os.environ.get("CI") else 10,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("drawn")


# --- what the machine has, and what was skipped because it is missing --------------------------------------------


def _has_perl_module(name: str) -> bool:
    perl = shutil.which("perl")
    return (
        perl is not None
        and subprocess.run([perl, f"-M{name}", "-e1"], capture_output=True, check=False).returncode == 0
    )


def _lacks(name: str) -> bool:
    """Tell whether the machine lacks `../shared` (or something in it), a Perl module, axe-core, or a program."""
    if name.startswith("../shared"):
        return not (ROOT / name).exists()
    if "::" in name:
        return not _has_perl_module(name)
    if name == "axe-core":
        return not AXE.exists()
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin:{JUDGES}") is None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that is marked `needs(name)` when the machine has no `name`."""
    for mark in item.iter_markers("needs"):
        for name in mark.args:
            if _lacks(name):
                pytest.skip(f"because {name} is missing")


def loaded_by(code: str) -> tuple[set[str], list[str]]:
    """Run Python code in a process of its own; return the modules it has loaded, and the lines it printed.

    Without the measurement of coverage, which is loaded before everything and brings modules of its own.
    """
    program = f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\nfinally:\n    print(*sys.modules)"
    line = [sys.executable, "-c", program]
    done = subprocess.run(line, capture_output=True, text=True, check=True, cwd=ROOT, env=unmeasured(os.environ))
    *printed, modules = done.stdout.splitlines()
    return set(modules.split()), printed


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """Run a test that is marked `unmeasured` without coverage, in its own process and in those that it starts."""
    if item.get_closest_marker("unmeasured") is None:
        return (yield)  # type: ignore[misc]
    with _without_coverage():
        return (yield)  # type: ignore[misc]


@contextmanager
def _without_coverage() -> Iterator[None]:
    from coverage import Coverage  # noqa: PLC0415 - the everyday tests would wait for it

    surroundings, measured = dict(os.environ), Coverage.current()
    for name in surroundings.keys() - unmeasured(surroundings).keys():
        del os.environ[name]
    if measured is not None:
        measured.stop()
    try:
        yield
    finally:
        os.environ.update(surroundings)
        if measured is not None:
            measured.start()


def pytest_report_header() -> str:
    """Say what is drawn at random, so that another run can draw the same."""
    return f"Shares and random values are drawn with TESTS_SEED={SEED}."


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Make a failure of a skip that `TEST_SKIPS` does not allow."""
    if os.environ.get("TEST_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"TEST_SKIPS=forbidden does not allow to skip this test {_reason(report)}."


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Make failures of skipped tests where they are forbidden; say the seed with each failure."""
    report = yield
    if report.failed:  # type: ignore[attr-defined]
        report.sections.append(("seed", f"TESTS_SEED={SEED}"))  # type: ignore[attr-defined]
    if report.skipped and not hasattr(report, "wasxfail"):  # type: ignore[attr-defined]
        _forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Do the same for whole files that skip themselves."""
    report = yield
    if report.skipped:  # type: ignore[attr-defined]
        _forbid_skip(report)
    return report


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in words which tests lack a mark for what takes long, and what was not tested and why."""
    _tell(terminalreporter, "longer than `make test` allows", tiers.too_long(terminalreporter.stats.get("passed", [])))
    skipped = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    reasons = (f"{count} {'test' if count == 1 else 'tests'} skipped {why}" for why, count in sorted(skipped.items()))
    left_out = [tiers.LEFT_OUT] if _is_common(terminalreporter.config) and _is_whole(terminalreporter.config) else []
    _tell(terminalreporter, "not tested here", [*reasons, *left_out])


def _tell(terminalreporter: pytest.TerminalReporter, title: str, lines: list[str]) -> None:
    if lines:
        terminalreporter.write_sep("-", title)
    for line in lines:
        terminalreporter.write_line(line)


# --- where they write ------------------------------------------------------------------------------------------

MEMORY = Path("/dev/shm")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse values of variables that mean nothing, and let tests write into memory where there is enough of it.

    A slow test commits some sixty times, and a disk takes milliseconds for that. No power fails here: what a process
    wrote before it was killed is as safe in memory as on a disk.
    """
    if os.environ.get("TEST_SKIPS", "") not in tiers.SKIPS:
        raise pytest.UsageError("TEST_SKIPS must be forbidden, or nothing.")
    if os.environ.get("TEST_SHARES", "") not in tiers.SHARES:
        raise pytest.UsageError("TEST_SHARES must be drawn, or nothing.")
    if config.option.basetemp is None and os.access(MEMORY, os.W_OK):
        free = shutil.disk_usage(MEMORY).free
        if free > tiers.memory_bytes(config.option.markexpr):
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


# --- processes that share a run ---------------------------------------------------------------------------------


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Share a whole run: one process more than there are processors, since tests wait for processes and servers.

    What is asked for by name is run by the one process that is there.
    """
    return len(os.sched_getaffinity(0)) + 1 if _is_whole(config) else 0


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Leave out what the seed does not draw, where only a share is run; begin with the slow tests.

    So no process waits at the end for one that has just begun with a slow test.
    """
    if os.environ.get("TEST_SHARES"):
        kept = tiers.drawn(items, SEED)
        config.hook.pytest_deselected(items=list(set(items) - set(kept)))
        items[:] = kept
    yield
    items[:] = tiers.shared_out(items, tiers.processes_of(getattr(config, "workerinput", None)))


# --- the tiers -------------------------------------------------------------------------------------------------

_MORE = re.compile(r"\bmark\.slow\b|\.\./shared")
_ALL_SLOW = re.compile(r"^pytestmark = \[?pytest\.mark\.slow\b", re.MULTILINE)


@cache
def _has_more(file: Path) -> bool:
    return _MORE.search(file.read_text(encoding="utf-8")) is not None


def _is_common(config: pytest.Config) -> bool:
    return config.option.markexpr.strip() == tiers.COMMON


def _is_whole(config: pytest.Config) -> bool:
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark as `reference` what needs the reference data."""
    if any(name.startswith("../shared") for mark in item.iter_markers("needs") for name in mark.args):
        item.add_marker("reference")
    is_more = any(item.get_closest_marker(name) is not None for name in ("slow", "reference"))
    if is_more and not _has_more(item.path):
        raise pytest.UsageError(f"{item.path} must contain `mark.slow` or `../shared`, or `make test-more` ignores it.")
    if item.get_closest_marker("share") is not None and item.get_closest_marker("slow") is None:
        raise pytest.UsageError(f"A share of {item.nodeid} cannot be run: `make test` runs all of it.")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import files of which every test is slow, in `make test`, or none is, in `make test-more`.

    To import all of them, and to collect their tests, takes each process half a minute.
    """
    if collection_path.suffix != ".py" or not collection_path.name.startswith("test_"):
        return None
    if config.option.markexpr.strip() == tiers.MORE:
        return True if not _has_more(collection_path) else None
    is_left = _is_common(config) and _ALL_SLOW.search(collection_path.read_text(encoding="utf-8"))
    return True if is_left else None


# --- the surroundings of every test ----------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _levels_of_logs_as_before() -> Iterator[None]:
    """Undo `--quiet` and `--verbose` of a command that ran in this process: the next test may read its log."""
    loggers = [logging.getLogger(name) for name in ("gateway", "harvester")]
    levels = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


@pytest.fixture(autouse=True, scope="session")
def _no_settings_of_this_machine() -> Iterator[None]:
    """Take `GATEWAY_…` and proxies out of the environment: a developer's instance is none of a test's business."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("GATEWAY_") or name.lower().endswith("_proxy")]:
            patch.delenv(name)
        yield


@pytest.fixture(scope="session")
def ready_made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path, Callable[[Path], None]], None]:
    """Return a function that fills a folder with what another function makes in one.

    It is made once and copied from then on: an empty store costs ten times as much to make as to copy.
    """
    made: dict[Callable[[Path], None], Path] = {}

    def fill(folder: Path, make: Callable[[Path], None]) -> None:
        if make not in made:
            made[make] = tmp_path_factory.mktemp("ready-made")
            make(made[make])
        shutil.copytree(made[make], folder, dirs_exist_ok=True)

    return fill


# --- the bundled sample, over HTTP ------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def start_sample_source() -> Iterator[Callable[..., str]]:
    """Return a function that starts the sample's OAI-PMH source as a process and returns its base URL.

    Its arguments are those of the command line of `tests/sample/source.py`. All are ended with the session.
    """
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> str:
        command = [sys.executable, str(ROOT / "tests" / "sample" / "source.py"), *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        return process.stdout.readline().split()[-1]

    yield start
    for process in processes:
        process.terminate()
        process.communicate()


@pytest.fixture(scope="session")
def sample_source(start_sample_source: Callable[..., str]) -> str:
    """Return the base URL of a source that serves the bundled sample."""
    return start_sample_source()


@pytest.fixture
def send_signal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that sends this process a signal and waits until a command has noticed it.

    For servers of a test, which have threads of their own. A handler runs in the main thread, when its turn comes: an
    answer that is sent before that would let the command go on.
    """
    ask, is_asked = Stop.ask, Event()

    def ask_and_tell(stop: Stop) -> None:
        ask(stop)
        is_asked.set()

    def send(number: int) -> None:
        is_asked.clear()
        os.kill(os.getpid(), number)
        assert is_asked.wait(60), "No command has noticed the signal."

    monkeypatch.setattr(Stop, "ask", ask_and_tell)
    return send
