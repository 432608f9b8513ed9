"""A file that is taken down leaves records, copies, `/files/`, searches and reviews, and is not found again."""

import json
from hashlib import sha256

import pytest
from click.testing import CliRunner, Result

from gateway.cli.main import main as gateway
from gateway.core.errors import TakedownsUnreadable
from gateway.core.model import Outcome, Selection
from gateway.core.takedown_file import TakedownFile
from gateway.core.xmltext import DIDL
from gateway.fulltext.stored_files import Copies
from harvester.cli import main
from harvester.fulltext.recheck.run import Order, Recheck
from tests.applications import application
from tests.fulltext.test_releasing import COPY, DOI, FILE, IDENTIFIER, ITEM, NAMED, pdf, unpaywall
from tests.fulltext.web import RecordedWeb, answer

pytestmark = pytest.mark.slow  # it searches, and reads PDFs

ELSEWHERE = "https://mirror.example.com/7.pdf"
OPTIONS = {"discover_named_files": False, "files_serve": True, "base_url": "https://g.example.org/oai"}


class Case:
    """A search that has found, published and kept the file of one work."""

    def __init__(self, search) -> None:
        self.search, self.folder = search, search.settings.instance
        self.body = search.web.own[COPY].body
        self.digest = sha256(self.body).hexdigest()

    def call(self, *arguments: str, command=main, status: int = 0, answers: str = "") -> Result:
        result = CliRunner().invoke(command, ["--instance", str(self.folder), *arguments], input=answers)
        assert result.exit_code == status, result.output
        return result

    def json(self, *arguments: str) -> dict:
        return json.loads(self.call(*arguments, "--json").stdout)

    def served(self) -> int:
        with (
            application(self.folder, files_serve=True) as app,
            app.test_client().get(f"/files/{self.digest}") as response,
        ):
            self.answer = response
            return response.status_code

    def kept(self) -> list[str]:
        return [path.name for path in (self.folder / "files").rglob("*") if path.is_file()]

    def shown(self) -> bytes:
        with self.search.store.view() as view:
            prefixes = [format_.metadata_prefix for format_ in view.formats()]
            return b"".join(b"".join(view.page(Selection(prefix), None, 5000).records) for prefix in prefixes)

    def again(self) -> RecordedWeb:
        """Search for everything once more, over the same web; return what was asked."""
        web = self.search.web
        web.asked.clear()
        self.search.now += 100 * 86_400
        self.search.discovery.renew(self.search.now, (), self.search.now)
        self.search.run()
        self.search.release()
        return web


@pytest.fixture
def case(searching) -> Case:
    search = searching(**OPTIONS)
    search.web.own = {**unpaywall(), COPY: answer(pdf(search), Last_Modified="Sat, 01 Feb 2020 00:00:00 GMT")}
    assert search.run(identifier=IDENTIFIER) == {ITEM: "success"}
    search.release()
    return Case(search)


TARGETS = {
    "url": "HTTPS://Repository.Example.net:443/%37.pdf#page=2",
    "prefix": "https://repository.example.net/*",
    "host": "repository.example.net",
    "hosts": "*.example.net",
    "sha256": "",
    "doi": f"https://dx.doi.org/{DOI.upper()}",
    "identifier": IDENTIFIER,
}


@pytest.mark.parametrize("kind", ["url", "hosts", "sha256", "doi", "identifier"])
def test_whatever_names_it_the_file_leaves_everything_and_is_not_found_again(case, kind: str) -> None:
    assert COPY.encode() in case.shown()
    assert (case.kept(), case.served()) == ([case.digest], 200)
    report = case.json("takedown", "add", TARGETS[kind] or case.digest, "--reason", "A letter")
    assert report["deleted_copies"] == 1
    for _ in range(2):
        assert COPY.encode() not in case.shown()
        assert case.digest.encode() not in case.shown()
        assert (case.kept(), case.served()) == ([], 451)
        asked = case.again().asked
    assert case.answer.text.startswith("This file was taken down")
    assert case.answer.headers["Link"] == '<http://127.0.0.1:8080/oai>; rel="blocked-by"'
    assert case.call("check", command=gateway).exit_code == 0
    if kind in ("url", "prefix", "host", "hosts"):
        assert COPY not in asked
        (candidate,) = json.loads(case.search.discovery.search(IDENTIFIER).search_json)["candidates"]
        assert candidate["outcome"] == Outcome.TAKEN_DOWN


