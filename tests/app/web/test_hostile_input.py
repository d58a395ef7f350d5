"""Hostile input in names, addresses, pages and server answers is only ever shown as text."""

import asyncio
import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser

from pagedrift import PageVersion
from pagedrift.app import imports
from pagedrift.app.model.alert import AlertPage
from pagedrift.app.model.rules import Rule
from pagedrift.app.model.watch import Watch
from pagedrift.app.notify.message import AlertBlock, compose
from pagedrift.app.settings import Settings
from pagedrift.app.store import feedback, watches
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import AlertRow, VersionRow, VisitRow, WatchRow
from pagedrift.app.web import auth, templating
from pagedrift.app.web.application import create_app
from pagedrift.app.web.run import serving
from pagedrift.capture.feed import parse_feed
from pagedrift.capture.sitemap import parse_sitemap
from pagedrift.errors import InputError, PagedriftError
from pagedrift.facets.tree import read_tree
from pagedrift.what_changed.selection import check as check_selector
from tests.app.web import asgi_client
from tests.app.web.conftest import token_of, visitor
from tests.app.web.route_list import named, routes
from tests.app.web.store_builder import Filled
from tests.resource_bounds import bounded

MARK = "x55"
ATTACK = (
    f"'\"></textarea></title></style></script><script>{MARK}()</script><img src=x onerror={MARK}()>"
    f"<svg/onload={MARK}()>{{{{7919*7907}}}}${{7919*7907}}<%=7919*7907%>javascript:{MARK}()</p>;}}*{{background:url(//evil.example)}}"
)


SELECTOR = '[title="{}"]'.format(ATTACK.replace("\\", "\\\\").replace('"', r"\""))


def poison(filled: Filled) -> dict[str, object]:
    """Write something hostile into every field that can be shown."""
    store = filled.store
    watch = filled.watch("https://city.example/fees?q='%22%3E%3Csvg/onload=x55()%3E", name=ATTACK, group=ATTACK)
    site = filled.watch("https://city.example/feed.xml", kind="feed", name=ATTACK)
    hostile = f"<title>{ATTACK}</title><p>{ATTACK} 40"
    old, _ = filled.version(watch, hostile.encode())
    new, change = filled.version(watch, hostile.replace("40", "45").encode(), hours=1, old=old, headline=ATTACK)
    story = filled.alert(watch, change, ATTACK)
    watches.set_group(store, ATTACK[:200], {"include": (SELECTOR,)})
    watches.edit(
        store,
        watch,
        options={"ignore_text": (re.escape(ATTACK),), "exclude": (SELECTOR,), "steps": (f"fill #q = {ATTACK}",)},
    )
    rule = feedback.add_rule(
        store, Rule(scope="watch", of=watch, kind="text", value=re.escape(ATTACK)), change=change
    )
    auth.add_token(store, ATTACK[:200], "api")
    with store.begin() as session:
        row = session.get(WatchRow, watch)
        row.trouble, row.state, row.failures = ATTACK, "trouble", 3
        session.get(VersionRow, new).title = ATTACK
        session.get(VersionRow, new).mime = ATTACK
        at = datetime.now(UTC)
        session.add(VisitRow(watch_id=watch, at=at, outcome="trouble", reason=ATTACK, kept=False))
        told = session.get(AlertRow, story)
        told.host = ATTACK
        told.told = {"title": ATTACK, "text": ATTACK, "html": f"<p>{MARK}</p>", "url": f"javascript:{MARK}()"}
    return {
        **dict.fromkeys(("number", "change"), change),
        **dict.fromkeys(("new", "version"), new),
        "old": old,
        "stor": story,
        "rule": rule.id,
        "watch": watch,
        "site": site,
        "which": watch,
        "id": watch,
        "name": "app.css",
        "form": "json",
        "stamp": "20261101130000",
        "url": "https://city.example/fees",
        "kind": "text",
        "token": auth.add_token(store, "reader", "feed"),
    }


