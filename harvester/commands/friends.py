"""`harvester source friends`: which repositories a source, or a registry, names; whether they answer; adding them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, count
from typing import NamedTuple

import click

from gateway.errors import ConfigurationError, GatewayError, NotXml
from gateway.program import say
from gateway.secret_arguments import secret_argument, without_secrets
from harvester.commands.options import every_option
from harvester.commands.output import json_option, write_rows
from harvester.commands.recognise import add_entry, is_address, name_for
from harvester.crew import Crew, Job, host_of
from harvester.instance import Instance, opened
from harvester.kinds import fetcher, kind_of, with_address, with_address_of
from harvester.outcomes import Status
from harvester.sources_file import SourceEntry, checked_url, entry_from
from harvester.stopping import Stop, listening
from harvester.web import Pace
from harvester.wire import friends as wire
from harvester.wire.http import Fetched, Request
from harvester.wire.urls import base_url, request_url

_LONGEST = 26  # characters of a name, so that a number still fits


class _Seen(NamedTuple):
    """What became of asking a friend who it is."""

    answers: bool
    words: str


@click.command(name="friends")
@click.argument("name", metavar="NAME|URL")
@click.option("--check", "is_checked", is_flag=True, help="Ask each of them who it is.")
@click.option("--add", "is_added", is_flag=True, help="Add those that answer and are no source yet.")
@every_option
@json_option
@click.pass_context
def friends(ctx: click.Context, name: str, is_checked: bool, is_added: bool, every: str, as_json: bool) -> None:
    """List the repositories that a source names as its friends, or that the registry at an address lists.

    With --check each is asked who it is; one that this machine may not reach for anybody is never asked.
    """
    with opened(ctx.obj) as instance, listening(Stop()) as stop:
        entries = instance.sources.entries()
        asked = SourceEntry("friends", checked_url(name)) if is_address(name) else instance.sources.entry(name)
        asked = with_address(asked)
        rows = [
            {"name": known or new, "url": each.base_url, "is_a_source": bool(known)}
            for each, known, new in _called(_named(instance, asked, stop), entries.values(), _former(instance))
        ]
        if is_checked or is_added:
            _check(instance, asked, [row for row in rows if not row["is_a_source"]], stop)
        if is_added:
            for row in rows:
                if row.get("answers"):
                    schedule = {"every": every} if every else {}
                    entry = entry_from(str(row["name"]), {"url": str(row["url"]), **schedule})
                    add_entry(instance, with_address_of(entry, asked))
                    row["is_a_source"] = True
        columns = ("name", "url", "is_a_source", *(("answers", "says") if is_checked or is_added else ()))
        write_rows(rows, columns, as_json=as_json)
    ctx.exit(int(Status.STOPPED if stop.is_asked else Status.SUCCEEDED))


def _named(instance: Instance, asked: SourceEntry, stop: Stop) -> Sequence[wire.Friend]:
    """Return whom the document at the address names, or else the Identify of the repository there."""
    url = asked.url
    if url.startswith("file:"):  # a document on this machine is the file itself
        url = last = f"{url}#{url.rpartition('/')[2]}"
    else:
        last = request_url(base_url(url), "Identify")
    with fetcher(instance.settings, asked, stop) as fetch:
        first = fetch(Request(url))
        with suppress(NotXml):  # without arguments a repository may answer anything
            if found := wire.parse(first.body, first.header("Content-Type")):
                return found
        answer = fetch(Request(last))
        return wire.parse(answer.body, answer.header("Content-Type"))


def _former(instance: Instance) -> dict[str, str]:
    """Return the names under which records were ever held, by address."""
    with instance.store.view() as view:
        return {each.base_url: each.name for each in view.sources()}


def _called(
    named: Sequence[wire.Friend], entries: Iterable[SourceEntry], former: Mapping[str, str]
) -> Iterator[tuple[wire.Friend, str, str]]:
    """Return each friend with the name of the source that it is, or else the one that it had, or one that is free."""
    held = {each.url: each.name for each in entries}
    taken = {*held.values(), *former.values()}
    for each in named:
        try:
            url = checked_url(each.base_url)
        except ConfigurationError as error:
            if secret_argument(each.base_url):
                say(f"The friend {without_secrets(each.base_url)} is left out. {error}")
            continue
        old = former.get(url, "")
        new = old if old and old not in held.values() else _free(each, taken)
        taken.add(new)
        yield each._replace(base_url=url), held.get(url, ""), new


def _free(friend: wire.Friend, taken: set[str]) -> str:
    """Return a name that is not taken: the registry's, or the host's, with a number if it must be."""
    own = re.sub(r"[^a-z0-9]+", "-", friend.name.lower()).strip("-")
    wanted = (own or name_for(friend.base_url))[:_LONGEST].strip("-") or "friend"
    numbered = (f"{wanted}-{number}" for number in count(2))
    return next(name for name in chain((wanted,), numbered) if name not in taken)


def _check(instance: Instance, asked: SourceEntry, rows: list[dict[str, object]], stop: Stop) -> None:
    """Ask each who it is, those at several hosts at once, and add to its row what came of it."""
    pace = Pace()
    by_name = {str(row["name"]): row for row in rows}
    with Crew(instance.settings.number("harvest_threads"), stop, lambda _, error: _Seen(False, str(error))) as crew:
        for name, row in by_name.items():
            url = str(row["url"])
            # Named by somebody else, it may not lead where only we may go: the address that counts is the asked one's.
            entry = SourceEntry("friends", asked.url, address=asked.address)
            work = partial(_seen, instance, entry, url, stop, pace)
            crew.add(Job(name, host_of(SourceEntry(name, url)), work))
        for name, seen in crew.results():
            by_name[name] |= {"answers": seen.answers, "says": seen.words}


def _seen(instance: Instance, entry: SourceEntry, url: str, stop: Stop, pace: Pace) -> _Seen:
    try:
        with fetcher(instance.settings, entry, stop, pace) as fetch:
            found = kind_of("oai_pmh").recognise(Fetched(url, 0, (), b"", 0), fetch)
    except GatewayError as error:
        return _Seen(False, str(error))
    return _Seen(True, found.sentence) if found else _Seen(False, "No answer of OAI-PMH.")
