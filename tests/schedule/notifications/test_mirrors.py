"""A mirror that needs a person: the same notices, remembered in its own folder."""

import pytest

pytestmark = pytest.mark.slow  # it asks servers


@pytest.fixture
def settings(mails):
    return {"notify_smtp_url": f"smtp://127.0.0.1:{mails.port}", "notify_to": "me@x.org"}


def _subjects(mails):
    return [mail["Subject"].rpartition("/")[2] for mail in mails.mails]


def test_doubtful_files_are_told_once_and_the_end_of_it_too(mirror, provider, fill, mails, settings):
    fill(2, says=())
    provider.items["oai:p:0"].files["a.txt"] = b""
    for _ in range(2):
        mirror.run(status=3, **settings)
    assert _subjects(mails) == ["mirror: files are doubtful"]
    assert "harvester mirror accept" in mails.mails[0].get_content()
    provider.items["oai:p:0"].files["a.txt"] = b"now it is whole"
    mirror.run("--retry-failed", **settings)
    mirror.run(**settings)
    assert _subjects(mails) == ["mirror: files are doubtful", "mirror needs no action any more"]
