"""A private certificate authority, made by openssl, and servers with certificates of it."""

import ssl
import subprocess
from pathlib import Path

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")


def authority(folder: Path) -> Path:
    """Make an authority in a folder; return the file with its certificate."""
    folder.mkdir(exist_ok=True)
    made = ("-x509", "-subj", "/CN=Our own authority", "-keyout", folder / "ca.key", "-out", folder / "ca.pem")
    extension = ("-addext", "keyUsage=critical,keyCertSign", "-addext", "basicConstraints=critical,CA:TRUE")
    _openssl("req", *_KEY, *made, *extension)
    return folder / "ca.pem"


def server_context(folder: Path, name: str) -> ssl.SSLContext:
    """Return what a server with this name speaks TLS by, its certificate signed by the authority in the folder."""
    key, request, certificate = (folder / f"{name}.{ending}" for ending in ("key", "csr", "pem"))
    (folder / "names").write_text(f"subjectAltName=DNS:{name}\n")
    _openssl("req", *_KEY[:-2], "-subj", f"/CN={name}", "-keyout", key, "-out", request)
    signed = ("-CA", folder / "ca.pem", "-CAkey", folder / "ca.key", "-CAcreateserial", "-extfile", folder / "names")
    _openssl("x509", "-req", "-in", request, "-days", "2", *signed, "-out", certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def _openssl(*arguments: object) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
