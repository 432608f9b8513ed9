"""Counts requests. Each web worker stores its counts in a file; `application` adds them up.

prometheus-client looks for the folder of these files when it is imported. So this module is imported only after
`gateway serve` has set the folder.
"""

from __future__ import annotations

from prometheus_client import Counter, Histogram

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)

_REQUESTS = Counter(
    "oai_requests", "OAI-PMH requests, by verb and by the first error of the protocol.", ("verb", "error")
)
_DURATION = Histogram("oai_request_duration_seconds", "The time to make an answer.", ("verb",), buckets=_SECONDS)
_PAGES = Counter("oai_pages", "Pages of lists that were answered, by verb.", ("verb",))
_BYTES = Counter("oai_response_bytes", "Bytes of answers, as they were sent.", ("verb",))


def answered(verb: str, error: str, seconds: float, sent_bytes: int) -> None:
    """Count one request: its verb and the code of its first error (or empty strings), its duration, and its bytes."""
    verb = verb or "none"
    _REQUESTS.labels(verb, error or "none").inc()
    _DURATION.labels(verb).observe(seconds)
    _BYTES.labels(verb).inc(sent_bytes)
    if verb.startswith("List") and not error:
        _PAGES.labels(verb).inc()
