"""How fast are fingerprints, from memory and from archives, and does it matter how many are known?"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from html.parser import HTMLParser
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from datasketch import MinHash
from fastwarc.warc import ArchiveIterator

from benchmarks.archives import packed_members, unpack
from benchmarks.many_fingerprints import KNOWN, Grown, grown
from benchmarks.measure import Table, cpu_of_all, spent
from benchmarks.pages import archives, bodies
from pagedrift import PageVersion, TemplateClusterer, fingerprint
from pagedrift._kernels import unpack_start
from pagedrift.facets.tags import read_tags
from pagedrift.read_report import Account
from pagedrift.which_template import DEFAULT, FINGERPRINTS
from pagedrift.which_template.lzw import LENGTH
from pagedrift.which_template.survey import batches, surveys

if TYPE_CHECKING:
    from collections.abc import Sequence

SHINGLE = 4
MOST_OVER_FASTWARC = {"lzw": 0.8, "pagedrift": 1.2}
REPEATED = 20  # times that archives are read where processes are compared, whose start counts too


class _Peer(HTMLParser):
    """The paper's algorithm in Python, as one would write it first."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.names.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.names.append(tag)


def _by_html_parser(body: bytes) -> bytes:
    parser = _Peer()
    parser.feed(body.decode("utf-8", "replace"))
    entries: dict[tuple[int, str], int] = {}
    references: list[int] = []
    current = 0
    for name in parser.names:
        if (current, name) in entries:
            current = entries[current, name]
            continue
        references.append(current)
        entries[current, name] = len(references)
        current = 0
        if len(references) == LENGTH:
            break
    return bytes(references)


