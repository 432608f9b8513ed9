"""`harvester mirror import DIR FROM`: a delivered package becomes the baseline of a mirror."""

from __future__ import annotations

from pathlib import Path

import click

from harvester.commands.mirror_session import DIRECTORY, receipt_of, report, session
from harvester.commands.options import Given, date
from harvester.commands.output import json_option
from harvester.harvest.sources_toml import checked_url
from harvester.mirror.folder import Order
from harvester.mirror.import_package import ImportRun
from harvester.mirror.unpack_package import UnpackLimits, unpacked


@click.command("import")
@click.argument("folder", metavar="DIR", type=DIRECTORY)
@click.argument("source", metavar="FROM", type=click.Path(path_type=Path, exists=True))
@click.option("--provider", default="", metavar="BASEURL", help="The provider of a new mirror.")
@click.option(
    "--format", "metadata_prefix", default="oai_didl", show_default=True, help="With --provider: its metadataPrefix."
)
@click.option("--set", "sets", multiple=True, metavar="SPEC", help="With --provider: a setSpec; may be repeated.")
@click.option("--date", "since", default="", callback=date, metavar="DATE", help="The date of the package.")
@click.option("--yes", is_flag=True, help="Apply all deletions of the package.")
@json_option
@click.pass_context
def import_(ctx: click.Context, /, folder: Path, source: Path, provider: str, as_json: bool, **given: Given) -> None:
    """Import a delivered package as the first state of DIR: a folder, tar or zip of OAI records and their files.

    A bag (BagIt) is verified first, and refused if it is not valid. Files that the package lacks are reported missing.
    `harvester mirror BASEURL DIR` then continues from the date of the package. A package may delete no larger share of
    the mirror than a run may; further deletions wait for --yes.
    """
    order = Order(checked_url(provider), given["metadata_prefix"], given["sets"]) if provider else None
    with session(ctx, folder, may_begin=order is not None) as work:
        place = work.opened(order)
        receipt = receipt_of(place, "import", str(source))
        room = UnpackLimits(
            work.settings.number("fetch_file_max_bytes"),
            work.settings.number("unpack_max_ratio"),
            work.settings.number("unpack_min_free_bytes"),
        )
        guard = work.guard(place, lets_deletions_pass=given["yes"])
        with unpacked(source, folder / "aside", room, place.order.metadata_prefix) as package:
            importing = ImportRun(
                place, receipt, work.shown, work.clock, package, guard, stop=work.stop, user=work.user
            )
            importing.whole(given["since"])
    report(ctx, place, importing, as_json=as_json)
