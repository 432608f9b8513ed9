"""People sign in to `/review`, and nobody else gets in."""

from urllib.parse import parse_qs, urlsplit

import pytest

from gateway.core.errors import StoreUnwritable
from gateway.core.model import Deed, LogLine, Role, User
from gateway.review import routes, users
from gateway.review.sessions import Sessions
from tests.opening import open_users
from tests.page_house import House, parsed, seen
from tests.review_house import PASSWORD, Browser, add_user, browser
from tests.rows import each_row

LOGIN = "/review/login"


@pytest.fixture
def guest(house: House, monkeypatch: pytest.MonkeyPatch) -> Browser:
    monkeypatch.setattr(Sessions, "now", 1_900_000_000)  # waits do not end while a test runs
    add_user(house.harness.folder)
    return browser(house.app)


@each_row("path", ["/review", LOGIN, "/review/logout", "/review/items/x", "/review/", "/review.json", "/review.csv"])
@each_row("method", ["GET", "POST", "PUT", "OPTIONS"])
def test_without_a_user_the_review_is_an_unknown_address(house, path, method):
    unknown = house.app.test_client().open("/nothing/of/the/kind", method=method)
    answer = house.app.test_client().open(path, method=method)
    assert (answer.status_code, answer.text.split("<code")[0]) == (404, unknown.text.split("<code")[0])
    for headers in (answer.headers, unknown.headers):
        del headers["Content-Length"]  # the path is in the page
    assert list(answer.headers) == list(unknown.headers)
    assert not (house.harness.folder / "users.sqlite").exists()


@each_row("method", ["TRACE", "PROPFIND", "CONNECT", "X"])
@each_row("path", ["/review", LOGIN, "/review/x"])
def test_a_method_that_nothing_knows_does_not_reveal_the_review(house, path, method):
    unknown = house.app.test_client().open("/nothing/of/the/kind", method=method)
    answer = house.app.test_client().open(path, method=method)
    assert (answer.status_code, "Allow" in answer.headers) == (unknown.status_code, "Allow" in unknown.headers)


def test_no_page_leads_to_the_review_and_no_other_address_sets_a_cookie(house, reviewer):
    for path in ("/", "/help", "/robots.txt", "/sitemap.xml", "/openapi.json", "/oai?verb=Identify", "/nothing"):
        answer = reviewer.get(path)
        assert "/review" not in answer.text
        assert "Set-Cookie" not in answer.headers
        assert "Cookie" not in answer.headers.get("Vary", "")


def test_who_has_not_signed_in_is_led_to_the_page_to_do_so_and_back(guest):
    answer = guest.get("/review?source=laro&title=a%26b%2Bc")
    assert answer.status_code == 303
    following = parse_qs(urlsplit(answer.headers["Location"]).query)["next"][0]
    assert following == "/review?source=laro&title=a%26b%2Bc"
    page = guest.get(answer.headers["Location"])
    assert seen(page.text) == "Sign in Name Password Sign in"
    form = parsed(page.text).forms[-1]
    assert form.fields["next"] == following
    there = guest.post(LOGIN, name="B. Ito", password=PASSWORD, next=following)
    assert (there.status_code, there.headers["Location"]) == (303, following)
    assert "Sign out B. Ito" in guest.get(following).text


@each_row("path", ["/review/copies.json", "/review/copies.csv", "/review/decisions.json"])
def test_programs_are_refused_and_not_led_elsewhere(guest, path):
    answer = guest.get(path)
    assert (answer.status_code, answer.json) == (401, {"error": "Sign in first."})
    assert answer.headers["WWW-Authenticate"] == "Cookie"


def test_answers_are_kept_by_no_cache_and_readable_by_no_other_site(guest):
    for answer in (guest.get("/review"), guest.get(LOGIN), guest.sign_in(), guest.get("/review")):
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "connect-src 'self'" in answer.headers["Content-Security-Policy"]
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_a_cookie_is_out_of_reach_of_scripts_other_sites_and_other_pages(guest):
    cookie = guest.sign_in().headers["Set-Cookie"]
    assert cookie.startswith("__Secure-review=")
    assert {part.strip() for part in cookie.split(";")[1:]} == {"Secure", "HttpOnly", "Path=/review", "SameSite=Lax"}


