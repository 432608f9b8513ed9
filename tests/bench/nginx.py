"""The peer of the serving benches: nginx with one worker, giving the same pages as static files."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.live import await_server, free_port

_CONFIGURATION = """
daemon off; {user} worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off; default_type text/xml; sendfile on; tcp_nopush on; keepalive_requests 1000000;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
"""


def program() -> str | None:
    """Return where nginx is installed, or None."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")


@contextmanager
def serving(folder: Path, pages: Sequence[bytes]) -> Iterator[list[str]]:
    """Serve these pages as files of `folder`; the context's value is their addresses."""
    for number, page in enumerate(pages):
        (folder / f"{number}.xml").write_bytes(page)
    port = free_port()
    configuration = folder / "nginx.conf"
    # Its worker must be able to read a folder that only this user can.
    user = "user root;" if Path("/proc/self").stat().st_uid == 0 else ""
    configuration.write_text(_CONFIGURATION.format(folder=folder, port=port, user=user))
    line = [program() or "nginx", "-c", str(configuration), "-e", str(folder / "start.log")]
    with subprocess.Popen(line, stderr=subprocess.DEVNULL) as process:
        try:
            await_server(port)
            yield [f"http://127.0.0.1:{port}/{number}.xml" for number in range(len(pages))]
        finally:
            process.terminate()
