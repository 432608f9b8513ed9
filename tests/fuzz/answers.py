"""Well-formed answers of services that know full text, written from what they publish of their form."""

import json
from typing import Any

EUROPE_PMC: dict[str, Any] = {
    "hitCount": 2,
    "resultList": {
        "result": [
            {
                "id": "1", "source": "MED", "pmid": "1", "pmcid": "PMC123", "doi": "10.1234/A",
                "title": "Oats under Avena rust.", "pubYear": "2021", "abstractText": "We sowed oats.",
                "authorList": {"author": [{"lastName": "Example"}, {"lastName": "Sample"}]},
                "journalInfo": {"journal": {"title": "Invented Agronomy", "issn": "2049-3630"}},
                "pubTypeList": {"pubType": ["research-article", "Journal Article"]}, "isOpenAccess": "Y",
                "authMan": "N", "license": "cc by",
                "fullTextUrlList": {
                    "fullTextUrl": [
                        {
                            "availabilityCode": "S", "documentStyle": "doi", "site": "DOI",
                            "url": "https://doi.org/10.1234/a",
                        },
                        {
                            "availabilityCode": "OA", "documentStyle": "html", "site": "Europe_PMC",
                            "url": "https://europepmc.org/articles/PMC123",
                        },
                        {
                            "availabilityCode": "OA", "documentStyle": "pdf", "site": "Europe_PMC",
                            "url": "https://europepmc.org/articles/PMC123?pdf=render",
                        },
                        {
                            "availabilityCode": "F", "documentStyle": "pdf", "site": "PubMedCentral",
                            "url": "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/pdf/?tool=EBI",
                        },
                    ],
                },
                "commentCorrectionList": {"commentCorrection": [{"type": "Erratum in", "reference": "J. 2022"}]},
            },
        ],
    },
}  # fmt: skip

OPENRXIV: dict[str, Any] = {
    "messages": [{"status": "ok"}],
    "collection": [
        {
            "doi": "10.1101/123456",
            "title": "Oats under rust",
            "authors": "Example, A.; Sample, B. C.",
            "date": "2021-02-03",
            "version": version,
            "license": "cc_by_nc",
            "abstract": "We sowed oats.",
            "published": "10.1234/A",
            "server": "bioRxiv",
        }
        for version in ("1", "10", "9")
    ],
}

OSF: dict[str, Any] = {
    "data": {
        "id": "abcde_v2",
        "attributes": {
            "title": "Oats and minds",
            "description": "We asked oats.",
            "date_published": "2021-02-03T00:00:00Z",
            "date_withdrawn": None,
            "license_record": {"year": "2021", "copyright_holders": []},
        },
        "embeds": {
            "license": {
                "data": {
                    "attributes": {
                        "name": "CC-By Attribution 4.0 International",
                        "url": "https://creativecommons.org/licenses/by/4.0/legalcode",
                    }
                }
            }
        },
        "relationships": {"primary_file": {"data": {"id": "5894204f594d900200ed23f2", "type": "files"}}},
        "links": {"preprint_doi": "https://doi.org/10.31234/OSF.io/ABCDE_v2"},
    }
}

HAL: dict[str, Any] = {
    "response": {
        "numFound": 1,
        "docs": [
            {
                "halId_s": "hal-01234567",
                "title_s": ["Oats under rust", "L'avoine sous la rouille"],
                "authFullName_s": ["Anna Example", "Bert Sample"],
                "doiId_s": "10.1234/A",
                "publicationDateY_i": 2021,
                "docType_s": "ART",
                "openAccess_bool": True,
                "fileMain_s": "https://hal.science/hal-01234567/document",
                "licence_s": "https://creativecommons.org/licenses/by/4.0/",
                "uri_s": "https://hal.science/hal-01234567v1",
            }
        ],
    }
}