@each_row(
    "name, password",
    [
        ("B. Ito", "wrong"), ("B. Ito", ""), ("nobody", PASSWORD), ("", ""), ("b" * 10_000, "c" * 100_000),
        ("\0", "\0"),
    ],
)  # fmt: skip
def test_a_wrong_name_and_a_wrong_password_get_the_same_answer(guest, name, password):
    guest.address = f"2001:db8:{len(name):x}:{len(password):x}::1"  # no network waits
    answer = guest.sign_in(name, password)
    assert answer.status_code == 403
    assert "The name or the password is wrong." in seen(answer.text)
    assert guest.get("/review").status_code == 303


def test_a_session_has_another_cookie_than_the_form_had(guest):
    """An attacker who has planted the cookie of the form does not know that of the session (fixation)."""
    before = guest.get(LOGIN).headers["Set-Cookie"]
    after = guest.post(LOGIN, name="B. Ito", password=PASSWORD).headers["Set-Cookie"]
    assert before.split(";")[0] != after.split(";")[0]
    planted = _with_cookie(guest, before)
    assert planted.get("/review").status_code == 303


def test_a_copied_cookie_is_worth_nothing_after_signing_out(guest):
    copied = guest.sign_in().headers["Set-Cookie"]
    assert _with_cookie(guest, copied).get("/review").status_code == 200
    guest.get("/review")
    assert guest.post("/review/logout").status_code == 303
    assert guest.get("/review").status_code == 303
    assert _with_cookie(guest, copied).get("/review").status_code == 303


def test_a_browser_forgets_a_session_that_cannot_be_ended(house, reviewer, monkeypatch):
    """The disk is full: who signs out at a shared computer is signed out there, and reads that something is wrong."""

    def full(*_: object) -> bool:
        raise StoreUnwritable("users.sqlite cannot be written: the disk is full.")

    monkeypatch.setattr(house.app.extensions["users"], "end_session", full)
    assert reviewer.post("/review/logout").status_code == 503
    assert reviewer.get("/review").status_code == 303


def test_removal_and_a_new_password_end_all_sessions_at_once(house, reviewer):
    users, line = open_users(house.harness.folder), LogLine(1, "", Deed.PASSWORD, "B. Ito")
    other = browser(house.app)
    assert other.sign_in().status_code == 303
    assert users.set_password("B. Ito", users.find("B. Ito").password, line)
    assert (reviewer.get("/review").status_code, other.get("/review").status_code) == (303, 303)
    assert other.sign_in().status_code == 303
    assert users.remove("B. Ito", line)
    assert users.add(User("B. Ito", Role.REVIEWER), "a hash", line)
    assert other.get("/review").status_code == 303
    users.close()


@each_row(
    "cookie",
    ["x", "a.b.c", "eyJ0b2tlbiI6IngifQ.aSbI5A.AAAAAAAAAAAAAAAAAAAAAAAAAAA", "." * 4000, "\x7f\x80", "é"],
)
def test_forged_cookies_sign_nobody_in(house, guest, cookie):
    stranger, headers = house.app.test_client(use_cookies=False), {"Cookie": f"__Secure-review={cookie}"}
    assert stranger.get("/review", headers=headers).status_code == 303
    assert "Your session is over." in stranger.get(LOGIN, headers=headers).text
    refused = stranger.get("/review/copies.json", headers=headers)
    assert (refused.status_code, "Your session is over." in refused.text) == (401, True)


@each_row("csrf", ["", "x", "a.b.c", "é"])
def test_a_form_without_our_token_changes_nothing(guest, csrf):
    guest.get(LOGIN)
    answer = guest.post(LOGIN, name="B. Ito", password=PASSWORD, csrf=csrf)
    assert answer.status_code == 400
    assert "not sent from this site" in seen(answer.text)
    assert guest.get("/review").status_code == 303


def test_a_token_of_another_session_is_refused(house, guest, reviewer_of_two):
    first, second = reviewer_of_two
    assert first.post("/review/logout", csrf=second.token).status_code == 400
    assert first.get("/review").status_code == 200


