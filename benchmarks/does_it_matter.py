"""Does it matter: what do pictures and blocks cost, beside OpenCV's SIFT and the paper's own way?"""

from __future__ import annotations

import multiprocessing
import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import cv2
import numpy

from benchmarks.measure import Table, seconds
from pagedrift.does_it_matter.blocks import segment
from pagedrift.does_it_matter.codebook import SIZES, codebooks, describe, visual_features
from pagedrift.does_it_matter.picture_descriptors import CELL, STEP, TOP, colours, decode, edges
from pagedrift.facets.view import TEXT, Box, RenderedNode, Style, View

WIDTH, HEIGHT = 1024, 1272  # pixels: the paper's mean page
VERSIONS = 1_000
_PLAIN = Style("block", "visible", 1, "static", "none", "black", "", False, 16, 400, "normal", (0, 0, 0, 0))
_cpu = partial(seconds, clock=time.process_time)


def drawn(height: int = HEIGHT, seed: int = 2012) -> numpy.ndarray:
    """Draw a picture of texts and boxes; three quarters of its pixels are flat, as on pages."""
    chance = numpy.random.default_rng(seed)
    image = numpy.full((height, WIDTH, 3), 255, numpy.uint8)
    for number in range(height * 2 // 5):
        x, y, grey = int(chance.integers(WIDTH)), int(chance.integers(height)), int(chance.integers(160))
        if number % 10 == 0:
            cv2.rectangle(image, (x, y), (x + 180, y + 60), (grey, 200, 255 - grey), -1)
        cv2.putText(image, "Fees and permits", (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (grey,) * 3)
    return image


def png(image: numpy.ndarray) -> bytes:
    """Pack a picture."""
    return cv2.imencode(".png", image)[1].tobytes()


def opencv(image: numpy.ndarray, step: int = STEP) -> numpy.ndarray:
    """Describe a picture by OpenCV's SIFT on the same grid, with cells of the same size."""
    reach = 3 * CELL
    points = [
        cv2.KeyPoint(x + reach / 2, y + reach / 2, 2 * CELL / 3, 0.0, 1.0, 0)
        for y in range(0, image.shape[0] - reach, step)
        for x in range(0, image.shape[1] - reach, step)
    ]
    return cv2.SIFT.create().compute(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), points)[1]


def brute_force(picture: bytes) -> None:
    """Describe as the paper says: whole page and top one after the other, each vocabulary by all distances."""
    image = decode(picture)
    for part in (image, image[:TOP]):
        patches = numpy.concatenate([found for _, found in colours(part)])
        for kind, found in (("sift", opencv(part) / 512), ("color", patches)):
            for size in SIZES:
                _nearest(found, codebooks()[kind, size])


def _nearest(found: numpy.ndarray, words: numpy.ndarray) -> numpy.ndarray:
    pieces = (found[start : start + 500] for start in range(0, len(found), 500))
    near = [((piece[:, None] - words) ** 2).sum(axis=2).argmin(axis=1) for piece in pieces]
    return numpy.bincount(numpy.concatenate(near), minlength=len(words))


def pictures() -> list[str]:
    """Compare descriptions with OpenCV's and with brute force, on one thread."""
    cv2.setNumThreads(1)
    table = Table(f"Does it matter, pictures of {WIDTH}×{HEIGHT} px: the computing time of others over ours")
    image, other = drawn(), drawn(seed=7)
    peer = _cpu(opencv, [image])
    ours = _cpu(lambda given: [None for _ in edges(given)], [image])
    table.promise("SIFT on a grid of 6 px, over OpenCV's", peer / ours, least=3)
    packed = [png(image), png(other)]

    def described(picture: bytes) -> None:
        describe.forget()
        describe(picture)

    pair = _cpu(described, packed)
    plain = 2 * _cpu(brute_force, packed[:1], rounds=1)
    table.promise("a pair from two PNGs, over the paper's way", plain / pair, least=40)
    one, two = (describe(picture) for picture in packed)
    distances = _cpu(lambda _: visual_features(one, two), range(20)) / 20
    table.promise("ms for two described versions", distances * 1e3, most=2)
    return table.broken


def blocks() -> list[str]:
    """Divide a page of 1,200 nodes."""
    table = Table("Does it matter, blocks of VIPS")
    nodes = [RenderedNode(-1, "body", Box(0, 0, WIDTH, 24_000), _PLAIN)]
    for number in range(300):
        top = number // 3 * 240
        section = len(nodes)
        nodes.append(RenderedNode(0, "div", Box(number % 3 * 340, top, 320, 200), _PLAIN))
        nodes.append(RenderedNode(section, "h2", Box(number % 3 * 340, top, 320, 40), _PLAIN))
        nodes.append(RenderedNode(section + 1, TEXT, Box(number % 3 * 340, top, 90, 20), _PLAIN, f"Fees {number}"))
        nodes.append(
            RenderedNode(section, TEXT, Box(number % 3 * 340, top + 60, 300, 100), _PLAIN, "A permit costs")
        )
    view = View(url="", title="", language="", width=WIDTH, height=24_000, nodes=tuple(nodes))
    table.promise(f"ms for {len(nodes)} nodes", _cpu(segment, [view]) * 1e3, most=60)
    return table.broken


def _memory() -> int:
    """Give the memory of this process in bytes."""
    with open("/proc/self/statm") as file:  # noqa: PTH123 - not a file
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def _described(numbers: range) -> tuple[int, int]:
    """Describe different versions one after the other; give the memory after a tenth of them and at the end."""
    cv2.setNumThreads(1)
    image = drawn(300)
    early = 0
    for place, number in enumerate(numbers):
        cv2.putText(image, str(number), (10, 40 + number % 200), cv2.FONT_HERSHEY_SIMPLEX, 1, (0, 0, 0))
        describe(png(image))
        if place == len(numbers) // 10:
            early = _memory()
    return early, _memory()


def _tall() -> int:
    """Describe a very tall page; give by how much that raised the most memory this process ever had."""
    tall = png(drawn(20_000))
    decode(tall)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    describe(tall)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024


def memory() -> list[str]:
    """Measure what very tall pages and many versions take."""
    table = Table("Does it matter, memory")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as worker:
        table.promise(
            "MB more than its picture for a page of 20,000 px", worker.submit(_tall).result() / 1e6, most=150
        )
    with ProcessPoolExecutor(2) as workers:
        grown = [
            late - early for early, late in workers.map(_described, (range(0, VERSIONS, 2), range(1, VERSIONS, 2)))
        ]
    table.promise(f"MB more after {VERSIONS} versions in 2 processes", max(grown) / 1e6, most=20)
    return table.broken