DOAJ: dict[str, Any] = {
    "total": 1,
    "results": [
        {
            "id": "0",
            "bibjson": {
                "identifier": [{"id": "2049-3630", "type": "eissn"}, {"id": "10.1234/A", "type": "DOI"}],
                "title": "Oats under rust",
                "author": [{"name": "Anna Example"}, {"name": "Bert Sample"}],
                "year": "2021",
                "abstract": "We sowed oats.",
                "journal": {
                    "title": "Invented Agronomy",
                    "publisher": "Example Press",
                    "issns": ["2049-3630"],
                    "license": [{"type": "CC BY", "open_access": True}],
                },
                "link": [
                    {"type": "fulltext", "content_type": "HTML", "url": "https://press.example.org/7"},
                    {"type": "fulltext", "content_type": "PDF", "url": "https://press.example.org/7.pdf"},
                    {"type": "homepage", "url": "https://press.example.org/"},
                ],
            },
        }
    ],
}

CORE: dict[str, Any] = {
    "totalHits": 1,
    "results": [
        {
            "id": 7,
            "doi": "10.1234/A",
            "title": "Oats under rust",
            "authors": [{"name": "Example, Anna"}, {"name": "Sample, Bert"}],
            "publisher": "'Example Press'",
            "yearPublished": 2021,
            "abstract": "We sowed oats.",
            "downloadUrl": "http://arxiv.org/abs/2101.00001",
            "fullText": "Not available for public API users.",
            "links": [
                {"type": "download", "url": "https://core.ac.uk/download/7.pdf"},
                {"type": "display", "url": "https://core.ac.uk/works/7"},
            ],
            "sourceFulltextUrls": ["https://repository.example.org/7", "https://repository.example.org/bitstream/7"],
            "oaiIds": ["oai:repository.example.org:7"],
        }
    ],
}

BASE: dict[str, Any] = {
    "responseHeader": {"status": 0},
    "response": {
        "numFound": 2,
        "docs": [
            {
                "dccollection": "ftclosed", "dctitle": "Oats under rust",
                "dccreator": ["Example, Anna", "Sample, Bert"], "dcpublisher": ["Example Press"],
                "dcdescription": "We sowed oats.", "dcyear": 2021, "dctype": ["article"], "dcdoi": ["10.1234/A"],
                "dcidentifier": ["https://closed.example.org/7.pdf"], "dclink": "https://closed.example.org/7",
                "dcoa": 0,
            },
            {
                "dccollection": "ftopen", "dctitle": "Oats under rust", "dcdoi": ["10.1234/a"],
                "dcidentifier": ["https://open.example.org/7", "https://open.example.org/7.PDF", "10.1234/a"],
                "dclink": "https://open.example.org/7", "dcrightsnorm": ["CC-BY-SA"], "dcoa": 1,
            },
        ],
    },
}  # fmt: skip

FATCAT: dict[str, Any] = {
    "ident": "aaaaaaaaaaaaaaaaaaaaaaaaaa", "ext_ids": {"doi": "10.1234/a"}, "title": "Oats under rust",
    "contribs": [{"raw_name": "Anna Example", "role": "author"}], "container": {"name": "Invented Agronomy"},
    "publisher": "Example Press", "release_year": 2021, "release_stage": "published",
    "release_type": "article-journal", "withdrawn_status": None, "license_slug": "CC-BY",
    "files": [
        {
            "mimetype": "application/pdf", "sha1": "3ad4df99ff1354ec0b5a333a59fba9a3a5d9812a",
            "urls": [
                {
                    "rel": "webarchive",
                    "url": "https://web.archive.org/web/20200130042753/https://press.example.org/7.pdf",
                },
                {"rel": "webarchive", "url": "https://web.archive.org/web/"},
                {"rel": "repository", "url": "https://repository.example.org/7.pdf"},
                {"rel": "web", "url": "https://press.example.org/7.pdf"},
                {"rel": "web", "url": "https://press.example.org/7.pdf?Expires=1&Signature=2"},
                {"rel": "dweb", "url": "dat://7"},
            ],
        },
        {"mimetype": "text/html", "urls": [{"rel": "web", "url": "https://press.example.org/7"}]},
    ],
}  # fmt: skip

