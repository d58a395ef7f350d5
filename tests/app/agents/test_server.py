"""Agents ask an installation over MCP: a real client, over stdio and in memory."""

import asyncio
import json
import socket
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from pagedrift.app.agents.server import CHANGING, READING, agent_server
from pagedrift.app.agents.tools import AgentTools
from pagedrift.app.model.change import JudgedEdit
from pagedrift.app.monitor.worker_pool import AnalysisPool
from pagedrift.app.settings import Settings
from pagedrift.app.store import people
from pagedrift.app.store.store import Store
from pagedrift.app.web import auth
from pagedrift.app.web.gate import Gate
from tests.app.web.store_builder import Filled
from tests.cli.test_commands import PROGRAM
from tests.server import Site

PAGE = "<main><h1>Fees</h1><p class={name}>A permit for a fence costs {fee} and is valid for a year.</p></main>"


@pytest.fixture
def filled(settings: Settings, store: Store) -> Iterator[Filled]:
    """One watch with two versions and the change between them."""
    filled = Filled(settings, store)
    watch = filled.watch("https://city.example/fees", name="Fees")
    old, _ = filled.version(watch, PAGE.format(name="fee", fee="$40").encode())
    edit = JudgedEdit(level="important", probability=0.97, summary="Price $40 → $45", old="$40", new="$45" * 900)
    filled.version(
        watch,
        PAGE.format(name="amount", fee="$45").encode(),
        hours=5,
        old=old,
        headline="Price $40 → $45",
        edits=(edit,),
    )
    yield filled
    filled.archive.close()


@pytest.fixture
def tools(settings: Settings, store: Store) -> Iterator[AgentTools]:
    with AnalysisPool(0) as pool:
        yield AgentTools(settings, store, pool)


def awaited(work: Coroutine[Any, Any, Any]) -> Any:
    """Wait for an answer in a thread of its own: a browser of other tests may have a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def ask(server: Any, name: str, **arguments: Any) -> Any:
    async def asked() -> Any:
        async with Client(server) as client:
            found = await client.call_tool(name, arguments)
            return found.is_error, json.loads(found.content[0].text) if not found.is_error else found.content[
                0
            ].text

    return awaited(asked())


@pytest.mark.usefixtures("filled")
def test_an_agent_finds_what_changed_and_reads_it(tools: AgentTools) -> None:
    server = agent_server(tools)
    _, watches = ask(server, "list_watches", search="fee")
    _, news = ask(server, "changes_since", since="2026-01-01", important_only=False)
    _, change = ask(server, "read_change", change=news["changes"][0]["change"])

    assert [each["name"] for each in watches["watches"]] == ["Fees"]
    assert news["changes"][0]["headline"] == "Price $40 → $45"
    assert change["edits"][0]["before"] == "$40"


@pytest.mark.usefixtures("filled")
def test_quotations_are_bounded(tools: AgentTools) -> None:
    server = agent_server(tools)
    _, news = ask(server, "changes_since", since="2026-01-01", important_only=False)
    _, change = ask(server, "read_change", change=news["changes"][0]["change"])

    assert len(change["edits"][0]["after"]) <= 400


@pytest.mark.usefixtures("filled")
def test_versions_are_compared_and_selectors_relocated(tools: AgentTools) -> None:
    server = agent_server(tools)
    _, listed = ask(server, "list_versions", watch="Fees")
    new, old = (each["version"] for each in listed["versions"])
    _, found = ask(server, "compare_versions", old=old, new=new)
    _, moved = ask(server, "relocate_selector", watch="Fees", selector=".fee")

    assert found["headline"] == "Price $40 → $45"
    assert moved["proposed"] == ".amount"


def test_two_addresses_are_compared_by_the_policy_of_the_installation(tools: AgentTools, site: Site) -> None:
    for name, fee in (("a", "$40"), ("b", "$45")):
        site.pages[f"/{name}"] = PAGE.format(name="fee", fee=fee).encode()
    server = agent_server(tools)

    assert ask(server, "compare_urls", old=f"{site.url}/a", new=f"{site.url}/b")[1]["headline"] == "Price $40 → $45"
    for forbidden in ("/etc/passwd", "file:///etc/passwd", "http://169.254.169.254/latest"):
        is_error, said = ask(server, "compare_urls", old=forbidden, new=f"{site.url}/b")
        assert is_error
        assert ";" in said


def test_an_error_says_the_next_step(tools: AgentTools) -> None:
    is_error, said = ask(agent_server(tools), "read_change", change=7)

    assert is_error
    assert said.endswith("change 7 not found; list them with changes_since")


@pytest.mark.parametrize("allowed", [False, True])
def test_nothing_is_changed_unless_that_is_allowed(tools: AgentTools, allowed: bool) -> None:
    server = agent_server(tools, allow_changes=allowed)

    async def listed() -> set[str]:
        async with Client(server) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert awaited(listed()) == {*READING, *(CHANGING if allowed else ())}
    if allowed:
        ask(server, "add_watch", url="https://city.example/news")
        assert ask(server, "list_watches")[1]["watches"][0]["url"] == "https://city.example/news"


@contextmanager
def listening(app: Any) -> Iterator[str]:
    """Serve an application at a free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
        thread = Thread(target=lambda: asyncio.run(server.serve([listener])))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            thread.join()


