"""The API matches its OpenAPI description, as checked by Schemathesis."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from pagedrift.app.settings import Settings
from pagedrift.app.store.store import Store
from pagedrift.app.web import auth
from pagedrift.app.web.api import events
from pagedrift.app.web.run import serving
from tests.app.web.conftest import PASSWORD
from tests.app.web.store_builder import Filled

CONFIGURATION = Path(__file__).parents[3] / "schemathesis.toml"
METHODS = ("get", "post", "put", "patch", "delete")
EXAMPLES = 4  # of each call, besides those at the borders of what is described


@pytest.mark.slow
@pytest.mark.timeout(900)  # some two thousand requests, on a machine that may be busy
def test_schemathesis_finds_nothing(
    settings: Settings, store: Store, filled: Filled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "LASTING_SECONDS", 0.1)  # a stream would be listened to for minutes
    watch = filled.watch("https://city.example/fees", name="Fees")
    old, _ = filled.version(watch, b"<p>40")
    _, change = filled.version(watch, b"<p>45", hours=1, old=old)
    filled.alert(watch, change)
    auth.set_password(store, PASSWORD)
    token = auth.add_token(store, "schemathesis", "api")
    with serving(replace(settings, port=0), store) as running:
        described = httpx.get(
            f"http://127.0.0.1:{running.port}/api/v1/openapi.json", headers={"Authorization": f"Bearer {token}"}
        ).json()
        operations = sum(method in METHODS for path in described["paths"].values() for method in path)
        done = subprocess.run(
            [
                Path(sys.executable).with_name("schemathesis"), "--config-file", CONFIGURATION,
                "run", f"http://127.0.0.1:{running.port}/api/v1/openapi.json",
                "--header", f"Authorization: Bearer {token}", "--max-examples", str(EXAMPLES),
                "--generation-deterministic", "--no-color",  # with workers, Python 3.11 may fail to parse
            ],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip

    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr
    assert f"Tested: {operations}" in done.stdout
