"""pagedrift which-template: which template was a page made from, and which templates are there?"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pagedrift.atomic_files import write_atomically
from pagedrift.cli.common import (
    Question,
    answer,
    answer_json,
    check_any,
    check_place,
    file_type,
    json_option,
    picked,
    progress,
    progress_bar,
    tell_damage,
    tell_problems,
)
from pagedrift.collection import exports
from pagedrift.errors import InputError
from pagedrift.file_types import HEAD_BYTES, WARC, ZIP, recognise
from pagedrift.read_report import Account
from pagedrift.reading import read
from pagedrift.report import gallery, outline, templates
from pagedrift.text import counted, printable
from pagedrift.which_template import (
    DEFAULT,
    FINGERPRINTS,
    TemplateClassifier,
    TemplateClusterer,
    TemplateIndex,
    fingerprint,
    tables,
)
from pagedrift.which_template.gathering import gather
from pagedrift.which_template.learning import learn_clusters, learn_list, learn_names, read_labels
from pagedrift.which_template.survey import Rows, batches, surveys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.page import PageVersion
    from pagedrift.reading import Reading
    from pagedrift.which_template import Cluster
    from pagedrift.which_template.gathering import GatheredCluster
    from pagedrift.which_template.learning import Learned
    from pagedrift.which_template.survey import Survey
    from pagedrift.which_template.tables import Row

MAX_SHOWN_CONFLICTS: Final = 5

algorithm_option = click.option(
    "--algorithm",
    type=click.Choice(list(FINGERPRINTS)),
    default=DEFAULT,
    show_default=True,
    help="Type of fingerprint.",
)
strict_option = click.option(
    "--strict", is_flag=True, help="Distinguish states of a page: only pages with the same fingerprint are alike."
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Number of inputs to read in parallel.",
)


@click.group(
    "which-template", cls=Question, short_help="Find the template of a page, or all templates of many pages."
)
def which_template() -> None:
    """Find the template of each PAGE, from an index of learned templates; or find the templates of many pages.

    A PAGE is a file, - for standard input, a version out of an archive (ARCHIVE@URL@DATE), or a whole archive or
    folder: then all pages in it. An INPUT is an HTML file, a folder of them, or an archive (WARC or WACZ).

    \b
    Examples:
      pagedrift which-template learn saved/news saved/shop --to site.templates
      pagedrift which-template page.html --index site.templates
      pagedrift which-template crawl.warc.gz --index site.templates --to pages.csv
      pagedrift which-template cluster crawl.warc.gz --to clusters.csv
    """


@which_template.command(hidden=True, short_help="Find the template of pages.")
@click.argument("pages", nargs=-1, required=True, metavar="PAGE...")
@click.option("--index", "path", required=True, type=file_type, help="Index file from the learn command.")
@click.option(
    "--to",
    "table",
    type=file_type,
    metavar="FILE",
    help="Write each page with its template to a .parquet, .csv or .json file instead.",
)
@strict_option
@json_option
def ask(pages: tuple[str, ...], path: Path, table: Path | None, strict: bool, as_json: bool) -> None:
    """Find the template of each PAGE, how sure that is, and how many known pages support it."""
    if table:
        exports.check_format(table)
    check_place(table)
    classifier = TemplateClassifier(index=TemplateIndex.open(path), strict=strict)
    found = (version for name in pages for version in _versions(name))
    if table:
        tables.write(table, (_classified(page, classifier) for page in found))
        return
    for page in found:
        match = classifier.match(page)
        if as_json:
            taken = fingerprint(page, algorithm=classifier.index_.algorithm)
            answer_json(templates.tell_data(page, match, taken))
        else:
            answer(templates.match_lines(page, match))


def _versions(name: str) -> Iterator[PageVersion]:
    """Give the page that a reference means, or all pages of a whole archive or folder."""
    path = Path(name)
    if path.is_dir() or (path.is_file() and recognise(_head(path), name) in (WARC, ZIP)):
        yield from read([name], order="file", on_progress=progress(tell_damage))
    else:
        yield picked(name)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def _classified(page: PageVersion, classifier: TemplateClassifier) -> Row:
    """Give the row of a page in a table; without a template where it is none of those known."""
    taken = fingerprint(page, algorithm=classifier.index_.algorithm)
    return page.url, page.captured_at, page.digest, str(taken), classifier.match(taken).template or ""


@which_template.command(short_help="Learn templates from pages.")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--to", "path", required=True, type=file_type, metavar="INDEX", help="Index file to write.")
@click.option(
    "--labels",
    default="names",
    show_default=True,
    metavar="names|clusters|FILE.csv",
    help="Where templates come from: one per folder or archive, clustering, or a CSV with url and template.",
)
@click.option(
    "--algorithm",
    type=click.Choice(list(FINGERPRINTS)),
    help=f"Which fingerprint.  [default: that of the index; of a new one {DEFAULT}]",
)
@jobs_option
@json_option
def learn(
    inputs: tuple[str, ...], path: Path, labels: str, algorithm: str | None, jobs: int, as_json: bool
) -> None:
    """Learn the templates of the pages in INPUTs, and add them to the index.

    Pages in one folder or archive have the same template, unless --labels says otherwise.

    \b
    Example:
      pagedrift which-template learn saved/news saved/shop --to site.templates
    """
    check_place(path)
    listed = read_labels(Path(labels)) if labels not in ("names", "clusters") else None
    before, index = _stamp(path), _index(path, algorithm)
    account = Account()
    with _looking_through(inputs, account, algorithm=index.algorithm, rows=listed is not None, jobs=jobs) as found:
        if listed is not None:
            learned = learn_list(index, found, listed)
        else:
            learned = learn_names(index, found) if labels == "names" else learn_clusters(index, found)
    tell_problems(account)
    _refuse_nothing(learned.pages.total(), learned.unlabelled, inputs, labels)
    if _stamp(path) != before:
        raise InputError(f"{path} was changed by another command meanwhile; run this one again")
    index.save(path)
    _tell_strangers(learned, labels)
    _tell_conflicts(index)
    if as_json:
        for name, pages in learned.pages.most_common():
            answer_json({"format": 1, "template": name, "pages": pages})
    else:
        answer([f"learned {counted(learned.pages.total(), 'page')} of {counted(len(learned.pages), 'template')}"])


def _index(path: Path, algorithm: str | None) -> TemplateIndex:
    """Open the index, or begin one; it keeps the algorithm it was begun with."""
    if not path.exists():
        return TemplateIndex(algorithm or DEFAULT)
    index = TemplateIndex.open(path)
    if algorithm not in (None, index.algorithm):
        raise InputError(
            f"{path} holds fingerprints {index.algorithm}, not {algorithm}; name another file after --to"
        )
    return index


def _stamp(path: Path) -> tuple[int, int] | None:
    """Give what is another one whenever a file was saved there."""
    if not path.exists():
        return None
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


def _tell_strangers(learned: Learned, labels: str) -> None:
    """Say on standard error which pages a list does not have, and which of its addresses no page has."""
    if learned.unlabelled:
        click.echo(f"note: {learned.unlabelled:,} pages are not in {labels}", err=True)
    if learned.unseen:
        many, first = len(learned.unseen), printable(learned.unseen[0])
        click.echo(f"note: no page has {many:,} of the addresses in {labels}; the first is {first}", err=True)


def _refuse_nothing(labelled: int, unlabelled: int, inputs: tuple[str, ...], labels: str) -> None:
    check_any(labelled + unlabelled, ", ".join(inputs))
    if not labelled:
        raise InputError(
            f"no page of {', '.join(inputs)} is in {labels}; list addresses as this shows them: pagedrift versions"
        )


def _tell_conflicts(index: TemplateIndex) -> None:
    """Say on standard error which fingerprints do not distinguish templates."""
    conflicts = list(TemplateClassifier(index=index).conflicts())
    for conflict in conflicts[:MAX_SHOWN_CONFLICTS]:
        names = ", ".join(f"{printable(name)} ({pages:,})" for name, pages in conflict.templates.items())
        click.echo(f"note: pages of several templates look the same: {names}; the first one is reported", err=True)
    if len(conflicts) > MAX_SHOWN_CONFLICTS:
        click.echo(f"note: {len(conflicts) - MAX_SHOWN_CONFLICTS:,} more like these", err=True)


@which_template.command(short_help="Find the templates of many pages.")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option(
    "--to",
    "path",
    type=file_type,
    metavar="FILE",
    help="Write each page with its template to a .parquet, .csv or .json file.",
)
@click.option("--most", type=click.IntRange(1), default=20, show_default=True, help="Number of clusters to show.")
@click.option("--outline", "outlined", is_flag=True, help="Draw the outline that the pages of each cluster share.")
@click.option("--html", type=file_type, metavar="FILE", help="Write an HTML report.")
@click.option(
    "--quick",
    is_flag=True,
    help="Unpack only the beginning of each page where that is enough; damage behind it goes unnoticed. For lzw.",
)
@strict_option
@algorithm_option
@jobs_option
@json_option
def cluster(
    inputs: tuple[str, ...],
    path: Path | None,
    most: int,
    outlined: bool,
    html: Path | None,
    quick: bool,
    strict: bool,
    algorithm: str | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Group pages by template, and show the largest groups.

    --outline and --html read the INPUTs a second time.

    \b
    Examples:
      pagedrift which-template cluster crawl.warc.gz --to clusters.parquet --jobs 2
      pagedrift which-template cluster crawl.warc.gz --html templates.html
    """
    if path:
        exports.check_format(path)
    check_place(path)
    check_place(html)
    _check_quick(quick, algorithm or DEFAULT, path)
    if (outlined or html) and "-" in inputs:
        raise InputError("standard input cannot be read twice, as a drawing needs; save it to a file first")
    account, clusterer, rows = Account(), TemplateClusterer(algorithm or DEFAULT, strict=strict).fit(()), Rows()
    with _looking_through(
        inputs, account, algorithm=clusterer.algorithm, rows=path is not None, quick=quick, jobs=jobs
    ) as found:
        for _, survey in found:
            entries = survey.cluster(clusterer)
            if survey.rows is not None:
                rows.extend(survey.rows, entries)
    tell_problems(account)
    check_any(account.counts.versions, ", ".join(inputs))
    if path:
        tables.write(path, _table_rows(rows, clusterer))
    shown = clusterer.clusters(most)
    drawn = gather(read(inputs, order="file", on_progress=progress()), clusterer, shown) if outlined or html else []
    pages, count = account.counts.versions, clusterer.count()
    if html:
        page = gallery.templates_page(", ".join(inputs), [*map(_described, drawn)], pages=pages, clusters=count)
        write_atomically(html, page.encode())
    outlines = {one.cluster.id: outline.outline(one.frame) if one.frame else [] for one in drawn if outlined}
    if as_json:
        for one in shown:
            answer_json(templates.cluster_data(one, _name(one.id), outlines.get(one.id)))
    else:
        _tell_clusters(shown, outlines)
        counts = {"page": pages, "template": count, "fingerprint": len(clusterer.index_)}
        answer([", ".join(counted(number, what) for what, number in counts.items())])