ZENODO: dict[str, Any] = {
    "id": 1234567,
    "doi": "10.5281/zenodo.1234567",
    "metadata": {
        "title": "Oats under rust",
        "creators": [{"name": "Example, Anna"}, {"name": "Sample, Bert"}],
        "publication_date": "2021-02-03",
        "access_right": "open",
        "license": {"id": "cc-by-4.0"},
        "resource_type": {"title": "Journal article", "type": "publication", "subtype": "article"},
    },
    "files": [
        {"key": "weights.csv", "links": {"self": "https://zenodo.org/api/records/1234567/files/weights.csv/content"}},
        {"key": "Oats & rust.PDF", "links": {}},
    ],
}

INVENIORDM: dict[str, Any] = {
    "id": "23y6y-vh985",
    "pids": {"doi": {"identifier": "10.1234/A"}},
    "access": {"record": "public", "files": "public", "status": "open", "embargo": {"active": False, "reason": None}},
    "metadata": {
        "title": "Oats under rust",
        "creators": [{"person_or_org": {"name": "Example, Anna", "family_name": "Example"}}],
        "publication_date": "2021",
        "resource_type": {"id": "publication-preprint"},
        "rights": [{"id": "cc-by-4.0", "props": {"url": "https://creativecommons.org/licenses/by/4.0/"}}],
    },
    "files": {"enabled": True, "entries": {"oats.pdf": {"key": "oats.pdf", "size": 7}, "a.txt": {"key": "a.txt"}}},
}

_UUID = "1911e8a4-6939-490c-b58b-a5d70f8d91f"


def _bitstream(number: int, name: str, **more: object) -> dict[str, Any]:
    return {"uuid": f"{_UUID}{number}", "name": name, "type": "bitstream", **more}


DSPACE: dict[str, Any] = {
    "uuid": f"{_UUID}b",
    "name": "Oats under rust",
    "handle": "1/2",
    "metadata": {
        "dc.title": [{"value": "Oats under rust"}],
        "dc.contributor.author": [{"value": "Example, Anna"}],
        "dc.date.issued": [{"value": "2021-02"}],
        "dc.identifier.doi": [{"value": "https://doi.org/10.1234/A"}],
        "dc.rights.uri": [{"value": "https://creativecommons.org/licenses/by/4.0/"}],
        "dc.type": [{"value": "Article"}],
    },
    "_embedded": {
        "bundles": {
            "_embedded": {
                "bundles": [
                    {
                        "name": "LICENSE",
                        "_embedded": {"bitstreams": {"_embedded": {"bitstreams": [_bitstream(0, "license.pdf")]}}},
                    },
                    {
                        "name": "ORIGINAL",
                        "_embedded": {
                            "bitstreams": {
                                "_embedded": {
                                    "bitstreams": [
                                        _bitstream(1, "oats.PDF"),
                                        _bitstream(2, "oats.txt"),
                                        _bitstream(3, "oats", _embedded={"format": {"mimetype": "application/pdf"}}),
                                    ]
                                }
                            }
                        },
                    },
                ]
            }
        }
    },
}
DSPACE_SEARCH: dict[str, Any] = {
    "_embedded": {
        "searchResult": {
            "_embedded": {
                "objects": [
                    {"_embedded": {"indexableObject": {**DSPACE, "handle": "1/23", "uuid": f"{_UUID}c"}}},
                    {"_embedded": {"indexableObject": DSPACE}},
                ]
            }
        }
    }
}

PAGES = (
    b"https://zenodo.org/records/1234567",
    b"https://rogue-scholar.org/records/23y6y-vh985",
    f"https://repository.example.org/entities/publication/{_UUID}b".encode(),
    b"https://repository.example.org/handle/1/2",
    b"https://osf.io/preprints/psyarxiv/abcde_v2",
)

_SAMPLES = {
    "europe_pmc": (EUROPE_PMC,), "openrxiv": (OPENRXIV,), "osf": (OSF,), "hal": (HAL,), "doaj": (DOAJ,),
    "core": (CORE,), "base": (BASE,), "fatcat": (FATCAT,), "inveniordm": (ZENODO, INVENIORDM),
    "dspace": (DSPACE, DSPACE_SEARCH),
}  # fmt: skip
SERVICES = {
    name: tuple(json.dumps(document).encode() for document in documents) for name, documents in _SAMPLES.items()
}
