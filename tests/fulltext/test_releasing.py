"""What is decided and learned of files is published: in the DIDL, in the set, and out of them again when it is gone."""

import json
from base64 import b64decode
from hashlib import sha256

import pytest
from click.testing import CliRunner

from gateway.core.model import Outcome
from gateway.core.xmltext import DCTERMS, DIDL, DII
from gateway.fulltext.stored_files import Copies
from harvester.cli import main
from harvester.fulltext import check_copy
from harvester.fulltext.judge_again import judge_again
from harvester.fulltext.pdf.judge import Verdict
from harvester.fulltext.polite_fetch import only_stored
from tests.applications import application
from tests.fulltext.web import RecordedWeb, a_pdf, answer
from tests.sample.web import PAGE_BREAK

ITEM, DOI = "LR-15-00007", "10.5555/laro.2015.0007"
IDENTIFIER = f"oai:g.example.org:laro/oai:laro.example.org:{ITEM}"
COPY = "https://repository.example.net/7.pdf"
DAY = 86_400


def words_of(search) -> str:
    """Return the words of the work, as its file would have them."""
    return f"{title_of(search)} {_of_record(search, 'description')}"


def title_of(search) -> str:
    """Return the title of the work."""
    return _of_record(search, "title")


def _of_record(search, element: str) -> str:
    inner = search.didl(ITEM).iter(f"{{http://purl.org/dc/elements/1.1/}}{element}")
    return " ".join(statement.text or "" for statement in inner)


def pdf(search, *more: str) -> bytes:
    title, words = (
        text.encode("ascii", "ignore").decode().replace("(", "").replace(")", "")
        for text in (title_of(search), words_of(search))
    )
    return a_pdf(title, _of_record(search, "creator"), "Abstract", words, PAGE_BREAK, *[words] * 4, *more, "References")


def unpaywall(license_: str | None = "cc-by") -> dict:
    place = {
        "url_for_pdf": COPY, "license": license_, "version": "acceptedVersion", "host_type": "repository",
        "evidence": "a title",
    }  # fmt: skip
    known = {"doi": DOI, "is_oa": True, "year": 2015, "oa_locations": [place]}
    return {f"https://api.unpaywall.org/v2/{DOI}": answer(json.dumps(known))}


@pytest.fixture
def published_search(searching):
    """Return a search after the file of one work was found, accepted and published."""
    search = searching(discover_named_files=False)
    search.web.own = {**unpaywall(), COPY: answer(pdf(search), Last_Modified="Sat, 01 Feb 2020 00:00:00 GMT")}
    assert search.run(identifier=IDENTIFIER) == {ITEM: "success"}
    assert search.release() == 2
    return search


def component(search, url: str = COPY, item: str = ITEM):
    every = search.didl(item).iter(f"{{{DIDL}}}Component")
    return next(
        (element for element in every if url in [named.text for named in element.iter(f"{{{DII}}}Identifier")]), None
    )


def dcterms_text(search, name: str, **where: str) -> str | None:
    return component(search, **where).findtext(f".//{{{DCTERMS}}}{name}")


def stamps(search) -> tuple[int, ...]:
    """Return how often the log has each record; all of this may happen in one second. Both lists lead to files."""
    with search.store.view() as view:
        changed = [change.metadata_prefix for change in view.changes(0, 10_000) if change.identifier == IDENTIFIER]
    return changed.count("oai_dc"), changed.count("oai_didl")


def searched_again(search) -> str:
    search.now += 100 * DAY
    search.discovery.renew(search.now, (), search.now)
    return search.run(identifier=IDENTIFIER)[ITEM]


def decisions(search) -> list[tuple[str, str]]:
    return [(decision.verdict, decision.decided_by) for decision in search.discovery.decisions(IDENTIFIER)]


def explained(search, item: str = ITEM) -> str:
    line = ["--instance", str(search.settings.instance), "explain", IDENTIFIER.replace(ITEM, item)]
    return CliRunner().invoke(main, line).output


