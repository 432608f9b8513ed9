"""Our own provider, asked in this process: the strict check finds nothing wrong with it."""

import gzip
import zlib
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from gateway.core.model import SetDescription
from harvester.http.messages import Fetched, Request
from harvester.validate.run import Limits, Verdict, validate
from tests.page_house import BASE_URL, House, house  # noqa: F401 - fixtures
from tests.publish.harness import Sent, dc

PAGE = 5
EXPIRATION = {"tokens.expiration-form", "tokens.expiration-life"}
CODINGS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.decompress, "deflate": zlib.decompress}


def asked(site: House, request: Request) -> Fetched:
    """Return what the application answers."""
    parts = urlsplit(request.url)
    answer = site.app.test_client().open(
        f"{parts.path}?{parts.query}", method=request.method, headers=list(request.headers), data=request.body
    )
    body = CODINGS.get(answer.headers.get("Content-Encoding", ""), bytes)(answer.data)
    return Fetched(request.url, answer.status_code, tuple(answer.headers.items()), body, 0)


@pytest.fixture(params=[0, 86_400], ids=["tokens for ever", "tokens for a day"])
def settings(request) -> dict[str, Any]:
    return {"oai_page_size": PAGE, "oai_sets_page_size": 2, "oai_token_life_seconds": request.param}


def test_our_own_provider_passes_every_check_without_failure_or_warning(house, settings):  # noqa: F811 - the fixture
    harness = house.harness
    harness.store.add_sets([SetDescription(f"source:laro:{name}", name.upper()) for name in "ab"])
    for number in range(12):
        harness.send(Sent(f"{number}", dc(f"Title {number}"), sets=("ab"[number % 2],)))
        harness.publish()
        harness.now += 3_600
    house.delete("3")
    harness.now += 3_600
    report = validate(BASE_URL, lambda request: asked(house, request), limits=Limits(least_page=PAGE, pages=100))
    others = {one.check: one.verdict for one in report.results if one.verdict is not Verdict.PASS}
    life = set() if settings["oai_token_life_seconds"] else EXPIRATION
    assert others == dict.fromkeys({"dates.seconds-refused", *life}, Verdict.SKIPPED), list(report.lines())
    assert report.exit_code == 0
