"""The common parts of the programs `gateway` and `harvester`: exit statuses, streams, signals, verbosity, bars.

A standard stream that is closed at the start is replaced by /dev/null. A stream that fails later ends the command: with
the status of SIGPIPE (141) if its reader has ended, else with 1 and a message.
"""

import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from traceback import format_exc
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

from gateway.core import logs, signals
from gateway.core.conversion_progress import damage_noted, shown_by
from gateway.core.errors import ConfigurationError, GatewayError, StoreBusy
from gateway.core.settings import Settings
from gateway.core.statuses import Status

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

_SHOWN = 60  # characters of an argument
_LEVEL = "gateway.level"  # the key in the `meta` of click's context
_STDERR = 2


def status_of_error(error: GatewayError) -> Status:
    """Return the exit status of a command of `gateway` that ended with this error."""
    if isinstance(error, ConfigurationError):
        return Status.USAGE
    return Status.TRY_LATER if isinstance(error, StoreBusy) else Status.FAILED


class Program(click.Group):
    """A program: a group of commands, and the options before a command's name.

    It always ends with one of the statuses in `statuses.py`. It shows no traceback for expected failures: wrong
    settings, signals, closed pipes, full disks.
    """

    status_of_error: Callable[[GatewayError], Status] = staticmethod(status_of_error)

    def main(self, args: Sequence[str] | None = None, *more: Any, **extra: Any) -> Any:  # noqa: ANN401 - click's
        """Run the program, with the arguments of this process or with `args`, and end with SystemExit."""
        try:
            if args is None:  # the process is ours
                open_missing()
                signals.watch()
            return super().main(args, *more, **extra)
        except _Ended as end:
            raise SystemExit(int(end.status)) from None
        except KeyboardInterrupt:  # before the command began
            raise SystemExit(int(Status.STOPPED)) from None
        except OSError as error:  # not even the message about an error could be written
            raise SystemExit(int(status_of_loss(error))) from None
        finally:
            signals.calm()

    def make_context(self, *more: Any, **extra: Any) -> click.Context:  # noqa: ANN401 - click's signature
        """Read the options of the program; --help writes and ends here."""
        with _ends():
            return super().make_context(*more, **extra)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        """Run the command; a GatewayError, or an argument that is no text, ends it with one message and a status.

        A command that succeeds, but has moved records of an earlier release of which some were damaged, says so.
        """
        with _ends(), _conversion_bar(), damage_noted() as damaged:
            try:
                result = super().invoke(ctx)
            except click.exceptions.Exit as end:
                if damaged and end.exit_code == Status.SUCCEEDED:
                    ctx.exit(int(Status.WITH_ERRORS))
                raise
            except GatewayError as error:
                if _level() == "verbose":
                    click.echo(format_exc(), err=True)
                click.echo(logs.sentence(f"Error: {error}", "error"), err=True)
                ctx.exit(int(self.status_of_error(error)))
            except UnicodeEncodeError as error:  # a database cannot store what is no text
                if not "\udc80" <= error.object[error.start] <= "\udcff":  # it stands for no byte of an argument
                    raise
                text = f"{error.object[:_SHOWN]!a} has bytes that are no UTF-8. Write it in UTF-8."
                click.echo(logs.sentence(f"Error: {text}", "error"), err=True)
                ctx.exit(int(Status.USAGE))
            if damaged:
                ctx.exit(int(Status.WITH_ERRORS))
            return result


class _Ended(Exception):
    """A command has ended with this status; click does not catch this exception."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.name)
        self.status = status


@contextmanager
def _ends() -> Iterator[None]:
    """Give a status to the other ends of a command: Ctrl-C, SIGTERM, and streams that fail."""
    try:
        yield
    except OSError as error:
        if _level() == "verbose" and not isinstance(error, BrokenPipeError):
            click.echo(format_exc(), err=True)
        raise _Ended(status_of_loss(error)) from error
    except (KeyboardInterrupt, click.Abort) as end:
        if not isinstance(end, KeyboardInterrupt) and not isinstance(end.__context__, KeyboardInterrupt):
            raise
        with suppress(OSError):
            say("Stopped.")
        raise _Ended(Status.STOPPED) from end


@contextmanager
def _conversion_bar() -> Iterator[None]:
    """Draw a bar on a terminal while the store of an earlier release is converted, whichever command opens it."""
    if not sys.stderr.isatty() or is_quiet():
        yield
        return
    with ExitStack() as stack:
        bars: list[ProgressBar[int]] = []

        def show(done: int, total: int) -> None:
            bar = (
                bars[0]
                if bars
                else stack.enter_context(
                    click.progressbar(length=total, label="Records moved into blocks", file=sys.stderr)
                )
            )
            bars[:] = [bar]
            bar.update(done - bar.pos)
            if done >= total:
                stack.close()
                bars.clear()

        with shown_by(show):
            yield


def program_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options --verbose and --quiet to a program."""
    verbose = click.option(
        "-v", "--verbose", is_flag=True, expose_value=False, callback=_set_level,
        help="Show every request, and the traceback of an error.",
    )  # fmt: skip
    quiet = click.option(
        "-q", "--quiet", is_flag=True, expose_value=False, callback=_set_level, help="Write only errors to stderr."
    )
    return verbose(quiet(function))


