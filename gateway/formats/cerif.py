"""OpenAIRE Guidelines for CRIS Managers (CERIF XML 1.1, 1.2): publications, products and patents, read only.

Persons, organizations, projects and events describe no work: see not_works.toml.
"""

from gateway.formats._tables import format_of

FORMAT = format_of("cerif")
