"""Tables of the functions that find the end of a file, by its first bytes or by its stated type."""

from __future__ import annotations

import re
from collections.abc import Callable

from harvester.mirror import archive_ends, data_ends, document_ends, media_ends, zip_ends
from harvester.mirror.file_types import Content

PDF = re.compile(rb"(?s).{0,1019}%PDF-")

# By the first bytes of a file.
BINARY: tuple[tuple[re.Pattern[bytes], Callable[[Content], int]], ...] = (
    (PDF, document_ends.pdf),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), media_ends.png),
    (re.compile(rb"\xff\xd8\xff"), media_ends.jpeg),
    (re.compile(rb"GIF8[79]a"), media_ends.gif),
    (re.compile(rb"II[*+]\x00|MM\x00[*+]"), media_ends.tiff),
    (re.compile(rb"PK(?:\x03\x04|\x05\x06|\x07\x08)"), zip_ends.zip_),
    (re.compile(rb"\x1f\x8b"), zip_ends.gzip),
    (re.compile(rb"(?s).{4}ftyp"), media_ends.mp4),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), document_ends.ole),
    (re.compile(rb"(?s)RIFF.{4}(?:WAVE|WEBP|AVI )"), media_ends.riff),
    (re.compile(rb"(?s)(?:AT&TFORM.{4}DJV[UMI])|FORM.{4}AIF[FC]"), media_ends.form),
    (re.compile(rb"OggS"), media_ends.ogg),
    (re.compile(rb"ID3[\x02-\x04]|\xff[\xf2\xf3\xfa\xfb][\x10-\xef]"), media_ends.mp3),
    (re.compile(rb"\x00\x00\x00\x0cjP|\xff\x4f\xff\x51"), media_ends.jp2),
    (re.compile(rb"(?s)BM.{4}\x00{4}"), media_ends.bitmap),
    (re.compile(rb"\x1a\x45\xdf\xa3"), media_ends.matroska),
    (re.compile(rb"7z\xbc\xaf\x27\x1c"), archive_ends.seven_zip),
    (re.compile(rb"Rar!\x1a\x07\x00"), archive_ends.rar),
    (re.compile(rb"Rar!\x1a\x07\x01\x00"), archive_ends.rar5),
    (re.compile(rb"(?s).{257}ustar"), archive_ends.tar),
    (re.compile(rb"CDF[\x01\x02\x05]"), data_ends.netcdf),
    (re.compile(rb"(?s)(?:.{512}|.{1024}|.{2048})?\x89HDF\r\n\x1a\n"), data_ends.hdf5),
    (re.compile(rb"SIMPLE  = {10,20}T"), data_ends.fits),
    (re.compile(rb"\$FL[23]@\(#\)"), data_ends.spss),
    (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)|\xfd7zXZ\x00"), archive_ends.stream),
    (re.compile(rb"\x28\xb5\x2f\xfd"), archive_ends.zstandard),
    (re.compile(rb"<stata_dta>"), data_ends.stata),
    (re.compile(rb"SQLite format 3\x00"), data_ends.sqlite),
    (re.compile(rb"PAR1"), data_ends.parquet),
    (re.compile(rb"\{\\rtf"), document_ends.rtf),
    (re.compile(rb"\x04?%!PS-Adobe"), document_ends.postscript),
)

# By the stated type, for texts.
TEXTS: tuple[tuple[re.Pattern[str], Callable[[Content], int]], ...] = (
    (re.compile(r"(?:application|text)/(?:x-)?(?:la)?tex"), document_ends.latex),
    (re.compile(r"text/(?:csv|tab-separated-values)"), document_ends.table),
)
