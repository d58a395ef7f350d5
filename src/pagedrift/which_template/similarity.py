"""How similar is the structure of two pages, by the eight measures that Hachenberg & Gottron (2013) compare with?

Each has the paper's name, gives 1 for equal structures, and brings the rule of § 4.2 for when two pages are of one
template. The paper refers to others for the definitions; where it leaves something open, the comment at the
measure says what we chose.
"""

from __future__ import annotations

import hashlib
import math
from array import array
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels import count_common, hash_bytes, name_id, shingles
from pagedrift.errors import InputError
from pagedrift.facets.source import is_ascii_compatible
from pagedrift.facets.tags import read_tags
from pagedrift.facets.tree import ELEMENT, NONE
from pagedrift.page import PageVersion
from pagedrift.which_template.rtdm import tree_distance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pagedrift.facets.tree import Tree

SHINGLE: Final = 4  # tags in a run and names in a piece of a path; the paper gives no length


@dataclass(frozen=True, slots=True)
class Similarity:
    """A measure: what it looks at in a page, how it compares, and from which similarity on pages belong together.

    Without a `threshold`, that of a template is the least similarity between its training pages (§ 4.2).

    >>> from pagedrift import PageVersion
    >>> one, other = (PageVersion("", html) for html in (b"<p>A<p>B<ul><li>C</ul>", b"<p>A<p>B<ul><li>C<li>D</ul>"))
    >>> SIMILARITIES["LCTS"](one, other)  # p p ul li ul and p p ul li li ul
    0.8333333333333334
    """

    name: str
    model: Callable[[PageVersion], Any]
    compare: Callable[[Any, Any], float]
    threshold: float | None = None

    def __call__(self, one: PageVersion, other: PageVersion) -> float:
        """Compare two pages."""
        return self.compare(self.model(one), self.model(other))


def _tree(page: PageVersion) -> Tree:
    return page.tree


def _rtdm(one: Tree, other: Tree) -> float:
    """Compare trees by restricted top-down mapping: 1 − steps / elements of both pages, the most steps possible."""
    steps, most = tree_distance(one, other)
    return 1 - steps / most


def tag_sequence(page: PageVersion) -> array[int]:
    """Read the tag sequence of § 3.1: names alone, a start tag and its end tag being the same."""
    return page.tags.folded()


def _lcts(one: array[int], other: array[int]) -> float:
    """Compare the longest common subsequence of tags with the longer of the two sequences."""
    from rapidfuzz.distance import LCSseq

    longest = max(len(one), len(other))
    return LCSseq.similarity(one, other) / longest if longest else 1.0


def _tag_vector(page: PageVersion) -> tuple[Mapping[int, int], int]:
    """Count the start tags of each name; give the square of the vector's length too."""
    counts = Counter(code for code in page.tags.codes if not code & 1)
    return counts, sum(count * count for count in counts.values())


def _near(one: tuple[Mapping[int, int], int], other: tuple[Mapping[int, int], int]) -> float:
    """Turn the Euclidean distance d of two vectors into 1 / (1 + d).

    Every such turn gives the same templates, because a threshold is the similarity of two training pages.
    """
    (few, squares), (many, more) = sorted((one, other), key=lambda vector: len(vector[0]))
    product = sum([count * many[tag] for tag, count in few.items() if tag in many])
    return 1 / (1 + math.sqrt(squares + more - 2 * product))


def _paths(page: PageVersion) -> array[int]:
    """Hash the names on every way from the root to an element that has no elements below; each once."""
    tree = page.tree
    names = [name.encode("utf-8", "surrogatepass") for name in tree.names]
    hashes, inner = array("Q", bytes(8 * len(tree))), bytearray(len(tree))
    for node in range(1, len(tree)):
        if tree.kind[node] == ELEMENT:
            above = tree.parent[node]
            inner[above] = 1
            hashes[node] = hash_bytes(hashes[above].to_bytes(8, "little") + names[tree.name[node]])
    leaves = {hashes[node] for node in range(1, len(tree)) if tree.kind[node] == ELEMENT and not inner[node]}
    return array("Q", sorted(leaves))


def _path_shingles(page: PageVersion) -> array[int]:
    """Hash every piece of a number of names of the ways to leaves; a shorter way is one piece.

    The pieces that end at an element are the same for all ways through it, so each element gives one.
    """
    tree, found = page.tree, set()
    numbers = [name_id(name.encode("utf-8", "surrogatepass")) for name in tree.names]
    for node in range(1, len(tree)):
        if tree.kind[node] == ELEMENT and (piece := _piece(tree, node, numbers)):
            found.add(hash_bytes(piece.tobytes()))
    return array("Q", sorted(found))


def _piece(tree: Tree, node: int, numbers: Sequence[int]) -> array[int] | None:
    """Name an element and those above it; none where the way is too short but continues below."""
    piece, above = array("I"), node
    while len(piece) < SHINGLE and above > 0:
        piece.append(numbers[tree.name[above]])
        above = tree.parent[above]
    goes_on = len(piece) < SHINGLE and any(tree.kind[child] == ELEMENT for child in tree.children(node))
    return None if goes_on else piece


def _tag_shingles(page: PageVersion) -> array[int]:
    return shingles(tag_sequence(page), SHINGLE)


def overlap(one: array[int], other: array[int]) -> float:
    """Compare what two sets of hashes share with the larger of the two.

    >>> overlap(array("Q", [1, 2, 3]), array("Q", [2, 3, 4, 5]))
    0.5
    """
    most = max(len(one), len(other))
    return count_common(one, other) / most if most else 1.0