class _Features(HTMLParser):
    """What the default looks at, as one would write it first: class names, ids, and what stands in what."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.open = [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(f"{tag} in {self.open[-1]}")
        self.open.append(tag)
        for name, value in attrs:
            if name in ("class", "id"):
                self.found.update(f"{tag} {name} {word}" for word in (value or "").split())

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1] == tag:
            self.open.pop()


def _by_html_parser_and_minhash(body: bytes) -> MinHash:
    parser = _Features()
    parser.feed(body.decode("utf-8", "replace"))
    sketch = MinHash(num_perm=80)
    sketch.update_batch([feature.encode() for feature in parser.found])
    return sketch


def _by_minhash(codes: Sequence[int]) -> MinHash:
    sketch = MinHash()
    sketch.update_batch({bytes(codes[at : at + SHINGLE]) for at in range(len(codes) - SHINGLE + 1)})
    return sketch


def fingerprints() -> list[str]:
    """Compare with the same in Python on html.parser, and with MinHash of tag shingles, which are given to it."""
    pages = bodies()
    versions = [PageVersion("", body) for body in pages]
    table = Table(f"Fingerprints of pages in memory ({len(pages)} pages)")
    scanned = spent(read_tags, pages, rounds=25)
    shingled = spent(_by_minhash, [read_tags(body).codes for body in pages], rounds=3)
    peers = {"lzw": _by_html_parser, "pagedrift": _by_html_parser_and_minhash}
    for algorithm in FINGERPRINTS:
        ours = spent(lambda page, name=algorithm: fingerprint(page, algorithm=name), versions, rounds=25)
        parser = spent(peers[algorithm], pages, rounds=2)
        table.row(algorithm, f"{len(pages) / ours:,.0f}/s")
        table.promise(f"{algorithm}, over the time of reading all tags", ours / scanned, most=0.7)
        table.promise(f"{algorithm}: times as fast as on html.parser", parser / ours, least=100)
        table.promise(f"{algorithm}: times as fast as datasketch's MinHash", shingled / ours, least=30)
    return table.broken


def from_archives() -> list[str]:
    """Compare fingerprints and clusters of all pages in WARCs with FastWARC merely iterating them."""
    with tempfile.TemporaryDirectory() as scratch:
        paths = [str(path) for path in archives(Path(scratch))]
        table = Table(f"Clusters from WARCs ({len(paths)} files)")
        iterated = spent(_iterate, paths)
        for algorithm in FINGERPRINTS:
            ours = spent(lambda inputs, name=algorithm: _cluster(inputs, name, jobs=1), [paths])
            most = MOST_OVER_FASTWARC[algorithm]
            table.promise(f"{algorithm}, over FastWARC iterating", ours / iterated, most=most)
        packed = [member for path in paths for member in packed_members(Path(path))]
        unpacked, begun_alone = spent(unpack, packed), spent(_unpack_start, packed)
        table.row("unpacking alone", f"{unpacked / iterated:.2f}", "the least that any fingerprint takes")
        table.row("unpacking 4 kB of each record alone", f"{begun_alone / iterated:.2f}", "the same of beginnings")
        quick = spent(lambda inputs: _cluster(inputs, "lzw", jobs=1, quick=True), [paths])
        table.promise("lzw, beginnings of pages alone, over FastWARC iterating", quick / iterated, most=0.25)
        whole, begun = (_cluster(paths, "lzw", jobs=1, quick=each) for each in (False, True))
        table.promise("lzw, beginnings of pages alone, the same result", float(_is_same(whole, begun)), least=1)
        return table.broken


def processes() -> list[str]:
    """Compare two processes with one, by the processor time of all: on an idle machine two share it."""
    with tempfile.TemporaryDirectory() as scratch:
        paths = [str(path) for path in archives(Path(scratch))] * REPEATED
        table = Table(f"Clusters from WARCs by processes ({len(paths)} files)")
        (one, spent_by_one, waited_for_one), (two, spent_by_two, waited_for_two) = (
            min((_timed_cluster(paths, jobs) for _ in range(2)), key=itemgetter(1)) for jobs in (1, 2)
        )
        table.row("two against one, by the clock", f"{waited_for_one / waited_for_two:.2f}", "if nothing else runs")
        table.promise("two against one, sharing their processor time", 2 * spent_by_one / spent_by_two, least=1.8)
        table.promise("two processes, the same result", float(_is_same(one, two)), least=1)
        return table.broken


def _timed_cluster(paths: list[str], jobs: int) -> tuple[TemplateClusterer, float, float]:
    """Cluster, and say how many seconds all processes computed, and how many passed."""
    spent_before, start = cpu_of_all(), time.perf_counter()
    clusterer = _cluster(paths, DEFAULT, jobs=jobs)
    return clusterer, cpu_of_all() - spent_before, time.perf_counter() - start


def _iterate(path: str) -> None:
    for _ in ArchiveIterator(path):
        pass


def _cluster(paths: list[str], algorithm: str, *, jobs: int, quick: bool = False) -> TemplateClusterer:
    clusterer, found = TemplateClusterer(algorithm), list(batches(paths, account=Account()))
    for _, survey, _ in surveys(found, algorithm=algorithm, quick=quick, jobs=jobs):
        survey.cluster(clusterer)
    return clusterer


def _unpack_start(packed: bytes) -> None:
    unpack_start(packed, 0, len(packed), 4096)


def _is_same(one: TemplateClusterer, other: TemplateClusterer) -> bool:
    return list(one.index_) == list(other.index_) and one.clusters() == other.clusters()


def growth() -> list[str]:
    """Add ten thousand new fingerprints to a clusterer that knows ever more; all of them different."""
    with ProcessPoolExecutor(len(FINGERPRINTS), multiprocessing.get_context("spawn")) as workers:
        return [broken for each in workers.map(grown, FINGERPRINTS) for broken in _shown(each)]


def _shown(each: Grown) -> list[str]:
    table = Table(f"One more document, by the number of different fingerprints {each.algorithm} known")
    for known, cost, memory in zip(KNOWN, each.costs, each.memory, strict=True):
        table.row(f"{known:>11,}", f"{cost:.1f} µs", f"{memory:.2f} GB")
    table.promise("ten million over ten thousand", each.costs[-1] / each.costs[0], most=3)
    table.promise("ten million in memory, GB", each.memory[-1], most=2)
    table.promise("ten million in a file, GB", each.file, most=2)
    table.row("opening it", f"{each.opening:.1f} ms")
    return table.broken
