"""pagedrift mcp: the installation's watches and changes for agents, over the Model Context Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pagedrift.cli.installation import opened, with_data
from pagedrift.extras import need

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings


@click.command(short_help="Let agents ask about watches, changes and pages (MCP).")
@click.option("--http", "port", type=click.IntRange(1, 65535), metavar="PORT", help="Serve HTTP instead of stdio.")
@click.option("--allow-changes", is_flag=True, help="Let agents add watches and have them checked, too.")
@with_data
def mcp(*, port: int | None, allow_changes: bool, settings: Settings) -> None:
    """Serve the watches and changes of an installation to agents that speak the Model Context Protocol.

    Agents can list watches, ask what changed since a time, read a change with quotations, list and compare
    versions, compare two addresses, and relocate a selector. Nothing is changed unless you allow it. With --http it
    listens on this machine alone.

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
            server.run("stdio")
        else:
            click.echo(f"listening at http://127.0.0.1:{port}/mcp; stop it with Ctrl-C", err=True)
            server.run("streamable-http", host="127.0.0.1", port=port)
