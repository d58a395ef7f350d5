"""The command `pagedrift watch steps`: tries the browser steps of a watch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pagedrift.cli.common import answer_json, json_option
from pagedrift.cli.installation import opened, with_data
from pagedrift.cli.watch.output import FORMAT
from pagedrift.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.app.settings import Settings
    from pagedrift.capture.step_trial import StepTrial

_FAILED: Final = 2


@click.command()
@click.argument("which", metavar="WATCH")
@click.option(
    "--step", "given", multiple=True, metavar="STEP", help="Try these steps instead of those of the watch."
)
@click.option(
    "--pictures",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write a picture of the page after each step to this folder, and of the moment at which one failed.",
)
@json_option
@with_data
def steps(which: str, given: tuple[str, ...], folder: Path | None, as_json: bool, settings: Settings) -> None:
    """Try the browser steps of a watch now, with its secrets, and say what became of each. Nothing is stored.

    The exit status is 2 if a step failed.

    \b
    Examples:
      pagedrift watch steps Orders --pictures pictures
      pagedrift watch steps Orders --step 'click #more' --step 'wait .orders'
    """
    from pagedrift.app.monitor.step_trials import StepTrials
    from pagedrift.app.store import visits, watches

    with opened(settings) as store:
        watch = watches.get(store, which)
        with store.read() as session:
            options = visits.options_of_watch(session, watch.id)
        trials = StepTrials(settings, store)
        try:
            trial = trials.run(watch.url, given or options.steps, options, each_picture=folder is not None).trial
        finally:
            trials.close()
    written = dict(_written(trial, folder)) if folder is not None else {}
    for number, each in enumerate(trial.steps, 1):
        said = {"step": each.step, "outcome": each.outcome, "problem": each.problem}
        if as_json:
            answer_json({"v": FORMAT, "number": number, **said, "picture": written.get(number, "")})
        else:
            problem = f"  ({each.problem})" if each.problem else ""
            click.echo(printable(f"{number:>2}  {each.outcome:<9}  {each.step}{problem}"))
    if trial.trouble:
        click.echo(f"error: {trial.trouble}", err=True)
    if trial.failed or trial.trouble:
        click.get_current_context().exit(_FAILED)


def _written(trial: StepTrial, folder: Path) -> Iterator[tuple[int, str]]:
    """Write the pictures; give the file of each step that has one."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, each in enumerate(trial.steps, 1):
        if each.picture:
            path = folder / f"step-{number:02}{'-failed' * (each.outcome == 'failed')}.jpg"
            path.write_bytes(each.picture)
            yield number, str(path)