def check(html: str, where: object) -> None:
    """Read a page as browsers do and find nothing in it that runs, loads or styles but our own."""
    tree = read_tree(html)
    for node in range(len(tree.parent)):
        tag = tree.tag(node) if tree.kind[node] == 1 else ""
        if not tag:
            continue
        assert tag not in ("style", "base", "object", "embed"), (where, tag)
        for name, value in tree.attributes(node):
            assert not name.startswith("on"), (where, tag, name, value)
            assert name not in ("style", "srcdoc", "formaction"), (where, tag, name, value)
            if name in ("href", "src", "action", "data", "poster", "xlink:href"):
                leads = value.strip().lower()
                assert leads.startswith(("/", "#", "?", "http://", "https://")), (where, tag, name, value)
                assert not leads.startswith("//"), (where, tag, name, value)
            if name == "src":
                assert value.startswith(("/", "http://127.0.0.1:")), (where, tag, value)
        if tag == "script":
            assert dict(tree.attributes(node)).get("src", "").startswith("/static/"), where


def pages(
    client: httpx.Client, settings: Settings, store: Store, known: dict[str, object]
) -> Iterator[tuple[str, httpx.Response]]:
    views = ("changes", "page", "side", "pictures", "source", "links")
    for route in routes(create_app(settings, store)):
        if route.method == "GET":
            path = route.filled(known)
            for address in (path, *(f"{path}?view={view}" for view in views if route.path == "/change/{number}")):
                yield address, client.get(address)


def test_what_is_stored_is_shown_as_text_on_every_page(settings: Settings, store: Store, filled: Filled) -> None:
    known, client = poison(filled), visitor(settings, store)
    shown, broken = 0, []
    for path, answer in pages(client, settings, store, known):
        broken += [path] if answer.status_code >= 500 else []
        if answer.headers.get("content-type", "").startswith("text/html"):
            check(answer.text, path)
            shown += MARK in answer.text
            assert str(7919 * 7907) not in answer.text  # nothing was worked out
    assert broken == []
    assert shown >= 3


def test_what_is_sent_is_echoed_as_text_on_every_page(settings: Settings, store: Store, filled: Filled) -> None:
    known, client = named(filled), visitor(settings, store)
    attack = httpx.QueryParams(dict.fromkeys(ECHOED, ATTACK))
    broken = []
    for route in routes(create_app(settings, store)):
        if route.method != "GET":
            continue
        hostile = {name: value if name in ("token",) else _escaped(ATTACK) for name, value in known.items()}
        for address in (f"{route.filled(known)}?{attack}", route.filled(hostile)):
            answer = client.get(address)
            broken += [address] if answer.status_code >= 500 else []
            kind = answer.headers.get("content-type", "")
            if kind.startswith("text/html"):
                check(answer.text, address)
            else:
                assert answer.headers["x-content-type-options"] == "nosniff"
                assert not kind.startswith(("image/svg", "application/xhtml")), address
    assert broken == []


ECHOED = (
    "next view q search group state sort page name url kind error message from to before after limit v which watch "
    "text css selector value scope of number told old new tell at_least token"
).split()


def _escaped(text: str) -> str:
    return quote(text, safe="")


def test_errors_of_forms_and_feeds_echo_nothing_that_runs(client: httpx.Client, store: Store) -> None:
    """The address of a feed, and the name of a group in it, once came back as HTML elsewhere."""
    feed = auth.add_token(store, "reader", "feed")
    for path in (
        f"/feed/{feed}/watch/{_escaped(ATTACK)}.atom",
        f"/feed/{feed}/group/{_escaped(ATTACK)}.atom",
        f"/feed/{_escaped(ATTACK)}/all.atom",
    ):
        answer = client.get(path)
        assert not answer.headers["content-type"].startswith("text/html")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert f"<script>{MARK}" not in answer.text or answer.status_code >= 400
        if "xml" in answer.headers["content-type"]:
            assert f"<script>{MARK}" not in answer.text
    for sent in ({"url": ATTACK}, {"url": f"javascript:{MARK}()"}):
        answer = client.post("/watch/new", data={"csrf": token_of(client), **sent})
        assert answer.status_code < 500
        check(answer.text, sent)


