"""A Static Repository as a test wants it."""

_OPENING = """<?xml version="1.0" encoding="UTF-8"?>
<Repository xmlns="http://www.openarchives.org/OAI/2.0/static-repository"
 xmlns:oai="http://www.openarchives.org/OAI/2.0/" xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
 xmlns:dc="http://purl.org/dc/elements/1.1/">
<Identify><oai:repositoryName>Small</oai:repositoryName><oai:baseURL>http://gateway.example.org/small.xml</oai:baseURL>
<oai:protocolVersion>2.0</oai:protocolVersion><oai:adminEmail>a@example.org</oai:adminEmail>
<oai:earliestDatestamp>2002-09-19</oai:earliestDatestamp><oai:deletedRecord>no</oai:deletedRecord>
<oai:granularity>YYYY-MM-DD</oai:granularity></Identify>
<ListMetadataFormats><oai:metadataFormat><oai:metadataPrefix>oai_dc</oai:metadataPrefix>
<oai:schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</oai:schema>
<oai:metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</oai:metadataNamespace></oai:metadataFormat>
</ListMetadataFormats>
"""


def record(number: object, title: str = "A title", datestamp: str = "2002-09-19", about: str = "") -> str:
    return (
        f"<oai:record><oai:header><oai:identifier>oai:small:{number}</oai:identifier>"
        f"<oai:datestamp>{datestamp}</oai:datestamp></oai:header>"
        f"<oai:metadata><oai_dc:dc><dc:title>{title}</dc:title></oai_dc:dc></oai:metadata>{about}</oai:record>"
    )


def document(*records: str) -> bytes:
    listed = "\n".join(records)
    return f'{_OPENING}<ListRecords metadataPrefix="oai_dc">{listed}</ListRecords>\n</Repository>\n'.encode()
