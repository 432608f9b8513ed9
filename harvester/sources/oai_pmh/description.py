"""The description of a repository: Identify, ListMetadataFormats, ListSets."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

from lxml import etree

from gateway.core.errors import AnswerError, FetchError, GatewayError, NotXml, RemoteError, TryLater
from gateway.core.model import Cursor, Format, Identity, SetDescription
from gateway.core.xmlio import name_of
from gateway.core.xmltext import FRIENDS, utc_datetime
from harvester.http.dates import granularity_of, moment_of
from harvester.http.messages import Fetch, Fetched, Request
from harvester.http.urls import base_url, request_url
from harvester.sources import Channel, Description, Options, Recognised, proposal, topic_and_hub
from harvester.sources.budget import Optional
from harvester.sources.oai_pmh import list_state
from harvester.sources.oai_pmh.answers import (
    FormatsAnswer,
    IdentifyAnswer,
    SetsAnswer,
    parse_formats,
    parse_identify,
    parse_sets,
)
from harvester.sources.oai_pmh.list_state import ListState, state_of
from harvester.sources.oai_pmh.profile import with_entry
from harvester.sources.oai_pmh.requests import plain_url
from harvester.sources.repeated_requests import PATIENCE, fetch_answer, raw_page
from harvester.xml.decoding import decode
from harvester.xml.parsing import lenient, strict
from harvester.xml.repair import legal_references
from harvester.xml.slices import local, named, text_of

_DEADLINE_SECONDS = 30.0  # of an answer that a harvest can do without
_AGAIN_SECONDS = 7 * 86_400  # before a verb that failed is asked again

_Listed = TypeVar("_Listed", FormatsAnswer, SetsAnswer)


def describe(options: Options, fetch: Fetch) -> Description:
    """Ask Identify and ListMetadataFormats. Only Identify must succeed; errors of the other are noted."""
    kept = partial(raw_page, options, Cursor(options.source))
    state, fetched, identify = _identified(options, fetch)
    pages = [kept("Identify", fetched)]
    notes = list(identify.repairs)
    if not identify.protocol_version.startswith("2"):
        notes.append(f"The source says it speaks version {identify.protocol_version!r} of the protocol, not 2.0.")
    now = fetched.received_at
    beside = _Beside(options, fetch, state, now)
    formats = beside.formats()
    pages += [kept(verb, page) for verb, page in beside.pages]
    notes += beside.notes
    state = beside.state
    proposed, reason = proposal(formats)
    return Description(
        tuple(pages),
        identify.repository_name,
        identify.base_url,
        granularity_of(identify.granularity),
        identify.earliest_datestamp,
        identify.deleted_record,
        formats,
        (),
        tuple(notes),
        list_state.text_of(state),
        moment_of(identify.response_date),
        identity_of(identify),
        proposed=proposed,
        reason=reason,
    )


def with_sets(options: Options, description: Description, fetch: Fetch) -> Description:
    """Ask ListSets, and return a description with the sets."""
    state, _ = state_of(description.known)
    beside = _Beside(options, fetch, state, description.pages[0].received_at)
    sets = beside.sets()
    return description._replace(
        pages=(
            *description.pages,
            *(raw_page(options, Cursor(options.source), verb, page) for verb, page in beside.pages),
        ),
        sets=sets,
        notes=(*description.notes, *beside.notes),
        known=list_state.text_of(beside.state),
        has_all_sets=not beside.notes,
    )


def _identified(options: Options, fetch: Fetch) -> tuple[ListState, Fetched, IdentifyAnswer]:
    """Ask Identify, and return the answer with what is known of the server.

    If the URL has arguments of its own and the answer cannot be read, the verb is written before them.
    """
    state = with_entry(options.own, state_of(options.known)[0])
    try:
        return state, *fetch_answer(options, fetch, plain_url(options, state, "Identify"), parse_identify)
    except AnswerError:
        if not urlsplit(base_url(options.url)).query or "arguments" in options.own:
            raise
        state = state.learning(is_verb_first=not state.profile.is_verb_first)
        return state, *fetch_answer(options, fetch, plain_url(options, state, "Identify"), parse_identify)


@dataclass(slots=True)
class _Beside:
    """ListMetadataFormats and ListSets, which a harvest can do without: asked briefly, and rarely if they failed."""

    options: Options
    fetch: Fetch
    state: ListState
    now: int
    pages: list[tuple[str, Fetched]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def formats(self) -> tuple[Format, ...]:
        """Return the formats that are listed; none where the verb fails."""
        if self._has_failed("ListMetadataFormats", self.state.profile.formats_failed):
            return ()
        try:
            listed = self._asked("ListMetadataFormats", parse_formats)
        except (AnswerError, FetchError) as error:
            self.notes.append(f"ListMetadataFormats: {error}")
            self.state = self.state.learning(formats_failed=self._when(error))
            return ()
        self.state = self.state.learning(formats_failed=0)
        return listed.formats

    def sets(self) -> tuple[SetDescription, ...]:
        """Return the sets that are listed, or as many as came."""
        if self._has_failed("ListSets", self.state.profile.sets_failed):
            return ()
        sets: dict[str, SetDescription] = {}
        failed = 0
        try:
            for page in self._set_pages():
                sets |= {listed_set.spec: listed_set for listed_set in page}
        except (AnswerError, FetchError) as error:
            if not (isinstance(error, RemoteError) and "noSetHierarchy" in error.codes):
                self.notes.append(f"ListSets: {error}")
                failed = self._when(error)
        self.state = self.state.learning(sets_failed=failed)
        return tuple(sets.values())

    def _has_failed(self, verb: str, when: int) -> bool:
        """Return whether a verb failed a short time ago, and is not asked again."""
        again = when + _AGAIN_SECONDS
        if not when or not when <= self.now < again or self.options.asks_anew:
            return False
        self.notes.append(
            f"{verb} failed on {utc_datetime(when)[:10]}. It is asked again from {utc_datetime(again)[:10]} on, or by "
            "`--full`."
        )
        return True

    def _when(self, error: GatewayError) -> int:
        """Return when a verb failed, to be remembered; 0 where the server is only overloaded."""
        return 0 if isinstance(error, TryLater) else self.now

    def _asked(self, verb: str, parse: Callable[[bytes, str], _Listed], token: str = "") -> _Listed:
        url = plain_url(self.options, self.state, verb, ("resumptionToken", token))
        fetch = Optional(self.fetch, self.options.optional)
        fetched, answer = fetch_answer(
            self.options, fetch, url, parse, patience=PATIENCE, deadline_seconds=_DEADLINE_SECONDS
        )
        self.pages.append((verb, fetched))
        self.notes += answer.repairs
        return answer

    def _set_pages(self) -> Iterator[tuple[SetDescription, ...]]:
        token = ""
        seen: set[str] = set()
        while True:
            answer = self._asked("ListSets", parse_sets, token)
            yield answer.sets
            token = answer.token.text if answer.token else ""
            if not token:
                return
            if token in seen or not answer.sets:
                break
            seen.add(token)
        self.notes.append("ListSets: the list of sets does not end properly; some sets may be missing.")


# --- Which repository an answer to Identify is of: its name, its address, and its repositoryIdentifier. Pure ---------


def identity_of(answer: IdentifyAnswer) -> Identity:
    """Return what a repository calls itself. The repositoryIdentifier is that of its oai-identifier descriptions."""
    identifiers = sorted({identifier for content in answer.descriptions for identifier in _identifiers(content)})
    return Identity(" ".join(identifiers), " ".join(answer.repository_name.split()), answer.base_url)


def _identifiers(content: bytes) -> list[str]:
    """Return the repositoryIdentifiers that a description names; as domains, whatever their case."""
    if b"repositoryIdentifier" not in content:
        return []
    root = strict(content)
    if local(root) != "oai-identifier":
        return []
    return [
        "".join(text_of(element).split()).lower() for element in named(root, "repositoryIdentifier") if text_of(element)
    ]


# --- Find out whether an address is that of an OAI-PMH repository: it answers Identify -------------------------------


def recognise(fetched: Fetched, fetch: Fetch) -> Recognised | None:
    """Ask the address who it is and what it offers, without the arguments that were copied with it."""
    base = base_url(fetched.url)
    if not base.startswith(("http://", "https://")):
        return None
    answer = fetch(Request(request_url(base, "Identify")))
    try:
        identify = parse_identify(answer.body, answer.header("Content-Type"))
    except AnswerError:
        return None
    version = f"version {identify.protocol_version}" if identify.protocol_version else "no version"
    sentence = f"An OAI-PMH repository ({version}): {identify.repository_name or 'without a name'}."
    try:
        listed = fetch(Request(request_url(base, "ListMetadataFormats")))
        proposed, reason = proposal(parse_formats(listed.body, listed.header("Content-Type")).formats)
    except (AnswerError, FetchError):
        proposed, reason = {}, ""
    return Recognised(f"{sentence} {reason}".rstrip(), {"url": base, **proposed})


# --- The channels of change notifications: the hub that the first answer of a list names (WebSub §4) ------------------


def channels(options: Options, lists: Iterable[tuple[str, str]], fetch: Fetch) -> tuple[Channel, ...]:
    """Return the channel of each list that has one. Raise the errors of `fetch`."""
    found = (_channel(options, fetch, *listed) for listed in lists)
    return tuple(dict.fromkeys(channel for channel in found if channel.hub))


def _channel(options: Options, fetch: Fetch, metadata_prefix: str, set_spec: str) -> Channel:
    arguments = [("metadataPrefix", metadata_prefix), *([("set", set_spec)] if set_spec else [])]
    state = with_entry(options.own, state_of(options.known)[0])
    answer = fetch(Request(plain_url(options, state, "ListRecords", *arguments), options.source))
    return Channel(*topic_and_hub(answer))


# --- Which repositories a document names: the friends of an Identify, or the answer of a registry (ListFriends). Pure

_DECLARATION = re.compile(r"\A\s*<\?xml[^>]{0,200}\?>")  # what it says of the encoding is past


class Friend(NamedTuple):
    """One repository: its base URL, and the name that a registry has for it; empty when there is none."""

    base_url: str
    name: str = ""


def parse(body: bytes, content_type: str = "") -> tuple[Friend, ...]:
    """Return the repositories that a document names, each once. Raise NotXml when it cannot be read."""
    text = _DECLARATION.sub("", decode(body, content_type).text)
    root, complaints = lenient(legal_references(text).encode("utf-8", "replace"))
    if root is None:
        raise NotXml(f"The answer is no XML: {'; '.join(complaints)}")
    by_url: dict[str, Friend] = {}
    for element in _named(root):
        url = (element.text or "").strip()
        if url.lower().startswith(("http://", "https://")):
            by_url.setdefault(url, Friend(url, (element.get("id") or "").strip()))
    return tuple(by_url.values())


def _named(root: etree._Element) -> Iterator[etree._Element]:
    """Return the elements that name repositories: all of a registry's answer, else what stands in `friends`."""
    if name_of(root)[1] == "BaseURLs":
        yield from root.iter("{*}baseURL")
    else:
        yield from (url for friends in root.iter(f"{{{FRIENDS}}}friends") for url in friends.iter("{*}baseURL"))
