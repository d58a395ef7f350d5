"""Do pages of the application take longer the longer the past of a watch is?"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Table, seconds

if TYPE_CHECKING:
    import httpx

SHORT, LONG = 100, 100_000  # versions of one page
PAGES = {"overview": "/", "watch": "/watch/{watch}", "queue": "/queue", "change": "/change/{change}"}


def pages() -> list[str]:
    """Ask for pages of one watch with a short past and with a long one."""
    table = Table(f"Pages of the application, {LONG:,} versions over {SHORT}")
    spent = [_spent(versions) for versions in (SHORT, LONG)]
    for name in PAGES:
        short, long = (each[name] for each in spent)
        table.row(f"{name}, milliseconds", f"{long * 1000:.1f}", f"{short * 1000:.1f} with a short past")
        table.promise(f"{name}, ratio", long / short, most=1.5)
    return table.broken


def _spent(versions: int) -> dict[str, float]:
    from tests.app.store.long_history import grow
    from tests.app.web import asgi_client

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.app.web.application import create_app

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder), processes=0)
        with Store(settings) as store:
            watch, change = grow(store, versions)
            app = create_app(settings, store)
            asked = {"accept": "text/html"}
            with asgi_client.client(app, base_url="http://127.0.0.1:8710", headers=asked) as client:
                return {
                    name: _of_page(client, path.format(watch=watch, change=change)) for name, path in PAGES.items()
                }


def _of_page(client: httpx.Client, path: str) -> float:
    assert client.get(path).status_code == 200  # the first time, templates and statements are compiled
    return seconds(client.get, [path], rounds=15, clock=time.process_time)
