"""How much did a page change from each version to the next?"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagedrift.how_much.compared_words import MetricOptions
from pagedrift.how_much.extended import check_weights
from pagedrift.how_much.metrics import extended_distance
from pagedrift.how_much.metrics import metric as look_up
from pagedrift.reading.latest import MAX_BYTES_IN_MEMORY, Latest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from pagedrift.how_much.metrics import Metric
    from pagedrift.page import PageVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesStep:
    """How much a page changed from one version to the next."""

    url: str
    since: datetime | None  # when the older version was captured
    captured_at: datetime | None
    value: float  # of the metric asked for
    counts: Mapping[str, int]  # words by what was done to them; those that are not zero


def series(
    versions: Iterable[PageVersion],
    *,
    metric: str = "extended+",
    options: MetricOptions | None = None,
) -> Iterator[SeriesStep]:
    """Measure each version of a page against the one before, of every page there is.

    Failed responses (status 400 and above) are left out. One version of each page is kept at a time, on disk
    where there are many pages.

    >>> from pagedrift import PageVersion
    >>> bodies = [b"<p>A permit costs $120", b"<p>A permit costs $145", b"<p>A permit costs $145"]
    >>> [step.value for step in series(PageVersion("https://city.example/", body) for body in bodies)]
    [0.25, 0.0]
    """
    distance, options = look_up(metric), options or MetricOptions()
    check_weights(options.a, options.b)  # at once, not when the first version is asked for
    return _steps(versions, distance, options)


def _steps(versions: Iterable[PageVersion], distance: Metric, options: MetricOptions) -> Iterator[SeriesStep]:
    with closing(Latest(MAX_BYTES_IN_MEMORY)) as latest:
        for version in versions:
            before = latest.exchange(version) if not version.failed else None
            if before is not None:
                value, counts = compare(before, version, distance, options)
                yield SeriesStep(
                    url=version.url,
                    since=before.captured_at,
                    captured_at=version.captured_at,
                    value=value,
                    counts=counts,
                )


def compare(
    old: PageVersion, new: PageVersion, distance: Metric, options: MetricOptions
) -> tuple[float, Mapping[str, int]]:
    """Measure one step, and count what was done to the words: as the paper does, where its metric is asked for."""
    if old.body == new.body and old.encoding == new.encoding:
        return 0.0, {}  # most versions are like the one before: they need no look
    value = distance(old, new, options=options)
    pair = options.pair(old, new)
    found = pair.extended if distance is extended_distance else pair.improved
    return value, {kind: count for kind, count in found.counts.items() if count}
