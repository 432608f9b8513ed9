"""Made-up works: topics, people, journals, titles and sentences. Every number gives another work, always the same.

Even numbers are those that rules are developed on. Odd ones are held back: their topics, people and turns of phrase are
others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import NamedTuple, TypeVar

_T = TypeVar("_T")


class Topic(NamedTuple):
    """The words of a field of study."""

    adjectives: tuple[str, ...]
    nouns: tuple[str, ...]
    things: tuple[str, ...]  # in the plural
    journals: tuple[str, ...]


def _topic(adjectives: str, nouns: str, things: str, *journals: str) -> Topic:
    return Topic(tuple(adjectives.split()), tuple(nouns.split()), tuple(things.split()), journals)


TOPICS = (
    _topic(
        "alpine seasonal glacial subsurface regional dissolved perennial hydraulic montane sandy",
        "runoff snowmelt groundwater turbidity recharge sediment discharge permafrost erosion salinity infiltration",
        "catchments aquifers moraines streams wetlands gauges tracers floodplains springs reservoirs",
        "Annals of Mountain Hydrology", "Water and Slope",
    ),
    _topic(
        "multilingual neural syntactic annotated sparse lexical probabilistic dependency bilingual contextual",
        "parsing tagging alignment morphology translation segmentation coreference extraction transcription grammar",
        "corpora embeddings treebanks tokens ontologies dialogues classifiers lexicons transducers speakers",
        "Journal of Applied Parsing", "Computing and Language Letters",
    ),
    _topic(
        "chronic postoperative paediatric nosocomial geriatric bacterial intensive respiratory acute clinical",
        "sepsis ventilation mortality anaesthesia immunity rehabilitation diagnosis dosage adherence hospitalisation",
        "patients wards surgeons antibiotics nurses biomarkers infections comorbidities catheters outcomes",
        "Northern Journal of Ward Medicine", "Acta Clinica Minor",
    ),
    _topic(
        "medieval parish dynastic rural mercantile ecclesiastical municipal artisanal feudal vernacular",
        "kinship taxation literacy inheritance pilgrimage patronage migration governance devotion brewing",
        "guilds charters convents merchants manuscripts tenants chronicles bishops villages registers",
        "Review of Urban History", "Studies in Old Archives",
    ),
    _topic(
        "coherent superconducting optical dissipative nonlinear thermal magnetic topological polarised resonant",
        "entanglement decoherence fluorescence scattering tunnelling emission damping absorption transport squeezing",
        "cavities qubits photons phonons waveguides lattices resonators excitons impurities interfaces",
        "Letters on Quantum Devices", "Physica Practica",
    ),
    _topic(
        "migratory nocturnal coastal invasive benthic juvenile insular endemic pelagic territorial",
        "foraging predation dispersal nesting plumage biodiversity fecundity moulting parasitism herbivory",
        "terns crustaceans seagrasses colonies rodents larvae pollinators estuaries gulls populations",
        "Shore and Field Ecology", "Journal of Island Biology",
    ),
    _topic(
        "participatory vocational inclusive bilingual formative digital collaborative secondary mathematical remote",
        "pedagogy assessment motivation curriculum attendance mentoring feedback numeracy tutoring attainment",
        "teachers pupils classrooms apprentices textbooks tutors households universities exercises examinations",
        "Education in Practice", "Teaching Research Quarterly",
    ),
    _topic(
        "polymeric catalytic porous crystalline ionic amorphous aqueous composite anodic ceramic",
        "adsorption corrosion oxidation synthesis hydrolysis sintering conductivity degradation polymerisation porosity",
        "membranes catalysts electrodes zeolites nanoparticles coatings alloys electrolytes hydrogels pigments",
        "Materials and Membranes", "Open Chemistry of Surfaces",
    ),
)  # fmt: skip

_GIVEN = ("Anna", "Tomas", "Ingrid", "Pavel", "Leila", "Joris", "Maren", "Diego", "Sanna", "Emeka", "Noor", "Kaito",
          "Chiara", "Lukas", "Priya", "Oskar")  # fmt: skip
_FAMILY = ("Vellinga", "Brandtner", "Okwuosa", "Marchetti", "Lindqvist", "Haraldsen", "Petrovic", "Sørbye", "Yamaoka",
           "Delacroix", "Nwachuku", "Ferreira", "Szabados", "Kowalczyk", "Achterberg", "Moravec", "Tiilikainen",
           "Castellano", "Rasmusson", "Bielefeldt", "Ghorbani", "Ostrander", "Quintana", "Fairweather")  # fmt: skip
_PLACES = ("Utrecht", "Tromsø", "Brno", "Salamanca", "Leuven", "Tampere", "Coimbra", "Graz")
_PUBLISHERS = ("Meridian Press", "Fjord Academic", "Linden & Sons", "University of Harlow Press")

_TITLES = (
    "{A} {n} and {n2} in {a2} {t}: evidence from {p}",
    "Effects of {a} {n} on the {n2} of {t}",
    "Towards {a} {n} for {a2} {t}",
    "{N} of {a} {t} during {n2}: a comparison of {a2} methods",
    "How {a} {t} change {a2} {n}",
    "The role of {n} in the {n2} of {a} {t}",
    "Modelling {n} and {n2} with {a} {t}",
    "A survey of {a} {t} and their {n}",
)
_SENTENCES = (
    "We measured the {n} of {a} {t} in three seasons, and repeated the measurement where the {n2} was low.",
    "In {p}, {a} {t} showed less {n} than expected.",
    "The {n} was compared between {a} and {a2} {t}, and differences of more than {d} percent were kept.",
    "Earlier work describes {n2} as a consequence of {a} {n}, although the samples were small.",
    "Table {s} lists the mean values for all {t}.",
    "A linear model with {n} as the response explained {d} percent of the variance.",
    "These results suggest that {a} {t} depend on {n2} more strongly than on {n}.",
    "Our approach differs from others in that the {n} of each group is estimated before the {n2}.",
    "No significant effect of {n} on the {a2} {t} was found (p = 0.{d}).",
    "As Figure {s} shows, the {n} increases with the number of {t}.",
    "The limits of this study are the short period and the {a} selection of {t}.",
    "It remains open whether {n2} has the same cause in {a2} {t}.",
    "Two of the authors coded the {t} independently; agreement was {d} percent.",
    "Following the usual procedure, {t} were grouped by {n} and then by {n2}.",
    "Further research should examine {a} {n} over longer periods.",
    "We thank the staff of the station at {p} for their help with the {t}.",
)
_SECTIONS = ("Introduction", "Methods", "Materials", "Results", "Discussion", "Conclusions")


class Person(NamedTuple):
    """An author."""

    given: str
    family: str

    @property
    def full(self) -> str:
        """The name as it stands below a title."""
        return f"{self.given} {self.family}"

    @property
    def inverted(self) -> str:
        """The name as records have it."""
        return f"{self.family}, {self.given}"


@dataclass(frozen=True)
class Subject:
    """One made-up work and its surroundings."""

    number: int
    branch: int = 0  # other works of the same people are other branches
    title_of: str = ""  # a title that is set instead of the one that is made
    _cache: dict[str, object] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_held_back(self) -> bool:
        """Tell whether rules may not be developed on it."""
        return self.number % 2 == 1

    def __format__(self, spec: str) -> str:
        """Return sentences: `{subject:7 notes}` are seven for these notes."""
        count, _, purpose = spec.partition(" ")
        return self.prose(int(count), purpose)

    def random(self, purpose: str) -> Random:
        """Return numbers that are the same for every use with this purpose."""
        return Random(f"{self.number}/{self.branch}/{purpose}")

    def one_of(self, *options: _T) -> _T:
        """Return one of several ways to say a thing; those at odd places are held back."""
        own = options[self.number % 2 :: 2] or options
        return own[(self.number // 2) % len(own)]

    @cached_property
    def topic(self) -> Topic:
        """Its field of study: even numbers have other ones than odd numbers."""
        return TOPICS[self.number % len(TOPICS)]

    def filled(self, template: str, random: Random) -> str:
        """Return a sentence with words of the topic."""
        nouns, adjectives = random.sample(self._nouns(), 2), random.sample(self._adjectives(), 2)
        text = template.format(
            n=nouns[0], N=nouns[0].capitalize(), n2=nouns[1], a=adjectives[0], A=adjectives[0].capitalize(),
            a2=adjectives[1], t=random.choice(self.topic.things), p=random.choice(_PLACES),
            d=random.randint(11, 48), s=random.randint(1, 4),
        )  # fmt: skip
        return text[0].upper() + text[1:]

    def _nouns(self) -> list[str]:
        return list(self.topic.nouns)

    def _adjectives(self) -> list[str]:
        return list(self.topic.adjectives)

    @cached_property
    def title(self) -> str:
        """Its title."""
        random = self.random("title")
        return self.title_of or self.filled(_TITLES[(self.number // 2 + 3 * self.branch) % len(_TITLES)], random)

    @cached_property
    def authors(self) -> tuple[Person, ...]:
        """Who wrote it: two to five people, of whom the first two write other works together too."""
        random = Random(f"{self.number}/people")
        half = _FAMILY[self.number % 2 :: 2]
        count = 2 + self.number // 2 % 4
        return tuple(
            Person(given, family)
            for given, family in zip(random.sample(_GIVEN, count), random.sample(half, count), strict=True)
        )

    @property
    def journal(self) -> str:
        """Where it was published."""
        return self.topic.journals[self.number // 8 % 2]

    @property
    def publisher(self) -> str:
        """Who published it."""
        return _PUBLISHERS[self.number % len(_PUBLISHERS)]

    @property
    def place(self) -> str:
        """Where its authors work."""
        return _PLACES[self.number * 3 % len(_PLACES)]

    @property
    def year(self) -> int:
        """When it was published."""
        return 2009 + self.number % 14 - self.branch % 3

    @property
    def volume(self) -> int:
        """In which volume."""
        return 11 + self.number % 30

    @property
    def first_page(self) -> int:
        """Where it begins."""
        return 101 + 17 * (self.number % 23) + 40 * self.branch

    @property
    def page_count(self) -> int:
        """How many pages the publisher's version has."""
        return 5 + self.number % 6

    @property
    def pages(self) -> str:
        """Its pages, as they are cited."""
        return f"{self.first_page}-{self.first_page + self.page_count - 1}"

    @property
    def doi(self) -> str:
        """Its DOI."""
        return f"10.{5100 + self.number}/amh.{self.year}.{self.first_page:04d}{self.branch or ''}"

    @property
    def reference(self) -> str:
        """How others cite it."""
        names = ", ".join(f"{person.family} {person.given[0]}." for person in self.authors)
        return f"{names} ({self.year}). {self.title}. {self.journal}, {self.volume}, {self.pages}."

    @property
    def byline(self) -> str:
        """Its authors below the title."""
        names = [person.full for person in self.authors]
        return self.one_of(", ".join(names), " and ".join([", ".join(names[:-1]), names[-1]]))

    @cached_property
    def abstract(self) -> str:
        """Five sentences, the first of which has the words of the title."""
        plain = self.title.rstrip("?!.").replace(":", ",")
        return f"This paper is about {plain[0].lower()}{plain[1:]}. {self.prose(4, 'abstract')}"

    def prose(self, sentences: int, purpose: str) -> str:
        """Return so many sentences of its topic."""
        random = self.random(purpose)
        return " ".join(self.filled(random.choice(_SENTENCES), random) for _ in range(sentences))

    def sections(self) -> Sequence[str]:
        """Return the headings of its sections."""
        return _SECTIONS

    def another(self, branch: int = 1, title: str = "") -> Subject:
        """Return another work of the same people on the same topic."""
        return Subject(self.number, branch, title)

    def titled(self, title: str) -> Subject:
        """Return this work under another title."""
        return Subject(self.number, self.branch, title)

    def stranger(self) -> Subject:
        """Return a work of other people on the same topic."""
        return Subject(self.number + 8 * 5, 1)

    def references(self, count: int = 12) -> list[str]:
        """Return what it cites: works of its topic, its authors' own among them."""
        cited = [self.another(branch).reference for branch in (3, 4)]
        cited += [Subject(self.number + 8 * place, 2).reference for place in range(1, count - 1)]
        return sorted(cited)
