"""Text as words: folded, without syntax, and the same for an index and a query."""

from random import Random

from gateway.search.words import MOST_LETTERS, index_words, query_words
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
