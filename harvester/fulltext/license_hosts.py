"""Hosts whose pages state licences that are not those of the work: a table. Pure.

They are the hosts that Unpaywall's page reader distrusts (ourresearch/parseland-lib, `UNTRUSTED_LICENSE_HOSTS`, its
change of 2026-09-10, and the older list of ourresearch/oadoi). Known reasons stand beside the hosts.
"""

from __future__ import annotations

from harvester.http.urls import host_of

UNTRUSTED = frozenset(
    (
        "aimsciences.org",
        "alife-robotics.co.jp",
        "berghahnjournals.com",
        "citeseerx.ist.psu.edu",  # copies of files from elsewhere, below a licence of the site
        "cjc-online.ca",
        "crossref.org",  # the page for DOIs that are no more, and the choice between several addresses
        "doaj.org",  # its own licence of the metadata, CC BY-SA, on the page of every article
        "genome.cshlp.org",
        "indianjournalofmarketing.com",
        "indianjournals.com",  # CC BY on pages that are marked as paid
        "jcog.com.tr",
        "journals.eco-vector.com",
        "medlit.ru",
        "molbiolcell.org",
        "ojs.ual.es",
        "press.umich.edu",
        "rnajournal.cshlp.org",
        "rupress.org",  # free of payment after some months, whatever its pages say before
        "schwabeonline.ch",  # the same page for every DOI, with a badge
        "scientific.net",  # the licence of the site at the foot of works behind a subscription
        "soed.in",
        "un-pub.eu",
        "zniso.fcgie.ru",
    )
)


def is_trusted(url: str) -> bool:
    """Return whether a licence stated at this address may be that of the work."""
    labels = host_of(url).split(".")
    return not any(".".join(labels[place:]) in UNTRUSTED for place in range(len(labels)))
