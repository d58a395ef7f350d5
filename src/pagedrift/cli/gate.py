"""pagedrift gate: a service that says to a crawler which captures to keep."""

from __future__ import annotations

from pathlib import Path

import click

from pagedrift.cli.common import check_place, keep_option
from pagedrift.crawls.keeping import KeepLevel


@click.command(short_help="Run a service that says to crawlers which captures to keep.")
@click.option(
    "--state",
    type=click.Path(dir_okay=False, path_type=Path),
    default="gate.db",
    show_default=True,
    metavar="FILE",
    help="Where it remembers what was kept.",
)
@keep_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(1, 65535), default=8720, show_default=True, help="Port to listen at.")
def gate(*, state: Path, level: str, host: str, port: int) -> None:
    """Answer crawlers whether to keep a capture, or to write a revisit of the one kept before.

    Ask with POST /decide?url=URL, the body of the page as the body of the request, and its Content-Type. The answer
    is JSON: decision (keep or revisit), reason, change, and refers_to with the address, date and digest of the
    capture that was kept. It has no password: whoever reaches the port can ask, so keep it on this machine.

    \b
    Examples:
      pagedrift gate --keep important --state crawl-gate.db
      curl --data-binary @page.html -H "Content-Type: text/html" "http://127.0.0.1:8720/decide?url=https://city.example/"
    """
    import uvicorn

    from pagedrift.crawls.gate_service import gate_application

    check_place(state)
    application = gate_application(str(state), KeepLevel(level))
    click.echo(f"listening at http://{host}:{port}/decide; stop it with Ctrl-C", err=True)
    uvicorn.run(application, host=host, port=port, log_level="warning", access_log=False)
