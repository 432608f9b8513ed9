"""What is said of bytes, however it is written, and whether bytes are those."""

from base64 import b64encode, urlsafe_b64encode
from hashlib import md5, sha1, sha256

from harvester.sources.resourcesync.fixity import digests_of, fault_of
from tests.rows import each_row

BODY = b"what the source has"
MD5, SHA1, SHA256 = md5(BODY).hexdigest(), sha1(BODY).hexdigest(), sha256(BODY).hexdigest()


@each_row(
    "text, digests",
    [
        (f"md5:{MD5}", (("md5", MD5),)),
        (f"MD5:{MD5.upper()}", (("md5", MD5),)),
        (f"md5:{MD5}  \n sha-256:{SHA256} sha-1:{SHA1}", (("sha-256", SHA256), ("sha-1", SHA1), ("md5", MD5))),
        (f"sha256:{SHA256}", (("sha-256", SHA256),)),
        ("md5:" + b64encode(md5(BODY).digest()).decode(), (("md5", MD5),)),
        ("sha-256:" + urlsafe_b64encode(sha256(BODY).digest()).decode().rstrip("="), (("sha-256", SHA256),)),
        ("md5:suminhere", ()),
        ("md5:ééé", ()),
        (f"md5:{SHA256}", ()),
        (f"sha-512:{SHA256}", ()),
        (MD5, ()),
        ("", ()),
    ],
)
def test_a_hash_is_read_as_hexadecimals_or_base64_and_only_when_it_can_be_one(text, digests):
    assert digests_of(text) == digests


def test_the_strongest_digest_decides():
    assert fault_of(BODY, None, digests_of(f"md5:{md5(b'').hexdigest()} sha-256:{SHA256}")) == ""
    assert fault_of(BODY, None, digests_of(f"md5:{MD5} sha-1:{sha1(b'').hexdigest()}")) == (
        f"Its sha-1 is {SHA1}, not {sha1(b'').hexdigest()} as the source says."
    )


def test_a_length_counts_where_there_is_no_digest():
    assert fault_of(BODY, len(BODY), ()) == ""
    assert fault_of(BODY, 5, ()) == "It has 19 bytes, not 5 as the source says."
    assert fault_of(BODY, 5, digests_of(f"md5:{MD5}")) == ""
    assert fault_of(BODY, None, ()) == ""
