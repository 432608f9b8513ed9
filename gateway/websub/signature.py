"""Checks the signature of a hub's call (WebSub, W3C Recommendation 2018, §7.1). Pure."""

from __future__ import annotations

import hmac

_METHODS = ("sha1", "sha256", "sha384", "sha512")


class Signature:
    """The signature of a call, `method=hexadecimal`, compared with a body that is read part by part."""

    def __init__(self, header: str, secret: str) -> None:
        """Take the header `X-Hub-Signature`, and the secret of the subscription."""
        method, _, given = header.strip().partition("=")
        self._given = given.strip().lower()
        name = method.strip().lower()
        self._sum = hmac.new(secret.encode(), digestmod=name) if name in _METHODS else None

    def update(self, part: bytes) -> None:
        """Add the next bytes of the body."""
        if self._sum is not None:
            self._sum.update(part)

    @property
    def is_valid(self) -> bool:
        """Return whether the body is signed with the secret; the comparison takes constant time."""
        if self._sum is None:
            return False
        return hmac.compare_digest(self._sum.hexdigest().encode(), self._given.encode("utf-8", "replace"))
