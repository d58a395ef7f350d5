"""Which of very many things hang together, where each link joins two of them?

Connected components by alternating large-star and small-star steps: Kiveris, Lattanzi, Mirrokni, Rastogi and
Vassilvitskii, Connected Components in MapReduce and Beyond, SoCC 2014. Each step looks at one thing and what is
linked to it, never at a whole component, and the number of rounds grows with the logarithm of the longest chain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.errors import PagedriftError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Callable

    Keep = Callable[[Any, str], Any]  # computes a frame, once, and gives it back

ROUNDS: Final = 100  # never reached: the paper needs fewer than ten on graphs of billions


def beside_least(rows: Any, key: str, value: str) -> Any:
    """Give each row the least value that a row with its key has, as the column `least`.

    Where very many rows share a key, the minimum is taken before they meet, and Spark divides the join.
    """
    functions = need("spark", "pyspark.sql.functions")
    least = rows.groupBy(key).agg(functions.min(value).alias("least"))
    return rows.join(least, key)


def components(links: Any, keep: Keep) -> Any:
    """Give each linked thing the least one it hangs together with: the columns `id` and `root`.

    `links` has the columns `one` and `other`, numbers. Things without links have no row.
    """
    functions = need("spark", "pyspark.sql.functions")
    one, other = functions.col("one"), functions.col("other")
    edges = keep(
        links.where(one != other)
        .select(functions.greatest(one, other).alias("one"), functions.least(one, other).alias("other"))
        .distinct(),
        "edges-0",
    )
    before = None
    for number in range(1, ROUNDS):
        edges = keep(_small_star(_large_star(edges)), f"edges-{number}")
        now = edges.agg(functions.count("*"), functions.sum(functions.xxhash64("one", "other").cast("decimal(38)")))
        if (found := tuple(now.first())) == before:
            return edges.select(one.alias("id"), other.alias("root"))
        before = found
    raise PagedriftError(f"the clusters were not found in {ROUNDS} rounds; please report this collection")


def _large_star(edges: Any) -> Any:
    """Link whatever is larger than a thing, and linked to it, to the least that is linked to it."""
    functions = need("spark", "pyspark.sql.functions")
    one, other, least = functions.col("one"), functions.col("other"), functions.col("least")
    both = edges.unionByName(edges.select(other.alias("one"), one.alias("other")))
    return (
        beside_least(both, "one", "other")
        .where(other > one)
        .select(other.alias("one"), functions.least(one, least).alias("other"))
        .distinct()
    )


def _small_star(edges: Any) -> Any:
    """Link whatever is smaller than a thing, and linked to it, and the thing itself, to the least of them."""
    functions = need("spark", "pyspark.sql.functions")
    one, other, least = functions.col("one"), functions.col("other"), functions.col("least")
    stars = beside_least(edges, "one", "other")
    small = stars.where(other != least).select(other.alias("one"), least.alias("other"))
    return small.unionByName(stars.select(one, least.alias("other"))).distinct()
