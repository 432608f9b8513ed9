"""sources.toml: what may stand in it, and what is told when something else does."""

import pytest

from gateway.core.errors import ConfigurationError
from harvester.harvest.sources_toml import (
    SourceEntry,
    SourcesFile,
    checked_auth,
    checked_name,
    checked_url,
)
from tests.rows import each_row


@pytest.fixture
def sources(tmp_path):
    return SourcesFile(tmp_path / "sources.toml")


def _written(sources, text):
    sources.file.write_text(text, encoding="utf-8")
    return sources


def test_what_is_added_is_read_again(sources):
    entry = SourceEntry(
        "laro",
        "https://example.org/oai",
        formats=("oai_dc", "mods"),
        sets=("a:b",),
        from_="2020-01-01",
        overlap_seconds=0,
        delay_seconds=1.5,
        rights="https://creativecommons.org/publicdomain/zero/1.0/",
        prefer=("mods",),
        auth={"kind": "basic", "user": "me", "password_env": "LARO_PASSWORD"},
        verify=False,
    )
    sources.add(entry)
    assert sources.entry("laro") == entry


def test_a_file_that_has_not_changed_is_not_read_again(sources, monkeypatch):
    texts = []
    read = SourcesFile._text
    monkeypatch.setattr(SourcesFile, "_text", lambda self: texts.append(read(self)) or texts[-1])
    monkeypatch.setattr("harvester.harvest.sources_toml._SETTLED_SECONDS", -3600)
    _written(sources, '[a]\nurl = "http://a/oai"\n')
    assert list(sources.entries()) == list(sources.entries()) == ["a"]
    assert len(texts) == 1
    _written(sources, '[a]\nurl = "http://a/oai"\n[b]\nurl = "http://b/oai"\n')
    assert list(sources.entries()) == ["a", "b"]
    monkeypatch.setattr("harvester.harvest.sources_toml._SETTLED_SECONDS", 3600)
    _written(sources, '[c]\nurl = "http://c/oai"\n')
    assert [list(sources.entries()) for _ in range(2)] == [["c"], ["c"]]
    assert len(texts) == 4


def test_comments_survive_an_addition_and_a_removal(sources):
    _written(sources, '# ours\n[laro]  # the archive\nurl = "http://h/oai"\n')
    sources.add(SourceEntry("other", "http://o/oai"))
    sources.remove("other")
    assert sources.file.read_text(encoding="utf-8") == '# ours\n[laro]  # the archive\nurl = "http://h/oai"\n'


def test_the_file_is_not_empty_without_its_last_source(sources):
    """An empty file of an instance that had sources is a damaged one for `check` and `backup`."""
    _written(sources, '[laro]\nurl = "http://h/oai"\n')
    sources.remove("laro")
    assert sources.file.stat().st_size > 0
    assert sources.entries() == {}


@each_row(
    "text, sentence",
    [
        ("[a]\n", "url is missing"),
        ('a = "http://h"\n', "must be a table"),
        ('["A b"]\nurl = "http://h"\n', "name is"),
        ('[a]\nurl = "http://h"\nformat = "x"\n', "no field 'format'"),
        ('[a]\nurl = "http://h"\nformats = "oai_dc"\n', "formats must be a list"),
        ('[a]\nurl = "http://h"\ndelay_seconds = -1\n', "delay_seconds must be a number"),
        ('[a]\nurl = "http://h"\ndelay_seconds = true\n', "delay_seconds must be a number"),
        ('[a]\nurl = "http://h"\nfrom = "2021-01-02"\nuntil = "2021-01-01"\n', "from is later than until"),
        ('[a]\nurl = "ftp://h"\n', "no address"),
        ('[a]\nurl = "http://h"\nauth = {kind = "magic"}\n', "kind of credentials"),
        ("[a\n", "cannot be read"),
        pytest.param("a = " + "[" * 3000 + "]" * 3000, "cannot be read", id="nested deeper than is read"),
        pytest.param(f"a = {'9' * 5000}", "cannot be read", id="a number that is too long"),
    ],
)
def test_a_mistake_is_told_with_the_file(sources, text, sentence):
    with pytest.raises(ConfigurationError, match=sentence) as caught:
        _written(sources, text).entries()
    assert "sources.toml" in str(caught.value)


@each_row("name", ["", "A", "a_b", "x" * 33, "a b", "a/b", "é"])
def test_names_are_narrow(name):
    with pytest.raises(ConfigurationError):
        checked_name(name)


@each_row(
    "given, kept",
    [
        ("http://h/oai", "http://h/oai"),
        (" https://h:8080/oai?verb=Identify ", "https://h:8080/oai"),
        ("http://h/csw?mode=oaipmh", "http://h/csw?mode=oaipmh"),
        ("http://h/csw?mode=oai%20pmh&verb=Identify", "http://h/csw?mode=oai+pmh"),
        ("http://h/oai#top", "http://h/oai"),
    ],
)
def test_an_address_loses_what_is_the_protocols(given, kept):
    assert checked_url(given) == kept


@each_row("url", ["", "h/oai", "file:///none/such", "http://", "http://h:port/", "http://h/a b"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(ConfigurationError):
        checked_url(url)


@each_row("url", ["https://me:geheim@h/oai", "https://me:geheim@h:port/oai", "ftp://geheim@h"])
def test_a_password_in_the_address_is_refused_and_not_repeated(url):
    with pytest.raises(ConfigurationError) as caught:
        checked_url(url)
    assert "geheim" not in str(caught.value)


@each_row(
    "auth",
    [
        {"kind": "basic", "user": "me"},
        {"kind": "basic", "user": "me", "password_env": "A", "password_file": "b"},
        {"kind": "basic", "user": "me", "password": "secret"},
        {"kind": "header", "value_env": "A"},
        {"kind": "certificate", "key": "k"},
    ],
)
def test_credentials_must_fit_their_kind(auth):
    with pytest.raises(ConfigurationError):
        checked_auth(auth)


@each_row(
    "lines, sentence",
    [
        ('every = "often"', "every must be a duration"),
        ('slice = "week"', "slice must be year, month or day"),
        ('kind = "resourcesync"\nslice = "month"', "resourcesync cannot be asked for dates"),
    ],
)
def test_what_a_source_cannot_be_asked_for_is_refused_at_the_door(sources, lines, sentence):
    with pytest.raises(ConfigurationError, match=sentence):
        _written(sources, f'[laro]\nurl = "http://h/oai"\n{lines}\n').entries()
