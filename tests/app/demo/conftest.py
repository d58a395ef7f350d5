from collections.abc import Iterator

import pytest

from pagedrift import PageVersion
from pagedrift.app.demo import DemoSite
from pagedrift.app.demo.scenario import SECONDS_PER_STEP
from pagedrift.capture.http import Client, ClientConfig, Fetched

BEGIN = 1_790_000_000.0


class Town:
    """The demonstration site with a clock to set by hand, and the client of Pagedrift to visit it with."""

    def __init__(self) -> None:
        self.now = BEGIN
        self.site = DemoSite(clock=lambda: self.now).start()
        self.client = Client(allow_private=[self.site.address], config=ClientConfig(delay=0, retries=0))

    def fetch(self, path: str, step: int, **options: object) -> Fetched:
        self.now = BEGIN + (step + 0.5) * SECONDS_PER_STEP
        assert self.site.step == step
        return self.client.fetch(self.site.url + path, robots="ignore", **options)

    def page(self, path: str, step: int) -> PageVersion:
        page = self.fetch(path, step).page
        assert page is not None
        return page


@pytest.fixture(scope="session")
def town() -> Iterator[Town]:
    running = Town()
    yield running
    running.client.close()
    running.site.close()
