# ruff: noqa: RUF001 - words of other languages, as covers print them
"""Who may have a file, and from which day on, in the words of records, services and cover pages."""

from gateway.core.model import Statement, Work
from harvester.fulltext.access_rights import (
    Access,
    access_of,
    day_of,
    future_day_in,
    is_shut_line,
    open_from_record,
    open_from_words,
)
from tests.rows import each_row


@each_row("texts, access", [
    (["info:eu-repo/semantics/openAccess"], Access.OPEN),
    (["info:eu-repo/semantics/embargoedAccess"], Access.EMBARGOED),
    (["http://purl.org/coar/access_right/c_f1cf"], Access.EMBARGOED),
    (["http://purl.org/coar/access_right/c_16ec", "Embargoed Access"], Access.RESTRICTED),
    (["http://purl.org/coar/access_right/c_14cb"], Access.CLOSED),
    (["http://purl.org/coar/access_right/c_0000", "CC BY"], None), ([], None),
])  # fmt: skip
def test_the_narrowest_access_counts(texts: list[str], access: Access | None) -> None:
    assert access_of(texts) is access


@each_row("text, first, last", [
    ("2027-01-31", "2027-01-31", "2027-01-31"), ("2027-01-31T00:00:00Z", "2027-01-31", "2027-01-31"),
    ("2027-02", "2027-02-01", "2027-02-28"), ("2028", "2028-01-01", "2028-12-31"),
    ("2027-01-31/2030-01-31", "2027-01-31", "2027-01-31"), ("2027-13", "", ""), ("2027-02-30", "", ""),
    ("9999-12-31", "", ""), ("in 2027", "", ""),
])  # fmt: skip
def test_a_date_means_its_first_day_or_its_last(text: str, first: str, last: str) -> None:
    assert (day_of(text), day_of(text, is_end=True)) == (first, last)


EMBARGOED = "info:eu-repo/semantics/embargoedAccess"


@each_row("statements, day", [
    ((("rights", EMBARGOED), ("date", "info:eu-repo/date/embargoEnd/2027-01-31"), ("date", "2026")), "2027-01-31"),
    ((("rights", EMBARGOED), ("date", "2026-05-01"), ("date", "2027-01-31")), "2027-01-31"),
    ((("rights", "Full text embargoed until 31 January 2027."),), "2027-01-31"), ((("rights", EMBARGOED),), ""),
    ((("rights", "CC BY"), ("date", "2027-01-31")), ""),
])  # fmt: skip
def test_a_record_says_itself_from_when_on_its_files_may_be_had(statements, day: str) -> None:
    assert open_from_record(Work(tuple(Statement(*statement) for statement in statements))) == day


@each_row("text, day", [
    ("This item is under embargo until 31 January 2027.", "2027-01-31"),
    ("Full text embargoed until\n 1st February 2027", "2027-02-01"), ("Embargo end date: 2027-01-31", "2027-01-31"),
    ("Embargo date: January 31, 2027", "2027-01-31"), ("Restricted until Feb. 2027", "2027-02-28"),
    ("Embargo: 31.01.2027", "2027-01-31"), ("Embargoed until 3/4/2027", "2027-04-03"),
    ("Embargoed until 13/4/2027", "2027-04-13"),
    ("The full text will be available from 31 January 2027", "2027-01-31"),
    ("Under embargo until 31 January 2027. The thesis is available from 1 March 2027.", "2027-03-01"),
    ("Access to this document is restricted until 31 December 2031.", "2031-12-31"),
    ("Available from: 1 January 2031", "2031-01-01"), ("Gesperrt bis 31.12.2031", "2031-12-31"),
    ("Sperrfrist: 31. Dezember 2031", "2031-12-31"), ("Accès restreint jusqu’au 31 décembre 2031", "2031-12-31"),
    ("Disponible à partir du 1er mai 2031", "2031-05-01"),
    ("Acceso embargado hasta el 31 de diciembre de 2031", "2031-12-31"),
    ("Acesso restrito até 31/12/2031", "2031-12-31"), ("Accesso riservato fino al 31 dicembre 2031", "2031-12-31"),
    ("Onder embargo tot 1 maart 2031", "2031-03-01"),
    ("Доступ к полному тексту ограничен до 31 декабря 2031 г.", "2031-12-31"),
    ("Dostęp zamknięty do 31 grudnia 2031", "2031-12-31"),
    ("Erişim kısıtlı: 31 Aralık 2031 tarihine kadar", "2031-12-31"), ("论文全文公开日期：2031年12月31日", "2031-12-31"),
    ("全文公開日 2031年12月", "2031-12-31"), ("محظور حتى 31/12/2031", "2031-12-31"),
    ("Gesperrt bis 2031", "2031-12-31"),
    ("This item will be released on 01/03/2031", "2031-03-01"),
    ("Files will be made public on 1 March, 2031", "2031-03-01"),
    ("This file is hidden until 1 March 2031", "2031-03-01"), ("Freigabedatum: 01.03.2031", "2031-03-01"),
    ("Under embargo until 31 February 2027", ""), ("Embargo policy of the publisher", ""),
    ("The embargo of oil was lifted in 1974, and its effects lasted for decades, until 31 January 2027", ""),
    ("x" * 4000 + " embargoed until 31 January 2027", ""),
])  # fmt: skip
def test_a_cover_page_says_until_when_its_file_is_withheld(text: str, day: str) -> None:
    assert open_from_words(text) == day


@each_row("text, day", [
    ("Julkinen 1.3.2031 alkaen", "2031-03-01"), ("Mise en ligne le 1 mars 2031, reçu le 3 mai 2019", "2031-03-01"),
    ("Received 3 May 2019, published 12 June 2019", ""), ("Annals of Wet Land, March 2026", ""),
    ("To be opened in March 2031", "2031-03-31"), ("Received 3 May 2019 in 2031 copies.", ""),
    ("Submitted 3 May 2019. Shown on September the 3rd, 2031 or 23 September, 2031.", "2031-09-23"),
    ("2031-02-31", ""), ("by the year 2031", ""), ("x" * 4000 + " 1 March 2031", ""),
])  # fmt: skip
def test_a_day_in_the_future_is_recognised_without_words(text: str, day: str) -> None:
    """No table has the words of all repositories for the end of an embargo."""
    assert future_day_in(text, "2026-01-15") == day


@each_row(
    "line",
    ["Acceso cerrado a la educación en Perú", "Restricted access", "Accès ouvert", "Un accès restreint aux soins"],
)
def test_a_line_that_says_more_is_a_title_or_a_sentence(line: str) -> None:
    assert not is_shut_line(line)
