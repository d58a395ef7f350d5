from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from pagedrift import PageVersion
from pagedrift.app.demo import DemoSite
from pagedrift.app.demo.story import SECONDS
from pagedrift.capture.http import Client, Fetched, Manners

BEGIN = 1_790_000_000.0


@dataclass
class Town:
    """The demonstration site with a clock to set by hand, and the client of Pagedrift to visit it with."""

    client: Client
    now: float = BEGIN
    site: DemoSite = field(init=False)

    def fetch(self, path: str, step: int, **options: object) -> Fetched:
        self.now = BEGIN + (step + 0.5) * SECONDS
        assert self.site.step == step
        return self.client.fetch(self.site.url + path, robots="ignore", **options)

    def page(self, path: str, step: int) -> PageVersion:
        page = self.fetch(path, step).page
        assert page is not None
        return page


@pytest.fixture(scope="session")
def town() -> Iterator[Town]:
    with Client(allow_private=["127.0.0.1"], manners=Manners(delay=0, retries=0)) as client:
        running = Town(client)
        with DemoSite(clock=lambda: running.now) as running.site:
            yield running