@pytest.mark.slow
@pytest.mark.usefixtures("filled")
def test_agents_over_http_may_do_what_the_token_of_their_person_allows(
    settings: Settings, store: Store, tools: AgentTools
) -> None:
    auth.set_password(store, "correct horse battery")
    with store.begin() as session:
        anna, bert = people.add(session, "Anna", "editor"), people.add(session, "Bert", "reader")
    app = agent_server(tools, allow_changes=True).streamable_http_app(stateless_http=True, json_response=True)
    keys = {
        "editor": auth.add_token(store, "agent", "api", person=anna.id),
        "reader": auth.add_token(store, "agent", "api", person=bert.id),
        "nobody": "pd_api_wrong",
    }

    async def added(url: str, token: str) -> str:
        http = httpx.AsyncClient(headers={"authorization": f"Bearer {token}"})
        async with http, Client(streamable_http_client(url, http_client=http)) as client:
            await client.call_tool("list_watches", {})
            found = await client.call_tool("add_watch", {"url": "https://city.example/news"})
            return str(found.content[0].text)

    with listening(Gate(app, auth.Authenticator(settings, store))) as url:
        assert "city.example/news" in awaited(added(url, keys["editor"]))
        assert "needs the role editor, and yours is reader" in awaited(added(url, keys["reader"]))
        for token in ("none", keys["nobody"]):
            answer = httpx.post(url, json={}, headers={"authorization": f"Bearer {token}"})
            assert answer.status_code == 401


@pytest.mark.slow
@pytest.mark.usefixtures("filled")
def test_an_agent_acts_over_stdio_with_the_rights_of_a_token(settings: Settings, store: Store) -> None:
    token = auth.add_token(store, "agent", "api", role="reader")
    arguments = ["mcp", "--data", str(settings.data), "--allow-changes", "--token", token]

    async def asked() -> Any:
        async with Client(StdioServerParameters(command=PROGRAM, args=arguments)) as client:
            return await client.call_tool("add_watch", {"url": "https://city.example/news"})

    assert "needs the role editor" in awaited(asked()).content[0].text


@pytest.mark.slow
@pytest.mark.usefixtures("filled")
def test_an_agent_starts_it_and_talks_over_stdio(settings: Settings) -> None:
    parameters = StdioServerParameters(command=PROGRAM, args=["mcp", "--data", str(settings.data)])

    async def asked() -> Any:
        async with Client(parameters) as client:
            return await client.call_tool("list_watches", {})

    assert json.loads(awaited(asked()).content[0].text)["watches"][0]["name"] == "Fees"
