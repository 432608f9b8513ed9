"""Digests are stated in many spellings; what one means is read, and what none means is told."""

import base64
from hashlib import md5, sha1, sha256, sha512
from itertools import product

from gateway.core.digests import digest, unread
from tests.rows import each_row

_CONTENT = b"a file"
_MD5, _SHA1 = md5(_CONTENT), sha1(_CONTENT)
_SHA256, _SHA512 = sha256(_CONTENT), sha512(_CONTENT)
_HEX = _MD5.hexdigest()


@each_row(
    "value, algorithm",
    product(
        [
            _HEX,
            f"0X{_HEX.upper()}",
            ":".join(_HEX[at : at + 2] for at in range(0, 32, 2)),
            f'"{_HEX}"',
            base64.b64encode(_MD5.digest()).decode(),
            base64.urlsafe_b64encode(_MD5.digest()).decode().rstrip("="),
            base64.b32encode(_MD5.digest()).decode(),
            f"md5:{_HEX}",
            f"urn:md5:{_HEX}",
        ],
        ["MD5", "md-5", "http://www.w3.org/2001/04/xmldsig-more#md5"],
    ),
)
def test_an_md5_is_read_in_every_spelling(algorithm, value):
    assert digest(algorithm, value) == (("md5", _HEX),)
    assert unread(algorithm, value) == ""


@each_row(
    "algorithm, value, expected",
    [
        ("SHA", _SHA1.hexdigest(), ("sha1", _SHA1.hexdigest())),
        ("", f"urn:sha1:{base64.b32encode(_SHA1.digest()).decode()}", ("sha1", _SHA1.hexdigest())),
        ("", f"{{SHA}}{base64.b64encode(_SHA1.digest()).decode()}", ("sha1", _SHA1.hexdigest())),
        ("SHA-2 (256)", _SHA256.hexdigest(), ("sha256", _SHA256.hexdigest())),
        ("http://www.w3.org/2001/04/xmlenc#sha256", _SHA256.hexdigest(), ("sha256", _SHA256.hexdigest())),
        ("sha512", base64.b64encode(_SHA512.digest()).decode(), ("sha512", _SHA512.hexdigest())),
        ("SHA-512", f"0x{_SHA512.hexdigest().upper()}", ("sha512", _SHA512.hexdigest())),
        ("CRC32", "0x0A1B2C3D", ("crc32", "0a1b2c3d")),
    ],
)
def test_other_algorithms_are_read_in_other_spellings_too(algorithm, value, expected):
    assert digest(algorithm, value) == (expected,)


@each_row(
    "algorithm, value",
    [
        ("MD5", _HEX[:-1]), ("MD5", _HEX + "00"), ("MD5", "g" * 32), ("MD5", "not known"), ("MD5", "A" * 100_000),
        ("MD5", _SHA1.hexdigest()), ("MD5", f"sha1:{_SHA1.hexdigest()}"), ("MD5", "é" * 22),
        ("SHA-1", base64.b64encode(_MD5.digest()).decode()), ("TIGER", "a" * 48), ("SHA3-256", _SHA256.hexdigest()),
        ("", _HEX),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_reported(algorithm, value):
    assert digest(algorithm, value) == ()
    assert value[:20] in unread(algorithm, value)
    assert len(unread(algorithm, value)) < 400
