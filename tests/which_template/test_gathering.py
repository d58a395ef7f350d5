"""What each cluster is, from some of its pages."""

import random

from pagedrift import PageVersion
from pagedrift.which_template import TemplateClusterer
from pagedrift.which_template.frame import SAMPLE, Sample, frame
from pagedrift.which_template.gathering import ENOUGH, EXAMPLES, gather
from tests.which_template.test_frame import ARTICLES, article

LISTS = [PageVersion(f"https://b.example/{n}", b"<ul id=all>" + b"<li>%d" % n * 30 + b"</ul>") for n in range(5)]


def test_each_cluster_is_told_from_its_own_pages() -> None:
    pages = [*ARTICLES[:3], *LISTS, *ARTICLES[3:]]
    clusterer = TemplateClusterer("lzw").fit(pages)
    found = gather(pages, clusterer, clusterer.clusters())
    (lists,) = (one for one in found if one.cluster.example == "https://b.example/0")

    assert lists.frame == frame(LISTS)
    assert lists.examples == tuple(page.url for page in LISTS[:EXAMPLES])
    assert sum(one.frame.pages for one in found) == len(pages)


def test_reading_ends_when_there_are_enough_pages() -> None:
    pages = [PageVersion(f"https://b.example/{n}", b"<p>%d" % n) for n in range(ENOUGH + 50)]
    clusterer = TemplateClusterer("lzw").fit(pages)
    given = iter(pages)

    assert gather(given, clusterer, clusterer.clusters())[0].cluster.pages == ENOUGH + 50
    assert len(list(given)) == 50


def test_a_page_too_large_to_look_at_leaves_its_cluster_without_a_drawing() -> None:
    attack = PageVersion("https://b.example/", b"<html>" * 20_000)
    clusterer = TemplateClusterer("lzw").fit([attack])

    assert gather([attack], clusterer, clusterer.clusters())[0].frame is None


def test_a_sample_is_the_same_in_any_order_and_counts_equal_pages_once() -> None:
    pages = [article(day) for day in range(60)]
    one, other = Sample(), Sample()
    for page in pages:
        one.add(page)
    for page in random.Random(1).sample(pages * 2, 120):
        other.add(page)

    assert one.pages() == other.pages()
    assert len({page.digest for page in one.pages()}) == SAMPLE
    assert one.pages() == sorted(pages, key=lambda page: page.digest)[:SAMPLE]
