"""What hangs together is found whatever the links look like, and very many at one place are divided."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from pagedrift.collection.components import beside_least, components, crowds_of

pytestmark = [pytest.mark.slow]


def graphs() -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Give graphs of all shapes, each with the number of its nodes."""
    chance = random.Random(7)
    yield 100, [(n, n + 1) for n in range(99)]  # a chain, in which stars need many rounds
    yield 100, [(n * 7 % 100, (n + 1) * 7 % 100) for n in range(99)]  # the same, in no order
    yield 200, [(199, n) for n in range(199)]
    yield 200, [(0, n) for n in range(1, 200)]
    yield 63, [(n, 2 * n + side) for n in range(31) for side in (1, 2)]  # a tree
    yield 5, [(2, 2), (1, 1)]
    for _ in range(60):
        size = chance.randrange(2, 60)
        yield size, [(chance.randrange(size), chance.randrange(size)) for _ in range(chance.randrange(2 * size))]


def by_union_find(links: list[tuple[int, int]]) -> dict[int, int]:
    parents: dict[int, int] = {}

    def root(node: int) -> int:
        while parents.setdefault(node, node) != node:
            node = parents[node]
        return node

    for one, other in links:
        low, high = sorted((root(one), root(other)))
        parents[high] = low
    return {node: root(node) for node in parents if root(node) != node}


@pytest.mark.parametrize(("at_hand", "crowd"), [(10**6, 10**6), (0, 20)])
def test_components_are_those_of_union_find(
    spark: Any, monkeypatch: pytest.MonkeyPatch, at_hand: int, crowd: int
) -> None:
    monkeypatch.setattr("pagedrift.collection.components.MAX_DRIVER_LINKS", at_hand)
    monkeypatch.setattr("pagedrift.collection.components.CROWD", crowd)
    links, start = [], 10**12
    for size, some in graphs():
        links += [(start + one, start + other) for one, other in some]
        start += size
    frame = spark.createDataFrame(links, "one bigint, other bigint")

    found = components(frame, lambda edges, _: edges.localCheckpoint()).collect()

    assert {row.id: row.root for row in found} == by_union_find(links)


def test_no_links_are_no_components(spark: Any) -> None:
    frame = spark.createDataFrame([], "one bigint, other bigint")

    assert components(frame, lambda edges, _: edges).collect() == []


def test_a_key_that_very_many_share_is_divided_between_tasks(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagedrift.collection.components.CROWD", 1000)
    rows = spark.range(0, 10_000).selectExpr("if(id % 20 = 0, id, -1) AS key", "id")

    crowds = crowds_of(rows, "key", 10_000)
    found = beside_least(rows, "key", "id", crowds=crowds)

    assert crowds == [-1]
    assert {(row.key, row.least) for row in found.collect()} == {(-1, 1)} | {(n, n) for n in range(0, 10_000, 20)}
    assert found.count() == 10_000
    # The rows of the crowd meet their least by key and salt, and not by key alone.
    met = [line for line in plan(found).splitlines() if "Join" in line]
    assert met
    assert all("salt" in line for line in met)


def plan(frame: Any) -> str:
    """Say how Spark goes about it."""
    return str(frame._jdf.queryExecution().executedPlan().toString())
