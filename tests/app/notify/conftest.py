from collections.abc import Iterator

import pytest

from tests.app.notify.receiver import Receiver, receiving


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as server:
        yield server
