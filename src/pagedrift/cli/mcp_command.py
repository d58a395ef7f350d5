"""pagedrift mcp: the installation's watches and changes for agents, over the Model Context Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pagedrift.app.model.actors import COMMAND, Actor, acting_as
from pagedrift.cli.installation import opened, with_data
from pagedrift.errors import InputError
from pagedrift.extras import need

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store


@click.command(short_help="Let agents ask about watches, changes and pages (MCP).")
@click.option("--http", "port", type=click.IntRange(1, 65535), metavar="PORT", help="Serve HTTP instead of stdio.")
@click.option("--allow-changes", is_flag=True, help="Let agents add watches and have them checked, too.")
@click.option(
    "--token",
    default="",
    envvar="PAGEDRIFT_TOKEN",
    show_envvar=True,
    help="API token by which agents act over stdio, with at most its rights.",
)
@with_data
def mcp(*, port: int | None, allow_changes: bool, token: str, settings: Settings) -> None:
    """Serve the watches and changes of an installation to agents that speak the Model Context Protocol.

    Agents can list watches, ask what changed since a time, read a change with quotations, list and compare
    versions, compare two addresses, and relocate a selector. Nothing is changed unless you allow it, and then by
    editors and owners only. With --http it listens on this machine alone; where a password is set, agents send
    an API token as a bearer token.

    \b
    Examples:
      pagedrift mcp
      pagedrift mcp --http 8730 --allow-changes
    """
    need("mcp", "mcp.server.mcpserver")
    from pagedrift.app.agents.server import agent_server
    from pagedrift.app.agents.tools import AgentTools
    from pagedrift.app.monitor.worker_pool import AnalysisPool

    with opened(settings) as store, AnalysisPool(1) as pool:
        server = agent_server(AgentTools(settings, store, pool), allow_changes=allow_changes)
        if port is None:
            with acting_as(_actor(store, token)):
                server.run("stdio")
        else:
            click.echo(f"listening at http://127.0.0.1:{port}/mcp; stop it with Ctrl-C", err=True)
            _serve(server, settings, store, port)


def _actor(store: Store, token: str) -> Actor:
    """Say who the agent acts for: whoever started the command, or the person of a token."""
    if not token:
        return COMMAND
    from pagedrift.app.store import tokens
    from pagedrift.app.web.auth import digest_of

    found = tokens.find(store, "api", digest_of(token))
    if found is None:
        raise InputError("this token is not valid; make one in the settings")
    name = f"{found.name} ({found.person.name})"
    return Actor(kind="token", name=name, person=found.person.id, role=found.role)


def _serve(server: Any, settings: Settings, store: Store, port: int) -> None:
    """Serve agents over HTTP, behind the same gate as the application."""
    import uvicorn

    from pagedrift.app.web.auth import Authenticator
    from pagedrift.app.web.gate import Gate

    # Each request by itself: who asks may do what their token allows now, whoever began the conversation.
    app = server.streamable_http_app(stateless_http=True, json_response=True)
    uvicorn.run(Gate(app, Authenticator(settings, store)), host="127.0.0.1", port=port, log_level="warning")
