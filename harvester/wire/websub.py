"""What is said to a hub, and where an answer says which hub tells of it (WebSub, W3C Recommendation 2018). Pure."""

from __future__ import annotations

from urllib.parse import urlencode

from harvester.wire.entries import Link, linked
from harvester.wire.http import Fetched
from harvester.wire.links import from_header

FORM = "application/x-www-form-urlencoded"
_MOST_SAID = 300  # characters of what a hub says


def told_by(answer: Fetched, links: tuple[Link, ...] = ()) -> tuple[str, str]:
    """Return the topic and the hub that an answer names: in its headers, else in the links of its document (§4).

    Where it names no topic, that is its address; where it names no hub, that is empty.
    """
    headers = from_header((value for name, value in answer.headers if name.lower() == "link"), answer.url)
    topics = [*(each.href for each in headers if each.rel == "self"), *(each.href for each in linked(links, "self"))]
    hubs = [*(each.href for each in headers if each.rel == "hub"), *(each.href for each in linked(links, "hub"))]
    return (topics or [answer.url])[0], (hubs or [""])[0]


def form(mode: str, topic: str, callback: str, secret: str, lease_seconds: int) -> bytes:
    """Return what is sent to a hub to subscribe or unsubscribe (§5.1)."""
    said = {"hub.mode": mode, "hub.topic": topic, "hub.callback": callback}
    if mode == "subscribe":
        said |= {"hub.lease_seconds": str(lease_seconds), "hub.secret": secret}
    return urlencode(said).encode()


def words_of(answer: Fetched) -> str:
    """Return what a hub says, as one line of what can be shown."""
    said = answer.body[: 4 * _MOST_SAID].decode("utf-8", "replace")
    return " ".join("".join(each if each.isprintable() else " " for each in said).split())[:_MOST_SAID]
