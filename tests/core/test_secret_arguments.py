"""Addresses with secrets in them are recognised, and those without are left alone."""

from gateway.core.secret_arguments import secret_argument, without_secrets
from tests.rows import each_row

HOST = "http://laro.example.org/oai"


@each_row(
    "query, name",
    [
        ("apikey=S", "apikey"), ("api_key=S", "api_key"), ("API-Key=S", "API-Key"),
        ("mode=oai&access_token=S", "access_token"), ("mode=oai;token=S", "token"), ("api%5Fkey=S", "api_key"),
        ("mySpecialToken=S", "mySpecialToken"), ("sig=S", "sig"), ("key=S", "key"),
        ("view=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "view"),
        ("t=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0", "t"),
    ],
)  # fmt: skip
def test_an_argument_that_looks_like_a_secret_is_named_and_blotted_out(query, name):
    url = f"{HOST}?{query}&x=1"
    assert secret_argument(url) == name
    first, _, _ = query.rpartition("=")
    assert without_secrets(f"{url} was asked") == f"{HOST}?{first}=...&x=1 was asked"


@each_row(
    "query",
    [
        "verb=ListRecords&resumptionToken=oai_dc/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "collection=550e8400-e29b-41d4-a716-446655440000",
        "keyword=library",
        "apikey=",
        "project=institutional-repository-of-the-university",
        "",
    ],
)
def test_an_ordinary_address_has_no_secret(query):
    url = f"{HOST}?{query}"
    assert (secret_argument(url), without_secrets(url)) == ("", url)


def test_a_path_is_not_an_argument():
    assert secret_argument(f"{HOST};key=1") == ""
