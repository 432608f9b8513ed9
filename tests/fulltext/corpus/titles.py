"""Right files: titles as they are printed, and as records write them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from tests.fulltext.corpus.cases import Case, right
from tests.fulltext.corpus.papers import article, published
from tests.fulltext.corpus.scripts import right_one
from tests.fulltext.corpus.words import Subject

right_one("title_in_capitals", on=lambda s: article(s, s.title.upper()))  # the record has it in lower case


@right()
def title_divided_at_the_end_of_a_line(subject: Subject) -> Case:
    """A word of the title is divided by a hyphen."""
    words = subject.title.split()
    place = max(range(len(words)), key=lambda at: len(words[at]))
    words[place] = f"{words[place][:4]}-\n{words[place][4:]}"
    return Case(subject, article(subject, " ".join(words)).pdf(), pages=subject.pages)


@right()
def title_with_ligatures(subject: Subject) -> Case:
    """Letters are joined as in good books."""
    own = subject.titled(subject.one_of("Efficient flow of ", "The official affinity of ") + subject.title.lower())
    joined = own.title
    for plain, ligature in (("ffi", "ﬃ"), ("ffl", "ﬄ"), ("ff", "ﬀ"), ("fi", "ﬁ"), ("fl", "ﬂ")):
        joined = joined.replace(plain, ligature)
    return Case(own, article(own, joined).pdf(), pages=own.pages)


@right()
def title_with_entities_in_the_record(subject: Subject) -> Case:
    """The record was escaped twice."""
    own = subject.titled(f"{subject.title.partition(':')[0]} & Sons’ {subject.topic.things[1]} – an inventory")
    escaped = (
        own.title.replace("&", "&amp;").replace("’", "&#8217;").replace("–", subject.one_of("&ndash;", "&#x2013;"))
    )
    return Case(own, article(own).pdf(), title=escaped, pages=own.pages)


@right()
def title_with_formulas(subject: Subject) -> Case:
    """Greek letters and indices; the record has them in markup."""
    thing = subject.topic.things[3]
    printed = subject.one_of(
        f"α-decay and H₂O uptake of β₂ {thing} at ΔT ≤ 5 K", f"CO₂ and γ-ray response of {thing} with κ = 0.3"
    )
    markup = printed.replace("₂", "<sub>2</sub>")
    plain = printed.replace("₂", "2")
    own = subject.titled(printed)
    return Case(
        own, article(own, subject.one_of(printed, plain)).pdf(), title=subject.one_of(markup, plain), pages=own.pages
    )


_CYRILLIC = (
    ("Сезонные изменения стока малых рек горных районов", "реки сток горы сезон изменения снег вода уровень бассейн"),
    ("Развитие сельских школ в конце девятнадцатого века", "школы село учитель век развитие губерния книга ученик"),
    ("Устойчивость тонких пленок при низких температурах", "пленка температура слой образец прочность опыт газ"),
    ("Гнездование чаек на островах северного побережья", "чайка остров гнездо птенец побережье колония корм"),
)
_CHINESE = (
    ("高山冰川径流的季节变化研究", "冰川径流季节变化研究结果表明水文观测流域温度降水影响分析"),
    ("农村学校数学教学方法的比较", "学校教学数学方法学生教师比较调查结果课程影响分析"),
    ("薄膜材料的低温稳定性分析", "薄膜材料低温稳定性实验结果表面结构分析样品影响"),
    ("海岸鸟类巢址选择与捕食风险", "鸟类巢址选择捕食风险海岸种群调查结果影响分析"),
)


def _foreign(subject: Subject, title: str, words: str, *, is_spaceless: bool, english: str = "") -> bytes:
    random = subject.random("foreign")
    units = list(words) if is_spaceless else words.split()
    joint = "" if is_spaceless else " "
    paper = published(
        subject, header=lambda page: f"{subject.volume} ({subject.year})\nDOI: {subject.doi}" if page == 1 else ""
    )
    paper.is_spaceless = is_spaceless
    paper.put(title, 16, gap=14)
    paper.put(subject.byline, 10, gap=6)
    if english:
        paper.put(english, 12, gap=6)
    while len(paper.sheets) < subject.page_count:
        paper.put(joint.join(random.choice(units) for _ in range(80)) + subject.one_of(".", ". "), gap=4)
        if random.random() < 0.3:
            paper.put(title, gap=2)
    return paper.pdf()


def _in_a_script(texts: Sequence[tuple[str, str]], *, is_spaceless: bool) -> Callable[[Subject], Case]:
    def make(subject: Subject) -> Case:
        title, words = texts[subject.number % len(texts)]
        own = subject.titled(title)
        return Case(own, _foreign(own, title, words, is_spaceless=is_spaceless), pages=own.pages, abstract="none")

    return make


for _name, _texts, _is_spaceless in (
    ("article_in_cyrillic", _CYRILLIC, False),
    ("article_in_chinese", _CHINESE, True),
):
    right()(_in_a_script(_texts, is_spaceless=_is_spaceless), _name)


_GERMAN = (
    ("Über die Größe von Flüssen und Bächen im Frühjahr", "Flüsse Bäche Größe Frühjahr Abfluss Messung Höhe Gelände"),
    ("Schüler und Bücher: zur Häufigkeit des Übens", "Schüler Bücher Häufigkeit Üben Lehrkräfte Prüfung Gespräch"),
    ("Übergänge in dünnen Schichten bei mäßiger Kühlung", "Übergänge Schichten Kühlung Messung Wärme Stärke Körper"),
    ("Möwen, Krähen und Störche: Brutplätze an der Küste", "Möwen Krähen Störche Brutplätze Küste Zählung Höhe Jahr"),
)


@right()
def article_in_german_with_decomposed_umlauts(subject: Subject) -> Case:
    """The file has letters and dots as two characters, or the dots before the letter."""
    title, words = _GERMAN[subject.number % len(_GERMAN)]
    own = subject.titled(title)
    split = unicodedata.normalize("NFD", title)
    file = _foreign(own, split, unicodedata.normalize("NFD", words), is_spaceless=False)
    return Case(own, file, pages=own.pages, abstract="none")


@right()
def article_with_a_translated_title(subject: Subject) -> Case:
    """The record has the title in the language of the file, and a translation."""
    title, words = _GERMAN[(subject.number + 1) % len(_GERMAN)]
    own = subject.titled(title)
    file = _foreign(own, title, words, is_spaceless=False, english=subject.title)
    return Case(own, file, title=f"{title} = {subject.title}" if subject.number % 4 < 2 else subject.title, pages=own.pages,
                abstract="none")  # fmt: skip
