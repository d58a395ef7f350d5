"""The plot of how much a page changed from version to version."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final

from pagedrift.errors import InputError
from pagedrift.extras import need
from pagedrift.text import cut

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pagedrift.how_much.series import SeriesStep

FORMATS: Final = (".png", ".svg")
MAX_PANELS: Final = 8  # pages of one picture, each with a panel; those with most steps
_QUIET, _ALARM, _LINE = "#4c72b0", "#c44e52", "#8a8a8a"


def check(path: Path) -> None:
    """Refuse at once what could not be written after a long reading: another format, no folder, no library."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"{path} is not a valid image name; write it as {' or '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} for the image does not exist; create it, or name another one")
    need("plot", "matplotlib")


def draw(pages: Sequence[Sequence[SeriesStep]], path: Path, *, metric: str, above: float | None = None) -> int:
    """Draw the series of each page in a panel of its own, alarms in red; say how many pages were left out."""
    figure = need("plot", "matplotlib.figure")
    shown = sorted(pages, key=len, reverse=True)[:MAX_PANELS]
    picture = figure.Figure(figsize=(9, 0.8 + 2.2 * len(shown)), layout="constrained")
    top = max((step.value for steps in shown for step in steps), default=0)
    for panel, steps in zip(picture.subplots(len(shown), 1, squeeze=False)[:, 0], shown, strict=True):
        _panel(panel, steps, above)
        panel.set_title(cut(steps[0].url), loc="left", fontsize=9, parse_math=False)
        panel.set_ylim(0, max(top, above or 0) * 1.1 or 1)
        panel.set_ylabel(metric)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # an address in a script that the font lacks
        picture.savefig(path, dpi=120)
    return len(pages) - len(shown)


def _panel(panel: Any, steps: Sequence[SeriesStep], above: float | None) -> None:
    """Draw a stem for each step: at its time, where all have one, or else in their order."""
    times = [steps[0].since, *(step.captured_at for step in steps)]
    dated = all(times)
    first, *places = times if dated else range(len(times))
    values = [step.value for step in steps]
    colours = [_ALARM if above is not None and value > above else _QUIET for value in values]
    panel.scatter([first], [0], marker="|", c=_LINE, clip_on=False)  # the version that nothing was compared with
    panel.vlines(places, 0, values, colors=colours, linewidth=1.5)
    panel.scatter(places, values, c=colours, s=16, zorder=3, clip_on=False)
    if above is not None:
        panel.axhline(above, color=_LINE, linestyle="--", linewidth=1)
    panel.spines[["top", "right"]].set_visible(False)
    axis = panel.xaxis
    if dated:
        dates = need("plot", "matplotlib.dates")
        axis.set_major_formatter(dates.ConciseDateFormatter(axis.get_major_locator()))
    else:
        axis.set_major_locator(need("plot", "matplotlib.ticker").MaxNLocator(integer=True))
        panel.set_xlabel("version, from 0")
