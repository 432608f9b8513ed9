"""JPCOAR Schema 1.0 and 2.0 (schema.irdb.nii.ac.jp), of the repositories of Japan: read only."""

from gateway.formats._tables import format_of

FORMAT = format_of("jpcoar")
