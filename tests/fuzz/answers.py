"""Well-formed answers of services that know full text, written from what they publish of their form."""

from __future__ import annotations

import json
from typing import Any

EUROPE_PMC: dict[str, Any] = {
    "hitCount": 2,
    "resultList": {
        "result": [
            {
                "id": "1",
                "source": "MED",
                "pmid": "1",
                "pmcid": "PMC123",
                "doi": "10.1234/A",
                "title": "Oats under Avena rust.",
                "pubYear": "2021",
                "abstractText": "We sowed oats.",
                "authorList": {"author": [{"lastName": "Example"}, {"lastName": "Sample"}]},
                "journalInfo": {"journal": {"title": "Invented Agronomy", "issn": "2049-3630"}},
                "pubTypeList": {"pubType": ["research-article", "Journal Article"]},
                "isOpenAccess": "Y",
                "authMan": "N",
                "license": "cc by",
                "fullTextUrlList": {
                    "fullTextUrl": [
                        {
                            "availabilityCode": "S",
                            "documentStyle": "doi",
                            "site": "DOI",
                            "url": "https://doi.org/10.1234/a",
                        },
                        {
                            "availabilityCode": "OA",
                            "documentStyle": "html",
                            "site": "Europe_PMC",
                            "url": "https://europepmc.org/articles/PMC123",
                        },
                        {
                            "availabilityCode": "OA",
                            "documentStyle": "pdf",
                            "site": "Europe_PMC",
                            "url": "https://europepmc.org/articles/PMC123?pdf=render",
                        },
                        {
                            "availabilityCode": "F",
                            "documentStyle": "pdf",
                            "site": "PubMedCentral",
                            "url": "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/pdf/?tool=EBI",
                        },
                    ]
                },
                "commentCorrectionList": {"commentCorrection": [{"type": "Erratum in", "reference": "J. 2022"}]},
            }
        ]
    },
}

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

SERVICES = {
    name: (json.dumps(document).encode(),)
    for name, document in {"europe_pmc": EUROPE_PMC, "openrxiv": OPENRXIV, "osf": OSF}.items()
}
