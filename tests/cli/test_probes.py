"""`/healthz` says that a process answers, `/readyz` that it can read the store."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from gateway.ops.upkeep import make
from tests.applications import application


@pytest.fixture
def client(tmp_path: Path) -> FlaskClient:  # type: ignore[misc]
    make(tmp_path, {})
    with application(tmp_path) as made:
        yield made.test_client()


def test_sound_instance_is_alive_and_ready(client: FlaskClient) -> None:
    assert [client.get(path).status_code for path in ("/healthz", "/readyz")] == [200, 200]
    assert client.get("/readyz").headers["Cache-Control"] == "no-store"


def test_instance_whose_store_is_damaged_is_alive_and_not_ready(
    client: FlaskClient, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "store.sqlite").write_bytes(b"no database at all" * 1000)
    for beside in tmp_path.glob("store.sqlite-*"):
        beside.unlink()
    answer = client.get("/readyz")
    assert (answer.status_code, client.get("/healthz").status_code) == (503, 200)
    assert str(tmp_path) not in answer.text
    assert "gateway check" in caplog.text
