"""The rules, what was found, and a document after it was read.

A rule is a row of `rules.toml`: name, section of the standard, expectation, and verdict of a fault. Of each rule it is
stored whether it applied, and its first faults. Thus a million entries need one pass.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from harvester.validate.check import Result, Shown, Verdict, Wrong, rules, sentences_of
from harvester.validate.resourcesync.reading import Attributes
from harvester.validate.resourcesync.values import KINDS, Kind, relation_of, whole

_FINDINGS_SHOWN = 3  # the first findings show what is wrong
_NOTHING = "Nothing that was read is of this kind."


RULES = tuple(rules(__file__, "Z39.99").values())


class Judged:
    """The verdicts of all rules. A rule that never applied is skipped."""

    def __init__(self) -> None:
        self._applied: dict[str, Shown] = {}
        self._faults: dict[str, list[tuple[Shown, str]]] = {}
        self._counts: dict[str, int] = {}
        self._reasons: dict[str, str] = {}

    def applied(self, shown: Shown, rules: Iterable[str]) -> None:
        """Store that an answer has what these rules are about."""
        for rule in rules:
            self._applied.setdefault(rule, shown)

    def fault(self, rule: str, shown: Shown, sentence: str) -> None:
        """Store a fault, and the answer that has it."""
        count = self._counts[rule] = self._counts.get(rule, 0) + 1
        if count <= _FINDINGS_SHOWN:
            self._faults.setdefault(rule, []).append((shown, sentence))

    def faults(self, shown: Shown, rule: str, wrong: Wrong) -> None:
        """Store that a rule applied, and what is wrong."""
        self._applied.setdefault(rule, shown)
        for sentence in sentences_of(wrong):
            self.fault(rule, shown, sentence)

    def skip(self, rule: str, reason: str) -> None:
        """Store why a rule cannot be decided."""
        self._reasons.setdefault(rule, reason)

    def results(self, reason: str = "") -> Iterator[Result]:
        """Yield the results of all rules. `reason` says why not everything was read; empty: all was."""
        for name, section, expects, fault in RULES:
            if faults := self._faults.get(name):
                more = self._counts[name] - len(faults)
                evidence = [shown.evidence(sentence) for shown, sentence in faults]
                if more:
                    last = evidence[-1]
                    evidence[-1] = last._replace(finding=f"{last.finding} There are {more} more of these.")
                yield Result(name, section, expects, fault, tuple(evidence))
            elif name in self._applied:
                yield Result(name, section, expects, Verdict.PASS, (self._applied[name].evidence(),))
            else:
                why = self._reasons.get(name) or reason or _NOTHING
                yield Result(name, section, expects, Verdict.SKIPPED, (), why)


MOST_ENTRIES = 50_000  # of one document (Sitemaps 0.9)


class Listed(NamedTuple):
    """An entry that is a document or a package: its address, its attributes, its links, and its lastmod."""

    loc: str
    md: Attributes
    links: tuple[Attributes, ...] = ()
    lastmod: str = ""


@dataclass(slots=True)
class Document:
    """A document that was read. `listed` are its entries, if they are documents or packages.

    `capability` is empty when it is none of the standard. `digest` is the SHA-256 of its bytes. `urls` are the address
    that was requested and the one that answered.
    """

    urls: tuple[str, ...]
    shown: Shown
    capability: str = ""
    is_index: bool = False
    is_whole: bool = False
    md: Attributes = field(default_factory=dict)
    links: tuple[Attributes, ...] = ()
    listed: tuple[Listed, ...] = ()
    size: int = 0
    digest: str = ""
    has_datetime: bool = False

    @property
    def url(self) -> str:
        """The address that was requested."""
        return self.urls[0]

    @property
    def kind(self) -> Kind | None:
        """What a document of its capability carries; None when it has no known capability."""
        return KINDS.get(self.capability)

    def linked(self, rel: str) -> list[str]:
        """Return the targets of the links of the document with a relation, made absolute."""
        return [whole(link["href"], self.url) for link in self.links if relation_of(link) == rel and link.get("href")]


class Observer:
    """Takes the resources of lists: for samples, comparisons and links. This one keeps nothing."""

    def resource(self, document: Document, loc: str, lastmod: str, md: Attributes, links: list[Attributes]) -> None:
        """Take an entry of a Resource List, a Change List or a manifest."""