def test_an_accepted_file_is_published_with_all_that_is_known_of_it(published_search) -> None:
    provenance = dcterms_text(published_search, "provenance")
    assert provenance == "discovered: found by unpaywall (a title) at 2023-11-14T22:13:20Z; version: accepted"
    assert dcterms_text(published_search, "extent") == f"{len(published_search.web.own[COPY].body)} bytes"
    assert dcterms_text(published_search, "modified") == "2020-02-01T00:00:00Z"
    assert dcterms_text(published_search, "license") == "cc-by"
    (state,) = published_search.store.states("laro", [f"oai:laro.example.org:{ITEM}"]).values()
    assert "fulltext" in published_search.store.item_sets(state.number)


def test_a_file_that_is_there_as_it_was_changes_nothing_and_is_all_that_is_asked_for(published_search) -> None:
    before = stamps(published_search)
    published_search.discovery.decide(published_search.discovery.decisions(IDENTIFIER)[-1])
    assert published_search.release() == 0
    published_search.web.asked.clear()
    assert searched_again(published_search) == "success"
    assert [url for url in published_search.web.asked if "unpaywall" in url or url == COPY] == [COPY]
    assert published_search.release() == 0
    assert stamps(published_search) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "outcome", "verdict", "words"),
    [
        (answer(status=404), "not-found", "reject", "status 404"),
        (answer(status=410), "gone", "reject", "status 410"),
        (answer(b""), "empty-body", "reject", ""),
        (answer("<p>Moved"), "not-pdf", "review", ""),
        (answer(a_pdf(*["lorem ipsum dolor sit amet"] * 40)), "wrong-document", "review", ""),
        # A file that has got a password, or a firewall that takes us for somebody else: these were rejected.
        (answer(b"%PDF-1.4 and no more"), "broken-pdf", "review", "has other bytes now that cannot be read"),
        (answer(b"", status=403), "forbidden", "review", "is not shown to us any more: forbidden."),
    ],
)  # fmt: skip
def test_a_file_that_is_not_there_as_it_was_is_withdrawn_until_it_is_back(
    published_search, end, outcome: str, verdict: str, words: str
) -> None:
    there, before = published_search.web.own[COPY], stamps(published_search)
    published_search.web.own = {**unpaywall(), COPY: end}
    for stamped in (2, 0):
        assert searched_again(published_search) == outcome
        assert published_search.release() == stamped
    assert stamps(published_search) == (before[0] + 1, before[1] + 1)
    assert component(published_search) is None
    assert decisions(published_search) == [("accept", "rule"), (verdict, "rule")]
    assert words in explained(published_search)
    published_search.web.own = {**unpaywall(), COPY: there}
    assert searched_again(published_search) == "success"
    assert decisions(published_search)[-1] == ("accept", "rule")


def test_a_file_that_nobody_may_look_at_stays_and_one_whose_server_is_ill_until_it_is_given_up(
    published_search,
) -> None:
    there = published_search.web.own[COPY]
    published_search.web.own = {**unpaywall(), COPY: answer("<title>Just a moment...</title>", 403)}
    assert searched_again(published_search) == "blocked-captcha"
    assert published_search.release() == 0
    published_search.web.own = {**unpaywall(), COPY: answer(status=500)}
    for _ in range(5):
        assert searched_again(published_search) == "bad-status"
        assert published_search.release() == 0
    published_search.web.own = {**unpaywall(), COPY: there}
    assert searched_again(published_search) == "success"
    assert (published_search.release(), decisions(published_search)) == (0, [("accept", "rule")])
    published_search.web.own = {**unpaywall(), COPY: answer(status=500)}
    for _ in range(6):
        searched_again(published_search)
    assert published_search.release() == 2
    assert component(published_search) is None


def test_other_bytes_are_read_again_and_published_with_their_digest_though_no_step_names_them_any_more(
    published_search,
) -> None:
    published_search.web.own = {COPY: answer(pdf(published_search, "A second edition"))}
    assert searched_again(published_search) == "success"
    before = stamps(published_search)
    assert published_search.release() == 1
    assert stamps(published_search) == (before[0] + 1, before[1] + 1)
    assert dcterms_text(published_search, "extent") == f"{len(published_search.web.own[COPY].body)} bytes"
    words = explained(published_search)
    assert "recheck: success, 1 copy. The work was found." in words
    assert f"{COPY} (unpaywall:a title): success." in words


