"""Connected components of very large graphs, by Spark.

Connected components by alternating large-star and small-star steps: Kiveris, Lattanzi, Mirrokni, Rastogi and
Vassilvitskii, Connected Components in MapReduce and Beyond, SoCC 2014. Each step looks at one thing and what is
linked to it, never at a whole component, and the number of rounds grows with the logarithm of the longest chain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.errors import PagedriftError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Keep = Callable[[Any, str], Any]  # computes a frame, once, and gives it back

ROUNDS: Final = 100  # never reached: the paper needs fewer than ten on graphs of billions
MAX_DRIVER_LINKS = 1_000_000  # links that the driver takes care of by itself: faster than one more round
CROWD = 1_000_000  # rows with one key from which on they are divided between tasks
SALTS: Final = 64  # into a number of
SAMPLE: Final = 1_000_000  # rows that are looked at to find such keys


def beside_least(rows: Any, key: str, value: str, *, crowds: Iterable[Any] = ()) -> Any:
    """Give each row the least value that a row with its key has, as the column `least`.

    The rows of keys that are crowds are divided by a salt, and the least value goes to all that they are divided
    into: no task gets all of them. It is found before they meet, as every minimum is.
    """
    functions = need("spark", "pyspark.sql.functions")
    least = rows.groupBy(key).agg(functions.min(value).alias("least"))
    if not (known := list(crowds)):
        return rows.join(least, key)
    is_crowd = functions.col(key).isin(known)
    salt = functions.when(is_crowd, functions.pmod(functions.xxhash64(value), functions.lit(SALTS))).otherwise(0)
    every = functions.when(is_crowd, functions.sequence(functions.lit(0), functions.lit(SALTS - 1)))
    one = functions.array(functions.lit(0))
    spread = least.withColumn("salt", functions.explode(functions.coalesce(every, one)))
    return rows.withColumn("salt", salt.cast("int")).join(spread, [key, "salt"]).drop("salt")


def crowds_of(rows: Any, key: str, count: int) -> list[Any]:
    """List the keys that very many of a number of rows have, by a sample."""
    if count <= CROWD:
        return []
    functions = need("spark", "pyspark.sql.functions")
    share = min(1.0, SAMPLE / count)
    sizes = rows.sample(share, seed=1).groupBy(key).agg(functions.count("*").alias("rows"))
    return [row[0] for row in sizes.where(functions.col("rows") > CROWD * share).select(key).collect()]


def components(links: Any, keep: Keep) -> Any:
    """Give each linked thing the least one it hangs together with: the columns `id` and `root`.

    `links` has the columns `one` and `other`, numbers. What is the least itself has no row.
    """
    functions = need("spark", "pyspark.sql.functions")
    one, other = functions.col("one"), functions.col("other")
    ordered = (functions.greatest(one, other).alias("one"), functions.least(one, other).alias("other"))
    edges = keep(links.where(one != other).select(*ordered).distinct(), "edges-0")
    before: tuple[Any, ...] = ()
    for number in range(1, ROUNDS):
        total = functions.sum(functions.xxhash64("one", "other").cast("decimal(38)"))
        now = tuple(edges.agg(functions.count("*"), total).first())
        if now[0] <= MAX_DRIVER_LINKS:
            return _at_once(edges)
        if now == before:
            return edges.select(one.alias("id"), other.alias("root"))
        large = keep(_large_star(edges, now[0]), f"large-{number}")
        edges = keep(_small_star(large, large.count()), f"edges-{number}")
        before = now
    raise PagedriftError(f"the clusters were not found in {ROUNDS} rounds; please report this collection")


def _large_star(edges: Any, count: int) -> Any:
    """Link whatever is larger than a thing, and linked to it, to the least that is linked to it."""
    functions = need("spark", "pyspark.sql.functions")
    one, other, least = functions.col("one"), functions.col("other"), functions.col("least")
    both = edges.unionByName(edges.select(other.alias("one"), one.alias("other")))
    return (
        beside_least(both, "one", "other", crowds=crowds_of(both, "one", 2 * count))
        .where(other > one)
        .select(other.alias("one"), functions.least(one, least).alias("other"))
        .distinct()
    )


def _small_star(edges: Any, count: int) -> Any:
    """Link whatever is smaller than a thing, and linked to it, and the thing itself, to the least of them."""
    functions = need("spark", "pyspark.sql.functions")
    one, other, least = functions.col("one"), functions.col("other"), functions.col("least")
    stars = beside_least(edges, "one", "other", crowds=crowds_of(edges, "one", count))
    small = stars.where(other != least).select(other.alias("one"), least.alias("other"))
    return small.unionByName(stars.select(one, least.alias("other"))).distinct()


def _at_once(edges: Any) -> Any:
    """Join few links by the driver: each thing leads to a smaller one of its component, the least to itself."""
    parents: dict[int, int] = {}

    def root(node: int) -> int:
        while (above := parents.setdefault(node, node)) != node:
            parents[node] = parents[above]
            node = above
        return node

    for one, other in edges.collect():
        low, high = sorted((root(one), root(other)))
        parents[high] = low
    found = [(node, root(node)) for node in list(parents) if root(node) != node]
    return edges.sparkSession.createDataFrame(found, "id bigint, root bigint")
