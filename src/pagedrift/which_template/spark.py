"""Which template does each page of a collection have? Fingerprints, clusters and classes by Spark.

Three jobs: `fingerprint` reads the archives and writes the table of pages that the others start from; `cluster`
finds the templates, the same as `pagedrift which-template cluster` does; `classify` asks a saved index.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels.sketch_py import KEYS
from pagedrift.archive import surt
from pagedrift.collection import locations
from pagedrift.collection.checkpoints import Scratch
from pagedrift.collection.components import beside_least, components, crowds_of
from pagedrift.collection.job import CollectionJob, Outcome
from pagedrift.collection.parts import Column
from pagedrift.collection.session import watched
from pagedrift.collection.tables import read_marker, read_table, write_marker
from pagedrift.collection.tasks import DerivedTable, as_they_are, refuse_strangers
from pagedrift.errors import InputError
from pagedrift.extras import need
from pagedrift.sites import site_of
from pagedrift.which_template.classify import TemplateClassifier
from pagedrift.which_template.cluster import TemplateClusterer
from pagedrift.which_template.consensus import RULE, Cores, PageGroup, roots_of, sampled, unite
from pagedrift.which_template.fingerprint import DEFAULT, FINGERPRINTS, Fingerprint, algorithm_named
from pagedrift.which_template.index import CROWD, TemplateIndex
from pagedrift.which_template.small_collection import cluster_parts, write_clusters, write_templates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.collection.captures import LocatedVersion
    from pagedrift.collection.manifest import Part
    from pagedrift.collection.parts import Row
    from pagedrift.collection.tally import Tally

PAGES: Final = (
    Column("url", "string", "address of the page"),
    Column("url_key", "string", "the address as indexes sort it (SURT), one for all ways to write it"),
    Column("site", "string", "host of the address, without www."),
    Column("captured_at", "timestamp", "time of capture, UTC; null if the archive has none"),
    Column("status", "int", "HTTP status; null where there is none"),
    Column("digest", "string", "SHA-256 of the body, in hexadecimal"),
    Column("algorithm", "string", "which fingerprint"),
    Column("fingerprint", "binary", "the fingerprint: `Fingerprint(algorithm, fingerprint)`"),
    Column("warc_filename", "string", "the archive that holds the body"),
    Column("warc_record_offset", "bigint", "where its record starts there; null where it cannot be read by itself"),
    Column("row", "bigint", "place among the pages of its part, from 0"),
)
CLUSTERS: Final = (
    *(column for column in PAGES if column.name in {"url", "captured_at", "digest", "fingerprint"}),
    Column("template", "string", "name of the cluster, as `pagedrift which-template cluster` gives it"),
)
TEMPLATES: Final = (
    Column("template", "string", "name of the cluster"),
    Column("pages", "bigint", "pages made from it"),
    Column("fingerprints", "bigint", "different fingerprints of these"),
    Column("example", "string", "address of the first of these pages"),
)
CLASSES: Final = (
    *CLUSTERS[:-1],
    Column("template", "string", "the known template; null where it is none of those known"),
    Column("sure", "double", "share of the known pages with such a fingerprint that are of this template"),
    Column("known_pages", "bigint", "known pages of this template with such a fingerprint"),
    Column("example", "string", "address of one of them"),
)


# What the driver clusters by itself, which is faster than to share it out
MAX_DRIVER_FINGERPRINTS = 500_000
MAX_DRIVER_PAGES = 50_000_000
MAX_PAGES_HERE = 1_000_000  # of which the driver reads the fingerprints of all
_PART: Final = 40  # a position is the part, and in a number of bits the row


class FingerprintJob(CollectionJob):
    """Compute the fingerprint of every page."""

    name = "fingerprint"
    output = "pages"
    output_schema = PAGES
    question = "Compute the fingerprint of every page of a collection, with the location of each page."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Ask which fingerprint."""
        parser.add_argument("--algorithm", choices=list(FINGERPRINTS), default=DEFAULT, help="which fingerprint")

    def run_job(self, running: Any) -> Outcome:
        """Read all parts."""
        return self.run_parts(running, f"{self.args.to}/{self.output}", (self.args.algorithm,))

    def process_part(self, part: Part, tally: Tally) -> Iterator[Row]:
        """Give each row its number in the part."""
        for number, row in enumerate(super().process_part(part, tally)):
            yield *row, number

    def process_record(self, capture: LocatedVersion) -> Iterator[Row]:
        """Give the row of a page."""
        page, name = capture.page, self.args.algorithm
        taken = algorithm_named(name).references(page)
        place = (capture.archive, capture.offset)
        url = page.url.encode("utf-8", "replace").decode()
        yield (
            url,
            surt.key(url),
            site_of(url, by="host"),
            page.captured_at,
            page.status,
            page.digest,
            name,
            taken,
            *place,
        )