@pytest.fixture
def with_copies(searching):
    """Return a function that finds the file of one work under some settings, and publishes it."""

    def begun(license_: str | None = "cc-by", **settings):
        search = searching(discover_named_files=False, **settings)
        search.web.own = {**unpaywall(license_), COPY: answer(pdf(search))}
        search.run(identifier=IDENTIFIER)
        search.release()
        return search

    return begun


def held(search) -> list:
    return [path for path in (search.settings.instance / "files").rglob("*") if path.is_file()]


def resources(search) -> list[tuple[str | None, str | None]]:
    return [(element.get("ref"), element.text) for element in component(search).iter(f"{{{DIDL}}}Resource")]


def test_the_setting_puts_the_address_into_oai_dc_and_a_licence_with_its_version_has_its_address(with_copies) -> None:
    search = with_copies("cc-by-nc 4.0", oai_dc_names_files=True)
    with search.store.view() as view:
        assert f"{COPY}</identifier>".encode() in view.record(IDENTIFIER, "oai_dc").content
    assert dcterms_text(search, "license") == "https://creativecommons.org/licenses/by-nc/4.0/"
    assert searched_again(search) == "success"


def test_what_may_be_the_work_is_kept_by_its_digest_and_not_published(with_copies) -> None:
    search = with_copies()
    (file,) = held(search)
    body = search.web.own[COPY].body
    assert (file.name, file.parent.name, file.read_bytes()) == (sha256(body).hexdigest(), file.name[:2], body)
    assert resources(search) == [(COPY, None)]


@pytest.mark.slow
def test_a_copy_is_named_and_served_where_licence_and_setting_allow_until_it_is_withdrawn(with_copies) -> None:
    search = with_copies(files_serve=True, base_url="https://g.example.org/oai")
    (file,) = held(search)
    assert resources(search) == [(COPY, None), (f"https://g.example.org/files/{file.name}", None)]
    folder, content = search.settings.instance, file.read_bytes()
    assert served(folder, file.name) == (200, "application/pdf", content, "default-src 'none'; sandbox")
    with application(folder, files_serve=True) as app, app.test_client().get(f"/files/{file.name}") as response:
        assert response.headers["Content-Disposition"] == f"attachment; filename={file.name}.pdf"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
    for strange in ("0" * 64, "..%2Fsecret", file.name.upper()):
        assert served(folder, strange)[0] == 404
    assert served(folder, file.name, files_serve=False)[0] == 404
    file.unlink()
    assert served(folder, file.name)[0] == 404
    Copies(folder).keep(content)
    assert served(folder, file.name)[0] == 200
    search.discovery.decide(search.discovery.decisions(IDENTIFIER)[-1]._replace(verdict="reject", decided_by="anna"))
    search.release()
    assert served(folder, file.name)[0] == 404


def served(folder, name: str, *, files_serve: bool = True) -> tuple:
    """Return status, type, body and policy of what the gateway answers for a copy."""
    with application(folder, files_serve=files_serve) as app, app.test_client().get(f"/files/{name}") as response:
        return response.status_code, response.mimetype, response.data, response.headers.get("Content-Security-Policy")


def test_a_small_file_is_carried_itself_where_licence_and_setting_allow(with_copies, searching) -> None:
    search = with_copies(didl_by_value_max_bytes=100_000)
    (original, (reference, content)) = resources(search)
    assert (original, reference, b64decode(content)) == ((COPY, None), None, search.web.own[COPY].body)
    assert searched_again(search) == "success"
    assert search.release() == 0
    assert searching(discover_named_files=False).release() == 1  # other settings change what is published
    assert resources(search) == [(COPY, None)]


def test_what_is_not_openly_licensed_is_neither_carried_nor_served(with_copies) -> None:
    search = with_copies(None, files_serve=True, base_url="https://g.example.org/oai", didl_by_value_max_bytes=100_000)
    (last,) = search.discovery.decisions(IDENTIFIER)
    search.discovery.decide(last._replace(verdict="accept", decided_by="anna"))
    assert search.release() == 2
    assert resources(search) == [(COPY, None)]
    assert held(search)


