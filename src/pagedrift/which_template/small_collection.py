"""Templates of a collection that the driver has room for: clustered there, as the plain command does.

The driver reads the fingerprints of all parts, in the order of the pages, and hands each task
the templates of the rows of its part. Nothing is sorted, joined or sent around.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pagedrift.collection import parts
from pagedrift.collection.manifest import opened
from pagedrift.collection.tally import Tally
from pagedrift.extras import need
from pagedrift.which_template.cluster import TemplateClusterer
from pagedrift.which_template.fingerprint import Fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.collection.tasks import DerivedTable

_NAME: Final = "template-{}"


@dataclass(slots=True)
class ClusteredParts:
    """The parts of a collection with their templates."""

    roots: list[array[int]]  # of each part: for each row the first fingerprint of its cluster
    templates: list[tuple[int, tuple[str, int, int, str]]]  # the first fingerprint of each, and its row


def cluster_parts(folder: str, count: int, algorithm: str) -> ClusteredParts:
    """Read the fingerprints of all parts, and find out which hang together."""
    numbers: dict[bytes, int] = {}
    examples: list[str] = []
    pages: Counter[int] = Counter()
    rows = [array("q") for _ in range(count)]
    for part, numbered in enumerate(rows):
        for fingerprint, url in _fingerprints(parts.place_of(folder, part)):
            number = numbers.setdefault(fingerprint, len(numbers))
            if number == len(examples):
                examples.append(url)
            pages[number] += 1
            numbered.append(number)
    clusterer = TemplateClusterer(algorithm)
    for fingerprint, number in numbers.items():
        clusterer.add(Fingerprint(algorithm, fingerprint), pages=pages[number])
    roots = [clusterer.current(number) for number in range(len(numbers))]
    total, members = Counter[int](), Counter(roots)
    first: dict[int, str] = {}
    for number, root in enumerate(roots):
        total[root] += pages[number]
        first.setdefault(root, examples[number])
    named = [
        (root, (_NAME.format(root + 1), total[root], members[root], example)) for root, example in first.items()
    ]
    return ClusteredParts([array("q", (roots[number] for number in numbered)) for numbered in rows], named)


def _fingerprints(place: str) -> Iterator[tuple[bytes, str]]:
    with opened(place) as file:
        for batch in file.iter_batches(columns=["fingerprint", "url"]):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def write_templates(found: ClusteredParts, folder: str, table: DerivedTable) -> Tally:
    """Write the table of templates, spread over its parts as tasks would do it."""
    tally = Tally()
    shared: list[list[tuple[str, int, int, str]]] = [[] for _ in range(table.parts)]
    for root, row in found.templates:
        shared[root % table.parts].append(row)
    for part, rows in enumerate(map(sorted, shared)):
        written = Tally(figures=Counter(fingerprints=sum(row[2] for row in rows)))
        tally.add(parts.write_part(parts.place_of(folder, part), table.identity, table.columns, rows, written))
    return tally


def write_clusters(running: Any, found: ClusteredParts, pages: str, folder: str, table: DerivedTable) -> Tally:
    """Write the pages of each part with their templates, each part in a task of its own."""
    tasks = running.sparkContext.parallelize(list(enumerate(found.roots)), len(found.roots))
    tally = Tally()
    for written in tasks.map(partial(_write_part, pages=pages, folder=folder, table=table)).collect():
        tally.add(written)
    return tally


def _write_part(task: tuple[int, array[int]], *, pages: str, folder: str, table: DerivedTable) -> Tally:
    number, roots = task
    known = parts.finished(folder, number, table.identity)
    if known is not None:
        return known
    batches = _with_templates(parts.place_of(pages, number), roots, table)
    return parts.write_batches(parts.place_of(folder, number), table.identity, table.columns, batches, Tally())


def _with_templates(place: str, roots: array[int], table: DerivedTable) -> Iterator[Any]:
    arrow = need("spark", "pyarrow")
    *names, _ = [column.name for column in table.columns]
    schema, start = parts.arrow_schema(table.columns), 0
    with opened(place) as file:
        for batch in file.iter_batches(columns=names):
            templates = [_NAME.format(root + 1) for root in roots[start : start + batch.num_rows]]
            start += batch.num_rows
            columns = [batch.column(name).cast(schema.field(name).type) for name in names]
            yield arrow.record_batch([*columns, arrow.array(templates, type=arrow.string())], schema=schema)