def test_the_same_bytes_at_another_address_are_not_kept(case) -> None:
    case.call("takedown", "add", COPY)
    known = json.loads(case.search.web.own[f"https://api.unpaywall.org/v2/{DOI}"].body)
    known["oa_locations"][0]["url_for_pdf"] = ELSEWHERE
    case.search.web.own = {
        f"https://api.unpaywall.org/v2/{DOI}": answer(json.dumps(known)),
        ELSEWHERE: answer(case.body),
    }
    case.again()
    assert ELSEWHERE.encode() not in case.shown()
    assert case.kept() == []
    Copies(case.folder).keep(case.body)
    assert case.kept() == []


class Meanwhile(Case):
    """A search for one work that is under way, and in which no file was found yet."""

    def __init__(self, search) -> None:
        self.search, self.folder, self.body = search, search.settings.instance, pdf(search)
        self.digest = sha256(self.body).hexdigest()
        search.web.own = {**unpaywall(), COPY: answer(self.body)}

    def finish(self) -> dict[str, str]:
        outcomes = self.search.run(identifier=IDENTIFIER)
        self.search.release()
        return outcomes


@pytest.mark.parametrize("kind", ["prefix", "sha256", "doi", "waiting"])
def test_a_file_that_is_taken_down_while_it_is_requested_is_not_stored(searching, kind: str) -> None:
    """Who waits long for a host, or for an answer, stores nothing that was taken down meanwhile.

    The web asks again before it sends, however long the pause was.
    """
    case = Meanwhile(searching(**OPTIONS))

    def take_down(request) -> None:
        if request.url == COPY:
            case.call("takedown", "add", TARGETS.get(kind, COPY) or case.digest)
        if kind == "waiting":
            request.permits(request.url)

    case.search.web.before = take_down
    assert case.finish() != {}
    assert (COPY in case.search.web.asked) is (kind != "waiting")
    case.call("publish")
    assert (case.kept(), case.search.discovery.first_page(case.digest)) == ([], "")
    assert COPY.encode() not in case.shown()
    assert case.call("check", command=gateway).exit_code == 0


@pytest.mark.parametrize("kind", ["hosts", "doi", "sha256", "both"])
def test_the_bytes_of_an_earlier_version_of_a_file_leave_with_it(case, kind: str) -> None:
    """The notice is about the file at an address, or about the work: no version of it stays or comes back."""
    search, earlier = case.search, case.digest
    body = pdf(search, "A second version.")
    search.web.own = {**search.web.own, COPY: answer(body)}
    assert rechecked(search) == ["success"]
    search.release()
    later = sha256(body).hexdigest()
    assert set(case.kept()) == {earlier, later}
    if kind == "sha256":
        case.call("takedown", "add", later)
        assert case.kept() == [earlier]
    elif kind == "both":
        case.call("takedown", "add", later, earlier)
        assert case.kept() == []
    else:
        assert case.json("takedown", "add", TARGETS[kind])["deleted_copies"] == 2
        assert (case.kept(), search.store.takedowns().digests) == ([], {earlier, later})


def rechecked(search, *, is_dry: bool = False) -> list[str]:
    order = Order({"laro": 0}, identifier=IDENTIFIER, is_dry=is_dry)
    work = Recheck(search.store, search.discovery, search.web, search.settings, clock=lambda: search.now + 9.0)
    return [str(result.file.outcome) for result in work.run(order)]


def test_a_record_that_comes_later_does_not_name_an_address_where_such_bytes_were_seen(searching) -> None:
    """A SHA-256 names the file at any address at which somebody has seen it; a dry run has seen nothing."""
    case = Meanwhile(searching(**OPTIONS | {"discover_named_files": True}))
    search, item = case.search, IDENTIFIER.replace(ITEM, NAMED)
    search.web.own = {FILE: answer(case.body)}
    case.call("takedown", "add", case.digest)
    assert list(search.try_out(identifier=item)) == [NAMED]
    case.call("publish")
    assert FILE.encode() in case.shown()
    search.run(identifier=item)
    search.release()
    case.call("publish")
    assert FILE.encode() not in case.shown()
    assert case.call("check", command=gateway).exit_code == 0


