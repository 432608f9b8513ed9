"""Right files: titles as they are printed, and as records write them."""

from __future__ import annotations

import unicodedata

from tests.fulltext.corpus.cases import Case, right
from tests.fulltext.corpus.papers import article, published
from tests.fulltext.corpus.scripts import right_one
from tests.fulltext.corpus.words import Subject

right_one("title_in_capitals", on=lambda s: article(s, s.title.upper()))  # the record has it in lower case


_CHINESE = (
    ("高山冰川径流的季节变化研究", "冰川径流季节变化研究结果表明水文观测流域温度降水影响分析"),
    ("农村学校数学教学方法的比较", "学校教学数学方法学生教师比较调查结果课程影响分析"),
    ("薄膜材料的低温稳定性分析", "薄膜材料低温稳定性实验结果表面结构分析样品影响"),
    ("海岸鸟类巢址选择与捕食风险", "鸟类巢址选择捕食风险海岸种群调查结果影响分析"),
)


def _foreign(subject: Subject, title: str, words: str, *, is_spaceless: bool) -> bytes:
    random = subject.random("foreign")
    units = list(words) if is_spaceless else words.split()
    joint = "" if is_spaceless else " "
    paper = published(
        subject, header=lambda page: f"{subject.volume} ({subject.year})\nDOI: {subject.doi}" if page == 1 else ""
    )
    paper.is_spaceless = is_spaceless
    paper.put(title, 16, gap=14)
    paper.put(subject.byline, 10, gap=6)
    while len(paper.sheets) < subject.page_count:
        paper.put(joint.join(random.choice(units) for _ in range(80)) + subject.one_of(".", ". "), gap=4)
        if random.random() < 0.3:
            paper.put(title, gap=2)
    return paper.pdf()


@right()
def article_in_chinese(subject: Subject) -> Case:
    """A script without spaces."""
    title, words = _CHINESE[subject.number % len(_CHINESE)]
    own = subject.titled(title)
    return Case(own, _foreign(own, title, words, is_spaceless=True), pages=own.pages, abstract="none")


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
