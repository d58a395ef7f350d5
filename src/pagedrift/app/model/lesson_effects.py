"""Effects of lessons: which past changes would have caused an alert with them, and which without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift.app.model.lessons import lesson_about

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.app.model.change import ChangeAnalysis, JudgedEdit
    from pagedrift.app.model.lessons import Lesson
    from pagedrift.app.model.options import WatchOptions

_RANKS: Final = ("noise", "minor", "important")


def would_alert(analysis: ChangeAnalysis, options: WatchOptions, lessons: Sequence[Lesson]) -> bool:
    """Return whether a change would have caused an alert if these lessons had held."""
    if not analysis.changed or not analysis.visible or options.notify_on == "nothing":
        return analysis.redesigned and options.redesigns
    if (analysis.redesigned and options.redesigns) or not is_judged(options) or not analysis.edits:
        return True
    level = level_with(analysis, lessons)
    return level == "important" or (options.notify_on == "content" and level == "minor")


def is_judged(options: WatchOptions) -> bool:
    """Return whether alerts of a watch depend on levels at all: conditions, sizes and “anything” do not."""
    return options.notify_on in ("important", "content") and not options.conditions


def level_with(analysis: ChangeAnalysis, lessons: Sequence[Lesson]) -> str:
    """Give the level that a change has by some lessons."""
    levels = [_level(edit, lessons) for edit in analysis.edits]
    levels += [level for level, number in analysis.more_edits.items() if number]
    return max(levels, key=_RANKS.index, default="noise")


def _level(edit: JudgedEdit, lessons: Sequence[Lesson]) -> str:
    lesson = lesson_about(edit, lessons)
    if lesson is not None:
        return "important" if lesson.matters else "noise"
    if not edit.taught:
        return edit.level
    # Older releases did not write down what feedback changed: it was most likely given because it was otherwise.
    return edit.untaught or ("noise" if edit.taught.get("matters") else "important")
