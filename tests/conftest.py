import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """The corpora of real pages."""
    folder = os.environ.get("PAGEDRIFT_DATA")
    if not folder:
        pytest.skip("PAGEDRIFT_DATA is not set: it names the folder with the corpora of real pages")
    return Path(folder)
