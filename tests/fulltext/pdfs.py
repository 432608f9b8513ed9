"""PDFs that nobody should be hurt by: one that is locked, and one that is small and has 600 MB of spaces."""

import zlib


def a_locked_pdf() -> bytes:
    """Return a PDF that nobody reads without its password."""
    secret = b"<" + b"41" * 32 + b">"
    lock = b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O%s/U%s>>/ID[%s%s]" % ((secret,) * 4)
    return _pdf(b"", b"BT ET", lock)


def a_bomb() -> bytes:
    """Return a PDF of a few kilobytes whose page has 600 MB of spaces."""
    packer = zlib.compressobj(9)
    start = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    million = packer.compress(b" " * 1_000_000) + packer.flush(zlib.Z_FULL_FLUSH)
    return _pdf(b"/Filter[/FlateDecode/FlateDecode]", zlib.compress(start + million * 600, 9))


def _pdf(entries: bytes, stream: bytes, trailer: bytes = b"") -> bytes:
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d%s>>stream\n%s\nendstream" % (len(stream), entries, stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    body = b"%PDF-1.4\n" + b"".join(b"%d 0 obj%sendobj\n" % pair for pair in enumerate(objects, 1))
    return body + b"trailer<</Root 1 0 R/Size 6%s>>\n%%%%EOF" % trailer
