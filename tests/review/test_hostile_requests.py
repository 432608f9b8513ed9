"""Whatever a signed-in user sends, the answer is a page or a refusal in a sentence, and never an error of ours."""

from random import Random
from urllib.parse import quote_from_bytes

import pytest

from gateway.core.model import CopyFilter
from tests.payloads import PAYLOADS
from tests.review_house import Files, signed_in
from tests.seeds import SEED

GET = (
    "/review", "/review/copies.json", "/review/copies.csv", "/review/batch", "/review/decisions",
    "/review/decisions.json", "/review/decisions.csv",
)  # fmt: skip
POST = ("/review/decide", "/review/batch")
NAMES = (
    *CopyFilter._fields, "reason_has", "verdict", "order", "after", "before", "done", "verb", "number", "numbers",
    "entry", "all", "next", "row", "batch", "comment", "sha256", "identifier", "url", "by", "since", "until",
)  # fmt: skip
LEGAL = (
    "accept", "reject", "undo", "review", "any", "score", "decided-at", "1", "0.5", "1 2 3", "accept 1", "undo 2",
    '["", "a", "b"]', '[0.5, "a", "b"]', "2026-11-26", "1764150000.3", "/review", "laro", "rule", "work",
)  # fmt: skip
ODD = (
    b"", b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"%", b"9" * 400, b"-1", b"1e999", b"nan", b"\xd9\xa1",
    b"\r\nSet-Cookie: x=1",
    b"[" * 900, b'["", "\\ud800", ""]', b'[1e400, "", ""]', b"a" * 5000, b"0001-01-01", b"9999-12-31", b"../..",
    b"' or 1=1 --",
)  # fmt: skip
ALLOWED = {200, 303, 400, 403, 404, 409, 413}


def value(random: Random) -> bytes:
    kind = random.randrange(4)
    if kind < 2:
        return random.choice(LEGAL).encode()
    return random.choice(ODD) if kind == 2 else random.choice(PAYLOADS).encode("utf-8", "replace")


def query(random: Random) -> str:
    names = random.choices(NAMES, k=random.randrange(6))
    return "&".join(f"{name}={quote_from_bytes(value(random))}" for name in names)


@pytest.mark.slow
def test_no_request_of_a_user_ends_in_an_error_of_ours(house):
    random = Random(SEED)
    files = Files(house)
    for number in range(5):
        files.add(f"{number}", f"Title {number}")
    reviewer = signed_in(house.app, house.harness.folder)
    for _ in range(400):
        if random.random() < 0.6:
            path = f"{random.choice(GET)}?{query(random)}"
            answer = reviewer.client.get(path)
        else:
            path, token = random.choice(POST), quote_from_bytes(reviewer.token.encode())
            body = f"csrf_token={token}&{query(random)}"
            answer = reviewer.client.post(path, data=body, content_type="application/x-www-form-urlencoded")
            path = f"{path} {body}"
        assert answer.status_code in ALLOWED, path
        assert "\n" not in answer.headers.get("Location", ""), path
        assert answer.headers.get("Location", "/review").startswith("/review"), path
        if answer.status_code >= 400:
            assert answer.content_type.startswith(("text/html", "application/json")), path
        answer.close()
