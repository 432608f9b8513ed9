"""OAI-PMH 2.0 §3.5: lists in parts."""

import re
from collections.abc import Callable, Iterator

from gateway.core.model import SetDescription
from tests.rows import each_row

LIST = "verb=ListRecords&metadataPrefix=oai_dc"
TOKEN = re.compile(r"<resumptionToken([^>]*)>([^<]*)</resumptionToken>")


def token_of(answer: str) -> tuple[dict[str, str], str]:
    match = TOKEN.search(answer)
    assert match is not None
    return dict(re.findall(r'(\w+)="([^"]*)"', match[1])), match[2]


def walk(ask: Callable[..., str], query: str, **changes: object) -> Iterator[str]:
    """Return the answers of a list, first to last."""
    verb = query.split("&", maxsplit=1)[0]
    answer = ask(query, **changes)
    yield answer
    for _ in range(20):
        if not (token := token_of(answer)[1]):
            return
        answer = ask(f"{verb}&resumptionToken={token}", **changes)
        yield answer
    raise AssertionError("The list has no end.")


def items(answer: str) -> list[int]:
    return [int(number) for number in re.findall(r"laro/(\d+)</identifier>", answer)]


@each_row("size, parts", [(1, [1] * 7), (2, [2, 2, 2, 1]), (3, [3, 3, 1]), (6, [6, 1])])
@each_row("verb", ["ListRecords", "ListIdentifiers"])
def test_a_list_comes_whole_in_parts_with_true_cursor_and_size(ask, verb, size, parts):
    answers = list(walk(ask, f"verb={verb}&metadataPrefix=oai_dc", page_size=size))
    assert [len(items(answer)) for answer in answers] == parts
    assert [number for answer in answers for number in items(answer)] == list(range(1, 8))
    attributes = [token_of(answer)[0] for answer in answers]
    assert attributes == [{"completeListSize": "7", "cursor": str(sum(parts[:at]))} for at in range(len(parts))]


def test_a_list_keeps_its_set_and_its_dates(ask):
    query = f"{LIST}&set=fulltext&from=2023-11-14T21:57:00Z&until=2023-11-14T21:57:40Z"
    assert [items(answer) for answer in walk(ask, query, page_size=1)] == [[3], [5]]


def test_a_token_is_good_with_another_page_size(ask):
    """The setting may change between two parts."""
    _, token = token_of(ask(LIST, page_size=2))
    answer = ask(f"verb=ListRecords&resumptionToken={token}", page_size=10)
    assert items(answer) == [3, 4, 5, 6, 7]


def test_until_is_frozen_at_the_first_answer(ask, view):
    answer = ask(LIST, page_size=4)
    view.horizon += 100
    view.entries.append(view.entries[0]._replace(stamp=view.horizon, item=99))
    answer = ask(f"verb=ListRecords&resumptionToken={token_of(answer)[1]}", page_size=4)
    assert items(answer) == [5, 6, 7]
    assert "<responseDate>2023-11-14T22:15:00Z</responseDate>" in answer


def test_until_is_clamped_to_the_horizon(ask, view):
    view.entries.append(view.entries[0]._replace(stamp=view.horizon + 1, item=99))
    assert 99 not in items(ask(f"{LIST}&until=2099-01-01"))
    assert 99 not in items(ask(LIST))


def test_records_that_moved_on_while_the_list_ran_end_it(ask, view):
    """Every record of the last part has been changed since: the part is those records as they are now."""
    answer = ask(LIST, page_size=5)
    view.horizon += 100
    view.entries = [entry._replace(stamp=view.horizon) if entry.item > 5 else entry for entry in view.entries] + [
        view.entries[0]._replace(stamp=view.horizon, item=99)
    ]
    answer = ask(f"verb=ListRecords&resumptionToken={token_of(answer)[1]}", page_size=5)
    assert items(answer) == [6, 7]
    assert token_of(answer) == ({"completeListSize": "7", "cursor": "5"}, "")


def test_records_that_moved_beyond_what_was_asked_for_are_not_shown(ask, view):
    answer = ask(f"{LIST}&until=2023-11-14T22:00:00Z", page_size=5)
    view.horizon += 100
    view.entries = [entry._replace(stamp=view.horizon) if entry.item > 5 else entry for entry in view.entries]
    answer = ask(f"verb=ListRecords&resumptionToken={token_of(answer)[1]}", page_size=5)
    assert '<error code="noRecordsMatch">' in answer


def test_records_that_join_the_last_second_never_make_the_size_too_small(ask, view):
    answer = ask(LIST, page_size=6)
    view.entries += [view.entries[0]._replace(stamp=view.horizon, item=item) for item in range(90, 98)]
    answer = ask(f"verb=ListRecords&resumptionToken={token_of(answer)[1]}", page_size=6)
    assert token_of(answer)[0] == {"completeListSize": "13", "cursor": "6"}


def test_an_expiration_date_is_kept_to(ask, view):
    attributes, token = token_of(ask(LIST, page_size=2, token_life_seconds=60))
    assert attributes["expirationDate"] == "2023-11-14T22:14:20Z"
    view.horizon += 60
    assert items(ask(f"verb=ListRecords&resumptionToken={token}", page_size=2)) == [3, 4]
    view.horizon += 1
    assert '<error code="badResumptionToken">' in ask(f"verb=ListRecords&resumptionToken={token}")


@each_row("verb", ["ListIdentifiers", "ListSets"])
def test_a_token_works_with_its_own_verb_only(ask, verb):
    _, token = token_of(ask(LIST, page_size=2))
    answer = ask(f"verb={verb}&resumptionToken={token}")
    assert '<error code="badResumptionToken">' in answer
    assert f'<request verb="{verb}" resumptionToken="{token}">' in answer


def test_list_sets_comes_in_parts_too(ask, view):
    view.known_sets = [SetDescription(f"s{number:04}", "") for number in range(2500)]
    answers = list(walk(ask, "verb=ListSets"))
    assert [answer.count("<set>") for answer in answers] == [1000, 1000, 500]
    assert [token_of(answer)[0] for answer in answers] == [
        {"completeListSize": "2500", "cursor": cursor} for cursor in ("0", "1000", "2000")
    ]
    assert "<setSpec>s2499</setSpec>" in answers[2]


def test_a_list_in_one_answer_has_no_token(ask):
    assert "resumptionToken" not in ask(LIST, page_size=7)
    assert "resumptionToken" not in ask("verb=ListSets", sets_page_size=4)
    assert "resumptionToken" in ask("verb=ListSets", sets_page_size=3)
