"""What do the pages of each template found have in common? Some pages of each are read again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pagedrift.errors import PagedriftError
from pagedrift.which_template.frame import Sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pagedrift.page import PageVersion
    from pagedrift.which_template.cluster import Cluster, TemplateClusterer
    from pagedrift.which_template.frame import Frame

ENOUGH: Final = 400  # pages of a cluster out of which its sample is taken
EXAMPLES: Final = 3


@dataclass(frozen=True, slots=True)
class GatheredCluster:
    """A cluster, the addresses of some of its pages, and what they share; no frame where none can be looked at."""

    cluster: Cluster
    examples: tuple[str, ...]
    frame: Frame | None


def gather(
    pages: Iterable[PageVersion], clusterer: TemplateClusterer, clusters: Sequence[Cluster]
) -> list[GatheredCluster]:
    """Find what clusters are from their pages, which are asked for until there are enough of each cluster.

    >>> from pagedrift.page import PageVersion
    >>> from pagedrift.which_template.cluster import TemplateClusterer
    >>> pages = [PageVersion("", b"<main><p>Day %d</main>" % day) for day in range(3)]
    >>> clusterer = TemplateClusterer("lzw").fit(pages)
    >>> [node.label for node in gather(pages, clusterer, clusterer.clusters())[0].frame.regions()]
    ['main']
    """
    samples = {cluster.id: Sample() for cluster in clusters}
    examples: dict[int, dict[str, None]] = {cluster.id: {} for cluster in clusters}
    missing = {cluster.id: min(ENOUGH, cluster.pages) for cluster in clusters}
    for page in pages if missing else ():
        (own,) = clusterer.predict([page])
        if own not in samples:
            continue
        samples[own].add(page)
        if len(examples[own]) < EXAMPLES:
            examples[own][page.url] = None
        if samples[own].seen >= missing.get(own, ENOUGH):
            missing.pop(own, None)
            if not missing:
                break
    return [
        GatheredCluster(one, tuple(examples[one.id]) or (one.example,), _frame(samples[one.id])) for one in clusters
    ]


def _frame(sample: Sample) -> Frame | None:
    try:
        return sample.frame()
    except PagedriftError:
        return None
