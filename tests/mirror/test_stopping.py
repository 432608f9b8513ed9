"""A mirror that is asked to stop, or whose provider is failing, says so and goes on the next time."""

import pytest


@pytest.mark.slow
def test_a_provider_that_is_ill_is_told_and_asked_again_the_next_time(mirror, provider, fill):
    fill(3)
    provider.page_size = 2
    whole = provider.answer
    provider.answer = lambda arguments: "<html>ill</html>" if "resumptionToken" in arguments else whole(arguments)
    receipt = mirror.run(status=3)
    assert (receipt["objects"], receipt["is_whole"]) == ({"created": 2}, False)
    assert "In doubt: The source announced 3 records and sent 2." in mirror.stderr
    provider.answer = whole
    assert mirror.run()["objects"]["created"] == 1
    assert mirror.held() == provider.expected()


def test_a_provider_that_does_not_answer_is_told_and_the_receipt_is_kept(mirror, provider, fill):
    provider.answer = lambda _: "<html>ill</html>"
    assert mirror.run(status=1)["outcome"] == "failed"
    assert "run the same command again" in mirror.stderr
    assert len(list((mirror.folder / "receipts").iterdir())) == 1
