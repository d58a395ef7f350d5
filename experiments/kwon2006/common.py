"""What the experiments share: pages, the metrics' answers about changes, arguments, tables and plots."""

from __future__ import annotations

import argparse
import gzip
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pagedrift import PageVersion
from pagedrift.how_much import METRICS
from pagedrift.how_much.criteria import CHANGES, make_change, natural_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pagedrift.how_much.criteria import WordChange

    Curves = dict[str, list[float]]  # of each metric, and of the criterion

CRITERION: Final = "criterion"
BLOCKS: Final = ("copy a block", "shrink a block", "move a block")
KINDS: Final = (*CHANGES, *BLOCKS)
# The abbreviations of § 5; extended+ is ours.
PAPER: Final = dict(zip(METRICS, "BW COS WD ED 10SH IED".split(), strict=False))
_STYLE: Final = {
    "bytewise": ("#b0b0b0", "-", ""),
    "cosine": ("#dd8452", "-", "s"),
    "words": ("#937860", "-", "o"),
    "edit": ("#4c72b0", "--", "^"),
    "shingles": ("#55a868", "-", "D"),
    "extended": ("#c44e52", "-", "x"),
    "extended+": ("#000000", ":", "+"),
}
SHORTEST: Final = 30  # words of a real page that is changed


def arguments(document: str | None, *, needs_data: bool = False) -> argparse.Namespace:
    """Read --data and --to."""
    parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, required=needs_data, help="a folder of real pages: pairs/*/a.html.gz and b.html.gz"
    )
    parser.add_argument("--to", type=Path, metavar="DIR", help="where to write the plots")
    return parser.parse_args()


def real_pairs(data: Path) -> dict[str, tuple[PageVersion, PageVersion]]:
    """Read the real pairs of a folder, by name."""
    paths = sorted(data.glob("pairs/*/a.html.gz"))
    if not paths:
        raise SystemExit(f"there is no pairs/*/a.html.gz in {data}; name the folder that holds `pairs`")
    return {path.parent.name: (_page(path), _page(path.with_name("b.html.gz"))) for path in paths}


def _page(path: Path) -> PageVersion:
    return PageVersion(f"https://example.org/{path.parent.name}", gzip.decompress(path.read_bytes()))


def real_texts(data: Path) -> list[tuple[str, ...]]:
    """Read the words of the real pages that are long enough to be changed."""
    return [old.words for old, _ in real_pairs(data).values() if len(old.words) >= SHORTEST]


def vocabularies(data: Path | None) -> dict[str, Sequence[str]]:
    """Give the texts that pages are made of; () stands for words that are all different."""
    real = {"words of real pages": tuple(chain.from_iterable(real_texts(data)))} if data else {}
    return {"different words": (), "natural words": natural_text(), **real}


def made(kind: str, words: int, changed: int, text: Sequence[str]) -> Iterator[WordChange]:
    """Make a change of one type; nothing where a block is so long that moving the rest of the page is less."""
    if kind != "move a block" or changed <= words // 2:
        yield make_change(kind.partition(" ")[0], words, changed, text=text, block=kind in BLOCKS)


def measured(changes: Iterable[WordChange]) -> Curves:
    """Ask every metric about changes, and the criterion."""
    found: Curves = {CRITERION: [], **{name: [] for name in METRICS}}
    for change in changes:
        pages = change.pages()
        found[CRITERION].append(change.degree())
        for name, metric in METRICS.items():
            found[name].append(metric(*pages))
    return found


def mean_deviation(found: Curves, name: str, *, against: Sequence[float] | None = None) -> float:
    """Average how far a metric is from the criterion, up or down."""
    truth = found[CRITERION] if against is None else against
    return sum(abs(value - true) for value, true in zip(found[name], truth, strict=True)) / len(truth)


def print_deviations(title: str, curves: Mapping[str, Curves]) -> None:
    """Print the mean absolute deviation from the criteria: a row for each metric, a column for each type."""
    rows = {label(name): [mean_deviation(found, name) for found in curves.values()] for name in METRICS}
    print_table(title, list(curves), rows)


def print_table(head: str, columns: Sequence[str], rows: Mapping[str, Iterable[float | str]]) -> None:
    """Print a table of numbers with three digits."""
    widths = [max(8, len(column)) for column in columns]
    print(f"\n{head}\n{'':20}" + "".join(f"  {name:>{width}}" for name, width in zip(columns, widths, strict=True)))
    for name, cells in rows.items():
        texts = (cell if isinstance(cell, str) else f"{cell:.3f}" for cell in cells)
        print(f"{name:<20}" + "".join(f"  {text:>{width}}" for text, width in zip(texts, widths, strict=True)))


def label(metric: str) -> str:
    """Name a metric as we do, and as the paper does."""
    return f"{metric} ({PAPER[metric]})" if metric in PAPER else metric


def holds(does: bool) -> str:
    """Say whether a claim holds."""
    return "holds" if does else "DOES NOT HOLD"


def draw(curves: Mapping[str, Curves], places: Sequence[float], along: str, title: str) -> Figure:
    """Draw a panel for each type: the criterion as a broad line, the metrics on it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(18, 7.5), layout="constrained")
    axes = list(figure.subplots(2, 5).flat)
    for panel, (kind, found) in zip(axes, curves.items(), strict=False):
        here = places[: len(found[CRITERION])]
        panel.plot(here, found[CRITERION], color="#f0c000", linewidth=7, alpha=0.6, label=CRITERION)
        draw_metrics(panel, here, found)
        panel.set(title=kind, xlabel=along, ylabel="degree of change", ylim=(-0.02, 1.05))
    axes[-1].axis("off")
    axes[-1].legend(*axes[0].get_legend_handles_labels(), loc="center", frameon=False, fontsize=12)
    figure.suptitle(title)
    return figure


def draw_metrics(panel: Axes, places: Sequence[float], found: Mapping[str, Sequence[float]]) -> None:
    """Draw a line for each metric, in its own colour and with its own sign."""
    for name in METRICS:
        colour, dash, sign = _STYLE[name]
        size = 9 if sign == "o" else 5  # hollow and large: what lies on it is seen too
        marks = {"marker": sign, "markersize": size, "markerfacecolor": "none" if sign == "o" else colour}
        panel.plot(places, found[name], color=colour, linestyle=dash, label=label(name), **marks)
    panel.spines[["top", "right"]].set_visible(False)


def save(figure: Figure, folder: Path | None, name: str) -> None:
    """Write a plot, where a folder for them is given."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / name, dpi=90)
        print(f"written: {name}")