@pytest.fixture
def reviewer_of_two(house, guest):
    second = browser(house.app)
    for page in (guest, second):
        page.sign_in()
        page.get("/review")
    return guest, second


def test_a_form_that_another_site_has_sent_is_refused_although_it_has_a_token(reviewer):
    answer = reviewer.client.post(
        "/review/logout", data={"csrf_token": reviewer.token}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert answer.status_code == 400
    assert reviewer.get("/review").status_code == 200


@each_row("address",
    [
        "https://evil.example/", "//evil.example/review", "/\\evil.example", "/review\\@evil.example", "javascript:x",
        "/", "/items/x", "/reviewer", "/review/../items", "/review/login?next=/review/login",
        "/review?a=\r\nSet-Cookie:x", "http:/review", " /review", "/review/\u202e", "/review" + "x" * 3000,
        "/review/%2e%2E/items",
    ],
)  # fmt: skip
def test_signing_in_leads_to_our_own_pages_only(guest, address):
    there = browser(guest.app).sign_in(following=address).headers["Location"]
    assert there == "/review"


def test_a_form_of_a_megabyte_or_of_many_fields_is_refused_in_a_sentence(reviewer):
    for fields in ({"comment": "x" * 1_000_000}, {f"name {number}": "" for number in range(40_000)}):
        answer = reviewer.post("/review/decide", **fields)
        assert answer.status_code == 413
        assert "This form is too large." in seen(answer.text)
    assert reviewer.get("/review").status_code == 200


@pytest.mark.parametrize("name", ["B. Ito", "nobody"])
def test_the_sixth_wrong_password_must_wait_whether_there_is_such_a_name_or_not(house, guest, name):
    for number in range(5):
        assert browser(house.app, f"198.51.100.{number}").sign_in(name, "wrong").status_code == 403
    for password in ("wrong", PASSWORD):
        answer = guest.sign_in(name, password)
        assert (answer.status_code, answer.headers["Retry-After"]) == (429, "30")
        assert "Too many sign-ins have failed. Try again in 1 minute." in seen(answer.text)


def test_the_client_cannot_choose_the_network_that_is_counted(house, guest):
    for number in range(5):
        guest.client.environ_base["HTTP_X_FORWARDED_FOR"] = f"203.0.113.{number}"
        guest.sign_in(f"name {number}", "wrong")
    assert guest.sign_in().status_code == 429


def test_an_unknown_name_costs_the_same_work_as_a_wrong_password(house, guest, monkeypatch):
    checked: list[str] = []
    monkeypatch.setattr(routes, "is_password", lambda _password, stored: bool(checked.append(stored)))
    counts = []
    for name in ("B. Ito", "nobody"):
        before = len(_log(house))
        guest.sign_in(name, "wrong")
        counts.append((len(checked), len(_log(house)) - before))
    assert counts == [(1, 1), (2, 1)]
    assert checked[1] == users.NOBODY


def test_the_log_has_sign_ins_failures_and_ends_but_no_name_that_nobody_has(house, guest):
    guest.sign_in("my secret password", "x")
    guest.sign_in(password="wrong")
    guest.sign_in()
    guest.get("/review")
    guest.post("/review/logout")
    assert [(line.deed, line.by, line.about, line.network) for line in reversed(_log(house))] == [
        (Deed.ADDED, "", "B. Ito", ""),
        (Deed.REFUSED, "", "", "192.0.2.7"),
        (Deed.REFUSED, "", "B. Ito", "192.0.2.7"),
        (Deed.SIGNED_IN, "B. Ito", "", "192.0.2.7"),
        (Deed.SIGNED_OUT, "B. Ito", "", "192.0.2.7"),
    ]


def _log(house: House) -> tuple[LogLine, ...]:
    lines: tuple[LogLine, ...] = house.app.extensions["users"].log(10**9, 100)
    return lines


def _with_cookie(page: Browser, cookie: str) -> Browser:
    name, _, value = cookie.split(";", maxsplit=1)[0].partition("=")
    other = browser(page.app)
    other.client.set_cookie(name, value, path="/review")
    return other
