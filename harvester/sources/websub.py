"""Requests to a hub, and discovery of topic and hub in an answer (WebSub, W3C Recommendation 2018). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlencode

from harvester.http.links import from_header
from harvester.http.messages import Fetched

FORM = "application/x-www-form-urlencoded"
_LONGEST_TEXT = 300  # characters of a text from a hub


def topic_and_hub(answer: Fetched, links: Iterable[tuple[str, str]] = ()) -> tuple[str, str]:
    """Return the topic and the hub that an answer names: in its headers, else in the links of its document (§4).

    `links` are (relation, address) of its document. Without a topic, return its URL; without a hub, an empty text.
    """
    headers = from_header((value for name, value in answer.headers if name.lower() == "link"), answer.url)
    stated: dict[str, str] = {}
    for rel, href in (*((header.rel, header.href) for header in headers), *links):
        stated.setdefault(rel, href)
    return stated.get("self", answer.url), stated.get("hub", "")


def form(mode: str, topic: str, callback: str, secret: str, lease_seconds: int) -> bytes:
    """Return the body of a request to subscribe or unsubscribe at a hub (§5.1); `lease_seconds` is in seconds."""
    form = {"hub.mode": mode, "hub.topic": topic, "hub.callback": callback}
    if mode == "subscribe":
        form |= {"hub.lease_seconds": str(lease_seconds), "hub.secret": secret}
    return urlencode(form).encode()


def words_of(answer: Fetched) -> str:
    """Return the text of a hub's answer as one printable line of at most 300 characters."""
    text = answer.body[: 4 * _LONGEST_TEXT].decode("utf-8", "replace")
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[:_LONGEST_TEXT]
