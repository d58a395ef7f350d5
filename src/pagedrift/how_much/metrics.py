"""How much did a page change, from 0 (nothing) to 1 (everything), by each of the known metrics?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from pagedrift.arguments import as_page
from pagedrift.errors import InputError
from pagedrift.how_much import bags, cosine, edit, shingles
from pagedrift.how_much.compared_words import MetricOptions

if TYPE_CHECKING:
    from pagedrift.arguments import PageLike
    from pagedrift.how_much.cosine import Frequencies
    from pagedrift.how_much.extended import Extended
    from pagedrift.page import PageVersion


class Metric(Protocol):
    """A distance of two page versions in [0, 1], 0 for identical ones."""

    def __call__(self, old: PageVersion, new: PageVersion, *, options: MetricOptions | None = None) -> float:
        """Compare an old and a new version."""


def bytewise_distance(old: PageVersion, new: PageVersion, *, options: MetricOptions | None = None) -> float:  # noqa: ARG001
    """Return whether a single byte differs, markup included. Symmetric."""
    return float(old.body != new.body)


def cosine_distance(old: PageVersion, new: PageVersion, *, options: MetricOptions | None = None) -> float:
    """Measure the angle between the weighed words. Symmetric."""
    options = options or MetricOptions()
    return cosine.distance(*options.pair(old, new).bags, frequencies=options.frequencies)


def word_distance(old: PageVersion, new: PageVersion, *, options: MetricOptions | None = None) -> float:
    """Measure the share of words without an equal on the other page. Symmetric."""
    return bags.distance(*(options or MetricOptions()).pair(old, new).bags)


def edit_distance(old: PageVersion, new: PageVersion, *, options: MetricOptions | None = None) -> float:
    """Measure the share of words inserted and deleted. Symmetric."""
    return edit.distance_aligned((options or MetricOptions()).pair(old, new).aligned)


def shingle_distance(old: PageVersion, new: PageVersion, *, options: MetricOptions | None = None) -> float:
    """Measure the share of runs of k words on one page only. Symmetric."""
    options = options or MetricOptions()
    return shingles.distance(*options.pair(old, new).words, k=options.k)


def extended_distance(old: PageVersion, new: PageVersion, *, options: MetricOptions | None = None) -> float:
    """Measure by the paper's six operations. Not symmetric: of several alignments, another may be found."""
    return (options or MetricOptions()).pair(old, new).extended.distance


def improved_distance(old: PageVersion, new: PageVersion, *, options: MetricOptions | None = None) -> float:
    """Measure by a cheaper sequence of the six operations. Not symmetric, for the same reason."""
    return (options or MetricOptions()).pair(old, new).improved.distance


METRICS: Final[dict[str, Metric]] = {
    "bytewise": bytewise_distance,
    "cosine": cosine_distance,
    "words": word_distance,
    "edit": edit_distance,
    "shingles": shingle_distance,
    "extended": extended_distance,
    "extended+": improved_distance,
}
ASYMMETRIC: Final = frozenset({"extended", "extended+"})  # old and new may not be exchanged


class UnknownMetricError(InputError, KeyError):
    """A name that is none of a metric."""

    __str__ = InputError.__str__  # a KeyError would show quotes


def metric(name: str) -> Metric:
    """Look up a metric by its name.

    >>> metric("percent")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pagedrift.how_much.metrics.UnknownMetricError: unknown metric percent; choose one of bytewise, ...
    """
    if name not in METRICS:
        raise UnknownMetricError(f"unknown metric {name}; choose one of {', '.join(METRICS)}")
    return METRICS[name]


@dataclass(frozen=True, slots=True, eq=False)  # equal as mappings are
class Measures(Mapping[str, float]):
    """The distance of two page versions by each metric, and what was done to the words."""

    distances: Mapping[str, float]
    extended: Extended
    improved: Extended

    def __getitem__(self, name: str) -> float:
        metric(name)
        return self.distances[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.distances)

    def __len__(self) -> int:
        return len(self.distances)


def measure(
    old: PageLike,
    new: PageLike,
    *,
    a: float = 0.75,
    b: float = 0.75,
    k: int = 10,
    frequencies: Frequencies | None = None,
    main_content: bool = False,
) -> Measures:
    """Measure how much a page changed, by every metric.

    >>> from pagedrift import PageVersion
    >>> old = PageVersion("", b"<p>A permit costs <b>$120</b> a year")
    >>> new = PageVersion("", b"<p>A permit costs <b>$145</b> a year")
    >>> measures = measure(old, new)
    >>> measures["extended"] == 1 / 6, measures.extended.replaced
    (True, (('$120', '$145'),))
    """
    old, new = as_page(old), as_page(new)
    options = MetricOptions(a=a, b=b, k=k, frequencies=frequencies, main_content=main_content)
    values = {name: distance(old, new, options=options) for name, distance in METRICS.items()}
    pair = options.pair(old, new)
    return Measures(values, pair.extended, pair.improved)
