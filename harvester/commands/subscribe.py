"""`harvester source subscribe` and `unsubscribe`: hubs announce the changes of a source."""

from collections.abc import Callable, Sequence
from time import monotonic, time

import click

from gateway.core.model import RunOutcome, Subscription, SubscriptionState
from gateway.core.program import say
from harvester.commands.options import FiniteRange, option
from harvester.commands.output import moment, with_json, write_rows
from harvester.harvest.access import fetcher, kind_of
from harvester.harvest.instance import Instance, opened
from harvester.runtime.exit_status import status_of_parts
from harvester.runtime.interrupts import Stop, listening
from harvester.schedule.subscriptions import place_of, subscribe, unsubscribe

_POLL_SECONDS = 0.1
_COLUMNS = "topic hub state until reason"

_wait = option(
    "--wait SECONDS",
    "How long to wait for the hub to confirm it.",
    default=10.0,
    show_default=True,
    type=FiniteRange(min=0),
)


@click.command(name="subscribe")
@click.argument("name")
@_wait
@with_json
def subscribe_(ctx: click.Context, name: str, wait: float) -> None:
    """Subscribe to the changes of a source at its hub (WebSub, ResourceSync Change Notification).

    The hub calls the gateway, which must be serving and be reached under base_url. `harvester tend` then harvests the
    source, and renews the subscription before the lease ends. The exit status is 3 while the hub has not confirmed.
    """
    with opened(ctx.obj) as instance, listening(Stop()) as stop:
        entry = instance.sources.entry(name)
        with fetcher(instance.at_prompt().settings, entry, stop) as fetch:
            subscribe(instance, entry, kind_of(entry.kind), fetch, int(time()))
        known = _settled(instance, name, stop, wait, _is_open)
        _write(known)
        if any(_is_open(subscription) for subscription in known):
            place = place_of(instance.settings)
            say(
                f"The hub has not confirmed yet; it must reach `gateway serve` under {place}. `harvester source show "
                f"{name}` shows whether it has."
            )
    ctx.exit(int(status_of_parts([_outcome(subscription) for subscription in known])))


@click.command(name="unsubscribe")
@click.argument("name")
@_wait
@with_json
def unsubscribe_(ctx: click.Context, name: str, wait: float) -> None:
    """Unsubscribe from the hubs of a source. Later notifications are ignored."""
    with opened(ctx.obj) as instance, listening(Stop()) as stop:
        entry = instance.sources.entry(name)
        with fetcher(instance.at_prompt().settings, entry, stop) as fetch:
            unsubscribe(instance, entry, fetch, int(time()))
        known = _settled(
            instance, name, stop, wait, lambda subscription: subscription.state is SubscriptionState.ENDING
        )
        _write(known)


def _settled(
    instance: Instance, name: str, stop: Stop, wait: float, is_open: Callable[[Subscription], bool]
) -> tuple[Subscription, ...]:
    """Return the subscriptions of a source when no hub is to say anything more of them, or the time is over."""
    end = monotonic() + wait
    while True:
        known = instance.subscriptions.of_source(name)
        if monotonic() >= end or not any(map(is_open, known)):
            return known
        stop.pause(_POLL_SECONDS)


def _is_open(subscription: Subscription) -> bool:
    """Return whether the hub has still to confirm what it was asked for last."""
    return subscription.state in (SubscriptionState.ASKED, SubscriptionState.ACTIVE) and subscription.tries > 0


def _outcome(subscription: Subscription) -> RunOutcome:
    if subscription.state is SubscriptionState.DENIED:
        return RunOutcome.REFUSED
    return RunOutcome.SUCCEEDED_WITH_ERRORS if _is_open(subscription) else RunOutcome.SUCCEEDED


def _write(known: Sequence[Subscription]) -> None:
    write_rows(map(facts_of, known), _COLUMNS)


def facts_of(subscription: Subscription) -> dict[str, object]:
    """Return a subscription as data. It has none of the secrets that are shared with the hub."""
    return {
        "source": subscription.source,
        "topic": subscription.topic,
        "hub": subscription.hub,
        "state": subscription.state.value,
        "until": moment(subscription.until or None),
        "notified": moment(subscription.notified_at or None),
        "reason": subscription.reason,
    }
