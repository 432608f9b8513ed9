"""Whether a hub has signed what it brings (WebSub, W3C Recommendation 2018, §7.1). Pure."""

from __future__ import annotations

import hmac

_METHODS = ("sha1", "sha256", "sha384", "sha512")


class Signature:
    """The signature that a hub gave, `method=hexadecimal`, held against a body that comes part by part."""

    def __init__(self, header: str, secret: str) -> None:
        """Take the header `X-Hub-Signature`, and the secret of the subscription."""
        method, _, given = header.strip().partition("=")
        self._given = given.strip().lower()
        name = method.strip().lower()
        self._sum = hmac.new(secret.encode(), digestmod=name) if name in _METHODS else None

    def update(self, part: bytes) -> None:
        """Take the next bytes of the body."""
        if self._sum is not None:
            self._sum.update(part)

    @property
    def is_valid(self) -> bool:
        """Tell whether the body was signed with the secret; it takes the same time wherever the two differ."""
        if self._sum is None:
            return False
        return hmac.compare_digest(self._sum.hexdigest().encode(), self._given.encode("utf-8", "replace"))
