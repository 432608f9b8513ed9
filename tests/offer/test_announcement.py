"""The announcement is a valid notification of COAR Notify 1.0.1, and says what is known of the file."""

import json

import pytest
from coarnotify.factory import COARNotifyFactory
from coarnotify.patterns import AnnounceServiceResult

from gateway.core.errors import ConfigurationError
from gateway.core.model import FileLink, Work
from harvester.offer.announcement import Receiver, Sender, announcement
from tests.rows import each_row

ITEM = "oai:g.example.org:laro/1"
LINK = FileLink(
    "https://a.example.org/1.pdf",
    "application/pdf",
    size=12,
    sha256="ab" * 32,
    license="https://creativecommons.org/licenses/by/4.0/",
    version="accepted",
    copy_url="https://g.example.org/files/abab",
)
WORK = Work(
    landing_page="https://laro.example.org/1",
    identifiers=("https://doi.org/10.5555/1",),
    upstream="oai:laro.example.org:1",
)
SENDER = Sender("https://g.example.org/oai", "https://g.example.org", "The gateway", "https://g.example.org/inbox")
RECEIVER = Receiver("https://laro.example.org/oai", "https://laro.example.org/inbox")


def jsonld(link: FileLink = LINK, work: Work = WORK, sender: Sender = SENDER, receiver: Receiver = RECEIVER) -> dict:
    return announcement(ITEM, link, work, sender, receiver).to_jsonld()


def test_it_says_who_offers_which_file_of_which_work_to_whom() -> None:
    assert jsonld() == {
        "@context": ["https://www.w3.org/ns/activitystreams", "https://coar-notify.net"],
        "id": jsonld()["id"],
        "type": "Announce",
        "actor": {"id": "https://g.example.org", "type": "Service", "name": "The gateway"},
        "origin": {"id": "https://g.example.org/oai", "type": "Service", "inbox": "https://g.example.org/inbox"},
        "target": {"id": "https://laro.example.org/oai", "type": "Service", "inbox": "https://laro.example.org/inbox"},
        "context": {
            "id": "https://laro.example.org/1",
            "type": ["Page", "sorg:AboutPage"],
            "ietf:cite-as": "https://doi.org/10.5555/1",
            "sorg:identifier": "oai:laro.example.org:1",
        },
        "object": {
            "id": "https://a.example.org/1.pdf",
            "type": ["Document", "sorg:MediaObject"],
            "mediaType": "application/pdf",
            "sorg:sha256": "ab" * 32,
            "sorg:contentSize": "12 B",
            "sorg:contentUrl": "https://g.example.org/files/abab",
            "sorg:license": "https://creativecommons.org/licenses/by/4.0/",
            "sorg:creativeWorkStatus": "http://purl.org/coar/version/c_ab4af688f83e57aa",
            "ietf:describedby": "https://g.example.org/oai?verb=GetRecord&metadataPrefix=oai_didl"
            "&identifier=oai%3Ag.example.org%3Alaro%2F1",
        },
    }


def test_the_library_reads_it_as_the_pattern_that_it_is() -> None:
    read = COARNotifyFactory.get_by_object(json.loads(json.dumps(jsonld())))
    assert isinstance(read, AnnounceServiceResult)
    assert read.validate()


def test_its_id_depends_on_the_item_and_the_bytes_only() -> None:
    one = jsonld()["id"]
    assert one.startswith("urn:uuid:")
    assert one[len("urn:uuid:") + 14] == "5", "a UUID made of a name"
    assert jsonld(LINK._replace(url="https://b.example.org/2.pdf", license=""))["id"] == one
    assert jsonld(LINK._replace(sha256="cd" * 32))["id"] != one


@each_row(
    "work, page",
    [
        (WORK._replace(landing_page=""), "https://doi.org/10.5555/1"),
        (WORK._replace(landing_page="http://laro/1"), "https://doi.org/10.5555/1"),
        (Work(upstream="https://laro.example.org/metadata/1"), "https://laro.example.org/metadata/1"),
        (
            Work(upstream="1"),
            "https://g.example.org/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai%3Ag.example.org%3Alaro%2F1",
        ),
    ],
)
def test_the_context_is_the_best_address_of_the_work(work: Work, page: str) -> None:
    assert jsonld(work=work)["context"]["id"] == page


def test_a_repository_without_an_address_announces_nothing() -> None:
    with pytest.raises(ConfigurationError, match="base_url"):
        jsonld(sender=SENDER._replace(base_url=""))
