"""The address of the page of an item in the review. Pure."""

from __future__ import annotations

from gateway.model import ListedCopy
from gateway.pages.item_addresses import in_path, in_query, is_plain, merged
from gateway.review.list_arguments import Asked, query_of


def item_address(root: str, identifier: str, query: str = "") -> str:
    """Return the path of the page of an item, with the arguments of the list that it is opened from.

    An identifier that a browser or a proxy would change on the way stands in the query, and so does one with controls.
    """
    folder = f"{root}/review/items/"
    if identifier.isprintable() and is_plain(identifier) and merged(identifier) == identifier:
        return folder + in_path(identifier) + (f"?{query}" if query else "")
    return f"{folder}?identifier={in_query(identifier)}" + (f"&{query}" if query else "")


def address_in_list(root: str, asked: Asked, listed: ListedCopy) -> str:
    """Return the path of the page of the item of a copy in a list; the page knows its neighbours in this list."""
    query = query_of(asked._replace(after=listed, before=None))
    return item_address(root, listed.copy.identifier, query)