def _check_quick(quick: bool, algorithm: str, path: Path | None) -> None:
    """Refuse to be quick where whole pages are needed."""
    if quick and not FINGERPRINTS[algorithm].by_start:
        raise InputError(f"--quick is not for {algorithm}, which needs whole pages; add --algorithm lzw")
    if quick and path:
        raise InputError("--quick does not go with --to, which lists digests of whole pages; leave one of them out")


def _described(found: GatheredCluster) -> gallery.GalleryTemplate:
    cluster = found.cluster
    return gallery.GalleryTemplate(
        name=_name(cluster.id),
        pages=cluster.pages,
        examples=found.examples,
        frame=found.frame,
        addresses=cluster.name,
        sure=cluster.sure,
    )


def _tell_clusters(shown: list[Cluster], outlines: dict[int, list[outline.OutlineLine]]) -> None:
    answer(templates.clusters(shown, {one.id: _name(one.id) for one in shown}))
    for cluster_id, lines in outlines.items():
        answer(["", _name(cluster_id), *(f"  {line}" for line in outline.draw(lines, color=True)), ""])


def _name(cluster: int) -> str:
    return f"template-{cluster + 1}"


def _table_rows(rows: Rows, clusterer: TemplateClusterer) -> Iterator[Row]:
    for row, entry in enumerate(rows.fingerprints):
        taken = str(clusterer.index_.known(entry).fingerprint)
        yield rows.urls[row], rows.captured_at(row), rows.digest(row), taken, _name(clusterer.current(entry))


@contextmanager
def _looking_through(
    inputs: tuple[str, ...], account: Account, *, algorithm: str, rows: bool, jobs: int, quick: bool = False
) -> Iterator[Iterator[tuple[str, Survey]]]:
    """Give the surveys of all inputs, each with its name, while a bar shows how far they are."""
    all_batches = list(batches(inputs, account=account))
    with progress_bar(sum(batch.size for batch in all_batches)) as show:

        def report(reading: Reading) -> None:
            show(account.finished + reading.position)

        def given() -> Iterator[tuple[str, Survey]]:
            for batch, survey, seen in surveys(
                all_batches, algorithm=algorithm, rows=rows, quick=quick, jobs=jobs, on_progress=report
            ):
                account.add(seen)
                show(account.finished)
                yield batch.name, survey

        yield given()
