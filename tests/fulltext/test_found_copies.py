"""The list of copies has what searches and decisions say, in every order, page by page, also after an upgrade."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from gateway.core.model import ANY_VERDICT, VERDICTS, CopyFilter, CopyOrder, Decision, FoundCopy, ListedCopy
from gateway.fulltext.review import copies_in_force
from gateway.store.discovery import Discovery
from harvester.fulltext.list_copies import complete
from tests.fulltext.test_releasing import COPY, IDENTIFIER, pdf, unpaywall
from tests.fulltext.web import answer
from tests.opening import open_discovery
from tests.postgres import make_schemas
from tests.rows import each_row

OLD = "https://old.example.org/1.pdf"
KEYS = {
    CopyOrder.IDENTIFIER: lambda _: 0,
    CopyOrder.SCORE: lambda listed: -1 if listed.copy.score is None else listed.copy.score,
    CopyOrder.TITLE: lambda listed: listed.copy.title.encode(),
    CopyOrder.DECIDED_AT: lambda listed: listed.decision.at,
}
DESCENDING = (CopyOrder.SCORE, CopyOrder.DECIDED_AT)


@pytest.fixture
def discovery(tmp_path) -> Iterator[Discovery]:
    with closing(open_discovery(tmp_path)) as opened:
        yield opened


def ended(discovery: Discovery, identifier: str, *copies: FoundCopy, at: int = 5) -> None:
    discovery.enlist(identifier.partition(":")[0], [(identifier, identifier)], 1, 1)
    lease = discovery.lease(2, 60, (), identifier)
    assert lease is not None
    assert discovery.done(lease, "success", "{}", at, copies=copies)


def some(random_: random.Random, number: int) -> FoundCopy:
    return FoundCopy(
        f"{random_.choice('ab')}:{number // 2}", f"https://h{number % 7}.example.org/{number}", random_.choice("ab"),
        random_.choice(["", "A title", "a title", "Ärger", "Zebra", "'; drop table copy; --"]), "Rossi, A.; Doe, J.",
        random_.choice(["unpaywall", "core"]), f"h{number % 7}.example.org", random_.choice(["success", "low-score"]),
        random_.choice([None, 0.0, 0.25, 0.5, 1.0]), random_.choice(["", "article", "poster"]),
        random_.choice(["", "green", "blue"]), random_.choice(["", "CC-BY", "cc0"]), random_.choice(["", "accepted"]),
        number, f"{number:064}",
    )  # fmt: skip


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def filled(request, tmp_path_factory) -> Iterator[tuple[Discovery, list[ListedCopy]]]:
    """Fill a discovery with copies and decisions at random; return it, and what its lists must show, in no order."""
    url = request.getfixturevalue("postgres")(make_schemas) if request.param == "postgres" else ""
    with closing(open_discovery(tmp_path_factory.mktemp("filled"), url=url)) as opened:
        yield opened, _fill(opened)


def _fill(discovery: Discovery) -> list[ListedCopy]:
    random_ = random.Random(5)
    by_item: dict[str, list[FoundCopy]] = {}
    for number in range(90):
        copy = some(random_, number)
        by_item.setdefault(copy.identifier, []).append(copy)
    for identifier, copies in by_item.items():
        ended(discovery, identifier, *copies)
    listed = []
    for copy in [copy for copies in by_item.values() for copy in copies]:
        for at in range(random_.randrange(4)):  # some have none
            reason = random_.choice(["It has a Licence.", "An embargo."])
            verdict, by = random_.choice(VERDICTS), random_.choice(["rule", "Özge"])
            discovery.decide(Decision(copy.identifier, copy.url, copy.sha256, verdict, reason, by, at % 2))
        decisions = [one for one in discovery.decisions(copy.identifier) if one.url == copy.url]
        none = Decision(copy.identifier, copy.url, copy.sha256, "", "", "", 0)
        listed.append(ListedCopy(copy, decisions[-1] if decisions else none))
    return listed


def fits(listed: ListedCopy, wanted: CopyFilter) -> bool:
    """Say what the filter means, in other words than the program."""
    copy = listed.copy
    texts = [
        (wanted.license, copy.license or "unknown"), (wanted.version, copy.version or "unknown"),
        (wanted.kind, copy.kind or "unknown"), (wanted.host, copy.host), (wanted.step, copy.step),
        (wanted.outcome, copy.outcome), (wanted.colour, copy.colour or "unknown"),
        (wanted.decided_by, listed.decision.decided_by),
    ]  # fmt: skip
    return (
        wanted.source in ("", copy.source)
        and (not wanted.sources or copy.source in wanted.sources)
        and all(asked == "" or asked.lower() == text.lower() for asked, text in texts)
        and wanted.reason.lower() in listed.decision.reason.lower()
        and (wanted.least_score is None or (copy.score is not None and copy.score >= wanted.least_score))
        and (wanted.most_score is None or (copy.score is not None and copy.score <= wanted.most_score))
    )


@each_row("order", CopyOrder)
@each_row("wanted", [
    {}, {"source": "a"}, {"sources": ("a", "none")}, {"sources": ("none",)}, {"source": "a", "sources": ("b",)},
    {"host": "H3.example.org"}, {"step": "core"}, {"license": "cc-by"},
    {"license": "unknown", "version": "unknown", "kind": "unknown"}, {"reason": "LICENCE"}, {"least_score": 0.25},
    {"most_score": 0.25}, {"least_score": 0.25, "most_score": 0.5, "kind": "poster"}, {"source": "a' or '1'='1"},
    {"outcome": "low-score", "colour": "green"}, {"colour": "unknown"}, {"decided_by": "Özge"},
    {"decided_by": "rule", "host": "none.example.org"},
])  # fmt: skip
def test_every_page_of_every_order_has_what_the_filter_means_and_nothing_twice(
    filled: tuple[Discovery, list[ListedCopy]], order: CopyOrder, wanted: dict[str, Any]
) -> None:
    discovery, listed_copies = filled
    chosen = CopyFilter(**wanted)
    for verdict in ("", ANY_VERDICT, *VERDICTS):
        meant = [listed for listed in listed_copies if verdict in (ANY_VERDICT, listed.decision.verdict)]
        meant = [listed for listed in meant if fits(listed, chosen)]
        key = lambda listed: (KEYS[order](listed), listed.copy.identifier, listed.copy.url)  # noqa: E731 - as below
        meant.sort(key=key, reverse=order in DESCENDING)
        for limit in (7, 1_000):
            assert list(whole(discovery, verdict, chosen, order, limit)) == meant
            assert list(whole(discovery, verdict, chosen, order, limit, is_back=True)) == meant
        assert discovery.count_copies(verdict, chosen, 1_000) == len(meant)
        assert discovery.count_copies(verdict, chosen, 5) == min(len(meant), 6)


def whole(
    discovery: Discovery, verdict: str, wanted: CopyFilter, order: CopyOrder, limit: int, *, is_back: bool = False
) -> list[ListedCopy]:
    """Return all copies of a list, page after page, from its beginning or from its end."""
    copies: list[ListedCopy] = []
    after = None
    while page := discovery.listed_copies(verdict, wanted, order, after, limit, is_back=is_back):
        assert len(page) <= limit
        copies = [*page, *copies] if is_back else [*copies, *page]
        after = page[0 if is_back else -1]
    return copies


def test_a_new_search_replaces_the_copies_of_an_item_but_those_that_were_decided_on_stay(discovery: Discovery) -> None:
    old, decided, new = (FoundCopy("a:1", f"https://x/{name}", "a", title="Old") for name in ("1", "2", "3"))
    ended(discovery, "a:1", old, decided)
    discovery.decide(Decision("a:1", decided.url, "", "accept", "", "rule", 1))
    discovery.renew_outdated([("a:1", "other")], 3)
    ended(discovery, "a:1", new)
    discovery.decide(*(Decision("a:1", copy.url, "", "review", "", "rule", 2) for copy in (old, new)))
    assert {listed.copy.url: listed.copy.title for listed in copies_in_force(discovery, "review", CopyFilter())} == {
        old.url: "",  # it was forgotten, and is listed for its decision alone
        new.url: "Old",
    }
    assert [listed.copy for listed in copies_in_force(discovery, "accept", CopyFilter())] == [decided]


def _as_before(path) -> None:
    """Take from a database what this release added to it."""
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("drop trigger copy_decided")
        file.execute("drop table copy")
        file.execute("drop table copies_lack_after")
        file.execute("drop table reason")
        names = "'0013_copies', '0014_lists_of_copies', '0019_reasons', '0023_likeness'"
        file.execute(f"delete from _sqlite_migrations where name in ({names})")


@pytest.mark.slow
def test_the_list_of_an_upgraded_instance_is_that_of_a_new_one(searching, monkeypatch) -> None:
    search = searching(discover_named_files=False)
    search.web.own = {**unpaywall(None), COPY: answer(pdf(search))}
    search.run()
    search.discovery.decide(search.discovery.decisions(IDENTIFIER)[0]._replace(url=OLD))
    (first,) = copies_in_force(search.discovery, "review", CopyFilter(host="repository.example.net"))
    old = FoundCopy(IDENTIFIER, OLD, "laro", *first.copy[3:5], host="old.example.org", sha256=first.copy.sha256)
    search.discovery.list_copies([old], None)
    wanted = [listed for verdict in VERDICTS for listed in copies_in_force(search.discovery, verdict, CopyFilter())]
    assert {listed.copy.title for listed in wanted} != {""}
    folder = search.settings.instance
    search.discovery.close()
    _as_before(folder / "discovery.sqlite")
    monkeypatch.setattr("harvester.fulltext.list_copies._BATCH", 3)
    with closing(open_discovery(folder)) as discovery:
        batch = iter([discovery.searches("", 3)])
        with monkeypatch.context() as broken:
            broken.setattr(Discovery, "searches", lambda *_: next(batch))
            with pytest.raises(StopIteration):
                complete(search.store, discovery)
        assert discovery.copies_lack_after()
        assert complete(search.store, discovery) > 0
        assert complete(search.store, discovery) == 0
        assert [
            listed for verdict in VERDICTS for listed in copies_in_force(discovery, verdict, CopyFilter())
        ] == wanted
