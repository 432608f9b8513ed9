"""A work without a DOI is found by its title, an author and its year, and never another work; a match may be lost."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from gateway.core.model import Match, Outcome, Statement, Trace, Work
from gateway.fulltext.search_result import Identity, SearchResult
from harvester.fulltext.known_copies import Description, Related
from harvester.fulltext.match_titles import similarity
from harvester.fulltext.match_work import match_work, sought
from harvester.fulltext.matched_dois import agrees, compared
from harvester.fulltext.pdf.person_names import names_of, share
from harvester.fulltext.steps import Known, known_of
from harvester.fulltext.steps.crossref_match import STEP as CROSSREF
from harvester.fulltext.steps.openalex_match import STEP as OPENALEX
from harvester.http.messages import Fetched, Request
from tests.fulltext.matchable import own_pairs, rates, recorded_pairs
from tests.fulltext.web import SETTINGS, answer
from tests.rows import each_row

TITLE = "Carrying capacity of alpine meadows under winter grazing"
OWN = Description("10.1234/own", TITLE, ("Müller", "Rossi"), "Journal of Meadows", year="2012", kind="journal-article")


def record(title: str = TITLE, *creators: str, date: str = "2012-05", **more: str) -> Work:
    names = creators or ("Müller, Karl", "Rossi, Anna")
    stated = [Statement("title", title), *(Statement("creator", name) for name in names), Statement("date", date)]
    return Work(tuple(stated + [Statement(element, text) for element, text in more.items()]))


def doi_of(work: Work, *described: Description, refused: tuple[str, ...] = ()) -> str:
    matched = match_work(sought(work), described, "crossref", refused)
    return matched.match.doi if matched else ""


@each_row("ours, theirs", [
    ("Müller, K.", "Mueller"), ("MULLER Karl", "Müller"), ("Иванов, Пётр", "Ivanov"), ("Shcherbakov, S.", "Щербаков"),
    ("Karl van der Berg", "Berg"), ("García Márquez, G.", "García"), ("Żółty, Ł.", "Zolty"),
    ("O'Neil, P.", "O\u2019Neil"), ("Smith J, Jones K", "Jones"), ("Anna Rossi and Karl Müller", "Müller"),
    ("Do, Van", "Do"), ("王伟", "王伟"), ("王伟", "王"), ("王, 伟", "王"), ("欧阳修", "欧阳"), ("김철수", "김"),
])  # fmt: skip
def test_a_name_is_the_same_in_every_spelling(ours: str, theirs: str) -> None:
    assert share(names_of([ours]), [theirs]) == theirs


@each_row("ours, theirs", [
    ("Li, Wei", "Wei"), ("Smith, J.", "J"), ("Smith", ""), ("", "Smith"), ("王伟", "伟"), ("王伟", "李"),
    ("伟, 王", "王"),
])  # fmt: skip
def test_a_given_name_or_an_initial_is_no_author_in_common(ours: str, theirs: str) -> None:
    assert not share(names_of([ours]), [theirs])


@each_row("ours, theirs", [
    ("Rossi, Anna", "Anna"), ("Rossi, Anna", "A."), ("Rossi, A.", "Anna Maria"), ("Anna Rossi", "A. M."),
    ("Rossi AM", "Maria"), ("Rossi, Maria", "A. Maria"), ("Rossi", "Anna"), ("Rossi, Anna", ""),
    ("Rossi, Alex", "Alexander"), ("Rossi, Katharina", "Catharina"), ("Rossi, Anna", "Anne"),
    ("Rossi, Yuri", "Iurii"), ("Rossi, L.", "Le Khanh"), ("Rossi, Анна", "Anna"),
])  # fmt: skip
def test_an_author_whose_given_names_agree_is_the_same(ours: str, theirs: str) -> None:
    assert share(names_of([ours]), ["Rossi"], given_names=[theirs]) == "Rossi"


@each_row("ours, theirs", [
    ("Rossi, Anna", "Bruno"), ("Rossi, A.", "Bruno"), ("Anna Rossi", "B. C."), ("Rossi, Anna", "Alberto"),
    ("Rossi AM", "Bruno"), ("Rossi, Пётр", "Иван"),
])  # fmt: skip
def test_an_author_of_the_same_family_with_another_given_name_is_another_one(ours: str, theirs: str) -> None:
    assert not share(names_of([ours]), ["Rossi"], given_names=[theirs])


def test_a_work_by_another_author_of_the_same_family_is_no_match() -> None:
    """Title, family name and year were enough, although both sides had the given name."""
    theirs = OWN._replace(authors=("Müller",), given_names=("Bruno",))
    assert doi_of(record(TITLE, "Müller, Karl"), theirs) == ""
    assert doi_of(record(TITLE, "Müller, B."), theirs) == OWN.doi
    assert doi_of(record(TITLE, "Müller"), theirs) == OWN.doi
    assert doi_of(record(TITLE, "Müller, Karl"), theirs._replace(given_names=())) == OWN.doi
    assert doi_of(record(TITLE, "Müller, Karl", "Rossi, A."), OWN._replace(given_names=("Bruno", "Anna"))) == OWN.doi


@each_row("ours, theirs, tier", [
    ("The \u03b1-decay of <i>heavy</i> nuclei &amp; others", "The alpha decay of heavy nuclei and others", 0),
    ("On the behaviour of tumours in old mice", "On the behavior of tumors in old mice", 1),
    ("Winter grazing of alpine meadows: a long view", "Winter grazing of alpine meadows", 2),
])  # fmt: skip
def test_titles_that_are_the_same(ours: str, theirs: str, tier: int) -> None:
    matched = match_work(sought(record(ours)), [OWN._replace(title=theirs)], "crossref")
    assert matched is not None
    assert similarity(matched.match.title, theirs)[0] == 0
    assert (matched.match.similarity == 1) is (tier == 0)


@each_row("ours, theirs", [
    ("Studies on the growth of meadows, part 1", "Studies on the growth of meadows, part 2"),
    ("Studies on the growth of meadows I", "Studies on the growth of meadows II"),
    ("Hormones in the blood of male sheep", "Hormones in the blood of female sheep"),
    ("Hypertension in young mountain farmers", "Hypotension in young mountain farmers"),
    ("A model of typical meadows in winter", "A model of atypical meadows in winter"),
    ("The decay of 137Cs in alpine meadows", "The decay of 134Cs in alpine meadows"),
    ("Nitrates in the soils of alpine meadows", "Nitrites in the soils of alpine meadows"),
    ("Chloride in the soils of alpine meadows", "Chlorite in the soils of alpine meadows"),
    ("Traces of propane in alpine meadows", "Traces of propene in alpine meadows"),
    ("Cellulase in the soils of alpine meadows", "Cellulose in the soils of alpine meadows"),
    ("Adsorption of water by alpine meadows", "Absorption of water by alpine meadows"),
    ("Метаболизм нитратов в почвах лугов", "Метаболизм нитритов в почвах лугов"),
    ("日本における男性の健康意識調査", "日本における女性の健康意識調査"),
    ("我国北方农村居民饮水状况调查", "我国南方农村居民饮水状况调查"), (TITLE, f"Erratum: {TITLE}"),
    (TITLE, f"{TITLE}: reply"), (TITLE, f"{TITLE}. Part II"), (TITLE, f"{TITLE}, 2013"),
    (TITLE, f"{TITLE} and of lowland fields in the summer"),
    ("Alpine meadows", "Alpine meadows: their carrying capacity in winter"), (TITLE, ""),
])  # fmt: skip
def test_titles_of_other_works(ours: str, theirs: str) -> None:
    assert not doi_of(record(ours), OWN._replace(title=theirs))
    assert not doi_of(record(theirs), OWN._replace(title=ours))


def test_translated_titles_and_statements_of_responsibility_are_known() -> None:
    assert doi_of(record("Winterweide"), OWN._replace(title="x", other_titles=("Winterweide",))) == ""
    german = "Die Tragfähigkeit alpiner Wiesen bei Winterweide"
    assert doi_of(record(german), OWN._replace(other_titles=(german,))) == OWN.doi
    assert doi_of(record(f"{TITLE} / by Karl Müller")) == ""
    assert doi_of(record(f"{TITLE} / by Karl Müller"), OWN) == OWN.doi


def test_title_author_and_year_are_a_match() -> None:
    matched = match_work(sought(record()), [OWN], "crossref")
    assert matched is not None
    assert matched.match == ("crossref", "10.1234/own", TITLE, 1.0, "Müller", "2012")
    assert doi_of(record(date="2011"), OWN) == doi_of(record(date="2013-01-01"), OWN) == OWN.doi


@each_row("other", [
    OWN._replace(authors=("Schmidt",)), OWN._replace(authors=()), OWN._replace(year="2014"), OWN._replace(year=""),
    OWN._replace(doi=""), OWN._replace(kind="component"), OWN._replace(kind="peer-review"),
    OWN._replace(kind="dataset"), OWN._replace(related=(Related("update-to:erratum", "doi", "10.1234/else"),)),
])  # fmt: skip
def test_what_lacks_one_of_them_or_is_no_work_is_none(other: Description) -> None:
    assert not doi_of(record(), other)


@each_row("title", ["Editorial", "Book Reviews", "INTRODUCTION.", "In memoriam"])
def test_a_title_of_many_works_never_matches(title: str) -> None:
    assert not doi_of(record(title, source="Journal of Meadows"), OWN._replace(title=title))


@each_row("nobody", ["Anonymous", "Unknown, Unknown", "n.n.", "[s.n.]", "AA.VV.", "et al."])
def test_a_name_of_nobody_is_no_author_in_common(nobody: str) -> None:
    assert doi_of(record(TITLE, nobody), OWN._replace(authors=(nobody, "Müller"))) == ""
    assert doi_of(record(TITLE, nobody, "Müller, Karl"), OWN) == OWN.doi
    assert doi_of(record(TITLE, "Nna, Paul"), OWN._replace(authors=("Nna",))) == OWN.doi


def test_a_short_title_needs_the_venue_all_authors_and_the_same_year() -> None:
    short = OWN._replace(title="Alpine meadows")
    assert not doi_of(record("Alpine meadows"), short)
    assert doi_of(record("Alpine meadows", source="Journal of Meadows 3 (2012)"), short) == OWN.doi
    assert not doi_of(record("Alpine meadows", "Rossi, A.", source="Journal of Meadows"), short)
    assert not doi_of(record("Alpine meadows", date="2011", source="Journal of Meadows"), short)
    issn = short._replace(container="", issns=("1234-5679",))
    assert doi_of(record("Alpine meadows", relation="ISSN 1234-5679"), issn) == OWN.doi


@each_row("ours, theirs, is_one", [
    ("Doctoral thesis", "dissertation", True), ("Doctoral thesis", "journal-article", False),
    ("article", "dissertation", False), ("book", "book-chapter", False), ("Book part", "book-chapter", True),
    ("report", "monograph", True), ("conferenceObject", "book-chapter", True), ("Text", "dissertation", True),
])  # fmt: skip
def test_a_thesis_or_a_book_is_no_article_of_the_same_name(ours: str, theirs: str, is_one: bool) -> None:
    assert bool(doi_of(record(type=ours), OWN._replace(kind=theirs))) is is_one


@each_row("type_", [
    "Conference Poster", "info:eu-repo/semantics/conferencePoster", "Presentation", "Dataset",
    "http://purl.org/dc/dcmitype/MovingImage", "http://purl.org/coar/resource_type/c_ddb1",
    "info:eu-repo/semantics/patent", "Software", "Erratum",
])  # fmt: skip
def test_a_poster_or_a_dataset_with_the_title_of_an_article_is_not_matched_with_it(type_: str) -> None:
    """They have the title, the authors and the year of the article, and got its DOI."""
    assert doi_of(record(type=type_), OWN) == ""
    assert not sought(record(type=type_)).is_enough


TWIN = OWN._replace(doi="10.1234/twin", container="Proceedings of Fields")
PREPRINT = OWN._replace(doi="10.1234/pre.v1", container="", kind="posted-content")


def test_of_two_that_fit_the_venue_the_kind_or_the_year_decides_or_none_is_taken() -> None:
    assert not doi_of(record(), OWN, TWIN)
    assert doi_of(record(source="Proceedings of Fields"), OWN, TWIN) == TWIN.doi
    assert doi_of(record(), OWN._replace(year="2013"), TWIN) == TWIN.doi
    thesis = record(type="article")
    assert doi_of(thesis, OWN, TWIN._replace(kind="proceedings-article")) == OWN.doi
    assert not doi_of(record(), OWN, refused=("10.1234/own",))  # by a person
    longer = OWN._replace(doi="10.1234/long", title=f"{TITLE}: a view from afar")
    assert doi_of(record(), longer, OWN) == OWN.doi


def test_the_article_goes_before_its_preprint_and_a_preprint_before_the_article_the_last_version_first() -> None:
    assert doi_of(record(), PREPRINT, OWN) == OWN.doi
    assert doi_of(record(type="info:eu-repo/semantics/preprint"), PREPRINT, OWN) == PREPRINT.doi
    second = PREPRINT._replace(doi="10.1234/pre.v2")
    assert doi_of(record(), second, PREPRINT) == second.doi
    versions = (Related("update-to:new_version", "doi", "10.1234/own.1"), Related("update-to:x", "doi", "10.1234/own"))
    assert doi_of(record(), OWN._replace(related=versions)) == OWN.doi  # it is no notice


ITEM = {
    "DOI": "10.1234/OWN", "type": "journal-article", "title": [TITLE], "author": [{"family": "Rossi"}],
    "issued": {"date-parts": [[2012, 3]]}, "ISSN": ["1234-5679"],
    "link": [{"URL": "https://journal.example.org/own.pdf", "content-type": "application/pdf"}],
}  # fmt: skip


def asking(*answers: Fetched):
    asked: list[Request] = []

    def fetch(request: Request) -> Fetched:
        asked.append(request)
        return answers[len(asked) - 1]

    return fetch, asked


def known(work: Work) -> Known:
    return known_of(work, SETTINGS)


def listed(**message) -> Fetched:
    return answer(json.dumps(message))


def test_crossref_is_asked_with_title_first_author_and_year() -> None:
    fetch, asked = asking(listed(message={"items": [ITEM]}))
    result = CROSSREF.find(known(record()), fetch)
    query = parse_qs(urlsplit(asked[0].url).query)
    assert query["query.bibliographic"] == [f"{TITLE} Müller, Karl 2012"]
    assert (query["rows"], query["mailto"]) == (["5"], [SETTINGS["email"]])
    assert {"DOI", "type", "relation", "updated-by"} <= set(query["select"][0].split(","))
    assert result.outcome is Outcome.SUCCESS
    agreed = f"its title '{TITLE}' agrees by 1.00, its author Rossi and its year 2012 too."
    assert result.note == f"crossref names the DOI 10.1234/own: {agreed}"
    after = known(record()).with_(result)
    assert (after.doi, after.own_identifiers.all("doi"), after.identifiers.value("issn")) == (
        "10.1234/own",
        (),
        "1234-5679",
    )
    assert not after.identifiers.entries[0].is_certain
    assert not OPENALEX.wants(after)


def test_most_works_are_found_among_noise_and_no_wrong_one() -> None:
    of = rates(own_pairs(60))
    assert of.right >= 0.6
    assert (of.wrong, of.wrong_without, of.mistakes) == (0, 0, ())


@pytest.mark.needs("../shared")
@pytest.mark.slow
def test_of_the_recorded_works_the_half_that_was_held_out_is_found() -> None:
    of = rates(recorded_pairs(), half=1)
    assert of.works > 100
    assert of.right >= 0.6
    assert (of.wrong, of.wrong_without) == (0, 0)


MATCH = Match("crossref", "10.1234/own", TITLE, 1.0, "Rossi", "2012")


def searched(outcome: Outcome | None = None, *, step: str = "crossref_match", **more) -> SearchResult:
    traces = (Trace(step, outcome),) if outcome else ()
    return SearchResult(Outcome.SUCCESS, traces, **more)


def test_a_match_agrees_while_title_author_and_year_do() -> None:
    assert agrees(MATCH, record())
    assert not agrees(MATCH, record("Another title of another work"))
    assert not agrees(MATCH, record(TITLE, "Schmidt, A."))
    assert not agrees(MATCH, record(date="1999"))
    assert not agrees(MATCH._replace(year="unknown"), record())
    assert not agrees(MATCH, record(type="Dataset"))


@each_row("outcome", [Outcome.NOT_FOUND, Outcome.SUCCESS, Outcome.NO_PDF_LINK])
def test_a_match_that_its_service_names_no_more_is_lost(outcome: Outcome) -> None:
    now = compared(searched(outcome), (MATCH,), record())
    assert (now.lost, now.matches) == ((MATCH,), ())


@each_row("work", [record("Another title of another work"), record(type="Conference Poster"), record(date="undated")])
def test_a_match_is_lost_when_the_record_does_not_agree_although_no_service_can_be_asked(work: Work) -> None:
    """A record without a year is not searched for by title; its match was valid for ever."""
    now = compared(searched(), (MATCH,), work)
    assert (now.lost, now.matches) == ((MATCH,), ())


def test_a_record_that_gets_a_doi_of_its_own_confirms_its_match_or_loses_it() -> None:
    own, another = Identity(("10.1234/own",)), Identity(("10.1234/another",))
    assert compared(searched(identity=own), (MATCH,), record()).lost == ()
    assert compared(searched(identity=another), (MATCH,), record()).lost == (MATCH,)
    assert compared(searched(identity=another), (MATCH._replace(service="arxiv"),), record()).lost == ()
