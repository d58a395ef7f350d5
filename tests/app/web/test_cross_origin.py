"""Attacks by a foreign page, in a real browser that also has the application open."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser

from pagedrift.app.model.watch import Watch
from pagedrift.app.settings import Settings
from pagedrift.app.store import tokens, watches
from pagedrift.app.store.store import Store
from pagedrift.app.web import auth
from pagedrift.app.web.error_responses import RefusedError
from pagedrift.app.web.gate import Gate
from pagedrift.app.web.run import serving
from tests.app.web.conftest import PASSWORD

EVIL = """<!doctype html><title>A page of somebody else</title><body><script>
const app = new URLSearchParams(location.search).get("app");
const body = JSON.stringify({url: "https://evil.example/"});
const form = new URLSearchParams({url: "https://evil.example/", kind: "page", csrf: "0".repeat(64), name: "evil"});
const tried = [];
async function attempt(path, options) {
  try {
    const answer = await fetch(app + path, {credentials: "include", ...options});
    tried.push(answer.type === "opaque" ? "sent" : "read " + (await answer.text()).length);
  } catch { tried.push("failed") }
}
function framed(path, fields) {
  return new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.name = "f" + Math.random();
    document.body.append(frame);
    const sent = document.createElement("form");
    Object.assign(sent, {method: fields ? "post" : "get", action: app + path, target: frame.name});
    for (const [name, value] of fields || [])
      sent.append(Object.assign(document.createElement("input"), {name, value}));
    document.body.append(sent);
    frame.onload = done;
    setTimeout(done, 1500);
    sent.submit();
  });
}
(async () => {
  for (const mode of ["cors", "no-cors"]) {
    await attempt("/", {mode});
    await attempt("/api/v1/watches", {mode});
    await attempt("/api/v1/watches", {mode, method: "POST", body, headers: {"content-type": "text/plain"}});
    await attempt("/watch/new", {mode, method: "POST", body: form});
    await attempt("/settings/tokens", {mode, method: "POST", body: form});
    await attempt("/settings/password", {mode, method: "POST", body: form});
  }
  await attempt("/api/v1/watches", {method: "POST", body, headers: {"content-type": "application/json"}});
  await attempt("/api/v1/watches/1", {method: "DELETE"});
  await framed("/watch/new", form);
  await framed("/settings/tokens", form);
  await framed("/");
  const image = new Image();
  image.src = app + "/static/app.css";
  document.title = tried.join(",");
})();
</script>"""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """A site of somebody else: to browsers, localhost and 127.0.0.1 are two."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = EVIL.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://localhost:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What the gate said no to, by status."""
    seen: list[int] = []
    real = Gate._refuse

    async def noted(self: Gate, answer: object, scope: object, no: RefusedError) -> None:
        seen.append(no.status)
        await real(self, answer, scope, no)

    monkeypatch.setattr(Gate, "_refuse", noted)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("password", [False, True])
def test_a_page_of_somebody_else_reads_and_changes_nothing_in_a_real_browser(
    settings: Settings, store: Store, browser: Browser, elsewhere: str, *, password: bool, refused: list[int]
) -> None:
    kept = watches.add(store, Watch("https://city.example/"))
    if password:
        auth.set_password(store, PASSWORD)
    with serving(replace(settings, port=0), store) as running:
        here = f"http://127.0.0.1:{running.port}"
        context = browser.new_context()
        ours = context.new_page()
        ours.goto(f"{here}/")
        if password:
            assert ours.url == f"{here}/login?next=%2F"
            ours.fill("input[name=password]", PASSWORD)
            ours.click("form[action='/login'] button")
            ours.wait_for_url(f"{here}/")
        assert "city.example" in ours.content()
        theirs = context.new_page()
        theirs.goto(f"{elsewhere}/?app={here}")
        theirs.wait_for_function("document.title.includes(',')", timeout=60_000)
        tried = theirs.title().split(",")
        frames = [frame.content() for frame in theirs.frames[1:]]
        # A link from there is followed, and finds the session that was held back at first.
        theirs.evaluate("(url) => { location.href = url }", f"{here}/alerts")
        theirs.wait_for_url(f"{here}/alerts")
        context.close()

    assert watches.every(store) == [kept]
    assert tokens.every(store) == []
    assert auth.has_password(store) is password
    assert len(tried) == 14
    assert refused.count(403) > 8  # they did reach us ...
    assert not [each for each in tried if each.startswith("read")]  # ... and read nothing
    assert not any("city.example" in frame for frame in frames)
