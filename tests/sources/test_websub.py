"""What is said to hubs, and where answers say which hub tells of them."""

from harvester.http.messages import Fetched
from harvester.schedule.subscriptions import form, words_of
from harvester.sources import topic_and_hub

TOPIC = "http://example.com/dataset1/change/"


def answer(*links, body=b""):
    return Fetched("http://example.com/list.xml", 200, tuple(("Link", link) for link in links), body, 0)


def test_headers_name_topic_and_hub():
    """As in ResourceSync Change Notification, example 2."""
    header = f'<{TOPIC}> ; rel="self", <http://hub.example.org/websub/> ; rel="hub"'
    assert topic_and_hub(answer(header)) == (TOPIC, "http://hub.example.org/websub/")


def test_where_headers_are_silent_the_document_says_it():
    assert topic_and_hub(answer(), (("hub", "http://hub.example.org/"),)) == (
        "http://example.com/list.xml",
        "http://hub.example.org/",
    )
    both = answer("</hub>; rel=hub"), (("hub", "http://other/"), ("self", TOPIC))
    assert topic_and_hub(*both) == (TOPIC, "http://example.com/hub")
    assert topic_and_hub(answer())[1] == ""


def test_the_form_of_a_subscription_is_that_of_the_recommendation():
    form_body = form("subscribe", TOPIC, "https://g/websub/t", "s", 3600)
    assert form_body == (
        b"hub.mode=subscribe&hub.topic=http%3A%2F%2Fexample.com%2Fdataset1%2Fchange%2F"
        b"&hub.callback=https%3A%2F%2Fg%2Fwebsub%2Ft&hub.lease_seconds=3600&hub.secret=s"
    )
    assert b"secret" not in form("unsubscribe", TOPIC, "https://g/websub/t", "s", 3600)


def test_what_a_hub_says_is_one_line_and_has_an_end():
    assert words_of(answer(body=b"not\n known " + b"x" * 2000))[:13] == "not known xxx"
    assert len(words_of(answer(body=b"x" * 2000))) == 300
    assert words_of(answer(body=b"a\x1b[31mb\xc2\x9bc")) == "a [31mb c"
