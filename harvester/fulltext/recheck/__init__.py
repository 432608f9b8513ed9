"""The recheck of published files: each is requested again, at its own place in the period.

`harvester recheck` does this, or `tend` with `recheck_every`. Requests are conditional, and whole every
`recheck_whole_every` rounds. Searches do not request files that were rechecked within the same time.

    the file                                         a found file                       a file that a record names
    has other bytes, and is still the work           published with the new SHA-256     the same
    is another document, a page, or forbidden        withdrawn, and a person decides    new SHA-256 or flagged
    is deleted (410)                                 withdrawn                          flagged
    is missing, or its server fails, for at least
      `recheck_grace_looks` rounds over
      `recheck_grace_seconds`                        withdrawn                          flagged
    is taken down                                    withdrawn                          withdrawn
    may not be fetched now                           stays until the next day           the same

A flag is part of the provenance in the DIDL (`missing: since …`); the command ends with 3 when it sets one. A recheck
never overwrites a decision. It compares texts of PDFs only (300 pages). A host that stamps once a day, or stamps scans,
moves datestamps. A server that answers 503 for ever keeps its files; `harvester status` says so.
"""
