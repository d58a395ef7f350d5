"""pagedrift does-it-matter: does the change between two versions matter, and what would an archive keep?"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console
from rich.progress import track

from pagedrift.atomic_files import write_atomically
from pagedrift.cli.common import (
    Question,
    answer,
    answer_json,
    check_any,
    check_option,
    exit_status,
    file_type,
    json_option,
    of_page,
    picked,
    progress,
    tell_problems,
    url_option,
)
from pagedrift.cli.page_renderer import PageRenderer, tell_missing
from pagedrift.does_it_matter.audit import Total, audit
from pagedrift.does_it_matter.evidence import change, gather, unseen
from pagedrift.does_it_matter.learning import KINDS, LearnedJudge, judge_by, learn, load, read_labels, save
from pagedrift.does_it_matter.model import shipped
from pagedrift.errors import InputError, PagedriftError
from pagedrift.reading import pick, read
from pagedrift.reading.inputs import is_address
from pagedrift.reading.page_selection import one_page
from pagedrift.reading.surroundings import surroundings
from pagedrift.reading.version_reference import path_of
from pagedrift.report import judgement_page, judgements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pagedrift.does_it_matter.changes.picture_contents import Loaded
    from pagedrift.does_it_matter.learning import Label
    from pagedrift.does_it_matter.model import Model
    from pagedrift.page import PageVersion

_PICTURES: Final = "Compare screenshots too"
judge_option = click.option(
    "--judge", "judge_file", type=file_type, metavar="JUDGE.json", help="Use your own trained judge."
)


@click.group("does-it-matter", cls=Question, short_help="Is a change important? How sure is that, and why?")
def does_it_matter() -> None:
    """Decide whether the change from OLD to NEW is important: keep both? send an alert?

    OLD and NEW are URLs, files, - for standard input, ARCHIVE@DATE or ARCHIVE@URL@DATE. The answer is yes, no or
    unsure, with the reasons for and against it. In a browser, archived pages show only what their archive holds.

    \b
    pagedrift does-it-matter OLD NEW
      --pictures / --no-pictures  Compare screenshots too; the default if a browser is installed.
      --judge JUDGE.json          Use your own trained judge.
      --check                     Exit with status 1 if the change is important, 4 if it cannot be decided.
      --html FILE                 Write an HTML report.
      --json                      Print one JSON object per line.
    pagedrift does-it-matter ARCHIVE --audit
      --audit                     Show which versions an archive would keep, and how much space that saves.
      --keep LEVEL                Which ones to keep: all (but equal ones), changed, or important.
      --curve                     Show for each level and threshold what it would save and lose.
      --url URL                   URL of the page in the archive, or base URL of the pages of a folder.

    \b
    Examples:
      pagedrift does-it-matter crawl.warc.gz@2026-11-08 crawl.warc.gz@2026-11-15
      pagedrift does-it-matter old.html new.html --no-pictures --check
      pagedrift does-it-matter crawl.warc.gz --audit
      pagedrift does-it-matter learn labels.csv --to mine.json
    """


@does_it_matter.command(hidden=True, short_help="Say whether a change is important.")
@click.argument("old", metavar="OLD|ARCHIVE")
@click.argument("new", required=False)
@click.option("--audit", "audited", is_flag=True, help="List which versions of ARCHIVE would be stored.")
@click.option(
    "--keep", "level", type=click.Choice(["all", "changed", "important"]), help="With --audit: which to keep."
)
@click.option("--curve", is_flag=True, help="With --audit: what each way to keep would save and lose.")
@click.option("--pictures/--no-pictures", default=None, help=f"{_PICTURES}; the default if a browser is installed.")
@judge_option
@check_option(what="the change matters")
@click.option("--html", type=file_type, metavar="FILE", help="Write an HTML report.")
@url_option
@json_option
def ask(
    *,
    old: str,
    new: str | None,
    audited: bool,
    level: str | None,
    curve: bool,
    pictures: bool | None,
    judge_file: Path | None,
    check: bool,
    html: Path | None,
    url: str | None,
    as_json: bool,
) -> None:
    """Decide whether the change from OLD to NEW is important, or which versions of ARCHIVE are."""
    _check_usage(new, audited=audited, check=check, html=html)
    if level or curve:
        _gate(old, url, level, curve=curve, plain=audited and not judge_file and not pictures, as_json=as_json)
        return
    models = load(judge_file) if judge_file else None
    if audited:
        _audit(old, url, models, pictures=bool(pictures), as_json=as_json)
        return
    before, after = picked(old, url=url), picked(str(new), url=url)
    if pictures is not False and (models is None or "pictures" in models):
        before, after = _shown((old, before), (str(new), after), wanted=bool(pictures))
    with ExitStack() as stack:
        found = judge_by(models, before, after, loaded=_loaded((old, before), (str(new), after), stack=stack))
    if html:
        write_atomically(html, judgement_page.judgement_page(before, after, found).encode())
    if as_json:
        answer_json(judgements.data(before, after, found) | {"changes": judgements.changes_data(found.changes)})
    else:
        answer((*judgements.lines(found), *judgements.change_lines(found.changes)))
    if check:
        exit_status(yes=found.matters, known=found.label != "unsure")


def _gate(archive: str, url: str | None, level: str | None, *, curve: bool, plain: bool, as_json: bool) -> None:
    """Answer for an archive by levels."""
    if not plain or (curve and (level or url)):
        raise click.UsageError(
            "--keep and --curve go with --audit, one at a time, and neither with --judge nor --pictures."
        )
    from pagedrift.cli.audit_gate import show_curve, show_gate
    from pagedrift.crawls.keeping import KeepLevel

    if curve:
        show_curve(archive, as_json=as_json)
    else:
        show_gate(archive, url, KeepLevel(level or "all"), as_json=as_json)


def _check_usage(new: str | None, *, audited: bool, check: bool, html: Path | None) -> None:
    """Refuse at once what cannot be answered."""
    if audited and new:
        raise click.UsageError("--audit takes one ARCHIVE; leave NEW out, or leave out --audit.")
    if not audited and not new:
        raise click.UsageError("Missing argument 'NEW'; give it, or ask for all versions of ARCHIVE with --audit.")
    if audited and (check or html):
        raise click.UsageError("--check and --html are about two versions; leave them out, or leave out --audit.")
    if html and not html.absolute().parent.is_dir():
        raise InputError(f"{html} has no folder; make it first")


def _loaded(*asked: tuple[str, PageVersion], stack: ExitStack) -> tuple[Loaded, Loaded] | None:
    """Give what two stored pages load, so that their pictures are compared by bytes; nothing is fetched."""
    if any(is_address(path_of(reference)) for reference, _ in asked):
        return None
    old, new = (stack.enter_context(surroundings(reference, page)) for reference, page in asked)
    return old, new


def _shown(*asked: tuple[str, PageVersion], wanted: bool) -> list[PageVersion]:
    """Look at two pages in one browser; if that fails and is not required, continue without."""
    with PageRenderer(wanted=wanted, strict=True) as looker:
        pages = [looker.look(reference, page) for reference, page in asked]
    if all(page.view for page in pages):
        for (reference, _), page in zip(asked, pages, strict=True):
            tell_missing(reference, page)
    return pages


def _audit(
    archive: str, url: str | None, models: Mapping[str, Model] | None, *, pictures: bool, as_json: bool
) -> None:
    """Say for each version whether it would be kept, and how much that saves."""
    reading, total, failed = read(archive, on_progress=progress()), Total(), 0

    def counted(versions: Iterable[PageVersion]) -> Iterator[PageVersion]:
        nonlocal failed
        for version in versions:
            failed += version.failed
            yield version

    versions = of_page(reading, url)
    asked = counted(one_page(versions, url=url) if url else versions)
    with PageRenderer(wanted=True) as looker:
        look = (lambda page: looker.look(archive, page)) if pictures else None
        for found in audit(asked, models=models, look=look):
            total.add(found)
            if as_json:
                answer_json(judgements.audited_data(found))
            else:
                answer([judgements.audited_line(found)])
    tell_problems(reading)
    check_any(total.versions + failed, archive)
    if failed:
        were = "s (status 400 and above) were" if failed > 1 else " (status 400 and above) was"
        click.echo(f"note: {failed:,} failed response{were} left out", err=True)
    if as_json:
        answer_json(judgements.total_data(total))
    else:
        answer([judgements.total_line(total)])


@does_it_matter.command("learn", short_help="Train a judge with your own decisions.")
@click.argument("labels", type=file_type, metavar="LABELS.csv")
@click.option(
    "--to", "path", required=True, type=file_type, metavar="JUDGE.json", help="File to save the trained judge to."
)
@click.option("--pictures/--no-pictures", default=None, help=f"{_PICTURES}; the default if a browser is installed.")
@click.option("--force", is_flag=True, help="Save the trained judge even if it is worse.")
@json_option
def learn_command(labels: Path, path: Path, *, pictures: bool | None, force: bool, as_json: bool) -> None:
    """Train a judge: LABELS.csv has the columns old, new and label (similar or dissimilar, or no or yes).

    With few labels, the built-in judge has more weight. The command prints how well the judge does before and after
    (cross-validated); if training made it worse, the judge stays as it was.

    \b
    Example:
      pagedrift does-it-matter learn labels.csv --to mine.json
    """
    given = read_labels(labels)
    if len({label.matters for label in given}) == 1:
        raise InputError(
            f"all labels of {labels} say the same; label at least one change that matters and one that does not"
        )
    rows = _figures(labels, given, pictures)
    lessons = {kind: learn(kind, *rows[kind]) for kind in KINDS if len(set(rows[kind][1])) > 1}
    _keep(path, lessons, force=force)
    if as_json:
        answer_json(judgements.lessons_data(lessons))
    else:
        answer(judgements.lessons(lessons))


def _figures(
    path: Path, labels: Sequence[Label], pictures: bool | None
) -> dict[str, tuple[list[dict[str, float]], list[bool]]]:
    """Measure every labelled pair, by source and, where there are pictures of both versions, by those."""
    rows: dict[str, tuple[list[dict[str, float]], list[bool]]] = {kind: ([], []) for kind in KINDS}
    known: dict[str, PageVersion] = {}
    with PageRenderer(wanted=bool(pictures)) as looker:
        for label in track(labels, console=Console(stderr=True), transient=True, description="looking"):
            old, new = (_picked(path, label, reference, known) for reference in (label.old, label.new))
            seen = change(*unseen(old, new))
            rows["source"][0].append(gather(seen, pictures=False))
            rows["source"][1].append(label.matters)
            if pictures is False:
                continue
            seen = change(looker.look(label.old, old), looker.look(label.new, new))
            if seen.pictured:
                rows["pictures"][0].append(gather(seen, pictures=True))
                rows["pictures"][1].append(label.matters)
    return rows


def _picked(path: Path, label: Label, reference: str, known: dict[str, PageVersion]) -> PageVersion:
    """Give a labelled version, each read once; say on which line it stands where there is none."""
    if reference not in known:
        try:
            known[reference] = pick(reference)
        except PagedriftError as error:
            raise InputError(f"{path}, line {label.line}: {error}") from None
    return known[reference]


def _keep(path: Path, lessons: Mapping[str, LearnedJudge], *, force: bool) -> None:
    """Write the judge; what became worse stays as it ships, unless the user insists."""
    worse = [kind for kind, lesson in lessons.items() if lesson.worse]
    if len(worse) == len(lessons) and not force:
        counts = ", ".join(
            f"{lesson.after.right:,} instead of {lesson.before.right:,} of {lesson.after.labels:,} right by {kind}"
            for kind, lesson in lessons.items()
        )
        raise InputError(
            f"the judge would get worse by these labels ({counts}), so {path} was not written; look for wrong"
            " labels, add more, or insist with --force"
        )
    for kind in worse:
        kept = "kept all the same" if force else "so the one that ships is kept for it"
        click.echo(f"note: what was learned judges worse by {kind} than before, {kept}", err=True)
    save(
        path,
        {kind: shipped(kind) if lesson.worse and not force else lesson.model for kind, lesson in lessons.items()},
    )
