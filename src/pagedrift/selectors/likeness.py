"""What a selector meant on an earlier page, in the numbers of the page on which it is looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift._kernels.looks_py import ABOVE, AROUND, ENTRY, LABEL, NAME, TEXT, Sought
from pagedrift.selectors.element_table import LINK_NUMBERS, PART_NUMBERS, SHAPE_NUMBERS
from pagedrift.selectors.meanings import bits_of, kind_of, meanings
from pagedrift.selectors.selectable import words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence, Set

    from pagedrift.selectors.candidates import ElementSample
    from pagedrift.selectors.element_table import ElementTable

_DOING: Final = bits_of(frozenset("previous next more share steps comments".split()))  # what links do


class Seeker:
    """Writes samples of earlier pages in the numbers of one page."""

    def __init__(self, table: ElementTable) -> None:
        self._table = table
        self._pages: dict[frozenset[str], bytes] = {}  # by what an old page says: which beginnings are of it

    def seek(self, sample: ElementSample, matched: Sequence[int]) -> Sought:
        """Write what is looked for; `matched` is what the old selector means on the page."""
        looks, table = sample.looks, self._table
        sets = self._sets(sample)
        return Sought(
            tag=table.tags.get(looks.tag, -1),
            kind=table.kinds.get(kind_of(looks.tag), -1),
            shape=SHAPE_NUMBERS[looks.shape],
            heading=looks.heading,
            part=PART_NUMBERS[looks.part],
            link=LINK_NUMBERS[looks.link],
            address=table.addresses.get(looks.address, -1) if looks.address else -1,
            meanings=bits_of(looks.meanings),
            above_meanings=bits_of(looks.above_meanings),
            said=bits_of(looks.said),
            target=bits_of(meanings(looks.target)),
            named=bits_of(sample.named),
            words=looks.words,
            alike=looks.alike,
            depth=looks.depth,
            elements=sample.count,
            main=int(looks.main),
            titles_most=int(looks.titles_most),
            known_text=int(bool(sample.page_texts and looks.text)),
            on_new_page=int(looks.beginning in table.beginnings),
            place=looks.place,
            title_share=looks.title_share,
            linked=looks.linked,
            uniform=sample.uniform,
            gap=looks.gap,
            sizes=tuple(len(words) for words in sets.values()),
            marks=self._marks(sets),
            entries=len(sample.entries.entries),
            entry_marks=_marked(table.beginnings, sample.entries.entries),
            on_old_page=self._on_old_page(sample.page_texts),
            matched=_places(len(table.tree), matched),
            matched_count=len(matched),
            doing=_DOING,
        )

    def _sets(self, sample: ElementSample) -> dict[int, Set[str]]:
        """Give the words that are compared, by what they are marked as."""
        looks = sample.looks
        return {
            NAME: looks.names,
            ABOVE: looks.above,
            TEXT: frozenset(words_of(looks.text)),
            LABEL: frozenset(looks.label),
            AROUND: looks.around,
            ENTRY: sample.entries.words,
        }

    def _marks(self, sets: Mapping[int, Set[str]]) -> bytes:
        numbers = self._table.words
        found = bytearray(len(numbers))
        for mark, words in sets.items():
            for word in words:
                if word in numbers:
                    found[numbers[word]] |= mark
        return bytes(found)

    def _on_old_page(self, texts: frozenset[str]) -> bytes:
        if texts not in self._pages:
            self._pages[texts] = bytes([text in texts for text in self._table.beginnings])
        return self._pages[texts]


def _marked(numbers: Mapping[str, int], texts: Collection[str]) -> bytes:
    return _places(len(numbers), [numbers[text] for text in texts if text in numbers])


def _places(size: int, places: Sequence[int]) -> bytes:
    found = bytearray(size)
    for place in places:
        found[place] = 1
    return bytes(found)