@pytest.mark.parametrize("kind", ["host", "sha256", "identifier"])
def test_remove_says_what_comes_back_and_then_it_does(case, kind: str) -> None:
    target = TARGETS[kind] or case.digest
    case.call("takedown", "add", target)
    asked = case.call("takedown", "remove", target, answers="n\n", status=1)
    assert "Files that may be fetched again: 1" in asked.stderr
    assert case.served() == 451
    back = case.json("takedown", "remove", target, "--yes")
    assert back["returned_items"] == (1 if kind in ("doi", "identifier") else 0)
    assert case.served() == 404
    case.again()
    assert COPY.encode() in case.shown()
    assert case.served() == 200


def test_nobody_can_accept_it_and_explain_review_and_records_do_not_show_it(case) -> None:
    case.call("takedown", "add", COPY)
    assert "cannot be accepted" in case.call("review", "accept", IDENTIFIER, status=2).output
    assert COPY not in case.call("explain", IDENTIFIER).stdout
    assert COPY not in case.call("explain", IDENTIFIER, "--json").stdout
    assert case.call("review", "list", "--verdict", "accept").stdout == ""
    case.call("review", "reject", IDENTIFIER)
    case.call("takedown", "add", IDENTIFIER)
    assert "is taken down" in case.call("explain", IDENTIFIER, status=2).output
    shown = case.call("records", "laro")
    assert IDENTIFIER not in shown.stdout
    assert "are taken down" in shown.stderr


def test_with_a_damaged_list_nobody_is_asked_for_anything_no_file_is_served_and_no_copy_kept(case) -> None:
    (case.folder / "takedowns.json").write_text("{")
    case.search.web.asked.clear()
    with pytest.raises(TakedownsUnreadable):
        case.search.run()
    assert case.search.web.asked == []
    assert case.served() == 503
    assert "cannot be read" in case.call("check", command=gateway, status=1).output
    assert "cannot be read" in case.call("publish", status=1).output
    assert "cannot be read" in case.call("takedown", "add", COPY, status=1).output


def test_check_says_what_a_kill_has_left_and_publish_completes_it(case) -> None:
    file = TakedownFile(case.folder)
    case.call("takedown", "add", "https://nobody.example.com/")
    entry = file.read().entries[0]._replace(value="repository.example.net/7.pdf")
    file.change(lambda entries: (*entries, entry))
    assert "is not completed" in case.call("check", command=gateway, status=1).output
    case.call("publish")
    assert (COPY.encode() in case.shown(), case.kept()) == (False, [])
    case.call("check", command=gateway)
    file.change(lambda listed: [takedown._replace(removed_at="2026-11-22T12:00:00Z") for takedown in listed])
    assert "is not published" in case.call("check", command=gateway, status=1).output
    case.call("publish")
    case.call("check", command=gateway)


def test_a_file_carried_in_the_didl_itself_is_taken_down_with_its_bytes(searching) -> None:
    search = searching(**OPTIONS, didl_by_value_max_bytes=100_000, oai_dc_names_files=True)
    search.web.own = {**unpaywall(), COPY: answer(pdf(search))}
    search.run(identifier=IDENTIFIER)
    search.release()
    case = Case(search)
    assert [element.get("encoding") for element in search.didl(ITEM).iter(f"{{{DIDL}}}Resource") if element.text] == [
        "base64"
    ]
    assert case.shown().count(COPY.encode()) >= 3
    case.call("takedown", "add", case.digest)
    assert COPY.encode() not in case.shown()
    assert b"base64" not in case.shown()
    for path in case.folder.glob("store.sqlite*"):
        assert case.body not in path.read_bytes()


def test_a_file_is_withdrawn_if_its_server_has_bytes_now_that_are_taken_down(case) -> None:
    """A host that goes back to an earlier version does not make us name what is forbidden."""
    search, earlier = case.search, case.digest
    before, search.web.own = search.web.own, {**search.web.own, COPY: answer(pdf(search, "A second version."))}
    assert rechecked(search) == ["success"]
    search.release()
    case.call("takedown", "add", earlier)
    assert COPY.encode() in case.shown()
    search.web.own = before
    for is_dry in (True, False):
        assert rechecked(search, is_dry=is_dry) == ["taken-down"]
        case.call("publish")
        assert (COPY.encode() in case.shown()) is is_dry
    assert case.call("check", command=gateway).exit_code == 0
