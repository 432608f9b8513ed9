"""Which proxy a request goes through: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in either spelling.

`NO_PROXY` has commas between: names (with all below them), addresses, networks, each with a port or not; `*`: no proxy
at all. This machine itself is never asked through a proxy. Credentials in the address of a proxy are never shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from gateway.errors import ConfigurationError
from harvester.web.guard import is_this_machine

_SCHEMES = ("http", "https")


class Proxies:
    """The proxies that an environment names."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Read the environment. Raise ConfigurationError, without credentials, for what is no address of a proxy."""
        # ALL_PROXY is only read where it is needed: desktops write a SOCKS proxy into it, beside the two others.
        self._by_scheme = {
            scheme: _named(environ, f"{scheme}_proxy") or _named(environ, "all_proxy") for scheme in _SCHEMES
        }
        self._exceptions = [each for each in map(_exception, _said(environ, "no_proxy").split(",")) if each[0]]

    def of(self, scheme: str, host: str, port: int) -> str:
        """Return the address of the proxy for this host; empty when it is reached directly."""
        proxy = self._by_scheme[scheme]
        if not proxy or is_this_machine(host):
            return ""
        name = host.lower().rstrip(".").strip("[]")
        return "" if any(_covers(pattern, name) for pattern, only in self._exceptions if only in ("", port)) else proxy


def shown(proxy: str) -> str:
    """Return the address of a proxy without its credentials."""
    parts = urlsplit(proxy)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _said(environ: Mapping[str, str], name: str) -> str:
    return (environ.get(name) or environ.get(name.upper()) or "").strip()


def _named(environ: Mapping[str, str], name: str) -> str:
    proxy = _said(environ, name)
    if not proxy:
        return ""
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    try:
        parts = urlsplit(proxy)
        is_one = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one:
        raise ConfigurationError(
            f"{name.upper()} is no address of a proxy: it must be http://host:port or https://host:port."
        )
    return proxy


def _exception(text: str) -> tuple[str, int | str]:
    """Return the host of an entry of NO_PROXY, and its port or an empty text."""
    text = text.strip().lower()
    host, sign, port = text.rpartition(":")
    if sign and port.isdecimal() and port.isascii() and (":" not in host or host.endswith("]")):
        return host.strip("[]"), int(port)
    return text.strip("[]"), ""


def _covers(pattern: str, name: str) -> bool:
    if pattern == "*":
        return True
    try:
        return ip_address(name) in ip_network(pattern, strict=False)
    except ValueError:
        pattern = pattern.removeprefix("*").strip(".")
        return name == pattern or name.endswith(f".{pattern}")
