"""pagedrift spark: the same questions, asked of a collection on many machines."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click
from rich.progress import MofNCompleteColumn, TextColumn

from pagedrift.cli.common import answer, bar, tell_damaged

if TYPE_CHECKING:
    from pagedrift.collection.job import CollectionJob, Outcome

JOBS: Final = {
    "fingerprint": ("pagedrift.which_template.spark", "FingerprintJob", "Compute the fingerprint of every page."),
    "cluster": ("pagedrift.which_template.spark", "ClusterJob", "Find the templates of a collection."),
    "classify": ("pagedrift.which_template.spark", "ClassifyJob", "Find the template of every page with an index."),
    "changes": ("pagedrift.how_much.spark", "ChangesJob", "Find out what changed between captures of each page."),
    "judged": ("pagedrift.does_it_matter.spark", "JudgedJob", "Judge every change between captures of each page."),
    "compare": ("pagedrift.crawls.spark", "CompareJob", "Compare a crawl with a newer one, address by address."),
    "redesigned": ("pagedrift.redesigned.spark", "RedesignedJob", "Find out when each site was redesigned."),
}


def job_named(name: str, **options: Any) -> CollectionJob:
    """Find a job by its name."""
    module, kind, _ = JOBS[name]
    job: CollectionJob = getattr(import_module(module), kind)(**options)
    return job


@click.group("spark", short_help="Analyse a collection of archives on many machines.")
def spark() -> None:
    """Answer the same questions for all archives in a MANIFEST with Spark: here, or on a cluster.

    A MANIFEST is a list of WARC or WACZ files, one on each line: paths, s3://BUCKET/KEY or https://…; or a columnar
    index in Parquet that names records; or a folder of either. Finished parts are not computed again.

    \b
    Examples:
      pagedrift spark cluster warc.paths.gz --base s3://commoncrawl/ --to answers --master spark://host:7077
      pagedrift spark redesigned archives/ --to answers
    """


def _add(name: str) -> None:
    settings = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}

    @spark.command(name, short_help=JOBS[name][2], context_settings=settings)
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def command(arguments: tuple[str, ...]) -> None:
        with bar(MofNCompleteColumn(), TextColumn("{task.description}")) as shown:
            task = shown.add_task("starting Spark", total=None)
            job = job_named(
                name,
                show=lambda what, done, total: shown.update(task, description=what, completed=done, total=total),
            )
            outcome = job.run(arguments)
        _tell(outcome, as_json=job.args.json)


for _name in JOBS:
    _add(_name)


def _tell(outcome: Outcome, *, as_json: bool) -> None:
    """Print what was found, and on standard error what could not be read."""
    tally = outcome.tally
    tell_damaged(tally.problems, tally.damaged)
    figures = {
        "archives": tally.archives,
        "unreadable": tally.unreadable,
        "pages": tally.pages,
        "problems": tally.damaged,
        "parts": outcome.parts,
        "reused": outcome.reused,
        **outcome.figures,
    }
    if as_json:
        passed = dict(tally.passed_over)
        click.echo(
            json.dumps(
                {"format": 1, "job": outcome.name, **figures, "passed_over": passed, "tables": outcome.tables}
            )
        )
        return
    answer([", ".join(f"{count:,} {what}" for what, count in figures.items())])
    answer(f"{name}: {folder}" for name, folder in outcome.tables.items())


if __name__ == "__main__":  # spark-submit runs this very file
    from pagedrift.cli import main

    main(["spark", *sys.argv[1:]])
