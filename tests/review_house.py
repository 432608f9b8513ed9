"""People who have signed in to the pages of the review, as browsers: what their pages are tested with."""

import re
import time
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from flask import Flask
from werkzeug.test import Client, TestResponse

from gateway.core.model import Deed, LogLine, Role, User
from gateway.store.opening import open_users

PASSWORD = "a password of this test"
HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)  # a quick one
ADDRESS = "192.0.2.7"


def add_user(folder: Path, name: str = "B. Ito", role: Role = Role.REVIEWER, *sources: str) -> User:
    """Add a user with the password of the tests to an instance, and return it."""
    user, users = User(name, role, sources), open_users(folder)
    try:
        assert users.add(user, HASH, LogLine(int(time.time()), "", Deed.ADDED, name))
    finally:
        users.close()
    return user


@dataclass
class Browser:
    """A browser with cookies. Forms are sent with the token of the last page that had a form."""

    app: Flask
    client: Client
    address: str = ADDRESS
    token: str = ""

    def get(self, path: str, **more: Any) -> TestResponse:
        return self._seen(self.client.get(path, environ_base={"REMOTE_ADDR": self.address}, **more))

    def post(self, path: str, *, csrf: str | None = None, **fields: Any) -> TestResponse:
        fields["csrf_token"] = self.token if csrf is None else csrf
        return self._seen(self.client.post(path, data=fields, environ_base={"REMOTE_ADDR": self.address}))

    def sign_in(self, name: str = "B. Ito", password: str = PASSWORD, following: str = "/review") -> TestResponse:
        self.get("/review/login")
        return self.post("/review/login", name=name, password=password, next=following)

    def _seen(self, answer: TestResponse) -> TestResponse:
        if match := re.search(r'name="csrf_token" value="([^"]+)"', answer.text):
            self.token = unescape(match[1])
        return answer


def browser(app: Flask, address: str = ADDRESS) -> Browser:
    """Return a browser in which nobody has signed in."""
    return Browser(app, app.test_client(), address)


def signed_in(app: Flask, folder: Path, name: str = "B. Ito", role: Role = Role.REVIEWER, *sources: str) -> Browser:
    """Add a user, sign in, and return the browser on the first page of the review."""
    add_user(folder, name, role, *sources)
    page = browser(app)
    assert page.sign_in(name).status_code == 303
    assert page.get("/review").status_code == 200
    return page
