"""The page of an item leads clients to the form that they accept, and says so if there is none (RFC 9110 §12.5.1)."""

from tests.rows import each_row

HTML = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


@each_row("accept, form",
    [
        ("", ""), ("*/*", ""), (HTML, ""), ("text/*", ""), ("text/html;charset=utf-8", ""), ("nonsense", ""),
        ("application/json, text/html", ""), ("text/html;q=0.9, application/json;q=0.1", ""),
        ("application/json", ".json"), ("application/ld+json", ".jsonld"), ("application/x-bibtex", ".bib"),
        ('application/ld+json;profile="https://schema.org/"', ".jsonld"), ("application/linkset", ".linkset"),
        ("application/linkset+json, */*;q=0.1", ".linkset.json"), ("application/x-research-info-systems", ".ris"),
        ("application/vnd.citationstyles.csl+json, text/html;q=0.5", ".csl.json"),
        ("text/html;q=0, */*", ".linkset.json"),
    ],
)  # fmt: skip
@each_row("method", ["GET", "HEAD"])
def test_a_client_is_led_to_the_form_that_it_prefers(house, accept, form, method):
    path = house.add("1")
    answer = house.app.test_client().open(path, method=method, headers={"Accept": accept} if accept else {})
    assert answer.headers["Vary"] == "Accept"
    if form:
        assert answer.status_code == 303
        assert answer.headers["Location"] == f"https://gateway.example.org{path}{form}"
        assert house.get(path + form, headers={"Accept": accept}).status_code == 200
    else:
        assert (answer.status_code, answer.mimetype) == (200, "text/html")


@each_row("accept", ["image/png", "application/vnd.example.impossible", "text/html;q=0", "x/y, z/*"])
def test_what_the_item_does_not_have_is_not_acceptable(house, accept):
    path = house.add("1")
    answer = house.get(path, headers={"Accept": accept})
    assert (answer.status_code, answer.headers["Vary"]) == (406, "Accept")
    assert f'href="https://gateway.example.org{path}.bib"' in answer.text
