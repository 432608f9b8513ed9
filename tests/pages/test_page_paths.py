"""Which paths are those of pages, over the whole application, and which addresses are those of this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from gateway.app import OTHERS, page_test
from gateway.core.addresses import is_loopback
from tests.applications import application
from tests.publish.harness import make_databases
from tests.rows import each_row

ROUTES_OF_PAGES = {"landing", "crawlers", "resolver", "search", "browse", "machines", "assets", "review"}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    make_databases(tmp_path)
    with application(
        tmp_path, files_serve=True, hub=True, resourcesync_files=True, secret="a secret of this test"
    ) as made:
        yield made


def test_each_blueprint_is_one_of_pages_or_none(app):
    assert set(app.blueprints) == ROUTES_OF_PAGES | OTHERS


@each_row(
    "path, expected",
    [
        ("/oai", False), ("/oai/", False), ("/oai/x", False), ("/healthz", False), ("/files/x/y", False),
        ("/oai:gateway.example.org:laro/1", True), ("/", True), ("", True), ("//oai", True), ("/OAI", True),
        ("/oaix", True), ("/items/oai", True), ("/sitemaps/1.xml", True), ("/robots.txt", True), ("/nothing", True),
        ("*", True), ("\x00\xff", True),
    ],
)  # fmt: skip
def test_first_segment_decides(app, path, expected):
    assert page_test(app)(path) == expected


@each_row(
    "url, expected",
    [
        ("http://127.0.0.1:8080", True), ("http://localhost", True), ("http://a.localhost/x", True),
        ("http://[::1]:80", True), ("http://127.0.0.1.evil.example", False), ("https://gateway.example.org", False),
        ("http://10.0.0.1", False), ("", False),
    ],
)  # fmt: skip
def test_only_addresses_of_this_machine_get_a_cookie_without_https(url, expected):
    assert is_loopback(url) == expected
