from dataclasses import replace
from pathlib import Path

import pytest

from pagedrift.app.settings import Settings
from pagedrift.app.store.store import Store
from tests.app.web.conftest import visitor
from tests.app.web.store_builder import Filled

BEFORE = b"<title>Fees</title><p class=fee>24 EUR</p><a href=/old>Apply by post</a>"
AFTER = b"<title>Fees</title><p class=fee>29 EUR</p><a href=/new>Apply online</a>"


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """An installation whose archive is not in its data directory."""
    return replace(settings, warcs=str(tmp_path / "elsewhere"))


def test_pages_look_into_versions_wherever_the_archive_is(settings: Settings, store: Store, filled: Filled) -> None:
    watch = filled.watch("https://city.example/fees")
    old, _ = filled.version(watch, BEFORE)
    new, change = filled.version(watch, AFTER, hours=1, old=old)
    client = visitor(settings, store)
    assert "29 EUR" in client.get(f"/watch/{watch}/matches?include=.fee").text
    assert "/new" in client.get(f"/change/{change}?view=links").text
    assert client.get(f"/version/{new}/places?old={old}").json()
    assert "cannot be read" not in client.get(f"/change/{change}/rule?kind=block&value=.fee").text
