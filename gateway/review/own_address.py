"""Addresses of the review that a form or an address names: only our own are followed. Pure."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from gateway.pages.item_addresses import is_plain

PATH: Final = "/review"
_OWN: Final = re.compile(r"/review(?:[/?][!-\[\]-~]{0,8000})?")  # visible ASCII without a backslash


def own_address(root: str, address: str) -> str:
    """Return an address of the review as it is; that of the first page for any other."""
    path = address.removeprefix(root) if address.startswith(f"{root}{PATH}") else ""
    is_own = _OWN.fullmatch(path) and is_plain(unquote(path.partition("?")[0])) and not path.startswith(f"{PATH}/login")
    return address if is_own else f"{root}{PATH}"
