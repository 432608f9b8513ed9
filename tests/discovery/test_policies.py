"""What publishers permit: both versions of SHERPA/RoMEO, every recorded answer, and the colours that they agree on."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from gateway.errors import AnswerError, NotXml, RemoteRefuses, TryLater
from harvester.wire import open_policy_finder, romeo
from harvester.wire.http import Fetched
from harvester.wire.policies import VERSIONS, Colour, Permission, Policy, colour_of
from tests.discovery.recorded import DATA, body, exchanges, fetched

needs_data = pytest.mark.needs("../shared")
HERE = ("institutional_repository",)


def answer(content: object, status: int = 200) -> Fetched:
    sent = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Fetched("https://api.example.org/", status, (), sent, 0)


def permission(*versions: str, **more) -> Permission:
    return Permission(versions, **{"locations": HERE, **more})


# --- colours ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("permissions", "colour"),
    [
        ((permission("submitted"), permission("accepted")), Colour.GREEN),
        ((permission("submitted", "published"),), Colour.GREEN),
        ((permission("accepted"),), Colour.BLUE),
        ((permission("published"),), Colour.BLUE),
        ((permission("submitted"),), Colour.YELLOW),
        ((permission("submitted"), permission("accepted", embargo_months=12)), Colour.YELLOW),
        ((permission("published", has_fee=True),), Colour.WHITE),
        ((permission("accepted", prerequisites=("when_required_by_funder",)),), Colour.WHITE),
        ((permission("published", locations=("this_journal",)),), Colour.WHITE),
        ((permission("accepted", embargo_months=None),), Colour.WHITE),
        ((), Colour.WHITE),
    ],
)
def test_a_colour_counts_what_is_free_for_everybody_and_at_once(permissions: tuple, colour: Colour) -> None:
    assert colour_of(permissions) is colour


def test_a_version_may_go_into_a_repository_soonest_first() -> None:
    embargoed, free = permission("accepted", embargo_months=12), permission("accepted", locations=())
    elsewhere, unclear = (
        permission("accepted", locations=("authors_homepage",)),
        permission("accepted", embargo_months=None),
    )
    policy = Policy(
        Colour.GREEN, permissions=(unclear, embargoed, elsewhere, free, permission("published", has_fee=True))
    )
    assert policy.for_version("accepted") == (free, embargoed, unclear)
    assert policy.for_version("published") == ()


# --- version 2 ----------------------------------------------------------------------------------------------------


@needs_data
@pytest.mark.parametrize(
    ("name", "colour", "title"),
    [
        ("DSpace__thelancet", Colour.GREEN, "The Lancet"),
        ("DSpace__plos", Colour.GREEN, "Public Library of Science"),
        ("DSpace__2731-0582", Colour.YELLOW, "Nature Synthesis"),
        ("freeyourscience__publishers", Colour.WHITE, ""),
    ],
)
def test_every_recorded_answer_of_version_2(name: str, colour: Colour, title: str) -> None:
    found = open_policy_finder.read(fetched(f"sherpa/v2/{name}.json"))
    assert found is not None
    assert (found.colour, found.title) == (colour, title)
    assert found.permissions


@needs_data
def test_a_colour_alone_misleads() -> None:
    """The Lancet is green: the accepted version may stand on websites at once, in a repository only after a year."""
    found = open_policy_finder.read(fetched("sherpa/v2/DSpace__thelancet.json"))
    assert found is not None
    assert found.issns == ("0140-6736", "1474-547X")
    assert found.publishers == ("Elsevier",)
    assert ("authors_homepage", "institutional_website") in [each.locations for each in found.permissions]
    assert [each.embargo_months for each in found.for_version("accepted")] == [12]
    assert found.for_version("published") == ()
    assert found.for_version("submitted") == ()


@needs_data
def test_what_version_2_does_not_know() -> None:
    assert open_policy_finder.read(fetched("sherpa/v2/DSpace__0000-0000.json")) is None
    assert open_policy_finder.read(answer({}, 404)) is None


@needs_data
def test_the_key_of_fees_may_be_missing() -> None:
    policy = json.loads(body("sherpa/v2/freeyourscience__policy_without_additional_oa_fee_key.json"))
    found = open_policy_finder.policy_of({"publisher_policy": [policy]})
    assert found.colour is Colour.GREEN
    assert [each.embargo_months for each in found.for_version("accepted")] == [12]


@pytest.mark.parametrize(
    ("embargo", "months"),
    [
        (None, 0),
        ({"amount": 0}, 0),
        ({"amount": 12, "units": "months"}, 12),
        ({"amount": 2, "units": "years"}, 24),
        ({"amount": 6, "units": "weeks"}, 2),
        ({"amount": 12, "units": "moons"}, None),
        ({"amount": "some", "units": "months"}, None),
        ({"amount": -6, "units": "months"}, None),
        ({"amount": 10**400, "units": "months"}, None),
        ({"units": "months"}, None),
    ],
)
def test_embargoes_are_months(embargo: object, months: int | None) -> None:
    node = {"article_version": ["accepted"]} | ({"embargo": embargo} if embargo else {})
    found = open_policy_finder.policy_of({"publisher_policy": [{"permitted_oa": [node]}]})
    assert found.permissions[0].embargo_months == months


def test_what_is_prohibited_is_white_and_what_is_not_told_is_gray() -> None:
    told = {"open_access_prohibited": "yes", "permitted_oa": [{"article_version": ["accepted"]}]}
    assert open_policy_finder.policy_of({"publisher_policy": [told]})[0] is Colour.WHITE
    assert open_policy_finder.policy_of({"publisher_policy": [told]}).permissions == ()
    assert open_policy_finder.policy_of({}).colour is Colour.GRAY


# --- version 2.9 --------------------------------------------------------------------------------------------------


def _recorded() -> list[Fetched]:
    dissemin = [fetched(each) for each in sorted((DATA / "sherpa" / "v29").glob("*.xml"))]
    bodies = (DATA / "sherpa" / "v29" / "http").glob("*.body.*")
    return dissemin + [fetched(each, status=int(each.name.split(".")[-3])) for each in sorted(bodies)]


@needs_data
def test_every_recorded_answer_of_version_29() -> None:
    outcomes: Counter[str] = Counter()
    for each in _recorded():
        try:
            found = romeo.read(each)
            outcomes[found.colour if found else "unknown"] += 1
        except TryLater:
            outcomes["later"] += 1
    assert outcomes == {"green": 17, "blue": 4, "yellow": 10, "white": 4, "gray": 2, "unknown": 9, "later": 1}


@needs_data
def test_the_recorded_headers_have_refusals_of_keys_too() -> None:
    """Their bodies are not kept; the status was 200."""
    assert {each.status for each in exchanges("sherpa/v29/http")} >= {200, 500}


@needs_data
def test_colours_derived_from_permissions_are_those_that_romeo_gave() -> None:
    stated = {}
    for each in _recorded():
        found = romeo.read(each) if each.status == 200 else None
        if found and found.colour is not Colour.GRAY and len(found.publishers) == 1:
            stated[found.publishers, found.title] = (found.colour, colour_of(found.permissions))
    assert len(stated) > 20
    assert {name: pair for name, pair in stated.items() if pair[0] is not pair[1]} == {}


@needs_data
@pytest.mark.parametrize(
    ("v2", "v29"),
    [
        ("DSpace__plos", "http/rromeo__www.sherpa.ac.uk_romeo_api29.php_jtitle_PLOS_20one_qtype_exact.200.body"),
        ("DSpace__thelancet", "dissemin__issn-0022-328X"),  # of the same publisher
    ],
)
def test_both_versions_give_the_same_colour(v2: str, v29: str) -> None:
    new, old = open_policy_finder.read(fetched(f"sherpa/v2/{v2}.json")), romeo.read(fetched(f"sherpa/v29/{v29}.xml"))
    assert new is not None
    assert old is not None
    assert new.colour is old.colour is Colour.GREEN


@needs_data
def test_a_policy_of_version_29() -> None:
    found = romeo.read(fetched("sherpa/v29/dissemin__issn-0003-1305.xml"))
    assert found is not None
    assert (found.title, found.issns, found.publishers) == (
        "American Statistician",
        ("0003-1305",),
        ("Taylor & Francis",),
    )
    assert [each.versions for each in found.permissions] == [("submitted",), ("accepted",)]
    assert "after 12 months embargo" in " ".join(found.conditions)
    assert found.address == "http://authorservices.taylorandfrancis.com/sharing-your-work/"


def romeo_answer(outcome: str, publishers: str = "", journals: str = "", message: str = "") -> Fetched:
    return answer(
        f'<!DOCTYPE romeoapi SYSTEM "a.dtd" [<!ENTITY a "b">]><romeoapi><header><outcome>{outcome}</outcome>'
        f"<message>{message}</message></header><journals>{journals}</journals><publishers>{publishers}</publishers></romeoapi>".encode()
    )


def publisher(colour: str, post: str = "can", restriction: str = "") -> str:
    told = f"<postrestriction>{restriction}</postrestriction>" if restriction else ""
    return (
        f"<publisher><name>{colour}</name><preprints><prearchiving>cannot</prearchiving></preprints><postprints>"
        f"<postarchiving>{post}</postarchiving><postrestrictions>{told}</postrestrictions></postprints>"
        f"<romeocolour>{colour}</romeocolour></publisher>"
    )


@pytest.mark.parametrize(
    ("restriction", "months"),
    [
        ("&lt;num&gt;2&lt;/num&gt; &lt;period units=&quot;year&quot;&gt;years&lt;/period&gt; embargo", 24),
        ("&lt;num&gt;10&lt;/num&gt; &lt;period units=&quot;day&quot;&gt;days&lt;/period&gt;", 1),
        ("Some titles may have different embargoes", None),
        (f"&lt;num&gt;{'9' * 5000}&lt;/num&gt; &lt;period units=&quot;day&quot;&gt;days&lt;/period&gt;", None),
    ],
)
def test_restrictions_tell_embargoes(restriction: str, months: int | None) -> None:
    found = romeo.read(romeo_answer("singleJournal", publisher("white", "restricted", restriction)))
    assert found is not None
    assert found.permissions[0].embargo_months == months


def test_of_several_publishers_the_worst_counts() -> None:
    found = romeo.read(
        romeo_answer("publisherFound", publisher("green") + publisher("white", "cannot") + publisher("puce"))
    )
    assert found is not None
    assert (found.colour, found.publishers, found.permissions[0].versions) == (
        Colour.GRAY,
        ("green", "white", "puce"),
        ("accepted",),
    )


def test_refusals_and_illness_of_version_29() -> None:
    with pytest.raises(RemoteRefuses, match="invalidapikey: No such key"):
        romeo.read(romeo_answer("invalidapikey", message="No such key"))
    with pytest.raises(RemoteRefuses, match="failed: without a reason"):
        romeo.read(romeo_answer("failed"))
    with pytest.raises(TryLater, match="answers 500"):
        romeo.read(answer(b"", 500))
    with pytest.raises(NotXml):
        romeo.read(answer(b"<html><p>"))
    with pytest.raises(AnswerError, match="without an outcome"):
        romeo.read(answer(b"<html/>"))
    assert romeo.read(romeo_answer("notFound")) is None


def test_the_three_versions_have_the_standards_names() -> None:
    assert VERSIONS == ("submitted", "accepted", "published")
