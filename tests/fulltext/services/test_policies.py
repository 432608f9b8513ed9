"""What publishers permit: every recorded answer of Open Policy Finder, and the colours that follow from them."""

import json

import pytest

from gateway.fulltext.policies import Colour, Permission, Policy, colour_of
from harvester.fulltext.steps import publisher_policy
from tests.fulltext.services.reading import sent, some
from tests.fulltext.web import body, fetched
from tests.rows import each_row

needs_data = pytest.mark.needs("../shared")
HERE = ("institutional_repository",)


def permission(*versions: str, **more) -> Permission:
    return Permission(versions, **{"locations": HERE, **more})


@each_row("permissions, colour", [
    ((permission("submitted"), permission("accepted")), Colour.GREEN),
    ((permission("submitted", "published"),), Colour.GREEN), ((permission("accepted"),), Colour.BLUE),
    ((permission("published"),), Colour.BLUE), ((permission("submitted"),), Colour.YELLOW),
    ((permission("submitted"), permission("accepted", embargo_months=12)), Colour.YELLOW),
    ((permission("published", has_fee=True),), Colour.WHITE),
    ((permission("accepted", prerequisites=("when_required_by_funder",)),), Colour.WHITE),
    ((permission("accepted", embargo_months=None),), Colour.WHITE),
    ((), Colour.WHITE),
])  # fmt: skip
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


@needs_data
@each_row("name, colour, title", [
    ("DSpace__thelancet", Colour.GREEN, "The Lancet"),
    ("DSpace__plos", Colour.GREEN, "Public Library of Science"),
    ("DSpace__2731-0582", Colour.YELLOW, "Nature Synthesis"), ("freeyourscience__publishers", Colour.WHITE, ""),
])  # fmt: skip
def test_every_recorded_answer_of_version_2(name: str, colour: Colour, title: str) -> None:
    policy = some(publisher_policy.read(fetched(f"sherpa/v2/{name}.json")))
    assert (policy.colour, policy.title) == (colour, title)
    assert policy.permissions


@needs_data
def test_what_version_2_does_not_know() -> None:
    assert publisher_policy.read(fetched("sherpa/v2/DSpace__0000-0000.json")) is None
    assert publisher_policy.read(sent({}, 404)) is None


@needs_data
def test_the_key_of_fees_may_be_missing() -> None:
    policy = json.loads(body("sherpa/v2/freeyourscience__policy_without_additional_oa_fee_key.json"))
    parsed_policy = publisher_policy.policy_of({"publisher_policy": [policy]})
    assert parsed_policy.colour is Colour.GREEN
    assert [terms.embargo_months for terms in parsed_policy.for_version("accepted")] == [12]


@each_row("embargo, months", [
    (None, 0), ({"amount": 0}, 0), ({"amount": 12, "units": "months"}, 12), ({"amount": 2, "units": "years"}, 24),
    ({"amount": 12, "units": "moons"}, None), ({"amount": 10**400, "units": "months"}, None),
    ({"units": "months"}, None),
])  # fmt: skip
def test_embargoes_are_months(embargo: object, months: int | None) -> None:
    node = {"article_version": ["accepted"]} | ({"embargo": embargo} if embargo else {})
    policy = publisher_policy.policy_of({"publisher_policy": [{"permitted_oa": [node]}]})
    assert policy.permissions[0].embargo_months == months


def test_what_is_prohibited_is_white_and_what_is_not_told_is_gray() -> None:
    document = {"open_access_prohibited": "yes", "permitted_oa": [{"article_version": ["accepted"]}]}
    assert publisher_policy.policy_of({"publisher_policy": [document]})[0] is Colour.WHITE
    assert publisher_policy.policy_of({"publisher_policy": [document]}).permissions == ()
    assert publisher_policy.policy_of({}).colour is Colour.GRAY