JAVASCRIPT = [
    "javascript:alert(1)",
    "JAVASCRIPT:alert(1)",
    " javascript:alert(1)",
    "java\tscript:alert(1)",
    "\x01javascript:alert(1)",
    "javascript://city.example/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "file:/etc/passwd",
    "file:../../etc/passwd",
    "source:file:///etc/passwd",
    "FILE://localhost/etc/passwd",
    "ftp://city.example/",
    "//city.example/",
    "http:/etc/passwd",
    "https:///etc/passwd",
    "view-source:http://city.example/",
    "blob:http://city.example/x",
    "http://city.example\\@internal.example/",
    "http://internal.example\\@city.example/",
    "http://user:secret@city.example/",
    "http://city.example/\n",
    "http://city.example/a b",
    "http://[::1",
]


@pytest.mark.parametrize("url", JAVASCRIPT)
def test_an_address_that_is_no_page_is_watched_by_no_way_in(store: Store, client: httpx.Client, url: str) -> None:
    """Form, API, command line and imports go through one check."""
    key = {"authorization": f"Bearer {auth.add_token(store, 'program', 'api')}"}
    form = client.post("/watch/new", data={"csrf": token_of(client), "url": url, "kind": "page"})
    api = client.post("/api/v1/watches", json={"url": url}, headers=key)
    if url.strip() == "http://city.example/":  # tidied up, it is one
        return
    with pytest.raises(InputError):
        watches.add(store, Watch(url))
    kept = watches.every(store)
    assert (form.status_code, api.status_code, kept) == (form.status_code, 422, [])
    assert form.status_code in (400, 422, 200)
    good = client.post("/api/v1/watches", json={"url": "https://city.example/"}, headers=key).json()["id"]
    assert client.patch(f"/api/v1/watches/{good}", json={"url": url}, headers=key).status_code == 422
    assert [watch.url for watch in watches.every(store)] == ["https://city.example/"]


@pytest.mark.parametrize(
    "expression", ["a{1000000000}", "((a{1000}){1000}){1000}"], ids=["one count", "nested counts"]
)
def test_an_expression_that_takes_all_memory_is_kept_by_no_way_in(
    store: Store, client: httpx.Client, expression: str
) -> None:
    """Form, API, rules, groups and imports of all kinds go through one check, which compiles nothing large."""
    key = {"authorization": f"Bearer {auth.add_token(store, 'program', 'api')}"}
    url, ignored = "https://city.example/", {"ignore_text": [expression]}
    rule = {"scope": "all", "of": "", "kind": "text", "value": expression}
    jobs = json.dumps({"url": url, "filter": [{"re.sub": {"pattern": expression}}]})
    backup = json.dumps({"watching": {"a": {"url": url, "ignore_text": [f"/{expression}/"]}}, "settings": {}})
    own = json.dumps({"format": "pagedrift", "v": 1, "watches": [{"url": url, "options": ignored}]})
    with bounded(megabytes=400, cpu_seconds=30):
        form = client.post("/watch/new", data={"csrf": token_of(client), "url": url, "kind": "page", **ignored})
        api = client.post("/api/v1/watches", json={"url": url, "options": ignored}, headers=key)
        ruled = client.post("/api/v1/rules", json=rule, headers=key)
        with pytest.raises(InputError, match="repeats too much"):
            watches.set_group(store, "city", {"ignore_text": (expression,)})
        for text, kind in ((jobs, "urlwatch"), (backup, "changedetection"), (own, "pagedrift")):
            found = imports.read(text.encode(), kind=kind).watches
            assert [watch.options.get("ignore_text") for watch in found] == [None]

    assert (form.status_code, api.status_code, ruled.status_code) == (400, 400, 400)
    assert "repeats too much" in form.text
    assert watches.every(store) == []


def test_templates_are_ours_alone_and_escape_whatever_they_are_called() -> None:
    environment = templating.environment()

    assert environment.autoescape is True
    for name in environment.list_templates():
        source, _, _ = environment.loader.get_source(environment, name)
        assert not re.search(r"\|\s*safe|autoescape|Markup", source), name
    with pytest.raises(Exception, match="7"):
        templating.rendered("{{ 7 * 7 }}")


def test_messages_work_nothing_out_and_escape_everything() -> None:
    """Titles of pages go into messages; there is no language of templates in them that could be abused."""
    page = AlertPage(watch="5a", url="https://city.example/", name=ATTACK, group=ATTACK, change=7)
    said = {"uid": "u", "headline": ATTACK, "reason": ATTACK, "blocks": [AlertBlock(ATTACK, ATTACK)]}
    told = compose(verdict="matters", pages=[page], at=datetime.now(UTC), base_url="http://127.0.0.1/", **said)

    assert "{{7919*7907}}" in told["text"]
    assert "{{7919*7907}}" in told["html"]
    check(re.sub(r' style="[^"<>]*"', "", told["html"]), "message")


