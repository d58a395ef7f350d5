"""The commands `pagedrift watch` change, feedback and lessons: the edits of a change, and what feedback taught."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from pagedrift.cli.common import answer_json, json_option
from pagedrift.cli.installation import opened, with_data
from pagedrift.cli.watch.output import FORMAT, change_data
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from pagedrift.app.model.change import JudgedEdit
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.lesson_effects import LessonEffects


@click.command("change")
@click.argument("number", type=click.IntRange(min=1), metavar="CHANGE")
@json_option
@with_data
def change_(number: int, as_json: bool, settings: Settings) -> None:
    """List the edits of a change, each with its level and why. CHANGE is the id that `watch show --json` gives.

    \b
    Example:
      pagedrift watch change 17
    """
    from pagedrift.app.store import queries
    from pagedrift.errors import NotFoundError

    with opened(settings) as store, store.read() as session:
        found = queries.change(session, number)
    if found is None:
        raise NotFoundError(f"no change with id {number}; list them with: pagedrift watch show WATCH --json")
    edits = found.record.analysis.edits
    if as_json:
        answer_json({"v": FORMAT, **change_data(found.change), "edits": [*map(_edit_data, edits)]})
        return
    click.echo(cut(found.change.headline))
    click.echo(cut(found.change.reason))
    for at, edit in enumerate(edits):
        click.echo(f"{at:>3}  {edit.level:<9}  {cut(edit.summary)}")
        click.echo(f"{'':16}{cut(edit.verdict)}: {cut(edit.why)}")


def _edit_data(edit: JudgedEdit) -> dict[str, Any]:
    return {name: value for name, value in asdict(edit).items() if name != "figures"} | {"why": edit.why}


@click.command()
@click.argument("number", type=click.IntRange(min=1), metavar="CHANGE")
@click.argument("said", type=click.Choice(("important", "not-important", "undo")))
@click.option("--edit", type=click.IntRange(min=0), help="Number of one edit, as `watch change` lists it.")
@click.option("--preview", is_flag=True, help="Show its effect on the last 30 days, and save nothing.")
@with_data
def feedback(number: int, said: str, edit: int | None, preview: bool, settings: Settings) -> None:
    """Say whether a change, or one of its edits, is important to you. Pagedrift learns from it at once.

    \b
    Examples:
      pagedrift watch feedback 17 not-important
      pagedrift watch feedback 17 important --edit 2
      pagedrift watch feedback 17 not-important --preview
      pagedrift watch feedback 17 undo
    """
    from pagedrift.app.store import feedback as stored
    from pagedrift.app.store import lesson_effects

    with opened(settings) as store:
        if preview and said != "undo":
            with store.read() as session:
                _show(lesson_effects.of_feedback(session, number, matters=said == "important", edit=edit))
        elif said == "undo":
            stored.unlabel(store, number)
        else:
            stored.label(store, number, matters=said == "important", edit=edit)


def _show(found: LessonEffects, *, as_json: bool = False) -> None:
    if as_json:
        listed = [asdict(each) | {"at": each.at.isoformat()} for each in found.changes]
        answer_json({"v": FORMAT, "days": found.days, "looked_at": found.looked_at, "changes": listed})
        return
    for each in found.changes:
        becomes = "alert   " if each.alerts else "no alert"
        click.echo(f"{each.change:>6}  {becomes}  {cut(each.headline)}; {cut(each.title)}")
    click.echo(
        f"of {counted(found.looked_at, 'change')} in {found.days} days: {found.silent} without an alert, "
        f"{found.alerted} with one, that would be otherwise without this feedback"
    )


@click.command()
@click.option("--forget", metavar="ID", help="Remove the feedback that a lesson was made of.")
@click.option("--effects", metavar="ID", help="Show the effect of a lesson on the last 30 days.")
@json_option
@with_data
def lessons(forget: str | None, effects: str | None, as_json: bool, settings: Settings) -> None:
    """List what was learned from your feedback, or forget some of it.

    \b
    Examples:
      pagedrift watch lessons
      pagedrift watch lessons --effects 3f2a9c0d5b7e8a11
      pagedrift watch lessons --forget 3f2a9c0d5b7e8a11
    """
    from pagedrift.app.store import lesson_effects, queries
    from pagedrift.app.store import lessons as stored

    with opened(settings) as store:
        if forget:
            stored.forget(store, forget)
        if effects:
            with store.read() as session:
                _show(lesson_effects.of_lesson(session, effects), as_json=as_json)
            return
        with store.read() as session:
            found = queries.lessons(session)
        judge = queries.judge(store)
    if as_json:
        for lesson in found:
            answer_json({"v": FORMAT, **asdict(lesson), "sentence": lesson.sentence})
        answer_json({"v": FORMAT, "judge": asdict(judge) | {"used": judge.used, "sentence": judge.sentence}})
        return
    for lesson in found:
        click.echo(f"{lesson.id}  {cut(lesson.sentence)}; {cut(lesson.where)}")
    click.echo(judge.sentence)
    click.echo(counted(len(found), "lesson"), err=True)
