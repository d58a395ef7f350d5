import os
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

from tests.collection.sample_collection import QUICK
from tests.server import Site, serving

# How long an example takes depends on what else the machine does.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.fixture(scope="session")
def data() -> Path:
    """The corpora of real pages."""
    folder = os.environ.get("PAGEDRIFT_DATA")
    if not folder:
        pytest.skip("PAGEDRIFT_DATA is not set: it names the folder with the corpora of real pages")
    return Path(folder)


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update "
    "--disable-sync --no-first-run"
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real browser: the system's Chromium."""
    if not CHROMIUM:
        pytest.skip("there is no Chromium on this machine; on Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield launched
        launched.close()


class Beacon(ThreadingHTTPServer):
    """A server that remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def beacon() -> Iterator[Beacon]:
    """A server that a page which was made safe never reaches."""
    server = Beacon()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    """A real web server on this machine."""
    with serving() as running:
        yield running


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """A server that speaks S3, with one bucket, which this process and all below it find."""
    import boto3
    from moto.server import ThreadedMotoServer

    from pagedrift.collection import locations

    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    patch = pytest.MonkeyPatch()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        patch.setenv(name, value)
    locations.forget()
    client = boto3.client("s3")
    client.create_bucket(Bucket="crawls")
    client.close()
    yield "s3://crawls"
    patch.undo()
    locations.forget()
    server.stop()


@pytest.fixture(scope="session")
def spark(s3: str) -> Iterator[Any]:
    """A real Spark on this machine, for all tests that need one; it reaches the store that speaks S3."""
    from pagedrift.collection.java import NoJavaError, ensure_java
    from pagedrift.collection.session import session

    assert s3
    pytest.importorskip("pyspark", reason="there is no pyspark; install it with: pip install 'pagedrift[spark]'")
    try:
        ensure_java()
    except NoJavaError as error:
        pytest.skip(str(error))
    with session("tests", master="local[2]", settings=QUICK) as running:
        yield running


@pytest.fixture(autouse=True)
def _each_archive_is_a_part(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the archives of tests, all of them small, be parts of their own on Spark, as those of crawls are."""
    if "spark" in request.fixturenames:
        monkeypatch.setattr("pagedrift.collection.manifest.SMALL_PART", 0)
