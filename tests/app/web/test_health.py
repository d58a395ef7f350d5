"""What a container engine, a service manager or a proxy asks: is the application ready?"""

import httpx
from sqlalchemy import text

from pagedrift.app.settings import Settings
from pagedrift.app.store.store import Store
from tests.app.postgres import Postgres
from tests.app.web.conftest import visitor


def test_anybody_may_ask_whether_it_is_ready(guarded: httpx.Client) -> None:
    answer = guarded.get("/health")

    assert (answer.status_code, answer.json()) == (200, {"ok": True})


def test_it_is_not_ready_without_its_tables(guarded: httpx.Client, store: Store) -> None:
    with store.begin() as session:
        session.execute(text("DROP TABLE alembic_version"))

    answer = guarded.get("/health")

    assert (answer.status_code, answer.json()) == (503, {"ok": False})


def test_it_is_not_ready_while_its_database_is_away(shared_settings: Settings, postgres: Postgres) -> None:
    with Store(shared_settings) as store:
        client = visitor(shared_settings, store)
        assert client.get("/health").status_code == 200
        postgres.stop()
        away = client.get("/health")
        postgres.start()

        assert away.status_code == 503
        assert client.get("/health").status_code == 200