NO_PAGES = ("/api/", "/feed/", "/memento/", "/static/", "/health")


@pytest.mark.slow
def test_nothing_hostile_runs_in_a_real_browser(
    settings: Settings, store: Store, filled: Filled, browser: Browser
) -> None:
    known = poison(filled)
    app_routes = [route for route in routes(create_app(settings, store)) if route.method == "GET"]
    with serving(replace(settings, port=0), store) as running:
        page = browser.new_page()
        page.add_init_script(f"window.{MARK} = () => {{ window.ran = 1 }}")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for route in app_routes:
            if route.path.startswith(
                ("/api/", "/feed/", "/memento/", "/static/", "/health")
            ) or route.path.endswith((".png", ".csv")):
                continue
            page.goto(f"http://127.0.0.1:{running.port}{route.filled(known)}", wait_until="load")
            assert page.evaluate("window.ran") is None, route
        page.close()
    assert [url for url in asked if not url.startswith("http://127.0.0.1:")] == []


# --- files that are read -----------------------------------------------------------------------------------------

ENTITY = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
LAUGHS = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">%s]>' % b"".join(
    b'<!ENTITY %c "%s">' % (98 + at, (b"&%c;" % (97 + at)) * 10) for at in range(9)
)
RSS = b"<rss><channel><title>T%s</title><item><title>T%s</title><link>https://city.example/</link></item></channel></rss>"
SITEMAP = b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://city.example/%s</loc></url></urlset>"


@pytest.mark.parametrize(("head", "entity"), [(ENTITY, b"&e;"), (LAUGHS, b"&j;")])
def test_entities_of_feeds_and_sitemaps_read_no_file_and_do_not_grow(head: bytes, entity: bytes) -> None:
    for read, body in ((parse_feed, RSS % (entity, entity)), (parse_sitemap, SITEMAP % entity)):
        page = PageVersion("https://city.example/x.xml", head + body, content_type="application/xml")
        try:
            found = str(read(page))
        except PagedriftError as error:
            found = str(error)
        assert "root:" not in found
        assert len(found) < 10_000


def test_web_sockets_are_refused(settings: Settings, store: Store) -> None:
    app = create_app(settings, store)
    sent: list[dict[str, object]] = []

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    asgi_client._THREAD.submit(
        lambda: asyncio.run(app({"type": "websocket", "path": "/", "headers": []}, None, send))
    ).result()
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize(
    "value",
    [
        "unparsed-text('file:///etc/passwd')",
        "json-doc('file:///etc/passwd')",
        "//a[doc('file:///etc/passwd')]",
        "xpath:collection('/etc')",
        "jq:env",
        "jq:$ENV.PATH",
        "json:$..*[?(@.x=~/(a+)+$/)]",
    ],
)
def test_selectors_are_css_and_nothing_that_reads_files_or_surroundings(store: Store, value: str) -> None:
    """There is no XPath and no jq here whose functions would have to be forbidden one by one."""
    with pytest.raises(InputError):
        feedback.add_rule(store, Rule(scope="all", of="", kind="block", value=value))
    with pytest.raises(InputError):
        check_selector(value)


def test_a_packed_backup_writes_no_file_wherever_its_members_lead(
    settings: Settings, store: Store, client: httpx.Client
) -> None:
    key = {"authorization": f"Bearer {auth.add_token(store, 'program', 'api')}"}
    watch = json.dumps({"url": "https://city.example/", "processor": "../../../evil"})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in (
            "../../evil/watch.json",
            "/var/evil/watch.json",
            "a/../../../evil.txt",
            "changedetection.json",
        ):
            archive.writestr(name, watch)
    before = {path for path in settings.data.parent.rglob("*") if path.suffix not in (".db-wal", ".db-shm")}

    answer = client.post("/api/v1/import", content=packed.getvalue(), headers=key)

    assert answer.status_code < 500
    after = {path for path in settings.data.parent.rglob("*") if path.suffix not in (".db-wal", ".db-shm")}
    assert {path.name for path in after - before} <= {"key"}
