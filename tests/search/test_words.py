"""Text as words: folded, without syntax, the same for an index and a query; an identifier in any spelling is one."""

from random import Random

from gateway.search.words import MOST_LETTERS, index_words, may_be_identifier, names_of, query_words
from tests.rows import each_row
from tests.seeds import SEED


@each_row(
    "text, words",
    [
        ("Coral-reef, 2nd ed.", ["coral", "reef", "2nd", "ed"]),
        ("Ökologie der Überfälle", ["okologie", "der", "uberfalle"]),
        ("Łódź Ørsted Straße", ["lodz", "orsted", "strasse"]),
        ("ﬁne ½ ①", ["fine", "1", "2", "1"]),
        ("İstanbul I\u011fd\u0131r", ["istanbul", "igdir"]),
        ("Ἑλλάς", ["ελλασ"]),
        ("snake_case a_b", ["snake", "case", "a", "b"]),
        ("日本語", ["日本", "本語", "語"]),
        ("ガラス", ["ガラ", "ラス", "ス"]),
        ("한국어 text", ["한국", "국어", "어", "text"]),
        ("mRNA治療2020", ["mrna", "治療", "療", "2020"]),
        ("\ud800 \x00 ***", []),
    ],
)
def test_words_are_folded(text, words):
    assert list(index_words(text)) == words


def test_long_word_counts_by_its_beginning():
    assert list(index_words("x" * 500)) == ["x" * MOST_LETTERS]
    assert [word.text for word in query_words("é" + "x" * 500)] == ["e" + "x" * (MOST_LETTERS - 1)]


def test_any_words_of_a_text_find_it():
    """The words of a query are among those of the text that it is cut from, in any script."""
    random = Random(SEED)
    letters = "abÄßłİ\u0131Σς語本日がカ゛한국ไทยहिन्दी𠀀ﬁ½'-_*\" ()\u0301\u200d"
    for _ in range(600):
        text = "".join(random.choices(letters, k=random.randint(1, 30)))
        begin = random.randrange(len(text))
        parts = text.split()
        part = random.choice(parts) if parts else text[begin:]
        words = set(index_words(text))
        for word in query_words(part):
            assert any(known.startswith(word.text) if word.is_beginning else known == word.text for known in words), (
                text,
                part,
                f"seed {SEED}",
            )


SAME = [
    ("10.1234/ABC.def", "doi:10.1234/abc.DEF", "https://doi.org/10.1234/abc.def", "http://dx.doi.org/10.1234/abc.def",
     "info:doi/10.1234/abc.def", "https://doi.org/10.1234%2Fabc.def", "(10.1234/abc.def).", "urn:doi:10.1234/abc.def"),
    ("arXiv:2101.00001", "2101.00001v2", "http://arxiv.org/abs/2101.00001", "https://arxiv.org/pdf/2101.00001v1.pdf",
     "oai:arXiv.org:2101.00001", "10.48550/arXiv.2101.00001"),
    ("hep-th/9901001", "arXiv:hep-th/9901001v3", "https://arxiv.org/abs/hep-th/9901001"),
    ("hdl:2027/ab.12", "2027/AB.12", "https://hdl.handle.net/2027/ab.12", "https://repo.example.org/handle/2027/ab.12"),
    ("https://orcid.org/0000-0002-1825-009X", "0000-0002-1825-009x", "orcid:0000-0002-1825-009X"),
    ("pmid:12345", "https://pubmed.ncbi.nlm.nih.gov/12345/", "PMID:12345", "info:pmid/12345"),
    ("978-3-16-148410-0", "ISBN 9783161484100", "urn:isbn:978-3-16-148410-0"),
    ("ISSN 2049-3630", "2049-3630", "urn:issn:2049-3630"),
    ("https://www.example.org/a/1/", "http://example.org/a/1"),
    ("oai:repo.example.org:7", "OAI:repo.example.org:7"),
]  # fmt: skip


@each_row("spellings", SAME)
def test_spellings_share_a_name(spellings):
    first = names_of(spellings[0])
    assert all(first & names_of(spelling) for spelling in spellings)


def test_different_identifiers_share_none():
    names = [names_of(spellings[0]) for spellings in SAME]
    assert sum(map(len, names)) == len(frozenset().union(*names))


@each_row("part, may_be", [("10.1/x", True), ("oai:x", True), ("reef", False), ("2020", False)])
def test_digit_and_a_sign_may_be_an_identifier(part, may_be):
    assert may_be_identifier(part) is may_be
