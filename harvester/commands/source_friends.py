"""`harvester source friends`: list the repositories that a source or a registry names, check them, and add them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, count
from typing import NamedTuple

import click

from gateway.core.errors import ConfigurationError, GatewayError, NotXml
from gateway.core.program import say
from gateway.core.secret_arguments import secret_argument, without_secrets
from harvester.commands.options import every_option, flag
from harvester.commands.output import with_json, write_rows
from harvester.commands.source_check import add_entry, is_address, name_for
from harvester.harvest.access import fetcher, kind_of, with_address, with_address_of
from harvester.harvest.instance import Instance, opened
from harvester.harvest.sources_toml import SourceEntry, checked_url, entry_from
from harvester.http.messages import Fetched, Request
from harvester.http.retrying import Pace
from harvester.http.urls import base_url, request_url
from harvester.runtime.exit_status import status_of_end
from harvester.runtime.interrupts import Stop, listening
from harvester.runtime.worker_pool import GRACE_SECONDS, Job, WorkerPool, without_resource
from harvester.sources.oai_pmh import description as wire

_LONGEST = 26  # characters of a name, so that a number still fits


class _Seen(NamedTuple):
    """The result of the request to a friend."""

    answers: bool
    words: str


@click.command(name="friends")
@click.argument("name", metavar="NAME|URL")
@flag("--check", "is_checked", "Ask each for its identity.")
@flag("--add", "is_added", "Add those that answer and are not sources yet.")
@every_option
@with_json
def friends(ctx: click.Context, name: str, is_checked: bool, is_added: bool, every: str) -> None:
    """List the repositories that a source names as friends, or that the registry at a URL lists.

    With --check, each is asked for its identity. Addresses that this machine may not reach are never asked.
    """
    with opened(ctx.obj) as instance, listening(Stop()) as stop:
        entries = instance.sources.entries()
        asked = SourceEntry("friends", checked_url(name)) if is_address(name) else instance.sources.entry(name)
        asked = with_address(asked)
        with instance.store.view() as view:  # all sources with records, also removed ones
            former = {source.base_url: source.name for source in view.sources()}
        rows = [
            {"name": known or new, "url": friend.base_url, "is_a_source": bool(known)}
            for friend, known, new in _called(_named(instance.at_prompt(), asked, stop), entries.values(), former)
        ]
        if is_checked or is_added:
            _check(instance.at_prompt(), asked, [row for row in rows if not row["is_a_source"]], stop)
        if is_added:
            for row in rows:
                if row.get("answers"):
                    schedule = {"every": every} if every else {}
                    entry = entry_from(str(row["name"]), {"url": str(row["url"]), **schedule})
                    add_entry(instance, with_address_of(entry, asked))
                    row["is_a_source"] = True
        write_rows(rows, "name url is_a_source" + " answers says" * (is_checked or is_added))
    ctx.exit(int(status_of_end(is_stopped=stop.is_asked)))


def _named(instance: Instance, asked: SourceEntry, stop: Stop) -> Sequence[wire.Friend]:
    """Return the friends in the document at the address, else those in the Identify answer there."""
    url = asked.url
    if url.startswith("file:"):  # a document on this machine is the file itself
        url = last = f"{url}#{url.rpartition('/')[2]}"
    else:
        last = request_url(base_url(url), "Identify")
    with fetcher(instance.settings, asked, stop) as fetch:
        first = fetch(Request(url))
        with suppress(NotXml):  # without arguments a repository may answer anything
            if friends := wire.parse(first.body, first.header("Content-Type")):
                return friends
        answer = fetch(Request(last))
        return wire.parse(answer.body, answer.header("Content-Type"))


def _called(
    named: Sequence[wire.Friend], entries: Iterable[SourceEntry], former: Mapping[str, str]
) -> Iterator[tuple[wire.Friend, str, str]]:
    """Return each friend with the name of its source, its former name, or a free name."""
    held = {entry.url: entry.name for entry in entries}
    taken = {*held.values(), *former.values()}
    for friend in named:
        try:
            url = checked_url(friend.base_url)
        except ConfigurationError as error:
            if secret_argument(friend.base_url):
                say(f"The friend {without_secrets(friend.base_url)} is left out. {error}")
            continue
        old = former.get(url, "")
        new = old if old and old not in held.values() else _free(friend, taken)
        taken.add(new)
        yield friend._replace(base_url=url), held.get(url, ""), new


def _free(friend: wire.Friend, taken: set[str]) -> str:
    """Return a free name: that of the registry or of the host, with a number if needed."""
    own = re.sub(r"[^a-z0-9]+", "-", friend.name.lower()).strip("-")
    wanted = (own or name_for(friend.base_url))[:_LONGEST].strip("-") or "friend"
    numbered = (f"{wanted}-{number}" for number in count(2))
    return next(name for name in chain((wanted,), numbered) if name not in taken)


def _check(instance: Instance, asked: SourceEntry, rows: list[dict[str, object]], stop: Stop) -> None:
    """Request the identity of each, at several hosts at once, and add the result to its row."""
    pace = Pace()
    by_name = {str(row["name"]): row for row in rows}
    threads = instance.settings.number("harvest_threads")
    with WorkerPool[None, _Seen](
        threads, stop, failed=lambda _, error: _Seen(False, str(error)), grace_seconds=GRACE_SECONDS
    ) as pool:
        for name, row in by_name.items():
            url = str(row["url"])
            # Another source names this URL, so it must not reach hosts that only we may reach. The class of address of
            # the source that was asked applies.
            entry = SourceEntry("friends", asked.url, address=asked.address)
            work = without_resource(_seen, instance, entry, url, stop, pace)
            pool.add(Job(name, SourceEntry(name, url).host, work))
        for name, seen in pool.results():
            by_name[name] |= {"answers": seen.answers, "says": seen.words}


def _seen(instance: Instance, entry: SourceEntry, url: str, stop: Stop, pace: Pace) -> _Seen:
    try:
        with fetcher(instance.settings, entry, stop, pace) as fetch:
            recognition = kind_of("oai_pmh").recognise(Fetched(url, 0, (), b"", 0), fetch)
    except GatewayError as error:
        return _Seen(False, str(error))
    return _Seen(True, recognition.sentence) if recognition else _Seen(False, "No answer of OAI-PMH.")
