"""Drawing of a value over time, as inline SVG, and its table for spreadsheets."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.app.model.values import WatchedValue
    from pagedrift.app.store.queries import ValuePoint

WIDE, TALL, MARGIN = 960, 150, 90
MAX_POINTS: Final = 300  # that are drawn, the newest
MIN_POINTS: Final = 2
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet would run


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueHistory:
    """What a part of a page said over time, as its page shows it."""

    kind: str
    points: tuple[ValuePoint, ...]

    @property
    def now(self) -> str:
        """What it says now."""
        return written(self.points[-1].value, self.kind)

    @property
    def lowest(self) -> ValuePoint | None:
        """When it was lowest, the last time."""
        return min(reversed(self._numbers), key=lambda point: point.value.number or 0, default=None)

    @property
    def highest(self) -> ValuePoint | None:
        """When it was highest, the last time."""
        return max(reversed(self._numbers), key=lambda point: point.value.number or 0, default=None)

    @property
    def _numbers(self) -> list[ValuePoint]:
        return [point for point in self.points if point.value.number is not None] if self.kind == "number" else []

    @property
    def drawing(self) -> Markup:
        """The graph of a number; empty where there is nothing to draw."""
        return draw(self._numbers[-MAX_POINTS:])


def written(value: WatchedValue, kind: str) -> str:
    """Write a value of a kind for people.

    >>> from pagedrift.app.model.values import read_value
    >>> [written(read_value("Sold out: 1.299,00 €"), kind) for kind in ("number", "stock", "date")]
    ['1,299 €', 'Out of stock', '–']
    """
    if kind == "number":
        return "–" if value.number is None else f"{value.number:,.10g} {value.unit}".strip()
    if kind == "stock":
        return {True: "In stock", False: "Out of stock", None: "–"}[value.in_stock]
    return (value.day or "–") if kind == "date" else value.text


def draw(points: Sequence[ValuePoint]) -> Markup:
    """Draw a number as steps over time, each change a link."""
    if len(points) < MIN_POINTS:
        return Markup("")
    numbers = [point.value.number or 0.0 for point in points]
    low, high = min(numbers), max(numbers)
    begin, end = points[0].at.timestamp(), points[-1].at.timestamp()
    across = [(point.at.timestamp() - begin) / ((end - begin) or 1) * (WIDE - MARGIN - 10) + 5 for point in points]
    down = [TALL - 12 - (number - low) / ((high - low) or 1) * (TALL - 24) for number in numbers]
    steps = "".join(f"H{x:.1f}V{y:.1f}" for x, y in zip(across[1:], down[1:], strict=True))
    labels = Markup("").join(
        Markup(
            '<line class="rule" x1="0" y1="{y:.1f}" x2="{w}" y2="{y:.1f}"/>'
            '<text x="{x}" y="{t:.1f}">{n:,.10g}</text>'
        ).format(y=y, t=y + 4, w=WIDE - MARGIN, x=WIDE, n=number)
        for number, y in dict(zip((low, high), (TALL - 12, 12), strict=True)).items()
    )
    dots = Markup("").join(_dot(point, x, y) for point, x, y in zip(points, across, down, strict=True))
    return Markup(
        '<div class="wide"><svg class="chart" viewBox="0 0 {w} {h}" role="group" aria-label="The value over time">'
        '{labels}<path class="line" d="M{x:.1f} {y:.1f}{steps}H{e}"/>{dots}</svg></div>'
    ).format(w=WIDE, h=TALL, labels=labels, x=across[0], y=down[0], steps=Markup(steps), e=WIDE - MARGIN, dots=dots)


def _dot(point: ValuePoint, x: float, y: float) -> Markup:
    said = f"{point.at:%Y-%m-%d %H:%M} UTC: {written(point.value, 'number')}"
    dot = Markup('<circle cx="{:.1f}" cy="{:.1f}" r="4"><title>{}</title></circle>').format(x, y, said)
    if point.change is None:
        return dot
    return Markup('<a href="/change/{}" aria-label="{}">{}</a>').format(point.change, said, dot)


def table(points: Sequence[ValuePoint]) -> str:
    """Write values as CSV; no text of a page becomes a formula of a spreadsheet."""
    out = io.StringIO()
    lines = csv.writer(out)
    lines.writerow(("at", "number", "unit", "date", "in_stock", "text", "change"))
    for point in points:
        value = point.value
        stock = "" if value.in_stock is None else str(value.in_stock).lower()
        text = f"'{value.text}" if value.text.startswith(_FORMULA) else value.text
        number = "" if value.number is None else f"{value.number:.15g}"
        lines.writerow((point.at.isoformat(), number, value.unit, value.day, stock, text, point.change or ""))
    return out.getvalue()