def _set_level(ctx: click.Context, option: click.Parameter, value: bool) -> None:
    if not value:
        return
    if ctx.meta.setdefault(_LEVEL, option.name) != option.name:
        raise click.UsageError("Choose --verbose or --quiet, not both.")
    logs.show(logs.TextLines())
    for name in logs.LOGGERS:
        logging.getLogger(name).setLevel(logging.DEBUG if option.name == "verbose" else logging.ERROR)


def _level() -> str:
    """Return `verbose`, `quiet`, or an empty string, as outside of a command."""
    ctx = click.get_current_context(silent=True)
    return str(ctx.meta.get(_LEVEL, "")) if ctx else ""


Function = TypeVar("Function", bound=Callable[..., Any])


def json_option(function: Function, **kind: Any) -> Function:  # noqa: ANN401 - click's own
    """Add the option --json to a command, as its argument `as_json`; `kind` is passed to click."""
    sentence = "Write data as JSON, one object per line."
    return click.option("--json", "as_json", is_flag=True, help=sentence, **kind)(function)


def write_json(facts: Mapping[str, object]) -> None:
    """Write one object as one line of JSON on stdout. `JSON.md` documents the objects of every command."""
    # In a path that is not UTF-8, the bytes that are wrong become JSON escapes.
    click.echo(json.dumps(facts, ensure_ascii=False).encode("utf-8", "backslashreplace"))


def is_quiet() -> bool:
    """Return whether --quiet was given."""
    return _level() == "quiet"


def begin_log(settings: Settings) -> None:
    """Write the log to stderr, as `log_level` and `log_json` say; --verbose and --quiet override the level.

    Raise ConfigurationError if there is no such level.
    """
    logs.begin(settings, has_level=bool(_level()))


def say(text: str) -> None:
    """Write one sentence to stderr, unless --quiet was given."""
    if not is_quiet():
        click.echo(logs.sentence(text), err=True)


def open_missing() -> None:
    """Open /dev/null in place of each standard stream that is closed.

    Otherwise a database would get the descriptor 1 or 2, and messages would be written into it.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        pass
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - as long as the process


def silence(stream: TextIO | None) -> None:
    """Discard everything that is written to a stream from now on, and the contents of its buffer."""
    with suppress(OSError, ValueError, AttributeError):  # a test's own stream has no descriptor
        number = stream.fileno()  # type: ignore[union-attr]  # None is caught
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, number)
        os.close(null)


def status_of_loss(error: OSError) -> Status:
    """Return the exit status of a command that could not write; write why to stderr, and silence streams that fail."""
    _silence_what_fails()
    if isinstance(error, BrokenPipeError):
        return Status.READER_GONE
    what = error.filename or "The output"
    with suppress(OSError, ValueError):
        sys.stderr.write(f"Error: {what} cannot be written or read: {error.strerror or error}.\n")
        sys.stderr.flush()
    _silence_what_fails()
    return Status.FAILED


def _silence_what_fails() -> None:
    """Silence each stream that cannot be flushed: it would fail again at the end of the process, with a traceback."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            silence(stream)


@contextmanager
def progress(label: str) -> Iterator[Callable[[str, int, int], None]]:
    """Draw a bar on stderr, and yield the function that moves it; it takes a name, how much is done, and the total."""
    with ExitStack() as stack:
        bar = click.progressbar(length=1, label=label, file=sys.stderr, hidden=is_quiet())

        def show(name: str, done: int, total: int) -> None:
            if not bar.entered:  # opening the store may draw a bar of its own before
                stack.enter_context(bar)
            bar.label, bar.length = name, max(total, 1)
            bar.pos = min(done, bar.length)
            bar.render_progress()  # `update` draws nothing for a step of 0

        yield show
