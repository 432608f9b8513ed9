"""Change Lists of what a subscriber lacks, for one whose last delivery was before the open Change List began.

They have the same entries as those of the gateway. They begin when the subscriber has got everything, so nothing is
missing between two deliveries, even if a Change List was closed meanwhile.
"""

from __future__ import annotations

import re
from typing import Final

from gateway.core.model import Selection
from gateway.core.settings import Settings
from gateway.core.xmltext import parse_utc_datetime, utc_datetime
from gateway.hub.topics import Topic, Topics
from gateway.pages.appearance import site_of
from gateway.pages.item_places import Places
from gateway.publish.descriptions import metadata_of
from gateway.resourcesync.addresses import Addresses, ResourceSet
from gateway.resourcesync.documents import Document, Link
from gateway.resourcesync.site_resources import SiteResources, selected
from gateway.store.base import Store

_MOST_CHANGES: Final = 5_000  # so many have about a megabyte, the most that is delivered
_BEGIN: Final = re.compile(rb'<rs:md capability="changelist" from="([0-9TZ:-]{20})"/>')


class ChangeLists:
    """Makes Change Lists for the subscribers of one site."""

    def __init__(self, store: Store, settings: Settings, topics: Topics) -> None:
        site = site_of(settings, settings.text("base_url"))
        self._addresses, self._store, self._topics = Addresses(site.url), store, topics
        places = Places(site)
        self._site = SiteResources(self._addresses, places.metadata_urls, metadata_of, page_url=places.page_urls)

    def has(self, topic: Topic) -> bool:
        """Return whether a topic is a Change List."""
        return self._topics.resources_of(topic) is not None

    def since(self, topic: Topic, second: int, horizon: int) -> bytes:
        """Return a Change List of all changes of a topic from a second on, below the horizon.

        It is empty if there are too many, or if the topic is no Change List.
        """
        resources = self._topics.resources_of(topic)
        if resources is None:
            return b""
        with self._store.view() as view:
            within = Selection(*selected(resources), second, horizon - 1)
            changes = view.resource_changes(within, (0, 0), _MOST_CHANGES + 1)
            if len(changes) > _MOST_CHANGES or second < view.changes_from():
                return b""
            return self._document(topic, resources, second).write(self._site.changed(view, resources, changes))

    def _document(self, topic: Topic, resources: ResourceSet, second: int) -> Document:
        links = (
            Link("up", self._addresses.capability_list(resources)),
            Link("index", self._addresses.change_list(resources)),
            Link("hub", self._topics.hub),
            Link("self", topic.url),
        )
        return Document("changelist", links, {"from": utc_datetime(second)})


def begins_before(content: bytes, second: int) -> bool:
    """Return whether an open Change List has all changes from a second on.

    The list before it may have changes of the second with which it begins.
    """
    begin = _BEGIN.search(content[:4_000])
    return begin is not None and parse_utc_datetime(begin[1].decode())[0] < second
