"""Endpoints that nobody has seen, made by combining what is hidden, what is told of sizes, and how lists end.

    records -> hidden (by record, or by page) -> pages -> size (completeListSize) -> ends (the last resumptionToken)

Beside these three, whose product is tried whole, each endpoint draws how its ListIdentifiers, GetRecord, pages and
dates behave. It is a repository in memory, so that a harvest of it takes a fraction of a second.

**What an endpoint gives away.** A harvest may be silent about a missing record only where nobody could know of it. An
endpoint gives a living record away when its ListRecords does not bring it and

* its ListIdentifiers names it to a client that asks without dates and follows the tokens (`named`); or
* a count tells that something is missing, and no list is complete by its own count (`has_true_count`); or
* it stands behind the end of a list that breaks off, while no count says that this was the end and no ListIdentifiers
  names just what came (`behind_the_break`); or
* something in the lists is not understood where a token should be, or a question by date would bring it, or a list
  brings it as living and as deleted (`told_otherwise`).

A run reads few answers of ListIdentifiers where nothing else seems wrong. Where these were not all, it must not say
that nothing is missing, and the sweep behind it must find everything (`is_short`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from tests.faults.site import Asked, Clock, Said, Serve, Site, Stage
from tests.faults.source import DAY, SECONDS, Record, Refused, Source, Token, error, moment, records

COUNT = 60
_DAY = 86_400
MOST_ANSWERS = 4  # of ListIdentifiers that a run reads where nothing else seems wrong

Chosen = Callable[[list[Record]], list[Record]]
Paged = Callable[[list[Record], int], list[Record]]


def _at(*places: int) -> Chosen:
    return lambda candidates: [candidates[place] for place in places if place < len(candidates)]


# Records that ListRecords never brings, of all sixty in the order of their dates.
HIDDEN_RECORDS: dict[str, Chosen] = {
    "nothing": _at(),
    "one": _at(30),
    "five": _at(5, 17, 29, 40, 53),
    "one moment": _at(24, 25),
    "a window": _at(*range(20, 32)),
    "the last dates": lambda candidates: candidates[-15:],
    "all but ten": _at(*range(10, COUNT)),
}
# Pages that are left out of every list, whatever its dates.
HIDDEN_PAGES: dict[str, Paged] = {
    "the second half": lambda listing, size: listing[: max(size, len(listing) // 2 // size * size)],
    "the last page": lambda listing, size: listing[: max(size, (len(listing) - 1) // size * size)],
    "a skipped page": lambda listing, size: (
        listing[:size] + listing[2 * size :] if len(listing) > 3 * size else listing
    ),
    "a short page": lambda listing, size: (
        listing[: 2 * size - _SHORTER] + listing[2 * size :] if len(listing) > 2 * size else listing
    ),
}
_SHORTER = 3  # records that a short page lacks: the second of more
HIDDEN = (*HIDDEN_RECORDS, *HIDDEN_PAGES)

# completeListSize of a page: of how many that are there, of how many that are shown, behind how many, on how many.
TOLD: dict[str, Callable[[int, int, int, int], int | None]] = {
    "nothing": lambda *_: None,
    "what is shown": lambda _truth, shown, _cursor, _here: shown,
    "the truth": lambda truth, *_: truth,
    "the page": lambda _truth, _shown, _cursor, here: here,
    "so far": lambda _truth, _shown, cursor, here: cursor + here,
    "first the truth": lambda truth, shown, cursor, _here: shown if cursor else truth,
}

# What the last page has for a token: an element, or none; or a token, and what that leads to.
ENDS_HERE = ("an empty element", "no element", "white space")
ENDS_BEHIND = ("noRecordsMatch", "an empty list", "HTTP 204", "itself")
ENDS = (*ENDS_HERE, *ENDS_BEHIND)
_ENDS_WITHOUT = ("no element", "white space")  # the standard has an empty element behind pages with tokens


class Names(NamedTuple):
    """How ListIdentifiers behaves: whether it hides what ListRecords hides, which size it tells, or how it refuses."""

    is_short: bool = False
    size: str = "nothing"
    refusal: str = ""
    is_one_page: bool = False  # whatever there is
    ends: str = "an empty element"  # one of ENDS


NAMES = {
    "whole": Names(),
    "whole, with its size": Names(size="the truth"),
    "short": Names(is_short=True),
    "short, with its size": Names(is_short=True, size="what is shown"),
    "short, with the size of the truth": Names(is_short=True, size="the truth"),
    "one page of the whole": Names(is_one_page=True),
    "the whole, then noRecordsMatch": Names(ends="noRecordsMatch"),
    "short, then noRecordsMatch": Names(is_short=True, ends="noRecordsMatch"),
    "short, without an element": Names(is_short=True, ends="no element"),
    "short, so far, then noRecordsMatch": Names(is_short=True, size="so far", ends="noRecordsMatch"),
    "badVerb": Names(refusal="badVerb"),
}
SINGLES = ("found", "found", "found", "unknown", "HTTP 500")
DATES = ("kept", "kept", "kept", "ignored", "refused")
# What is harvested: the whole repository; one set; its first harvest in windows of a year; what changed since a harvest
# in which nothing was wrong.
WAYS = ("whole", "set", "years", "later")
# How both lists write a token: its element, an attribute of the list, or an element of another name.
SPELLINGS = ("resumptionToken", "resumptiontoken", "ResumptionToken", "resumption_token", "an attribute", "next")
WINDOWS = (0, 30)  # both lists end after so many records, whatever the dates; 0: they do not
# A tombstone beside the living record: dated before it, or with the same date.
TWINS = ("none", "stale", "of one date")
OPTIONAL = ("short", "endless")  # its ListSets


class Traits(NamedTuple):
    """One endpoint, in words."""

    hidden: str = "nothing"
    size: str = "what is shown"
    ends: str = "an empty element"
    names: str = "whole"
    single: str = "found"
    page_size: int = 10
    names_page_size: int = 25
    granularity: str = SECONDS
    dates: str = "kept"
    is_backwards: bool = False  # the newest stand first
    way: str = "whole"
    spelling: str = "resumptionToken"
    window: int = 0
    twins: str = "none"
    optional: str = "short"

    @property
    def calm(self) -> Traits:
        """The same without anything wrong in its lists."""
        plain = Traits()
        return self._replace(
            hidden=plain.hidden,
            size=plain.size,
            ends=plain.ends,
            names=plain.names,
            single=plain.single,
            spelling=plain.spelling,
            window=plain.window,
            twins=plain.twins,
            optional=plain.optional,
        )

    def __str__(self) -> str:
        return "; ".join(f"{name}: {value}" for name, value in zip(self._fields, self, strict=True))


def drawn(seed: int, count: int | None = None, ways: Sequence[str] = WAYS) -> list[Traits]:
    """Return the product of what is hidden, told, and how lists end, the rest drawn; or so many of it."""
    dice = random.Random(seed)
    endpoints = [_drawn(dice, *combination, ways) for combination in product(HIDDEN, TOLD, ENDS)]
    return endpoints if count is None else dice.sample(endpoints, min(count, len(endpoints)))


def _drawn(dice: random.Random, hidden: str, size: str, ends: str, ways: Sequence[str]) -> Traits:
    return Traits(
        hidden,
        size,
        ends,
        dice.choice(tuple(NAMES)),
        dice.choice(SINGLES),
        dice.choice((10, 10, 7, 25, COUNT)),
        dice.choice((25, 25, 10, COUNT)),
        dice.choice((SECONDS, DAY)),
        dice.choice(DATES),
        dice.random() < 1 / 5,
        dice.choice(ways),
        dice.choice(SPELLINGS) if dice.random() < 1 / 5 else SPELLINGS[0],
        dice.choice((0, 0, 0, 0, *WINDOWS)),
        dice.choice((*TWINS, "none", "none", "none")),
        "endless" if dice.random() < 1 / 20 else "short",
    )


class _Status(Exception):
    """An HTTP status without an answer."""


@dataclass
class Endpoint(Source):
    """A repository with these traits."""

    traits: Traits = field(default_factory=Traits)
    wanted: Mapping[str, str] = field(default_factory=dict)  # the arguments of the list that is harvested

    @property
    def _hidden(self) -> frozenset[str]:
        choose = HIDDEN_RECORDS.get(self.traits.hidden, HIDDEN_RECORDS["nothing"])
        return frozenset(record.identifier for record in choose(super().selected(self.wanted)))

    def selected(self, wanted: Mapping[str, str]) -> list[Record]:
        """Return what there is of these arguments."""
        if self.traits.dates != "kept":
            wanted = {name: value for name, value in wanted.items() if name not in ("from", "until")}
        selection = self._with_tombstones(super().selected(wanted), wanted)
        return selection[::-1] if self.traits.is_backwards else selection

    def _with_tombstones(self, selection: list[Record], wanted: Mapping[str, str]) -> list[Record]:
        """Return records of one moment with tombstones beside them."""
        if self.traits.twins == "none":
            return selection
        dates = {name: value for name, value in wanted.items() if name in ("from", "until")}
        twins = {
            record.identifier: record._replace(
                is_deleted=True, datestamp=record.datestamp if self.traits.twins == "of one date" else _STALE
            )
            for record in _twinned(self)
        }
        added = Source(twins, self.now, granularity=self.granularity).selected(dates)
        if "set" in wanted:
            added = [record for record in added if wanted["set"] in record.sets]
        return sorted(
            (*selection, *added), key=lambda record: (self.stamp(record), record.identifier, record.is_deleted)
        )

    def shown(self, verb: str, wanted: Mapping[str, str]) -> list[Record]:
        """Return what a list of this verb shows of it."""
        return self._shown(verb, wanted)[: self.traits.window or None]

    def _shown(self, verb: str, wanted: Mapping[str, str]) -> list[Record]:
        listing = self.selected(wanted)
        if verb == "ListIdentifiers":
            if self.names.is_one_page:
                return listing[: self.traits.names_page_size]
            if not self.names.is_short:
                return listing
        hidden = self._hidden
        listing = [record for record in listing if record.identifier not in hidden]
        page = HIDDEN_PAGES.get(self.traits.hidden)
        return page(listing, self.traits.page_size) if page else listing

    @property
    def names(self) -> Names:
        """How its ListIdentifiers behaves."""
        return NAMES[self.traits.names]

    # -- what it gives away --

    @property
    def told_otherwise(self) -> frozenset[str]:
        """The living records of which lists, their containers or questions by date tell.

        All, where a token is not written as it should be; those that are named around a short page, or from the last
        date on; those that come as live and as deleted. GetRecord may deny the last.
        """
        living = {record.identifier for record in self.living}
        return frozenset(living & set[str]().union(*map(self._told, self._lists))) - self.denied

    @property
    def _lists(self) -> list[Mapping[str, str]]:
        """What its lists are asked for: everything, or one year after the other."""
        if self.traits.way != "years" or self.traits.dates != "kept":
            return [self.wanted]
        first, last = ("", "") if self.traits.granularity == DAY else ("T00:00:00Z", "T23:59:59Z")
        years = sorted({self.stamp(record)[:4] for record in self.held.values()})
        return [{**self.wanted, "from": f"{year}-01-01{first}", "until": f"{year}-12-31{last}"} for year in years]

    def _told(self, wanted: Mapping[str, str]) -> set[str]:
        shown = self.shown("ListRecords", wanted)
        told = {record.identifier for record in _twinned(self)} if self.traits.single == "found" else set()
        told &= {record.identifier for record in shown if not record.is_deleted}
        if self.traits.spelling != SPELLINGS[0] and len(shown) > self.traits.page_size:
            told |= {record.identifier for record in shown if not record.is_deleted}
        if self.traits.dates != "kept" or self.names.refusal or self.names.is_one_page or self.has_false_count:
            return told
        if self.traits.hidden == "a short page" and len(shown) > 2 * self.traits.page_size:
            # Where the names are as short, a list that begins at that page has another page there.
            first = shown[self.traits.page_size if self.names.is_short else 0]
            told |= self._named({**wanted, "until" if self.traits.is_backwards else "from": self.stamp(first)})
        # Of a list of one year in one answer, no run asks for more: that would double the requests to a good source.
        is_asked = wanted == self.wanted or self.traits.window > self.traits.page_size
        if self.traits.window and len(shown) == self.traits.window and is_asked:
            told |= self._named({**wanted, "until" if self.traits.is_backwards else "from": self.stamp(shown[-1])})
        return told

    def _named(self, wanted: Mapping[str, str]) -> set[str]:
        return {record.identifier for record in self.shown("ListIdentifiers", wanted)}

    @property
    def is_unreadable(self) -> bool:
        """Whether neither a token nor a date leads behind the first page of its lists."""
        return self.traits.spelling in SPELLINGS[-2:] and self.traits.dates != "kept"

    @property
    def has_false_count(self) -> bool:
        """Whether a list announces just as many as it shows: then it is believed that these are all."""
        is_listed = self.traits.size in self._sizes_of_all and self._is_paged
        return is_listed or (self.names.size == "what is shown" and self._are_names_paged)

    @property
    def named(self) -> frozenset[str]:
        """The living records that its ListIdentifiers names, without denied ones."""
        shown = [] if self.names.refusal else self.shown("ListIdentifiers", self.wanted)
        return self._living(shown)

    def _living(self, listing: list[Record]) -> frozenset[str]:
        """Return the living records of a list, without those that come as deleted, too, and that GetRecord denies."""
        return frozenset(record.identifier for record in listing if not record.is_deleted) - self.denied

    @property
    def denied(self) -> frozenset[str]:
        """The records that come as deleted, too, and that GetRecord denies."""
        is_denied = self.traits.twins == "of one date" and self.traits.single == "unknown"
        return frozenset(record.identifier for record in _twinned(self)) if is_denied else frozenset()

    @property
    def is_short(self) -> bool:
        """Whether its ListIdentifiers comes in as many answers as a run reads where nothing else seems wrong."""
        return len(self.shown("ListIdentifiers", self.wanted)) <= MOST_ANSWERS * self.traits.names_page_size

    @property
    def has_true_count(self) -> bool:
        """Whether a count tells how many there are, and no list is complete by another.

        No count is read where it does not stand in an element for a token.
        """
        if self.traits.spelling in SPELLINGS[-2:]:
            return False
        has_names_size = not self.names.refusal and self._are_names_paged
        names_tell, names_overrule = (
            has_names_size and self.names.size == size for size in ("the truth", "what is shown")
        )
        is_steady = self.traits.size == "the truth" and not self._dates_overrule
        shrinks = self.traits.size == "first the truth" and not self._names_confirm
        tells = self._is_paged and (is_steady or shrinks)
        overrules = self._is_paged and self.traits.size == "what is shown"
        return (tells and not names_overrule) or (names_tell and not overrules)

    @property
    def _dates_overrule(self) -> bool:
        """Whether lists by dates announce as many as they bring: none that is not empty hides anything."""
        shown = {self.stamp(record) for record in self.shown("ListRecords", self.wanted)}
        names = self._hidden
        hidden = {self.stamp(record) for record in super().selected(self.wanted) if record.identifier in names}
        return self.traits.dates == "kept" and self._names_confirm and not shown & hidden and bool(hidden)

    @property
    def _is_paged(self) -> bool:
        """Whether the first page of ListRecords has an element for a token, which tells a size; no empty list has."""
        shown = len(self.shown("ListRecords", self.wanted))
        return shown > self.traits.page_size or (shown > 0 and self.traits.ends not in ENDS_HERE[:2])

    @property
    def _are_names_paged(self) -> bool:
        return len(self.shown("ListIdentifiers", self.wanted)) > self.traits.names_page_size

    @property
    def behind_the_break(self) -> frozenset[str]:
        """The living records behind the last that its list shows, where it breaks off there; else none.

        Where dates are kept, a list that ends after so many records goes on from its last date. Where a token cannot be
        read, nobody sees where it leads.
        """
        if self.traits.window and self.traits.dates == "kept":
            return replace(self, traits=self.traits._replace(window=0)).behind_the_break
        shown, every = self.shown("ListRecords", self.wanted), self.selected(self.wanted)
        is_end = (
            not self._breaks_off or self.traits.size in self._sizes_of_all or self.traits.spelling in SPELLINGS[-2:]
        )
        if is_end or self._names_confirm or self._is_cut_with_more_names or not shown:
            return frozenset()
        return self._living(every[every.index(shown[-1]) + 1 :])

    @property
    def _breaks_off(self) -> bool:
        """Whether its ListRecords breaks off. One without ListIdentifiers is believed where it has no last element."""
        return self.traits.ends in ENDS_BEHIND or (
            self.traits.ends in _ENDS_WITHOUT and self._is_paged and not self.names.refusal
        )

    @property
    def _names_confirm(self) -> bool:
        """Whether its ListIdentifiers names just what its ListRecords shows, ends properly, and tells no other size."""
        tells_more = self.names.size == "the truth" and self._are_names_paged
        lists = (self.shown(verb, self.wanted) for verb in ("ListRecords", "ListIdentifiers"))
        names, others = ({record.identifier for record in listing} for listing in lists)
        are_same = names == others and not (self.names.refusal or tells_more)
        return are_same and (not self._do_names_break_off or self._do_dates_confirm)

    @property
    def _sizes_of_all(self) -> tuple[str, ...]:
        """The sizes that cannot be told from that of a whole list that has just what is shown."""
        is_one_page = len(self.shown("ListRecords", self.wanted)) <= self.traits.page_size
        return ("what is shown", "the page", "so far") if is_one_page else ("what is shown",)

    @property
    def _is_cut_with_more_names(self) -> bool:
        """Whether both lists end after so many records, and ListIdentifiers names all that ListRecords shows."""
        names, others = (set(self.shown(verb, self.wanted)) for verb in ("ListIdentifiers", "ListRecords"))
        is_proper = not (self.names.refusal or self.names.is_one_page or self._do_names_break_off)
        return bool(self.traits.window) and is_proper and others <= names

    @property
    def _do_names_break_off(self) -> bool:
        """Whether its ListIdentifiers breaks off, and no count says that this was the end."""
        is_strange = self.names.ends in ENDS_BEHIND or (self.names.ends in _ENDS_WITHOUT and self._are_names_paged)
        return is_strange and self.names.size not in ("the truth", "what is shown")

    @property
    def _do_dates_confirm(self) -> bool:
        """Whether its ListIdentifiers names nothing new from the last date on, in one answer that is not full."""
        shown = self.shown("ListRecords", self.wanted)
        bound = "until" if self.traits.is_backwards else "from"
        rest = self.shown("ListIdentifiers", {**self.wanted, bound: self.stamp(shown[-1])}) if shown else []
        is_short = set(rest) <= set(shown) and len(rest) < self.traits.names_page_size
        return is_short and self.traits.dates == "kept"

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is wrong with it."""
        traits = self.traits
        are_lists_well = traits.hidden == "nothing" and traits.ends == ENDS_HERE[0] and not traits.is_backwards
        are_names_well = traits.names.startswith("whole") and traits.dates == "kept"  # and they end properly
        is_plain = traits.spelling == SPELLINGS[0] and not traits.window and traits.twins != "of one date"
        return (
            are_lists_well and are_names_well and is_plain and traits.size in ("nothing", "what is shown", "the truth")
        )

    @property
    def pages(self) -> int:
        """How many answers its ListRecords has."""
        return -(-len(self.shown("ListRecords", self.wanted)) // self.traits.page_size)

    @property
    def living(self) -> list[Record]:
        """The records that are to be held."""
        return [record for record in self.selected(self.wanted) if not record.is_deleted]

    def change(self) -> None:
        """Change every record, one a minute, or six a day: from now on there is another list to harvest."""
        assert isinstance(self.now, Clock)
        self.now.sleep(3 * _DAY)
        self.wanted = {"from": moment(self.now())[: len(self.granularity)]}
        for number, record in enumerate(tuple(self.held.values())):
            self.put(record._replace(title=f"Changed {number}"))
            self.now.sleep(60 if self.granularity == SECONDS else _DAY // 6)

    # -- what it answers --

    def distort(self, asked: Asked, serve: Serve, _stage: Stage) -> Said:
        """Answer with an HTTP status where that is all there is."""
        try:
            return serve(asked)
        except _Status as status:
            return Said(b"", int(str(status)))

    def _list(self, verb: str, given: Mapping[str, str]) -> str:
        is_names = verb == "ListIdentifiers"
        if is_names and self.names.refusal:
            raise Refused(self.names.refusal, "Not so.")
        at = self._begun(verb, given)
        shown, size = self.shown(verb, at.wanted), self.traits.names_page_size if is_names else self.traits.page_size
        if self.traits.hidden == "a short page" and not is_names and at.cursor == size:
            size -= _SHORTER * (len(self.shown(verb, at.wanted)) < len(self.selected(at.wanted)))
        here, rest = shown[at.cursor : at.cursor + size], shown[at.cursor + size :]
        ends = self.names.ends if is_names else self.traits.ends
        if not here:
            return self._behind(verb, ends, at)
        size_of = TOLD[self.names.size if is_names else self.traits.size]
        announced = size_of(len(self.selected(at.wanted)), len(shown), at.cursor, len(here))
        attributes = "" if announced is None else f' completeListSize="{announced}"'
        attributes += f' cursor="{at.cursor}"'
        following = at._replace(cursor=at.cursor + len(here)).text
        write = self._header if is_names else self._written
        token = _token(attributes, escape(following)) if rest else self._last(ends, attributes, at, following)
        return self._spelt(verb, "".join(map(write, here)), token)

    def _spelt(self, verb: str, entries: str, token: str) -> str:
        """Return a list with its token in the spelling of this endpoint."""
        if self.traits.spelling == "an attribute" and token:
            text = token.partition(">")[2].partition("<")[0]
            return f"<{verb} resumptionToken={quoteattr(text)}>{entries}</{verb}>"
        return f"<{verb}>{entries}{token.replace(SPELLINGS[0], self.traits.spelling)}</{verb}>"

    def _list_sets(self, verb: str, given: Mapping[str, str]) -> str:
        if self.traits.optional == "short":
            return super()._list_sets(verb, given)
        begin = int(given.get("resumptionToken", 0))
        sets = "".join(
            f"<set><setSpec>more{number}</setSpec><setName>More</setName></set>" for number in range(begin, begin + 100)
        )
        return f"<ListSets>{sets}{_token('', str(begin + 100))}</ListSets>"

    def _last(self, ends: str, attributes: str, at: Token, following: str) -> str:
        """Return what the last page with records has for a token."""
        if ends in ENDS_HERE and not at.cursor:
            return "" if ends != "white space" else _token(attributes, " \n ")
        if ends in ENDS_BEHIND:
            return _token(attributes, escape(at.text if ends == "itself" and at.cursor else following))
        return {"an empty element": _token(attributes, ""), "white space": _token(attributes, " \n ")}.get(ends, "")

    def _behind(self, verb: str, ends: str, at: Token) -> str:
        """Return what the token behind the last record leads to; a list without records matches nothing."""
        if not at.cursor or ends in ("noRecordsMatch", "itself", *ENDS_HERE):
            return error("noRecordsMatch", "Nothing matches.")
        if ends == "an empty list":
            return f"<{verb}></{verb}>"
        raise _Status(ends.removeprefix("HTTP "))

    def _get_record(self, verb: str, given: Mapping[str, str]) -> str:
        if self.traits.single == "HTTP 500":
            raise _Status("500")
        brought = {record.identifier for record in self.shown("ListRecords", self.wanted)}
        if self.traits.single == "unknown" and given["identifier"] not in brought:
            raise Refused("idDoesNotExist", "There is no such item.")
        return super()._get_record(verb, given)

    def _check(self, wanted: Mapping[str, str]) -> None:
        if self.traits.dates == "refused" and ("from" in wanted or "until" in wanted):
            raise Refused("badArgument", "No dates here.")
        super()._check(wanted)


_STALE = "2021-02-03T03:00:00Z"  # before all other dates


def _twinned(endpoint: Endpoint) -> list[Record]:
    """Return the records beside which there are tombstones."""
    if endpoint.traits.twins == "none":
        return []
    return [record for number, record in enumerate(endpoint.held.values()) if number % 20 in (9, 10)]


def _token(attributes: str, text: str) -> str:
    return f"<resumptionToken{attributes}>{text}</resumptionToken>"


def opened(traits: Traits, count: int = COUNT) -> Site:
    """Return an endpoint with these traits, to be asked without a network between."""
    clock = Clock()
    source = Endpoint({record.identifier: record for record in records(count)}, clock, traits.page_size, traits=traits)
    source.wanted = {"set": "a"} if traits.way == "set" else {}
    source.granularity = traits.granularity
    site = Site(source, clock, source.base_url)
    site.distort([source.distort])
    return site
