import random
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from pagedrift import Fingerprint, PageVersion, TemplateClusterer
from pagedrift.which_template.lzw import is_same
from tests.which_template.strategies import crowds


def taken(crowd: list[bytes]) -> list[Fingerprint]:
    return [Fingerprint("lzw", one) for one in crowd]


def partition(crowd: list[bytes], labels: list[int]) -> set[frozenset[bytes]]:
    found = defaultdict(set)
    for one, label in zip(crowd, labels, strict=True):
        found[label].add(one)
    return {frozenset(members) for members in found.values()}


def by_pairs(crowd: list[bytes]) -> set[frozenset[bytes]]:
    """Cluster by comparing all with all."""
    clusters: list[set[bytes]] = []
    for one in crowd:
        near = [cluster for cluster in clusters if any(is_same(one, other) for other in cluster)]
        clusters = [cluster for cluster in clusters if cluster not in near] + [{one}.union(*near)]
    return {frozenset(cluster) for cluster in clusters}


@given(crowds())
def test_clusters_are_those_of_comparing_all_with_all(crowd: list[bytes]) -> None:
    labels = TemplateClusterer("lzw").fit(taken(crowd)).labels_

    assert partition(crowd, list(labels)) == by_pairs(crowd)


@given(crowds(), st.randoms(use_true_random=False))
def test_clusters_do_not_depend_on_the_order_of_pages(crowd: list[bytes], chance: random.Random) -> None:
    shuffled = chance.sample(crowd, len(crowd))

    assert partition(crowd, list(TemplateClusterer("lzw").fit(taken(crowd)).labels_)) == partition(
        shuffled, list(TemplateClusterer("lzw").fit(taken(shuffled)).labels_)
    )


@given(crowds(), crowds())
def test_ids_stay_as_pages_are_added_and_lead_to_the_older_where_clusters_join(
    crowd: list[bytes], more: list[bytes]
) -> None:
    clusterer = TemplateClusterer("lzw").fit(taken(crowd))
    before = list(clusterer.labels_)
    clusterer.partial_fit(taken(more))
    after = list(clusterer.labels_)

    assert after[: len(before)] == [clusterer.current(label) for label in before]
    assert all(new <= old for old, new in zip(before, after, strict=False))
    joined = len(set(before)) - len(set(after[: len(before)]))
    changed = {old for old, new in zip(before, after, strict=False) if old != new}
    assert len(changed) == joined  # no id changes but by joining an older one
    assert after == list(TemplateClusterer("lzw").fit(taken(crowd + more)).labels_)


@given(crowds())
def test_counts_of_clusters_are_those_of_the_labels(crowd: list[bytes]) -> None:
    clusterer = TemplateClusterer("lzw").fit(taken(crowd))
    labels = list(clusterer.labels_)
    clusters = clusterer.clusters()

    assert {cluster.id: cluster.pages for cluster in clusters} == {label: labels.count(label) for label in labels}
    assert sum(cluster.fingerprints for cluster in clusters) == len(set(crowd))
    assert [cluster.pages for cluster in clusters] == sorted((c.pages for c in clusters), reverse=True)


def test_a_page_is_predicted_to_be_in_the_cluster_it_would_join() -> None:
    pages = [PageVersion(f"https://city.example/{n}", b"<p><b>bold</b>" * (n + 1)) for n in range(3)]
    clusterer = TemplateClusterer("lzw").fit(pages[:2])

    assert clusterer.predict(pages[:1]) == [0]
    assert clusterer.predict([Fingerprint.parse("lzw:0,1,2,3,4,5,6,7")]) == [None]
    assert clusterer.clusters()[0].example == "https://city.example/0"


def test_no_pages_give_no_clusters() -> None:
    clusterer = TemplateClusterer("lzw").fit([])

    assert (list(clusterer.labels_), clusterer.clusters()) == ([], [])
