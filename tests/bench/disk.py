"""What a record costs on the disk: the store's file, indexes and all, against the XML in it. Without the inbox."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench import stores
from tests.bench.table import Row, main


def rows(records: int) -> Iterator[Row]:
    """Measure the store's file."""
    stored = stores.of(records)
    files = [stored.folder / f"store.sqlite{end}" for end in ("", "-wal")]
    held = sum(file.stat().st_size for file in files if file.exists())
    note = f"{held / records:,.0f} of {stored.xml_bytes / records:,.0f} bytes a record, in both formats"
    yield Row("bytes on disk per record against the raw XML", held / stored.xml_bytes, 0.165, note=note)
    note = f"{stored.publish_seconds:.0f} s in all; then {stored.compact_seconds:.0f} s for thorough compaction"
    a_record = stored.publish_seconds / records / len(stores.FORMATS)
    yield Row("publication of a record and format, when the store was made", a_record * 1e6, 100, unit=" us", note=note)


if __name__ == "__main__":
    main(rows)
