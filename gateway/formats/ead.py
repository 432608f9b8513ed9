"""EAD 2002 and EAD3 (Society of American Archivists): the unit that a finding aid describes, read only."""

from gateway.formats._tables import format_of

FORMAT = format_of("ead")
