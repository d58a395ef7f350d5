"""How far apart are the word vectors of two pages, with rare words weighing more (TF-IDF)?"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pagedrift.atomic_files import write_atomically
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pagedrift.page import PageVersion

FORMAT: Final = "pagedrift-frequencies"
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Frequencies:
    """On how many pages of a collection each word occurs; without a collection, all words weigh the same.

    >>> collection = Frequencies.of_words([["the", "fee"], ["the", "law"], ["the", "end"]])
    >>> collection.weight("the"), round(collection.weight("fee"), 3), round(collection.weight("new"), 3)
    (1.0, 1.693, 2.386)
    """

    pages: int = 0
    words: Mapping[str, int] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, pages: Iterable[PageVersion]) -> Frequencies:
        """Count the words of a collection, one page at a time."""
        return cls.of_words(page.words for page in pages)

    @classmethod
    def of_words(cls, pages: Iterable[Sequence[str]]) -> Frequencies:
        """Count the words of a collection of word sequences."""
        number, counts = 0, Counter[str]()
        for number, words in enumerate(pages, 1):  # noqa: B007
            counts.update(set(words))
        return cls(number, dict(counts))

    def weight(self, word: str) -> float:
        """Weigh a word: the logarithm of how rare it is, as if one more page had every word, and 1 more.

        So a word of all pages still counts, and a word of none is not a division by zero.
        """
        return math.log((1 + self.pages) / (1 + self.words.get(word, 0))) + 1

    def save(self, path: str | Path) -> None:
        """Write to a JSON file."""
        import json

        content = {
            "format": FORMAT,
            "version": VERSION,
            "pages": self.pages,
            "words": dict(sorted(self.words.items())),
        }
        write_atomically(Path(path), (json.dumps(content, ensure_ascii=False) + "\n").encode())

    @classmethod
    def load(cls, path: str | Path) -> Frequencies:
        """Read what `save` wrote."""
        import json

        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"{path} cannot be read: {error}; name a file that Frequencies.save wrote") from None
        if not _is_ours(content):
            raise InputError(
                f"{path} holds no word frequencies of version {VERSION}; write it with Frequencies.save"
            )
        return cls(content["pages"], content["words"])


def _is_ours(content: object) -> bool:
    """Look at every number, so that a damaged file cannot lead to a nonsensical distance."""
    if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
        return False
    pages, words = content.get("pages"), content.get("words")
    if type(pages) is not int or pages < 0 or not isinstance(words, dict):
        return False
    return all(type(count) is int and 0 < count <= pages for count in words.values())


def distance(
    old: Sequence[str] | Counter[str], new: Sequence[str] | Counter[str], *, frequencies: Frequencies | None = None
) -> float:
    """Measure the cosine distance of the TF-IDF vectors: how often a word occurs, times its weight (Salton 1983).

    Symmetric. Blind to the order of words, and to a page that is written twice. Where one page has no words the
    distance is 1; where both have none, 0.

    >>> round(distance(["fee", "$40"], ["fee", "$45"]), 6)
    0.5
    """
    one, other = Counter(old), Counter(new)
    if not one or not other:
        return float(bool(one) or bool(other))
    if frequencies is None:  # all words weigh 1
        common = one.keys() & other.keys()
        shared: int = sum(map(mul, map(one.__getitem__, common), map(other.__getitem__, common)))
        sizes = [sum(map(mul, bag.values(), bag.values())) for bag in (one, other)]
        return min(max(1 - shared / math.sqrt(sizes[0] * sizes[1]), 0.0), 1.0)
    squares = {word: frequencies.weight(word) ** 2 for word in one.keys() | other.keys()}
    # fsum: the order of the words must not show in the last digit.
    product = math.fsum(one[word] * other[word] * squares[word] for word in one.keys() & other.keys())
    lengths = [math.fsum(many * many * squares[word] for word, many in bag.items()) for bag in (one, other)]
    return min(max(1 - product / math.sqrt(lengths[0] * lengths[1]), 0.0), 1.0)