def _digest(codes: array[int]) -> bytes:
    numbers = ",".join(map(str, codes))  # the same on machines of either byte order
    return hashlib.md5(numbers.encode(), usedforsecurity=False).digest()


def _md5(page: PageVersion) -> bytes:
    return _digest(tag_sequence(page))


# What a browser leaves in the head; the first other start tag ends it, as </head> does, which may be left out.
_HEAD: Final = frozenset(
    name_id(name.encode())
    for name in "html head title base basefont bgsound link meta noscript script style template".split()
)
_END_OF_HEAD: Final = name_id(b"head") << 1 | 1
_FEW: Final = 64  # tags to read at first


def _mdh5(page: PageVersion) -> bytes:
    """Hash the tags of the head alone."""
    return _digest(head_sequence(page))


def head_sequence(page: PageVersion) -> array[int]:
    """Read the tag sequence up to the end of the head, and nearly no further.

    >>> len(head_sequence(PageVersion("", b"<title>Fees</title><link rel=icon><p>Fence: $40<link>")))
    3
    """
    if not is_ascii_compatible(page.body, page.content_type or page.header("content-type")):
        codes, limit = page.tags.codes, NONE
    else:
        codes, limit = read_tags(page.body, limit=_FEW).codes, _FEW
    while (end := _end_of_head(codes)) is None and len(codes) == limit:
        limit *= 4
        codes = read_tags(page.body, limit=limit).codes
    return array("I", [code >> 1 for code in codes[:end]])


def _end_of_head(codes: array[int]) -> int | None:
    return next(
        (at for at, code in enumerate(codes) if code == _END_OF_HEAD or (code >> 1 not in _HEAD and not code & 1)),
        None,
    )


def _equal(one: bytes, other: bytes) -> float:
    return float(one == other)


SIMILARITIES: Final = {
    measure.name: measure
    for measure in (
        Similarity("RTDM", _tree, _rtdm),
        Similarity("LCTS", tag_sequence, _lcts),  # the paper names no rule for it; we use the one for most
        Similarity("TV", _tag_vector, _near),
        Similarity("CP", _paths, overlap),
        Similarity("CPS", _path_shingles, overlap),
        Similarity("CTSS", _tag_shingles, overlap, threshold=0.8),
        Similarity("MD5", _md5, _equal, threshold=1.0),
        Similarity("MDH5", _mdh5, _equal, threshold=1.0),
    )
}


class SimilarityClassifier:
    """Which templates is a page of, by one of the measures and examples of each template (§ 4.2)?

    Every page is compared with every example, so the time grows with their number; a `TemplateClassifier` does not.

    >>> from pagedrift import PageVersion
    >>> pages = [PageVersion("", html) for html in (b"<p>A<p>B", b"<p>A<p>B<p>C", b"<ul><li>A</ul>")]
    >>> classifier = SimilarityClassifier("LCTS").fit(pages, ["text", "text", "list"])
    >>> classifier.predict([PageVersion("", b"<p>A<p>B<p>D")])
    ['text']
    """

    def __init__(self, similarity: str = "CTSS") -> None:
        self.similarity = similarity

    def fit(self, pages: Iterable[Any], labels: Iterable[str]) -> SimilarityClassifier:
        """Keep the examples, pages or what the measure's `model` made of them, and find the thresholds."""
        measure = self._measure()
        self.examples_: dict[str, list[Any]] = {}
        for page, label in zip(pages, labels, strict=True):
            self.examples_.setdefault(label, []).append(self._model(page))
        self.thresholds_ = {label: least_similarity(measure, known) for label, known in self.examples_.items()}
        if measure.compare is _equal:
            self.hashes_ = {label: frozenset(known) for label, known in self.examples_.items()}
        return self

    def predict(self, pages: Iterable[Any]) -> list[str | None]:
        """Name the template with the most similar example, of those whose threshold is reached."""
        answers: list[str | None] = []
        for page in pages:
            found = self.templates_of(page)
            answers.append(max(found, key=lambda label: (found[label], label)) if found else None)
        return answers

    def templates_of(self, page: Any) -> dict[str, float]:
        """Give every template whose threshold is reached, with the greatest similarity to one of its examples."""
        measure, model, found = self._measure(), self._model(page), {}
        if measure.compare is _equal:  # no need to look at one after the other
            return {label: 1.0 for label, hashes in self.hashes_.items() if model in hashes}
        for label, examples in self.examples_.items():
            best = max(measure.compare(model, example) for example in examples)
            if best >= self.thresholds_[label]:
                found[label] = best
        return found

    def _model(self, page: Any) -> Any:
        return self._measure().model(page) if isinstance(page, PageVersion) else page

    def _measure(self) -> Similarity:
        if self.similarity not in SIMILARITIES:
            raise InputError(f"unknown similarity {self.similarity}; choose one of {', '.join(SIMILARITIES)}")
        return SIMILARITIES[self.similarity]


def least_similarity(measure: Similarity, models: Sequence[Any]) -> float:
    """Find the threshold of a template: the measure's own, or the least similarity among its examples.

    One example alone is similar to itself, so only equal structures reach it.
    """
    if measure.threshold is not None:
        return measure.threshold
    return min((measure.compare(one, other) for one, other in combinations(models, 2)), default=1.0)
