"""A source that fails again and again, or a mirror that needs a person: one notice, and one when it is well."""

import pytest

pytestmark = pytest.mark.slow  # it asks servers


@pytest.fixture
def configured(instance, mails):
    with (instance / "config.toml").open("a") as file:
        file.write(f'notify_smtp_url = "smtp://127.0.0.1:{mails.port}"\nnotify_to = "me@x.org"\n')


@pytest.mark.usefixtures("configured")
def test_after_some_failures_in_a_row_somebody_is_told_once_and_again_when_it_is_well(command, repository, mails):
    repository.fill(5)
    command("source", "add", "fake", repository.url)
    repository.statuses["Identify"] = (403, b"no", {})
    for _ in range(2):
        command("run", "fake")
    assert mails.mails == []
    for _ in range(3):
        command("run", "fake")
    (mail,) = mails.mails
    assert mail["Subject"].endswith("fake: runs fail")
    assert "403" in mail.get_content()
    repository.statuses.clear()
    for _ in range(2):
        command("run", "fake")
    assert [sent_mail["Subject"].partition("] ")[2] for sent_mail in mails.mails] == [
        "fake: runs fail",
        "fake needs no action any more",
    ]


@pytest.mark.usefixtures("configured")
def test_what_is_due_is_sent_before_tend_ends(command, repository, mails, instance):
    repository.fill(5)
    with (instance / "config.toml").open("a") as file:
        file.write("notify_after_failures = 1\n")
    command("source", "add", "fake", repository.url, "--every", "1d")
    repository.statuses["Identify"] = (403, b"no", {})
    assert command("tend")[0] != 0
    (mail,) = mails.mails
    assert mail["Subject"].endswith("fake: runs fail")


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