def test_what_people_decide_is_published_at_once_and_taken_back_and_no_rule_changes_it(published_search) -> None:
    def harvester(*arguments: str):
        return CliRunner().invoke(main, ["--instance", str(published_search.settings.instance), *arguments])

    rejected = harvester("review", "reject", IDENTIFIER, "--reason", "It is the preprint.")
    assert rejected.stderr == f"{IDENTIFIER}: reject {COPY}; 2 records have a new datestamp.\n"
    assert component(published_search) is None
    assert harvester("review", "undo", IDENTIFIER).exit_code == 0
    assert component(published_search) is not None
    harvester("review", "reject", IDENTIFIER)
    before = decisions(published_search)
    searched_again(published_search)
    assert decisions(published_search) == before
    assert published_search.release() == 0


def test_what_a_person_accepted_stays_accepted_while_it_is_the_work(with_copies) -> None:
    search = with_copies(None)
    assert decisions(search) == [("review", "rule")]
    search.discovery.decide(search.discovery.decisions(IDENTIFIER)[-1]._replace(verdict="accept", decided_by="anna"))
    assert search.release() == 2
    search.web.own = {**unpaywall(None), COPY: answer(pdf(search, "A second edition"))}
    searched_again(search)
    assert decisions(search)[-1] == ("accept", "anna")
    assert search.release() == 1
    search.web.own = {**unpaywall(None), COPY: answer(a_pdf(*["lorem ipsum dolor sit amet"] * 40))}
    searched_again(search)
    assert decisions(search)[-1] == ("review", "rule")
    assert search.release() == 2


NAMED, FILE = "LR-14-00101", "https://laro.example.org/files/LR-14-00101.pdf"


def test_a_file_that_the_record_names_is_fetched_and_described(searching) -> None:
    search = searching(RecordedWeb({FILE: answer(b"%PDF-1.4 x")}, has_recordings=False))
    outcomes = search.run()
    assert outcomes[NAMED] == "already-held"
    assert search.release() == 1
    assert dcterms_text(search, "extent", url=FILE, item=NAMED) == "10 bytes"
    assert "; fetched at 2023-11-14T22:13:20Z" in dcterms_text(search, "provenance", url=FILE, item=NAMED)
    assert [url for url in search.web.asked if url == FILE] == [FILE]
    assert f"    {FILE} (record): success. It is there." in explained(search, NAMED)
    search.web.own = {}
    search.now += 100 * DAY
    search.discovery.renew(search.now, (), search.now)
    search.run()
    assert search.release() == 1
    assert dcterms_text(search, "extent", url=FILE, item=NAMED) == "10 bytes"
    assert dcterms_text(search, "provenance", url=FILE, item=NAMED).endswith("; missing: since 2027-04-25 (not-found)")


@pytest.mark.parametrize(
    ("has_copy", "by", "counted"), [(True, "rule", {"accept": 1}), (False, "rule", {"kept": 1}), (True, "anna", {})]
)
def test_a_file_that_waits_is_judged_again_once_from_what_is_stored(
    searching, monkeypatch, caplog, has_copy: bool, by: str, counted: dict
) -> None:
    """A decision of a person stays, and without our copy nothing can be decided."""
    search = searching(discover_named_files=False, files_keep=has_copy)
    search.web.own = {**unpaywall(), COPY: answer(pdf(search))}
    with monkeypatch.context() as patch:
        patch.setattr(check_copy, "JUDGE", 0)
        patch.setattr(check_copy, "judge", lambda *_: Verdict(Outcome.LOW_SCORE))
        assert search.run(identifier=IDENTIFIER) == {ITEM: "low-score"}
    if by != "rule":
        search.discovery.decide(search.discovery.decisions(IDENTIFIER)[-1]._replace(decided_by=by))
    asked, stored = list(search.web.asked), only_stored(search.web, search.discovery)
    for expected in (counted, {}):
        with caplog.at_level("INFO"):
            assert judge_again(search.work, stored, (), None, lambda: False) == expected
    is_accepted = "accept" in counted
    assert search.web.asked == asked
    assert decisions(search)[-1][0] == ("accept" if is_accepted else "review")
    assert search.release() == 2 * is_accepted
    assert ("1 of 1 files were judged again" in caplog.text) is bool(counted)
    assert search.discovery.search(IDENTIFIER).outcome == ("success" if is_accepted else "low-score")
