"""A server on loopback that answers as a test tells it, and a `Web` whose pauses cost no time."""

from tests.http.server import make, server, start  # noqa: F401 - fixtures
