"""The random samples of a month: drawn when somebody asks for them, and completed while they are small."""

from __future__ import annotations

from typing import Final, NamedTuple

from gateway.fulltext.precision import BEGINNINGS, SIZE, mixed, sample_of
from gateway.model import AcceptRule, SampledFile
from gateway.store.base import Discovery
from gateway.xmltext import utc_datetime

_AGAIN_SECONDS: Final = 3_600  # after which a sample with too few files is drawn again


class MonthlySamples(NamedTuple):
    """The samples of all rules in a month. `files` are in the order in which they are judged."""

    files: tuple[SampledFile, ...]
    rules: dict[SampledFile, AcceptRule]


def samples_of(desk: Discovery, at: int) -> MonthlySamples:
    """Return the samples of the month of a second. Raise StoreError."""
    month = utc_datetime(at)[:7]
    rules: dict[SampledFile, AcceptRule] = {}
    for rule in AcceptRule:
        rules |= dict.fromkeys(_sample(desk, rule, month, at), rule)
    return MonthlySamples(mixed(rules, month), rules)


def _sample(desk: Discovery, rule: AcceptRule, month: str, at: int) -> tuple[SampledFile, ...]:
    known, drawn_at = desk.samples.sample(rule, month), desk.samples.drawn_at(rule, month)
    if drawn_at and (len(known) >= SIZE or at < drawn_at + _AGAIN_SECONDS):
        return known
    drawn = sample_of(desk.samples.accepted(BEGINNINGS[rule]), rule, month)
    desk.samples.keep(rule, month, drawn, at)
    return drawn