def pages_of(job: CollectionJob, running: Any, *, algorithm: str = DEFAULT) -> tuple[Outcome, Any]:
    """Give the table of pages, from which every other job starts; what is there of it is not made again."""
    reader = FingerprintJob(show=job.show)
    reader.args = argparse.Namespace(**{**vars(job.args), "algorithm": algorithm})
    reader.work = job.work
    reader.init_accumulators(running)
    outcome = reader.run_job(running)
    outcome.name = job.name
    return outcome, read_table(running, outcome.tables["pages"], PAGES)


class ClusterJob(CollectionJob):
    """Find the templates of a collection."""

    name = "cluster"
    output = "clusters"
    output_schema = CLUSTERS
    question = "Put pages made from one template into one cluster."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Ask which fingerprint, and where there is room."""
        parser.add_argument("--algorithm", choices=list(FINGERPRINTS), default=DEFAULT, help="which fingerprint")
        parser.add_argument(
            "--scratch", metavar="DIR", help="where Spark keeps what it finds on its way (default: DIR)"
        )

    def prepare(self) -> None:
        """Look for room, too: Spark itself does not write to S3 without jars."""
        if locations.scheme(self.args.to) and not self.args.scratch:
            raise InputError(f"{self.args.to}: Spark needs a folder for what it finds on its way: --scratch DIR")
        self.args.scratch = locations.resolve("", self.args.scratch or f"{self.args.to}/_scratch")
        super().prepare()

    def run_job(self, running: Any) -> Outcome:
        """Link fingerprints of one template, and see which hang together."""
        outcome, pages = pages_of(self, running, algorithm=self.args.algorithm)
        outcome.tables |= {name: f"{self.args.to}/{name}" for name in ("templates", "clusters")}
        identity = outcome.identity(self.name)
        there = [read_marker(outcome.tables[name], identity) for name in ("templates", "clusters")]
        if None in there:
            few = outcome.tally.pages <= min(MAX_PAGES_HERE, MAX_DRIVER_PAGES)
            there = self._find_here(running, outcome) if few else self._find(running, outcome, pages, identity)
        assert there[0] is not None
        outcome.figures = {"templates": there[0].rows, "fingerprints": there[0].figures["fingerprints"]}
        return outcome

    def _find_here(self, running: Any, outcome: Outcome) -> list[Tally | None]:
        """Cluster in this process: where there are few pages, to share the work out costs more than it saves."""
        tables = self._tables(outcome)
        folders = [outcome.tables[table.name] for table in tables]
        for folder in folders:
            refuse_strangers(folder, outcome.parts)
        with watched(running, "clustering", self.show):
            found = cluster_parts(outcome.tables["pages"], outcome.parts, self.args.algorithm)
            sizes = write_templates(found, folders[0], tables[0])
            pages = write_clusters(running, found, outcome.tables["pages"], folders[1], tables[1])
        for folder, table, tally in zip(folders, tables, (sizes, pages), strict=True):
            write_marker(folder, table.identity, tally)
        return [sizes, pages]

    def _tables(self, outcome: Outcome) -> tuple[DerivedTable, DerivedTable]:
        """Say what the answers are: the templates, and the pages with their templates."""
        identity = outcome.identity(self.name)
        sizes = DerivedTable(
            name="templates",
            columns=TEMPLATES,
            identity=identity,
            parts=outcome.parts,
            order=("template",),
            process=counted,
        )
        rows = DerivedTable(
            name="clusters",
            columns=CLUSTERS,
            identity=identity,
            parts=outcome.parts,
            order=("row",),
            process=as_they_are(CLUSTERS),
        )
        return sizes, rows

    def _find(self, running: Any, outcome: Outcome, pages: Any, identity: str) -> list[Tally | None]:
        scratch = Scratch(running, self.args.scratch, identity)
        with watched(running, "clustering", self.show):
            known = scratch.keep(numbered(pages), "known")
            if _is_for_driver(known):
                roots = roots_by_driver(running, known, self.args.algorithm)
            else:
                links = edges(running, known, self.args.algorithm)
                roots = joined(running, known, components(links, scratch.keep), self.args.algorithm)
            labels = scratch.keep(labelled(known, roots), "labels")
        tallies = self._write(running, outcome, pages, labels)
        scratch.clear()
        return tallies

    def _write(self, running: Any, outcome: Outcome, pages: Any, labels: Any) -> list[Tally | None]:
        functions = need("spark", "pyspark.sql.functions")
        first = functions.min(functions.struct("id", "example"))["example"]
        templates = labels.groupBy("template").agg(
            functions.sum("pages").alias("pages"),
            functions.count("*").alias("fingerprints"),
            first.alias("example"),
            (functions.min("id") % outcome.parts).cast("int").alias("part"),
        )
        each = in_micros(pages.join(labels.select("fingerprint", "template"), "fingerprint"))
        sizes, rows = self._tables(outcome)
        return [self.write_table(running, frame, table) for frame, table in ((templates, sizes), (each, rows))]


def counted(rows: Iterator[dict[str, Any]], tally: Tally) -> Iterator[Row]:
    """Give the rows of templates, and count the fingerprints in them."""
    for row in rows:
        tally.figures["fingerprints"] += row["fingerprints"]
        yield tuple(row[column.name] for column in TEMPLATES)


def in_micros(frame: Any) -> Any:
    """Give times as numbers: Python has no idea in which zone Spark means them."""
    functions = need("spark", "pyspark.sql.functions")
    return frame.withColumn("captured_at", functions.unix_micros("captured_at"))


def numbered(pages: Any) -> Any:
    """Give the different fingerprints numbers in the order of their first pages, as one machine would.

    The columns are `id`, `fingerprint`, `pages` and `example`. The numbers of a part start behind those of the
    parts before it, so that nobody waits for a sort of all.
    """
    functions, window = need("spark", "pyspark.sql.functions"), need("spark", "pyspark.sql.window").Window
    position = functions.shiftleft(functions.col("part").cast("bigint"), _PART) + functions.col("row")
    first = functions.min(functions.struct(position.alias("position"), "url")).alias("first")
    known = pages.groupBy("fingerprint").agg(first, functions.count("*").alias("pages"))
    known = known.withColumn("part", functions.shiftright("first.position", _PART))
    counts = known.groupBy("part").count()
    before = functions.sum("count").over(window.orderBy("part").rowsBetween(window.unboundedPreceding, -1))
    starts = counts.select("part", functions.coalesce(before, functions.lit(0)).alias("start"))
    inside = functions.row_number().over(window.partitionBy("part").orderBy("first.position")) - 1
    return known.join(functions.broadcast(starts), "part").select(
        (functions.col("start") + inside).alias("id"),
        "fingerprint",
        "pages",
        functions.col("first.url").alias("example"),
    )


def _is_for_driver(known: Any) -> bool:
    """Return whether there are so few fingerprints and pages that one machine has them in memory."""
    functions = need("spark", "pyspark.sql.functions")
    counts = known.agg(functions.count("*"), functions.coalesce(functions.sum("pages"), functions.lit(0))).first()
    return bool(counts[0] <= MAX_DRIVER_FINGERPRINTS and counts[1] <= MAX_DRIVER_PAGES)


def roots_by_driver(running: Any, known: Any, algorithm: str) -> Any:
    """Find the clusters as the plain command does: the columns `id` and `root`, where they differ."""
    clusterer = TemplateClusterer(algorithm)
    for _, references, pages in sorted(map(tuple, known.select("id", "fingerprint", "pages").collect())):
        clusterer.add(Fingerprint(algorithm, bytes(references)), pages=pages)
    roots = ((entry, clusterer.current(entry)) for entry in range(len(clusterer.index_)))
    return running.createDataFrame([(one, root) for one, root in roots if one != root], "id bigint, root bigint")


def edges(running: Any, known: Any, algorithm: str) -> Any:
    """Link fingerprints of one template: the columns `one` and `other`, enough of them for every cluster."""
    functions = need("spark", "pyspark.sql.functions")
    listed = known.select("id", "fingerprint").rdd.map(partial(_with_keys, algorithm))
    keyed = running.createDataFrame(listed, "id bigint, fingerprint binary, keys array<binary>", verifySchema=False)
    keyed = keyed.select("id", "fingerprint", functions.explode("keys").alias("key"))
    if not algorithm_named(algorithm).by_keys:
        return _compared(running, known, keyed, algorithm)
    # All that share a key are the same: a star to the first of them links them, where pairs would be too many.
    crowds = crowds_of(keyed, "key", known.count() * KEYS)
    return beside_least(keyed.select("key", "id"), "key", "id", crowds=crowds).select(
        functions.col("id").alias("one"), functions.col("least").alias("other")
    )


def _with_keys(algorithm: str, row: Any) -> tuple[int, bytes, list[bytes]]:
    references = bytes(row.fingerprint)
    return row.id, references, list(dict.fromkeys(algorithm_named(algorithm).keys(references)))


def _compared(running: Any, known: Any, keyed: Any, algorithm: str) -> Any:
    """Compare those that share a key; where very many do, look up each that could be there, as the index does."""
    functions = need("spark", "pyspark.sql.functions")
    sizes = keyed.groupBy("key").agg(functions.count("*").alias("size"))
    crowds = sizes.where(functions.col("size") > CROWD).select("key")
    few = sizes.where(functions.col("size").between(2, CROWD)).select("key")
    together = functions.collect_list(functions.struct("id", "fingerprint")).alias("members")
    groups = keyed.join(few, "key").groupBy("key").agg(together).select("members")
    pairs = running.createDataFrame(
        groups.rdd.flatMap(partial(_pairs, algorithm)), "one bigint, other bigint", verifySchema=False
    )
    crowded = keyed.join(crowds, "key").select("id", "fingerprint").distinct()
    near = running.createDataFrame(
        crowded.rdd.flatMap(partial(_neighbours, algorithm)), "one bigint, fingerprint binary", verifySchema=False
    )
    found = near.join(known.select("fingerprint", functions.col("id").alias("other")), "fingerprint")
    return pairs.unionByName(found.select("one", "other"))


def _pairs(algorithm: str, row: Any) -> Iterator[tuple[int, int]]:
    is_same = algorithm_named(algorithm).is_same
    members = [(member.id, bytes(member.fingerprint)) for member in row.members]
    for one, other in combinations(members, 2):
        if is_same(one[1], other[1]):
            yield one[0], other[0]


def _neighbours(algorithm: str, row: Any) -> Iterator[tuple[int, bytes]]:
    neighbours = algorithm_named(algorithm).neighbours
    assert neighbours is not None  # every algorithm that is not by keys can list them
    yield from ((row.id, near) for near in neighbours(bytes(row.fingerprint)))


def joined(running: Any, known: Any, roots: Any, algorithm: str) -> Any:
    """Let groups join others by what their pages have in common, as `consensus.join` does on one machine."""
    if algorithm_named(algorithm).features is None:
        return roots
    functions = need("spark", "pyspark.sql.functions")
    own = known.join(roots, "id", "left").withColumn("root", functions.coalesce("root", "id"))
    groups = own.rdd.map(partial(_group, algorithm)).reduceByKey(unite).cache()
    cores = running.sparkContext.broadcast(
        Cores(dict(groups.filter(lambda item: item[1].pages >= RULE.least_pages).collect()))
    )
    joins = dict(groups.flatMap(partial(_joins, cores)).collect())
    groups.unpersist()
    final = running.createDataFrame(list(roots_of(joins).items()), "root bigint, top bigint")
    known_top = functions.coalesce("top", "root").alias("root")
    return own.join(functions.broadcast(final), "root", "left").select("id", known_top)


def _group(algorithm: str, row: Any) -> tuple[int, PageGroup]:
    features = algorithm_named(algorithm).features
    assert features is not None
    return row.root, PageGroup.of(row.pages, [sampled(features(bytes(row.fingerprint)), row.pages)])


def _joins(cores: Any, item: tuple[int, PageGroup]) -> Iterator[tuple[int, int]]:
    number, group = item
    if best := cores.value.best(group):
        yield number, best[0]


def labelled(known: Any, roots: Any) -> Any:
    """Name the cluster of each fingerprint after its first one, as the plain command does."""
    functions = need("spark", "pyspark.sql.functions")
    root = functions.coalesce("root", "id")
    name = functions.concat(functions.lit("template-"), (root + 1).cast("string"))
    return known.join(roots, "id", "left").select("id", "fingerprint", "pages", "example", name.alias("template"))


class ClassifyJob(CollectionJob):
    """Ask a saved index for the template of every page."""

    name = "classify"
    output = "classes"
    output_schema = CLASSES
    question = "Find the template of every page with an index from `pagedrift which-template learn`."
    needed = " --index site.templates"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Ask for the index."""
        parser.add_argument("--index", required=True, metavar="FILE", help="what was learned")

    def prepare(self) -> None:
        """Look at the index, too."""
        self.algorithm = TemplateIndex.open(self.args.index).algorithm
        super().prepare()

    def run_job(self, running: Any) -> Outcome:
        """Send the index to all machines, and ask it about every page."""
        algorithm = self.algorithm
        outcome, pages = pages_of(self, running, algorithm=algorithm)
        with Path(self.args.index).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        name = f"{digest}.templates"  # Spark knows files by their names, and another index may have the same
        table = DerivedTable(
            name=self.output,
            columns=CLASSES,
            identity=outcome.identity(self.name, digest),
            parts=outcome.parts,
            order=("row",),
            process=partial(classified, name, algorithm),
        )
        with TemporaryDirectory(prefix="pagedrift-") as folder:
            shutil.copyfile(self.args.index, Path(folder, name))
            # As a file: each machine maps it once for all its tasks, where a broadcast value would be in each.
            running.sparkContext.addFile(str(Path(folder, name)))
            outcome.figures["rows"] = self.write_answers(running, outcome, in_micros(pages), table).rows
        return outcome


@cache
def _classifier(name: str) -> TemplateClassifier:
    """Open the index that was sent to this machine."""
    files = need("spark", "pyspark").SparkFiles
    return TemplateClassifier(index=TemplateIndex.open(files.get(name)))


def classified(name: str, algorithm: str, rows: Iterator[dict[str, Any]], tally: Tally) -> Iterator[Row]:  # noqa: ARG001
    """Give the rows of pages with the template of each."""
    classifier = _classifier(name)
    for row in rows:
        match = classifier.match(Fingerprint(algorithm, bytes(row["fingerprint"])))
        page = (row["url"], row["captured_at"], row["digest"], row["fingerprint"])
        yield *page, match.template, match.sure, match.pages, match.example or None
